/* mechanical.c -- the parts of  M q'' = f - G^T l, 0 = g(t,q),  and levels and matrices of them.
 *
 * Parts come from the user; derivatives of g that are not given, from derived.c.
 */
#include "problem/problem.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linear/lanes.h"
#include "problem/derived.h"
#include "problem/difference.h"
#include "problem/products.h"

/* Which parts the user's callbacks give. */
static unsigned given_parts(const keel_mechanical_spec *s)
{
    if (s->evaluate) return s->provides;
    return (s->mass ? KEEL_MASS : 0u) | KEEL_FORCE | KEEL_CONSTRAINT |
           (s->constraint_jacobian ? KEEL_CONSTRAINT_JACOBIAN : 0u) |
           (s->constraint_time ? KEEL_CONSTRAINT_TIME : 0u) | (s->curvature ? KEEL_CURVATURE : 0u);
}

void mechanical_count(keel_problem *p)
{
    const int *start = p->mass_pattern.column_start, n = p->group[0];
    int sparse = mechanical_is_sparse(p);
    p->given = given_parts(&p->spec.mechanical);
    p->mass_entries = !sparse ? n * n : start ? start[n] : 0;
    p->jacobian_entries = sparse ? p->jacobian_pattern.column_start[n] : p->constraints * n;
}

int mechanical_saddle(saddle **out, const keel_problem *p, int with_constraints)
{
    const keel_pattern *mass = p->mass_pattern.column_start ? &p->mass_pattern : NULL;
    return saddle_create_sparse(out, p->group[0], with_constraints ? p->constraints : 0, mass,
                                with_constraints ? &p->jacobian_pattern : NULL);
}

/* sum += all of x: where it is finite, all of them are. */
KERNEL void add_all(lane4 *sum, double *rest, int n, const double *x)
{
    const double *end = x + (n & ~3);
    for (; x < end; x += 4) *sum += LOOSE(x);
    if (n & 2) *rest += end[0] + end[1];
    if (n & 1) *rest += end[n & 2];
}

VECTOR_CLONES
static int parts_finite(const keel_problem *of, unsigned wanted, const keel_mechanical_parts *p)
{
    int n = of->group[0], m = of->constraints;
    lane4 sum = {0};
    double rest = 0;
    if (wanted & KEEL_MASS) add_all(&sum, &rest, of->mass_entries, p->mass);
    if (wanted & KEEL_FORCE) add_all(&sum, &rest, n, p->force);
    if (wanted & KEEL_CONSTRAINT) add_all(&sum, &rest, m, p->constraint);
    if (wanted & KEEL_CONSTRAINT_JACOBIAN) add_all(&sum, &rest, of->jacobian_entries, p->constraint_jacobian);
    if (wanted & KEEL_CONSTRAINT_TIME) add_all(&sum, &rest, m, p->constraint_time);
    if (wanted & KEEL_CURVATURE) add_all(&sum, &rest, m, p->curvature);
    return fabs((sum[0] + sum[1]) + (sum[2] + sum[3]) + rest) <= DBL_MAX;
}

/* Names what is wrong, if anything is; apart, so that the way past it is short. */
__attribute__((noinline))
static int check_parts(evaluator *e, double t, unsigned wanted, const keel_mechanical_parts *p, int code)
{
    int n = e->problem->group[0], m = e->problem->constraints;
    int rc = eval_check(e, "evaluate", t, code, 0, NULL);
    if (!rc && wanted & KEEL_MASS)
        rc = eval_check(e, "evaluate: mass", t, 0, e->problem->mass_entries, p->mass);
    if (!rc && wanted & KEEL_FORCE) rc = eval_check(e, "evaluate: force", t, 0, n, p->force);
    if (!rc && wanted & KEEL_CONSTRAINT)
        rc = eval_check(e, "evaluate: constraint", t, 0, m, p->constraint);
    if (!rc && wanted & KEEL_CONSTRAINT_JACOBIAN)
        rc = eval_check(e, "evaluate: constraint_jacobian", t, 0, e->problem->jacobian_entries,
                        p->constraint_jacobian);
    if (!rc && wanted & KEEL_CONSTRAINT_TIME)
        rc = eval_check(e, "evaluate: constraint_time", t, 0, m, p->constraint_time);
    if (!rc && wanted & KEEL_CURVATURE)
        rc = eval_check(e, "evaluate: curvature", t, 0, m, p->curvature);
    return rc;
}

static int call_separate(evaluator *e, double t, const double *q, const double *v, unsigned wanted,
                         const keel_mechanical_parts *p)
{
    const keel_mechanical_spec *s = &e->problem->spec.mechanical;
    int n = s->positions, m = s->constraints, rc = 0;
    if (wanted & KEEL_MASS)
        rc = eval_check(e, "mass", t, s->mass(t, q, p->mass, e->context),
                        e->problem->mass_entries, p->mass);
    if (!rc && wanted & KEEL_FORCE)
        rc = eval_check(e, "force", t, s->force(t, q, v, p->force, e->context), n, p->force);
    if (!rc && wanted & KEEL_CONSTRAINT && m > 0)
        rc = eval_check(e, "constraint", t, s->constraint(t, q, p->constraint, e->context), m,
                        p->constraint);
    if (!rc && wanted & KEEL_CONSTRAINT_JACOBIAN && m > 0)
        rc = eval_check(e, "constraint_jacobian", t,
                        s->constraint_jacobian(t, q, p->constraint_jacobian, e->context),
                        e->problem->jacobian_entries, p->constraint_jacobian);
    if (!rc && wanted & KEEL_CONSTRAINT_TIME && m > 0)
        rc = eval_check(e, "constraint_time", t,
                        s->constraint_time(t, q, p->constraint_time, e->context), m,
                        p->constraint_time);
    if (!rc && wanted & KEEL_CURVATURE && m > 0)
        rc = eval_check(e, "curvature", t, s->curvature(t, q, v, p->curvature, e->context), m,
                        p->curvature);
    return rc;
}

/* The wanted parts that the user gives, in one call or several. */
static int call_given(evaluator *e, double t, const double *q, const double *v, unsigned wanted,
                      const keel_mechanical_parts *p)
{
    const keel_mechanical_spec *s = &e->problem->spec.mechanical;
    if (!s->evaluate) return call_separate(e, t, q, v, wanted, p);
    if (!wanted) return 0;
    int code = s->evaluate(t, q, v, wanted, p, e->context);
    return code == 0 && parts_finite(e->problem, wanted, p) ? 0 : check_parts(e, t, wanted, p, code);
}

int eval_mechanical_given(evaluator *e, double t, const double *q, const double *v,
                          unsigned wanted, const keel_mechanical_parts *p)
{
    e->stats->constraint++;
    return call_given(e, t, q, v, wanted, p);
}

/* Parts that no callback gives: derivatives of g by differences, M = I; then the others. */
static int call_incomplete(evaluator *e, double t, const double *q, const double *v,
                           unsigned wanted, const keel_mechanical_parts *p)
{
    const keel_mechanical_spec *s = &e->problem->spec.mechanical;
    int n = s->positions, m = s->constraints, rc = 0;
    unsigned given = e->problem->given, absent = wanted & ~given;
    if (absent & ~(unsigned)KEEL_MASS && m > 0) rc = eval_derived(e, t, q, v, given, &wanted, p);
    if (!rc && absent & KEEL_MASS && !mechanical_is_sparse(e->problem)) {
        memset(p->mass, 0, (size_t)n * (size_t)n * sizeof *p->mass);
        for (int i = 0; i < n; i++) p->mass[i * n + i] = 1;
    }
    return rc ? rc : call_given(e, t, q, v, wanted & given, p);
}

int eval_mechanical(evaluator *e, double t, const double *q, const double *v, unsigned wanted,
                    const keel_mechanical_parts *p)
{
    if (wanted & KEEL_FORCE) {
        if (e->counting == COUNT_FOR_JACOBIAN) e->stats->rhs_for_jacobian++;
        else e->stats->rhs++;
    } else if (wanted != KEEL_MASS) e->stats->constraint++;
    return (wanted & ~e->problem->given ? call_incomplete : call_given)(e, t, q, v, wanted, p);
}

/* w = G v + g_t at (t, q): linear in v also where G comes from differences, so that projections
 * converge to rounding. */
static int velocity_level(evaluator *e, double t, const double *q, const double *v, double *w)
{
    keel_mechanical_parts parts = {.constraint_jacobian = e->constraint_jacobian,
                                   .constraint_time = w};
    int rc = eval_mechanical(e, t, q, v, KEEL_CONSTRAINT_JACOBIAN | KEEL_CONSTRAINT_TIME, &parts);
    if (!rc) level_product(e->problem, e->constraint_jacobian, w, v, w);
    return rc;
}

/* x = f - G^T l - M a without f unless with_force. */
static int inertial_force(evaluator *e, int with_force, double t, const double *q, const double *v,
                          const double *a, const double *l, double *x)
{
    unsigned wanted = KEEL_MASS | KEEL_CONSTRAINT_JACOBIAN | (with_force ? KEEL_FORCE : 0u);
    keel_mechanical_parts parts = {.mass = e->square, .force = x,
                                   .constraint_jacobian = e->constraint_jacobian};
    int rc = eval_mechanical(e, t, q, v, wanted, &parts);
    if (rc) return rc;
    if (!with_force) memset(x, 0, (size_t)e->problem->group[0] * sizeof *x);
    subtract_inertia(e->problem, e->square, a, x);
    subtract_constraint_force(e->problem, e->constraint_jacobian, l, x);
    return 0;
}

typedef struct inertial_point {
    evaluator *e;
    int with_force;
    const double *q, *v;         /* NULL: what moves                                       */
    const double *a, *l;
} inertial_point;

static int moved_inertia(void *context, double t, const double *x, double *value)
{
    const inertial_point *p = context;
    return inertial_force(p->e, p->with_force, t, p->q ? p->q : x, p->v ? p->v : x, p->a, p->l,
                          value);
}

/* K += d/dq of the inertial force, or D += d/dv of it, at x in place of the NULL of the point. */
static int difference_stiffness(const inertial_point *point, double t, const double *x, double *K)
{
    evaluator *e = point->e;
    int n = e->problem->group[0];
    difference d = {.value = moved_inertia, .context = (void *)point, .rows = n, .size = n, .t = t,
                    .x = x, .moved = e->work[6]};
    int rc = moved_inertia((void *)point, t, x, e->work[7]);
    return rc ? rc : difference_matrix(&d, &(difference_columns){
        .order = 1, .base = e->work[7], .sum = e->work[8], .delta = e->work[9], .dense = K});
}

int eval_stiffness(evaluator *e, double t, const double *q, const double *v, const double *a,
                   const double *l, double *K, double *D)
{
    const keel_mechanical_spec *s = &e->problem->spec.mechanical;
    int n = s->positions, given = s->force_jacobian && !e->differences, rc = 0;
    memset(K, 0, (size_t)n * (size_t)n * sizeof *K);
    memset(D, 0, (size_t)n * (size_t)n * sizeof *D);
    e->stats->jacobian++;
    if (given) {
        rc = eval_check(e, "force_jacobian", t, s->force_jacobian(t, q, v, K, D, e->context),
                        n * n, K);
        if (!rc) rc = eval_check(e, "force_jacobian", t, 0, n * n, D);
    }
    e->counting = COUNT_FOR_JACOBIAN;
    if (!rc)
        rc = difference_stiffness(&(inertial_point){e, !given, NULL, v, a, l}, t, q, K);
    if (!rc && !given)
        rc = difference_stiffness(&(inertial_point){e, 1, q, NULL, a, l}, t, v, D);
    e->counting = COUNT_RHS;
    return rc;
}

/* ---- levels with the inverse of M, for the general integrator ------------------------------ */

static int factor_mass(evaluator *e, double t)
{
    int n = e->problem->group[0];
    int rc = e->mass_solver ? saddle_factor(e->mass_solver, e->square, NULL)
                            : dense_factor(n, e->square, e->pivot);
    if (rc == 0) return 0;
    if (rc == KEEL_NO_MEMORY) return eval_no_memory(e, t);
    e->fault = (fault){.callback = "mass", .t = t, .code = FAULT_SINGULAR_MASS};
    return 1;
}

/* a = M^-1 (f - G^T l); G is left in e->constraint_jacobian */
static int acceleration(evaluator *e, double t, const double *y, double *a)
{
    int n = e->problem->group[0];
    keel_mechanical_parts parts = {.mass = e->square, .force = a,
                                   .constraint_jacobian = e->constraint_jacobian};
    int rc = eval_mechanical(e, t, y, y + n, KEEL_MASS | KEEL_FORCE | KEEL_CONSTRAINT_JACOBIAN,
                             &parts);
    if (!rc) rc = factor_mass(e, t);
    if (rc) return rc;
    subtract_constraint_force(e->problem, e->constraint_jacobian, y + 2 * n, a);
    if (e->mass_solver) saddle_solve(e->mass_solver, 1, a, NULL);
    else dense_solve(n, e->square, e->pivot, a);
    return 0;
}

int eval_mechanical_rate(evaluator *e, double t, const double *y, double *yp)
{
    int n = e->problem->group[0], m = e->problem->constraints;
    memcpy(yp, y + n, (size_t)n * sizeof *yp);
    memset(yp + 2 * n, 0, (size_t)m * sizeof *yp);
    return acceleration(e, t, y, yp + n);
}

/* G a + gamma with a = M^-1 (f - G^T l) */
static int acceleration_level(evaluator *e, double t, const double *y, double *value)
{
    int n = e->problem->group[0];
    double *a = e->work[6], *gamma = e->work[7];
    int rc = eval_mechanical(e, t, y, y + n, KEEL_CURVATURE,
                             &(keel_mechanical_parts){.curvature = gamma});
    if (!rc) rc = acceleration(e, t, y, a);
    if (!rc) level_product(e->problem, e->constraint_jacobian, gamma, a, value);
    return rc;
}

int eval_mechanical_level(evaluator *e, int level, double t, const double *y, double *value)
{
    int n = e->problem->group[0];
    keel_mechanical_parts parts = {.constraint = value};
    if (level == 0) return eval_mechanical(e, t, y, y + n, KEEL_CONSTRAINT, &parts);
    return level == 1 ? velocity_level(e, t, y, y + n, value) : acceleration_level(e, t, y, value);
}
