/* engine.c -- engines as objects. */
#include "linear/engine.h"

#include <stdlib.h>

#include "core/sized.h"

static int check(keel_engine *e)
{
    const keel_engine_spec *s = &e->spec;
    const char *missing = !s->linearize ? "linearize" : !s->prepare ? "prepare" : !s->solve ? "solve" : NULL;
    if (missing) return fail(&e->message, KEEL_BAD_ARGUMENT, "the engine has no function `%s`", missing);
    if (!s->prepare_saddle != !s->solve_saddle)
        return fail(&e->message, KEEL_BAD_ARGUMENT, "the engine has one of the functions "
                    "`prepare_saddle` and `solve_saddle`, but not the other");
    if (s->saddle_index != 0 && s->saddle_index != 2 && s->saddle_index != 3)
        return fail(&e->message, KEEL_BAD_ARGUMENT, "saddle_index is %d: Hessenberg forms have the index 2 "
                    "or 3", s->saddle_index);
    return s->rank < 0 ? fail(&e->message, KEEL_BAD_ARGUMENT, "the engine's rank is %d", s->rank) : KEEL_OK;
}

int keel_engine_create_sized(keel_engine **engine, const keel_engine_spec *spec, size_t size)
{
    if (!engine) return KEEL_BAD_ARGUMENT;
    keel_engine *e = *engine = calloc(1, sizeof *e);
    if (!e) return KEEL_NO_MEMORY;
    if (!spec) return fail(&e->message, KEEL_BAD_ARGUMENT, "there is no description of the engine");
    int rc = sized_copy(&e->message, SIZED(keel_engine_spec, release, saddle_index), &e->spec, spec, size);
    if (!rc) rc = check(e);
    e->reducer = (reducer){.context = e->spec.context, .reduce = e->spec.reduce, .rank = e->spec.rank};
    e->ready = rc == KEEL_OK;
    return rc;
}

void keel_engine_free(keel_engine *e)
{
    if (!e || e->used) return;
    if (e->ready && e->spec.release) e->spec.release(e->spec.context);
    free(e);
}

const char *keel_engine_message(const keel_engine *e) { return e ? e->message.text : ""; }
long keel_engine_messages(const keel_engine *e) { return e ? e->reducer.messages : 0; }
