/* problem.c -- the problem of a model: callbacks that run tapes, and the form that fits.
 *
 * ODE where nothing is left to solve, semi-explicit where no constraint is hidden, mechanical where the
 * equations are [mechanical.h], else levelled.  These are special cases of the levelled form [levels.h]: the
 * form is chosen for speed only.
 */
#include <stdlib.h>
#include <string.h>

#include "model/object.h"

/* ---- callbacks ------------------------------------------------------------------------------------ */

static int run(const void *context, int tape, double t, const double *y, const double *z, double *to,
               int count)
{
    keel_model *m = model_of(context);
    workspace *w = evaluation_take(&m->evaluation);
    if (!w) return -1;
    const model_point at = point_at(context, t, y, z);
    memcpy(to, evaluation_run(&m->evaluation, w, tape, &at), (size_t)count * sizeof *to);
    evaluation_give(&m->evaluation, w);
    return 0;
}

static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    const keel_model *m = model_of(context);
    const int code = run(context, m->programs.rate, t, y, z, f, m->levels.differential);
    for (int a = 0; a < m->levels.differential; a++)
        if (m->levels.next[a] >= 0) f[a] = y[m->levels.next[a]];
    return code;
}

static int level(double t, const double *y, const double *z, int k, double *h, void *context)
{
    const keel_model *m = model_of(context);
    return run(context, m->programs.level[k], t, y, z, h, m->levels.algebraic);
}

static int fill(const void *context, int tape, const nonzeros *e, double t, const double *y,
                const double *z, keel_matrix *to)
{
    keel_model *m = model_of(context);
    workspace *w = evaluation_take(&m->evaluation);
    if (!w) return -1;
    const model_point at = point_at(context, t, y, z);
    const double *r = evaluation_run(&m->evaluation, w, tape, &at);
    for (int k = 0; k < e->count; k++) keel_add(to, e->row[k], e->column[k], r[k]);
    evaluation_give(&m->evaluation, w);
    return 0;
}

static int jacobian(double t, const double *y, const double *z, keel_matrix *to, void *context)
{
    const keel_model *m = model_of(context);
    return fill(context, m->programs.jacobian, &m->jacobian, t, y, z, to);
}

static int level_jacobian(double t, const double *y, int k, keel_matrix *to, void *context)
{
    const keel_model *m = model_of(context);
    return fill(context, m->programs.level_jacobian[k], &m->level_jacobian[k], t, y, NULL, to);
}

static int constraint(double t, const double *y, const double *z, double *g, void *context)
{
    return level(t, y, z, 0, g, context);
}

static int rhs(double t, const double *y, double *f, void *context)
{
    return rate(t, y, NULL, f, context);
}

static int rhs_jacobian(double t, const double *y, keel_matrix *to, void *context)
{
    return jacobian(t, y, NULL, to, context);
}

/* ---- pattern ---------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* All places that some Jacobian has, sorted by columns. */
static uint64_t *places(const keel_model *m, size_t *count)
{
    size_t all = (size_t)m->jacobian.count, used = 0;
    for (int k = 1; k <= m->levels.depth; k++) all += (size_t)m->level_jacobian[k].count;
    uint64_t *entry_at = malloc((all + 1) * sizeof *entry_at);
    if (!entry_at) return NULL;
    for (int k = 0; k <= m->levels.depth; k++) {
        const nonzeros *e = k ? &m->level_jacobian[k] : &m->jacobian;
        for (int i = 0; i < e->count; i++)
            entry_at[used++] = (uint64_t)e->column[i] << 32 | (uint64_t)e->row[i];
    }
    qsort(entry_at, used, sizeof *entry_at, ascending);
    *count = 0;
    for (size_t i = 0; i < used; i++)
        if (i == 0 || entry_at[i] != entry_at[i - 1]) entry_at[(*count)++] = entry_at[i];
    return entry_at;
}

static int choose_pattern(keel_model *m)
{
    enum { SMALL = 60, NARROW = 12 };
    const int size = m->levels.differential + m->levels.algebraic;
    size_t count = 0;
    int lower = 0, upper = 0;
    m->pattern = (keel_pattern){.storage = KEEL_DENSE};
    if (size < SMALL) return KEEL_OK;
    uint64_t *entry_at = places(m, &count);
    if (!entry_at) return KEEL_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const int below = (int)(entry_at[i] & UINT32_MAX) - (int)(entry_at[i] >> 32);
        if (below > lower) lower = below;
        if (-below > upper) upper = -below;
    }
    if (m->levels.algebraic == 0 && lower + upper + 1 <= NARROW)
        m->pattern = (keel_pattern){.storage = KEEL_BAND, .lower = lower, .upper = upper};
#ifdef KEEL_WITH_SPARSE
    else if ((double)count < 0.25 * size * (double)size) {
        m->column_start = calloc((size_t)size + 1, sizeof(int));
        m->row_index = malloc((count + 1) * sizeof(int));
        if (!m->column_start || !m->row_index) return free(entry_at), KEEL_NO_MEMORY;
        for (size_t i = 0; i < count; i++) {
            m->row_index[i] = (int)(entry_at[i] & UINT32_MAX);
            m->column_start[(entry_at[i] >> 32) + 1] = (int)i + 1;
        }
        for (int j = 1; j <= size; j++)
            if (m->column_start[j] < m->column_start[j - 1]) m->column_start[j] = m->column_start[j - 1];
        m->pattern = (keel_pattern){.storage = KEEL_SPARSE, .column_start = m->column_start,
                                    .row_index = m->row_index};
    }
#endif
    free(entry_at);
    return KEEL_OK;
}

/* ---- specs ------------------------------------------------------------------------------------------- */

static keel_frame_spec frame_spec(const keel_model *m)
{
    return (keel_frame_spec){.modes = m->discrete.modes, .values = m->discrete.values,
                             .mode_start = m->mode_start, .value_start = m->value_start,
                             .mode_names = m->mode_names, .value_names = m->value_names};
}

static const char *levelled_reason(keel_model *m)
{
    if (m->levelled) return "no other one was looked for";
    if (m->mechanical.reason.length == 0) return "constraints have hidden derivatives, which are all kept";
    buffer b = {.most = 400};
    buffer_print(&b, "constraints have hidden derivatives, which are all kept; not mechanical, since %s",
                 buffer_text(&m->mechanical.reason));
    const char *kept = model_keep(m, buffer_text(&b));
    buffer_free(&b);
    return kept ? kept : "";
}

static int make_continuous(keel_model *m, keel_problem **problem)
{
    const levels *l = &m->levels;
    const keel_frame_spec frame = frame_spec(m);
    void *context = frame.modes || frame.values ? (void *)m : (void *)&m->plain;
    if (m->mechanical.positions) {
        m->reason = "accelerations and multipliers are linear, with a symmetric mass matrix and forces along "
                    "the gradients of the constraints";
        return mechanical_make(m, problem, frame, context);
    }
    if (l->algebraic == 0) {
        m->reason = "every equation can be solved for one derivative";
        return keel_ode(problem, &(keel_ode_spec){
            .size = l->differential, .rhs = rhs, .jacobian = rhs_jacobian, .pattern = m->pattern,
            .names = m->names, .context = context, .frame = frame});
    }
    if (l->depth == 0 && !m->levelled) {
        m->reason = "no constraint is hidden: algebraic equations are solved along";
        return keel_semi_explicit(problem, &(keel_semi_explicit_spec){
            .differential = l->differential, .algebraic = l->algebraic, .rhs = rate,
            .constraint = constraint, .jacobian = jacobian, .pattern = m->pattern, .names = m->names,
            .constraint_names = m->row_names, .context = context, .frame = frame});
    }
    m->reason = levelled_reason(m);
    return keel_levelled(problem, &(keel_levelled_spec){
        .differential = l->differential, .algebraic = l->algebraic, .next = l->next,
        .chain = l->chain, .rate = rate, .level = level, .jacobian = jacobian,
        .level_jacobian = level_jacobian, .pattern = m->pattern, .names = m->names,
        .constraint_names = m->row_names, .context = context, .frame = frame});
}

static int make_switching(keel_model *m, keel_problem **problem, keel_problem *continuous)
{
    const discrete *d = &m->discrete;
    return keel_switching(problem, continuous, &(keel_switching_spec){
        .switches = d->switches, .value = d->switches ? model_switches : NULL, .names = m->switch_names,
        .clocks = d->clocks, .clock = m->clock, .clock_names = m->clock_names,
        .next_time = d->timed ? model_next_time : NULL,
        .relations = 1, .action = model_action, .watch = m->flat->assertions ? model_watch : NULL});
}

int problem_make(keel_model *m)
{
    const discrete *d = &m->discrete;
    keel_problem *continuous = NULL;
    m->plain.context = m;
    int code = m->mechanical.positions ? KEEL_OK : choose_pattern(m);
    if (code == KEEL_OK) code = make_continuous(m, &continuous);
    m->problem = continuous;
    if (code == KEEL_OK && (d->signals || d->items || m->flat->assertions)) {
        m->problem = NULL;
        code = make_switching(m, &m->problem, continuous);
    }
    if (code != KEEL_OK)
        fail(&m->message, code, "%s", m->problem ? keel_problem_message(m->problem)
                                                 : keel_status_text(code));
    return code;
}
