/* multibody.c -- the problem of a model that is mechanical: M, f, g and G from tapes.
 *
 * Evaluations ask for parts together, and parts share sines and cosines: there are tapes for what is asked
 * for together, and one for all.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear/linear.h"
#include "model/object.h"

/* The constraint alone; forces; projection onto positions and velocities, without and with M; stages. */
const unsigned mechanical_tapes[MECHANICAL_TAPES] = {
    KEEL_CONSTRAINT,
    KEEL_FORCE | KEEL_CURVATURE,
    KEEL_CONSTRAINT | KEEL_CONSTRAINT_JACOBIAN | KEEL_CONSTRAINT_TIME,
    KEEL_MASS | KEEL_CONSTRAINT | KEEL_CONSTRAINT_JACOBIAN | KEEL_CONSTRAINT_TIME,
    KEEL_MASS | KEEL_FORCE | KEEL_CONSTRAINT_JACOBIAN | KEEL_CURVATURE,
    KEEL_MASS | KEEL_FORCE | KEEL_CONSTRAINT | KEEL_CONSTRAINT_JACOBIAN | KEEL_CONSTRAINT_TIME | KEEL_CURVATURE};

/* The first tape that has all that is wanted. */
static int tape_for(unsigned wanted)
{
    int k = 0;
    while (wanted & ~mechanical_tapes[k]) k++;
    return k;
}

static double *run(keel_model *m, workspace *w, int number, const model_point *at, const double *q, const double *v)
{
    const evaluation *e = &m->evaluation;
    const size_t n = (size_t)m->mechanical.positions;
    double *r = evaluation_frame(e, w, number, at);
    memcpy(r + e->y_at, q, n * sizeof *r);
    memcpy(r + (size_t)e->y_at + n, v, n * sizeof *r);
    return evaluation_execute(e, number, r);
}

/* Nonzeros into a matrix by rows. */
static const double *put_matrix(size_t size, int count, const int *at, const double *from, double *to)
{
    if (!to) return from + count;
    memset(to, 0, size * sizeof *to);
    for (int k = 0; k < count; k++) to[at[k]] = from[k];
    return from + count;
}

static const double *put_vector(int count, const double *from, double *to)
{
    if (to) memcpy(to, from, (size_t)count * sizeof *to);
    return from + count;
}

static int evaluate(double t, const double *q, const double *v, unsigned wanted, const keel_mechanical_parts *parts,
                    void *context)
{
    keel_model *m = model_of(context);
    const mechanical *f = &m->mechanical;
    const int k = tape_for(wanted), n = f->positions, c = f->constraints;
    const size_t square = (size_t)n * (size_t)n, wide = (size_t)c * (size_t)n;
    const unsigned has = mechanical_tapes[k];
    const model_point at = point_at(context, t, NULL, NULL);
    workspace *w = evaluation_take(&m->evaluation);
    if (!w) return -1;
    const double *x = run(m, w, m->programs.parts[k], &at, q, v);
    if (has & KEEL_MASS) x = put_matrix(square, f->mass.count, f->mass_place, x,
                                        wanted & KEEL_MASS ? parts->mass : NULL);
    if (has & KEEL_FORCE) x = put_vector(n, x, wanted & KEEL_FORCE ? parts->force : NULL);
    if (has & KEEL_CONSTRAINT) x = put_vector(c, x, wanted & KEEL_CONSTRAINT ? parts->constraint : NULL);
    if (has & KEEL_CONSTRAINT_JACOBIAN)
        x = put_matrix(wide, f->jacobian.count, f->jacobian_place, x,
                       wanted & KEEL_CONSTRAINT_JACOBIAN ? parts->constraint_jacobian : NULL);
    if (has & KEEL_CONSTRAINT_TIME)
        x = put_vector(c, x, wanted & KEEL_CONSTRAINT_TIME ? parts->constraint_time : NULL);
    if (has & KEEL_CURVATURE) put_vector(c, x, wanted & KEEL_CURVATURE ? parts->curvature : NULL);
    evaluation_give(&m->evaluation, w);
    return 0;
}

/* f_q and f_v */
static int force_jacobian(double t, const double *q, const double *v, double *f_q, double *f_v, void *context)
{
    keel_model *m = model_of(context);
    const nonzeros *z = &m->jacobian;
    const size_t n = (size_t)m->mechanical.positions;
    const model_point at = point_at(context, t, NULL, NULL);
    workspace *w = evaluation_take(&m->evaluation);
    if (!w) return -1;
    const double *x = run(m, w, m->programs.force_jacobian, &at, q, v);
    memset(f_q, 0, n * n * sizeof *f_q);
    memset(f_v, 0, n * n * sizeof *f_v);
    for (int k = 0; k < z->count; k++) {
        const size_t j = (size_t)z->column[k];
        (j < n ? f_q : f_v)[(size_t)z->row[k] * n + (j < n ? j : j - n)] = x[k];
    }
    evaluation_give(&m->evaluation, w);
    return 0;
}

/* M a = f - G^T l */
void mechanical_accelerations(void *model, workspace *w, const model_point *p, double *a)
{
    keel_model *m = model;
    const mechanical *f = &m->mechanical;
    const size_t n = (size_t)f->positions;
    const int k = tape_for(KEEL_MASS | KEEL_FORCE | KEEL_CONSTRAINT_JACOBIAN);
    const double *x = run(m, w, m->programs.parts[k], p, p->y, p->y + n);
    memset(w->square, 0, n * n * sizeof *w->square);
    for (int e = 0; e < f->mass.count; e++) w->square[f->mass_place[e]] = *x++;
    memcpy(a, x, n * sizeof *a);
    x += n;
    for (int e = 0; e < f->jacobian.count; e++)
        a[f->jacobian.column[e]] -= *x++ * p->z[f->jacobian.row[e]];
    if (!dense_factor(f->positions, w->square, w->pivot)) dense_solve(f->positions, w->square, w->pivot, a);
    else for (size_t i = 0; i < n; i++) a[i] = NAN;
}

int mechanical_make(keel_model *m, keel_problem **problem, keel_frame_spec frame, void *context)
{
    const mechanical *f = &m->mechanical;
    return keel_mechanical(problem, &(keel_mechanical_spec){
        .positions = f->positions, .constraints = f->constraints, .evaluate = evaluate,
        .force_jacobian = force_jacobian, .constant_mass = f->constant_mass, .names = m->names,
        .constraint_names = m->row_names, .context = context, .frame = frame});
}
