/* identity.c -- what a run is of: library, problem, method, options; one line each, so that the
 * first line in which a file and a solver differ says why they do not go together.
 *
 * What callbacks compute cannot be seen: parameters in a context are the user's to keep.
 */
#include "checkpoint/checkpoint.h"

#include <string.h>

#include "core/number.h"
#include "core/options.h"
#include "event/event.h"
#include "problem/formulation.h"

typedef unsigned long long digest;

__attribute__((format(printf, 2, 3)))
static void line(identity *id, const char *format, ...)
{
    va_list values;
    size_t room = sizeof id->text - id->used;
    va_start(values, format);
    int length = number_print_list(id->text + id->used, room, format, values);
    va_end(values);
    size_t written = length < 0 ? 0 : (size_t)length + 1 < room ? (size_t)length : room - 2;
    id->used += written;
    id->text[id->used++] = '\n';
    id->text[id->used] = 0;
}

/* The fewest digits from 15 to 17 that give the value back. */
static const char *shortest(char text[32], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        number_print(text, 32, "%.*g", digits, value);
        if (number_read(text, NULL) == value) break;
    }
    return text;
}

static digest of_text(digest d, const char *text)
{
    return checksum(d, text ? text : "", text ? strlen(text) + 1 : 1);
}

static digest of_reals(digest d, const double *x, size_t count)
{
    return x ? checksum(d, x, count * sizeof *x) : d;
}

/* The sizes of all parts: another build may have other ones. */
static digest of_parts(const keel_solver *s)
{
    digest d = CHECKSUM_BEGIN;
    size_t sizes[] = {sizeof *s, s->block_bytes, (size_t)s->part_count};
    d = checksum(d, sizes, sizeof sizes);
    for (int k = 0; k < s->part_count; k++)
        d = checksum(d, &s->parts[k].bytes, sizeof s->parts[k].bytes);
    return d;
}

static digest of_names(const keel_problem *p)
{
    digest d = CHECKSUM_BEGIN;
    for (int i = 0; i < p->n; i++) d = of_text(d, p->names[i]);
    for (int k = 0; k < p->constraints + p->attached.rows; k++) d = of_text(d, p->row_names[k]);
    return d;
}

static digest of_pattern(const keel_pattern *p, int columns)
{
    digest d = CHECKSUM_BEGIN;
    if (p->storage != KEEL_SPARSE) return d;
    d = checksum(d, p->column_start, ((size_t)columns + 1) * sizeof *p->column_start);
    return checksum(d, p->row_index, (size_t)p->column_start[columns] * sizeof *p->row_index);
}

static void problem_lines(identity *id, const keel_problem *p)
{
    for (; p; p = p->original) {
        const formulation *f = p->formulation;
        line(id, "form %s of %d unknowns (%d, %d, %d), %d constraints on %d levels, %d further rows",
             p->ops->name, p->n, p->group[0], p->group[1], p->group[2], p->constraints, p->levels,
             p->attached.rows);
        line(id, "names %016llx", of_names(p));
        line(id, "pattern %d (%d, %d) %016llx", (int)p->pattern.storage, p->pattern.lower,
             p->pattern.upper, of_pattern(&p->pattern, p->n));
        char alpha[32], beta[32];
        if (f) line(id, "formulation %s, alpha = %s, beta = %s", f->kind->info.name,
                    shortest(alpha, f->alpha), shortest(beta, f->beta));
    }
}

static void method_line(identity *id, const keel_method *m)
{
    const keel_tableau *t = &m->tableau;
    const keel_general_linear *g = &m->general;
    size_t s = (size_t)t->stages, S = (size_t)g->stages, r = (size_t)g->values;
    digest d = of_text(CHECKSUM_BEGIN, t->name);
    d = of_reals(of_reals(of_reals(d, t->A, s * s), t->b, s), t->b_hat, s);
    d = of_reals(of_reals(d, g->A, S * S), g->B, r * S);
    line(id, "method %.60s %016llx", t->name, d);
}

/* max-steps may change: a run that came to its limit goes on with another one. */
static void option_line(identity *id, const keel_options *o, const keel_option *row)
{
    const void *field = (const char *)o + row->offset;
    char text[32];
    if (row->offset == offsetof(keel_options, max_steps) || row->kind == KEEL_OPTION_TEXT) return;
    if (row->kind == KEEL_OPTION_REAL)
        line(id, "%s = %s", row->name, shortest(text, *(const double *)field));
    else if (row->kind == KEEL_OPTION_COUNT) line(id, "%s = %ld", row->name, *(const long *)field);
    else line(id, "%s = %d", row->name, *(const int *)field);
}

static void event_line(identity *id, const keel_solver *s)
{
    const event_state *v = s->events;
    const keel_frame *f = keel_solver_frame(s);
    if (!v) return;
    if (f) line(id, "frame of %d parameters, %d modes, %d values", f->parameter_count, f->mode_count,
                f->value_count);
    if (!v->how) return;
    digest d = CHECKSUM_BEGIN;
    for (int i = 0; i < v->count; i++) d = of_text(d, v->how->names[i]);
    line(id, "events of %d switches %016llx, %d clocks, %d structures", v->count, d,
         v->how->spec.clocks, v->how->structures);
}

void identity_of(const keel_solver *s, identity *id)
{
    int count;
    const keel_option *table = keel_option_table(&count);
    id->used = 0;
    line(id, "keel %s", keel_version());
#ifdef KEEL_WITH_KLU
    line(id, "sparse matrices by KLU");
#endif
#ifdef KEEL_WITH_UMFPACK
    line(id, "sparse matrices by UMFPACK");
#endif
    event_line(id, s);
    if (has_structures(s) && s->events->structure != 0) s = &s->events->shelf[0];
    problem_lines(id, s->given);
    if (!s->mode[0].method) line(id, "method %.60s", s->options.method);
    for (int k = 0; k < s->modes; k++)
        if (s->mode[k].method) method_line(id, s->mode[k].method);
    if (s->problem != s->given) problem_lines(id, s->problem);
    if (s->formulated) problem_lines(id, s->formulated);
    for (int k = 0; k < count; k++) option_line(id, &s->options, &table[k]);
    digest tolerances = of_reals(CHECKSUM_BEGIN, s->rtol, (size_t)s->n);
    line(id, "tolerances %016llx", of_reals(tolerances, s->atol, (size_t)s->n));
    line(id, "layout %016llx", of_parts(s));
}
