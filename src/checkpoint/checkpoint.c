/* checkpoint.c -- a run in a file, from which it goes on bit for bit.
 *
 *   preamble   magic, version of the format, byte order, sizes of types, length, checksum of all
 *              but itself
 *   identity   what the run is of, in lines (identity.c)
 *   note       bytes of the caller
 *   state      all that the run remembers (state.c)
 *
 * each of the last three with its length.  A file is read and verified completely before the solver
 * is touched.
 */
#include "checkpoint/checkpoint.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1 };

static const char magic[16] = "keel checkpoint";

typedef struct preamble {
    char magic[16];
    uint32_t format, order;
    unsigned char sizes[8];      /* short, int, long, size_t, double, long double, pointer, enum */
    uint64_t length;             /* of the file                                            */
    uint64_t checksum;           /* of all but this                                        */
} preamble;

static preamble preamble_of(size_t length)
{
    preamble p = {.format = FORMAT, .order = 0x01020304, .length = length,
                  .sizes = {sizeof(short), sizeof(int), sizeof(long), sizeof(size_t),
                            sizeof(double), sizeof(long double), sizeof(void *),
                            sizeof(keel_mark)}};
    memcpy(p.magic, magic, sizeof p.magic);
    return p;
}

static uint64_t sum_of(const preamble *p, const char *data)
{
    uint64_t sum = checksum(CHECKSUM_BEGIN, p, offsetof(preamble, checksum));
    return checksum(sum, data + sizeof *p, (size_t)p->length - sizeof *p);
}

/* ---- out ------------------------------------------------------------------------------------ */

static void pass_section(tape *t, const void *data, uint64_t size)
{
    TAPE(t, size);
    tape_pass(t, (void *)data, (size_t)size);    /* not written to: the tape is not loading */
}

/* The state first measures itself, since sparse factors have no fixed length. */
static void pass_file(keel_solver *s, tape *t, const identity *id, const bytes *note, uint64_t state)
{
    preamble p = preamble_of(0);
    TAPE(t, p);
    pass_section(t, id->text, id->used);
    pass_section(t, note->data, note->size);
    TAPE(t, state);
    state_pass(s, t);
}

static int cannot(keel_solver *s, const char *what, const char *path, int error)
{
    return fail(&s->message, error == ENOMEM ? KEEL_NO_MEMORY : KEEL_BAD_FILE,
                "the checkpoint %s cannot be %s: %s", path, what, strerror(error));
}

static int with_engine(keel_solver *s)
{
    return fail(&s->message, KEEL_UNSUPPORTED, "with an engine runs are not saved: its matrices are not "
                "the solver's");
}

static int save(keel_solver *s, const char *path, const bytes *note)
{
    identity id;
    if (s->eval.engine) return with_engine(s);
    if (!path || (note->size > 0 && !note->data))
        return fail(&s->message, KEEL_BAD_ARGUMENT, "keel_solver_save: %s is NULL",
                    path ? "the note" : "the path");
    identity_of(s, &id);
    tape state = {0}, whole = {0}, out = {0};
    state_pass(s, &state);
    pass_file(s, &whole, &id, note, state.at);
    if (whole.status)
        return fail(&s->message, whole.status, "t = %.10g: a part of this run cannot be saved",
                    s->t);
    bytes content = {malloc(whole.at), whole.at};
    if (!content.data) return cannot(s, "written", path, ENOMEM);
    out.bytes = content.data;
    pass_file(s, &out, &id, note, state.at);
    preamble p = preamble_of(content.size);
    p.checksum = sum_of(&p, content.data);
    memcpy(content.data, &p, sizeof p);
    int error = file_replace(path, &content);
    free(content.data);
    return error ? cannot(s, "written", path, error) : KEEL_OK;
}

int keel_solver_save_noted(keel_solver *s, const char *path, const void *note, size_t size)
{
    int rc = solver_enter(s);
    const bytes kept = {(char *)(uintptr_t)note, size};
    return rc ? rc : solver_leave(s, save(s, path, &kept));
}

int keel_solver_save(keel_solver *s, const char *path)
{
    return keel_solver_save_noted(s, path, NULL, 0);
}

/* ---- in ------------------------------------------------------------------------------------- */

static int refuse(keel_solver *s, const char *path, const char *why)
{
    return fail(&s->message, KEEL_BAD_FILE, "the checkpoint %s %s", path, why);
}

static int verify(keel_solver *s, const char *path, const bytes *content)
{
    preamble p, own = preamble_of(content->size);
    if (content->size < sizeof p) return refuse(s, path, "is none: it is too short");
    memcpy(&p, content->data, sizeof p);
    if (memcmp(p.magic, own.magic, sizeof p.magic))
        return refuse(s, path, "is none: it begins with something else");
    if (p.order != own.order || memcmp(p.sizes, own.sizes, sizeof p.sizes))
        return refuse(s, path, "comes from another architecture: its numbers have another order of "
                      "bytes, or another size");
    if (p.format != own.format)
        return fail(&s->message, KEEL_BAD_FILE, "the checkpoint %s has version %lu, and this "
                    "library reads version %d", path, (unsigned long)p.format, FORMAT);
    if (p.length != own.length)
        return refuse(s, path, "is damaged: it does not have the length that it says");
    if (p.checksum != sum_of(&p, content->data))
        return refuse(s, path, "is damaged: its checksum is wrong");
    return KEEL_OK;
}

/* The next section: its start, or NULL. */
static const char *section(const bytes *content, size_t *at, uint64_t *size)
{
    if (content->size - *at < sizeof *size) return NULL;
    memcpy(size, content->data + *at, sizeof *size);
    *at += sizeof *size;
    if (content->size - *at < *size) return NULL;
    const char *start = content->data + *at;
    *at += (size_t)*size;
    return start;
}

/* The first line in which both differ. */
static int compare(keel_solver *s, const char *path, const char *there, size_t size)
{
    identity id;
    identity_of(s, &id);
    if (size == id.used && memcmp(there, id.text, size) == 0) return KEEL_OK;
    size_t from = 0, here = 0, other = 0;
    for (size_t k = 0; k < size && k < id.used && there[k] == id.text[k]; k++)
        if (there[k] == '\n') from = k + 1;
    while (from + here < id.used && id.text[from + here] != '\n') here++;
    while (from + other < size && there[from + other] != '\n') other++;
    return fail(&s->message, KEEL_BAD_FILE, "the checkpoint %s is of another run: it has `%.*s`, "
                "this solver `%.*s`", path, (int)other, there + from, (int)here, id.text + from);
}

/* The note is the solver's from now on. */
static int take_note(keel_solver *s, const char *note, size_t size)
{
    void *copy = size ? malloc(size) : NULL;
    if (size && !copy) return fail(&s->message, KEEL_NO_MEMORY, "no memory for the note");
    if (size) memcpy(copy, note, size);
    free(s->note);
    s->note = copy;
    s->note_size = size;
    return KEEL_OK;
}

static int take(keel_solver *s, const char *path, const bytes *content)
{
    uint64_t id_size, note_size, state_size;
    size_t at = sizeof(preamble);
    int rc = verify(s, path, content);
    if (rc) return rc;
    const char *id = section(content, &at, &id_size);
    const char *note = id ? section(content, &at, &note_size) : NULL;
    const char *state = note ? section(content, &at, &state_size) : NULL;
    if (!state || at != content->size)
        return refuse(s, path, "is damaged: its sections do not fit");
    rc = compare(s, path, id, (size_t)id_size);
    if (!rc) rc = take_note(s, note, (size_t)note_size);
    if (rc) return rc;
    tape in = {.bytes = (char *)state, .size = (size_t)state_size, .loading = 1};
    state_pass(s, &in);
    if (in.status == KEEL_OK && in.at == in.size) return KEEL_OK;
    s->started = 0;
    return fail(&s->message, in.status == KEEL_NO_MEMORY ? KEEL_NO_MEMORY : KEEL_BAD_FILE,
                "the checkpoint %s could not be taken over%s: start the solver, or load again", path,
                in.status == KEEL_NO_MEMORY ? ", for lack of memory" : "");
}

static int load(keel_solver *s, const char *path)
{
    bytes content;
    if (s->eval.engine) return with_engine(s);
    if (!path) return fail(&s->message, KEEL_BAD_ARGUMENT, "keel_solver_load: the path is NULL");
    int error = file_read(path, &content);
    if (error) return cannot(s, "read", path, error);
    int rc = take(s, path, &content);
    free(content.data);
    return rc;
}

int keel_solver_load(keel_solver *s, const char *path)
{
    int rc = solver_open(s);
    return rc ? rc : solver_leave(s, load(s, path));
}

const void *keel_solver_note(const keel_solver *s, size_t *size)
{
    if (size) *size = s ? s->note_size : 0;
    return s ? s->note : NULL;
}
