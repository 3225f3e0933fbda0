/* mechanical_point.c -- projection, accelerations, multipliers and residuals from one matrix.
 *
 * Each to rounding.  After a step of a stiffly accurate method dq is Newton's error, and its
 * direction does not matter: it is that of the factors at hand.  Otherwise M and G are those at the
 * new q, where with q^ as given
 *
 *   [M G^T; G 0][q - q^; mu] = [0; G (q - q^) - g],   factored anew until nothing changes.
 *
 * dv has the direction at the new q, found by iterative refinement where the factors belong to
 * another point; explicit projection has both directions from the point before it.
 */
#include "step/mechanical_point.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "problem/dependence.h"

/* Passes with factors of another point, with those at the first guess, with new ones each time. */
enum { PASSES_ELSEWHERE = 8, PASSES_HERE = 40, PASSES_FACTORED = 20 };

/* Up to this n + m new factors of a full matrix take less than two refinements with those of another point,
 * and six are usual. */
enum { FACTORS_CHEAP = 16 };

static const double
    rounding = 2 * DBL_EPSILON,  /* size of a relative correction that is not made         */
    enough = 1e-14,              /* ... that is the last                                   */
    stalled = 1e-11;             /* ... that rounding may leave                            */

/* ---- the point ------------------------------------------------------------------------------- */

void point_layout(arena *a, mechanical_point *p, const keel_problem *problem)
{
    int n = p->n = problem->group[0], m = p->m = problem->constraints;
    p->problem = problem;
    p->before = ARENA(a, double, n > m ? n : m);
    ARENA_VECTORS(a, n, &p->a, &p->f);
    ARENA_VECTORS(a, m, &p->l, &p->g, &p->g_t, &p->gamma);
    p->M = ARENA(a, double, problem->mass_entries);
    p->G = ARENA(a, double, problem->jacobian_entries);
    p->kkt = mechanical_is_sparse(problem) ? NULL : saddle_layout(a, n, m);
    p->left = DBL_EPSILON;
    p->constant = problem_mass_constant(problem) ? KEEL_MASS : 0;
    ARENA_KEEP(a, p, t, t);
    ARENA_LINKS(a, p, y, before);                /* points of a step change places */
    ARENA_KEEP(a, p, known, variable);
    if (mechanical_is_sparse(problem)) ARENA_OWN(a, p, kkt, saddle_tape);
    else ARENA_LINKS(a, p, kkt, kkt);
}

int point_create(mechanical_point *p)
{
    return mechanical_is_sparse(p->problem) ? mechanical_saddle(&p->kkt, p->problem, 1) : KEEL_OK;
}

void point_release(mechanical_point *p)
{
    if (p->problem && mechanical_is_sparse(p->problem)) saddle_free(p->kkt);
}

static void leave(mechanical_point *p)
{
    p->known = p->kept = 0;
    p->exact = 0;
    p->contraction = 0;
}

void point_forget(mechanical_point *p)
{
    if (p->kkt) saddle_forget(p->kkt);
    leave(p);
}

int point_evaluate(evaluator *e, mechanical_point *p, unsigned wanted)
{
    unsigned missing = wanted & ~p->known;
    if (p->m == 0) missing &= KEEL_MASS | KEEL_FORCE;
    if (!missing) return 0;
    if (missing & (KEEL_MASS | KEEL_CONSTRAINT_JACOBIAN)) p->exact = 0;
    int rc = eval_mechanical(e, p->t, p->y, p->y + p->n, missing, &p->parts);
    if (rc) return rc;
    p->known |= missing;
    p->kept |= missing & p->constant;
    return 0;
}

projection_result point_unfactored(evaluator *e, mechanical_point *p, int rc)
{
    p->variable = rc > 0 ? 2 * p->n + rc - 1 : -1;
    if (rc != KEEL_NO_MEMORY) return PROJECTION_SINGULAR;
    eval_no_memory(e, p->t);
    return PROJECTION_STOP;
}

projection_result point_factor(evaluator *e, mechanical_point *p)
{
    if (point_is_exact(p)) return PROJECTION_DONE;
    dependence_tell(e->dependence, p->kkt);
    if (p->kept & KEEL_MASS) saddle_keep_mass(p->kkt, p->M);
    int rc = saddle_factor(p->kkt, p->M, p->G);
    p->factored = saddle_generation(p->kkt);
    e->stats->factorizations++;
    p->exact = rc == 0;
    return rc ? point_unfactored(e, p, rc) : PROJECTION_DONE;
}

static void solve(evaluator *e, mechanical_point *p, double *x, double *l)
{
    saddle_solve(p->kkt, 1, x, l);
    e->stats->solves++;
}

static projection_result diverges(mechanical_point *p, int variable)
{
    p->variable = variable;
    return PROJECTION_DIVERGES;
}

/* (x, l) := [M G^T; G 0]^-1 (x, l) with M and G of the point, refined when the factors belong to
 * others, until the residual is rounding in its terms.  0 if that converges too slowly. */
static int solve_exactly(evaluator *e, mechanical_point *p, double *x, double *l)
{
    int n = p->n, m = p->m;
    double *b = e->work[6], *c = e->work[7], *top = e->work[8], *bottom = e->work[9];
    int cheap = n + m <= FACTORS_CHEAP && p->problem->mass_entries == n * n;
    if (cheap && point_factor(e, p) != PROJECTION_DONE) return 0;
    if (point_is_exact(p)) {
        solve(e, p, x, l);
        return 1;
    }
    memcpy(b, x, (size_t)n * sizeof *b);
    for (int k = 0; k < m; k++) c[k] = -l[k];
    solve(e, p, x, l);
    int mass = p->problem->mass_entries;
    double M = mass ? norm_max(mass, p->M) : 1, G = norm_max(p->problem->jacobian_entries, p->G);
    double eps = 4 * n * DBL_EPSILON;
    for (int pass = 0; pass < PASSES_ELSEWHERE; pass++) {
        memcpy(top, b, (size_t)n * sizeof *top);
        subtract_inertia(p->problem, p->M, x, top);
        subtract_constraint_force(p->problem, p->G, l, top);
        point_level(p, c, x, bottom);
        if (e->dependence) dependence_subtract(e->dependence, l, bottom);
        double sx = norm_max(n, x), sl = norm_max(m, l);
        if (norm_max(n, top) <= eps * (norm_max(n, b) + M * sx + G * sl) &&
            norm_max(m, bottom) <= eps * (norm_max(m, c) + G * sx)) return 1;
        for (int k = 0; k < m; k++) bottom[k] = -bottom[k];
        solve(e, p, top, bottom);
        for (int i = 0; i < n; i++) x[i] += top[i];
        for (int k = 0; k < m; k++) l[k] += bottom[k];
    }
    return 0;
}

/* ---- positions ------------------------------------------------------------------------------- */

/* One correction of q with the factors and the g at hand, not made where it is rounding; its
 * relative size. */
static double correct_positions(evaluator *e, mechanical_point *p)
{
    double *dq = e->work[4], *mu = e->work[5];
    memset(dq, 0, (size_t)p->n * sizeof *dq);
    for (int k = 0; k < p->m; k++) mu[k] = -p->g[k];
    solve(e, p, dq, mu);
    double size = norm_relative(p->n, dq, p->y);
    if (size <= rounding) return size;
    for (int i = 0; i < p->n; i++) p->y[i] += dq[i];
    p->known = p->kept;
    return size;
}

/* The contraction of the last correction says, with some reserve, whether this one will do, and g
 * at the new point confirms it. */
projection_result point_move_positions(evaluator *e, mechanical_point *p, unsigned wanted)
{
    double size = INFINITY;
    int most = point_is_exact(p) ? PASSES_HERE : PASSES_ELSEWHERE;
    int rc = point_evaluate(e, p, KEEL_CONSTRAINT);
    for (int pass = 0; pass < most && !rc; pass++) {
        double before = norm_max(p->m, p->g), last = size;
        size = before == 0 ? 0 : correct_positions(e, p);
        int stalls = !(size < 0.5 * last);
        if (stalls && !(size <= stalled)) break;
        int done = stalls || size <= enough || size * p->contraction <= 0.1 * p->left;
        rc = point_evaluate(e, p, done ? wanted | KEEL_CONSTRAINT : KEEL_CONSTRAINT);
        if (size > enough) p->contraction = norm_max(p->m, p->g) / before;
        done &= stalls || size <= enough || size * p->contraction <= p->left;
        if (done && !rc) return PROJECTION_DONE;
    }
    return rc ? projection_code(rc) : diverges(p, 0);
}

/* q := q^ + dq with M dq + G^T mu = 0 and g = 0, M and G at the new q, which are evaluated. */
static projection_result refine_positions(evaluator *e, mechanical_point *p)
{
    int n = p->n, m = p->m;
    double *dq = e->work[4], *mu = e->work[5], last = INFINITY;
    memcpy(p->before, p->y, (size_t)n * sizeof *p->before);
    for (int pass = 0; pass < PASSES_FACTORED; pass++) {
        int rc = point_evaluate(e, p, POINT_POSITION);
        if (rc) return projection_code(rc);
        projection_result factored = point_factor(e, p);
        if (factored) return factored;
        for (int i = 0; i < n; i++) dq[i] = p->before[i] - p->y[i];
        point_level(p, p->g, dq, mu);
        for (int k = 0; k < m; k++) mu[k] = -mu[k];
        memset(dq, 0, (size_t)n * sizeof *dq);
        solve(e, p, dq, mu);
        for (int i = 0; i < n; i++) dq[i] += p->before[i] - p->y[i];
        double size = norm_relative(n, dq, p->y);
        if (size <= rounding) return PROJECTION_DONE;
        if (!(size < 0.7 * last)) return size <= stalled ? PROJECTION_DONE : diverges(p, 0);
        for (int i = 0; i < n; i++) p->y[i] += dq[i];
        p->known = p->kept;
        if (pass > 0 && size * (size / last) <= DBL_EPSILON)  /* the next one is rounding */
            return projection_code(point_evaluate(e, p, POINT_POSITION));
        last = size;
    }
    return diverges(p, 0);
}

/* ---- velocities, accelerations, residuals ---------------------------------------------------- */

projection_result point_move_velocities(evaluator *e, mechanical_point *p, int along)
{
    int n = p->n, m = p->m, once = point_is_exact(p) || !along;
    double *dv = e->work[4], *mu = e->work[5], *v = p->y + n, last = INFINITY;
    p->known &= ~(unsigned)(POINT_FORCES | POINT_ACCELERATION);
    for (int pass = 0; pass < PASSES_HERE; pass++) {
        point_level(p, p->g_t, v, mu);
        memset(dv, 0, (size_t)n * sizeof *dv);
        if (norm_max(m, mu) == 0) return PROJECTION_DONE;
        for (int k = 0; k < m; k++) mu[k] = -mu[k];
        if (!once) solve(e, p, dv, mu);
        else if (!solve_exactly(e, p, dv, mu)) break;
        double size = norm_relative(n, dv, v);
        if (size <= rounding) return PROJECTION_DONE;
        for (int i = 0; i < n; i++) v[i] += dv[i];
        if (once || size <= enough) return PROJECTION_DONE;      /* the level is linear in v */
        if (!(size < 0.5 * last)) return size <= stalled ? PROJECTION_DONE : diverges(p, n);
        last = size;
    }
    return diverges(p, n);
}

projection_result point_move(evaluator *e, mechanical_point *p, const projection_plan *plan)
{
    int along = plan->kind == KEEL_PROJECT_EXPLICIT;
    projection_result result = PROJECTION_DONE;
    if (plan->kind != KEEL_PROJECT_VELOCITY)
        result = plan->stiffly_accurate || along ? point_move_positions(e, p, POINT_POSITION)
                                                 : refine_positions(e, p);
    if (result || plan->kind == KEEL_PROJECT_POSITION) return result;
    int rc = point_evaluate(e, p, POINT_POSITION);
    return rc ? projection_code(rc) : point_move_velocities(e, p, along);
}

projection_result point_accelerate(evaluator *e, mechanical_point *p)
{
    int rc = point_evaluate(e, p, POINT_FORCES);
    if (rc) return projection_code(rc);
    memcpy(p->a, p->f, (size_t)p->n * sizeof *p->a);
    for (int k = 0; k < p->m; k++) p->l[k] = -p->gamma[k];
    if (!solve_exactly(e, p, p->a, p->l)) return diverges(p, 0);
    if (e->dependence) dependence_smallest(e->dependence, p->G, p->l);
    p->known |= POINT_ACCELERATION;
    return PROJECTION_DONE;
}

/* max |base + G x| */
static double level_norm(mechanical_point *p, const double *base, const double *x)
{
    point_level(p, base, x, p->before);
    return norm_max(p->m, p->before);
}

void point_residuals(mechanical_point *p, double *residual)
{
    residual[0] = norm_max(p->m, p->g);
    residual[1] = level_norm(p, p->g_t, p->y + p->n);
    residual[2] = p->known & POINT_ACCELERATION ? level_norm(p, p->gamma, p->a) : -1;
}

/* ---- any point ------------------------------------------------------------------------------- */

/* Puts the point at (t, y), where it may be already.  What came before must not show, but for the pivots of
 * a sparse matrix, which serve all steps of a run. */
static void visit(mechanical_point *p, const evaluator *e, double t, const double *y)
{
    size_t bytes = (size_t)(2 * p->n + p->m) * sizeof *y;
    if (p->known && p->t == t && memcmp(p->y, y, bytes) == 0) return;
    memcpy(p->y, y, bytes);
    if (e->asked || !mechanical_is_sparse(p->problem)) point_forget(p);
    else leave(p);
    p->t = t;
}

/* a and l, with factors of the point itself where those of another will not do. */
static projection_result find_multipliers(mechanical_point *p, evaluator *e)
{
    if (p->known & POINT_ACCELERATION) return PROJECTION_DONE;
    projection_result result = point_accelerate(e, p);
    if (result != PROJECTION_DIVERGES) return result;
    result = point_factor(e, p);
    return result ? result : point_accelerate(e, p);
}

static projection_result move(mechanical_point *p, evaluator *e, const projection_plan *plan)
{
    int stays = plan->kind == KEEL_PROJECT_NONE;
    if (stays && p->known & POINT_ACCELERATION) return PROJECTION_DONE;
    unsigned wanted = stays ? KEEL_MASS | KEEL_CONSTRAINT_JACOBIAN | POINT_FORCES : POINT_POSITION;
    int rc = point_evaluate(e, p, wanted);
    if (rc) return projection_code(rc);
    projection_result result = point_factor(e, p);
    if (!result && !stays) result = point_move(e, p, plan);
    return result || !plan->multipliers ? result : find_multipliers(p, e);
}

projection_result mechanical_move(mechanical_point *p, evaluator *e, const projection_plan *plan,
                                  double t, double *y, int *row)
{
    int n = p->n, m = p->m;
    if (plan->kind == KEEL_PROJECT_NONE && !plan->multipliers) return PROJECTION_DONE;
    visit(p, e, t, y);
    long factorizations = e->stats->factorizations, solves = e->stats->solves;
    projection_result result = move(p, e, plan);
    e->stats->factorizations = factorizations;           /* those of iteration matrices alone */
    e->stats->solves = solves;
    if (result) p->known = 0;
    *row = result == PROJECTION_SINGULAR ? p->variable - 2 * n : 0;
    if (*row < 0) {
        e->fault = (fault){.callback = "mass", .code = FAULT_SINGULAR_MASS, .t = t};
        return PROJECTION_CANNOT_EVALUATE;
    }
    if (result) return result;
    if (plan->multipliers) memcpy(p->y + 2 * n, p->l, (size_t)m * sizeof *y);
    memcpy(y, p->y, (size_t)(2 * n + m) * sizeof *y);
    return PROJECTION_DONE;
}

projection_result mechanical_residuals(mechanical_point *p, evaluator *e, double t, const double *y,
                                       int complete, double *residual)
{
    visit(p, e, t, y);
    int rc = point_evaluate(e, p, POINT_POSITION & ~KEEL_MASS);
    if (!rc) point_residuals(p, residual);
    if (!complete) residual[2] = -1;
    else if (!rc && residual[2] < 0) {           /* from the multipliers in y */
        rc = eval_level(e, 2, t, y, p->gamma);
        residual[2] = norm_max(p->m, p->gamma);
    }
    p->known = 0;                                /* another run may have other parameters */
    return projection_code(rc);
}
