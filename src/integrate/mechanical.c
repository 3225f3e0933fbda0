/* mechanical.c -- projected Radau IIA for mechanical systems of index 3.
 *
 * A step: extrapolate K, L; solve the stages (mechanical_newton.c); estimate the error in the
 * tangent space; project q, v and recompute a, l at the new point (mechanical_settle.c).  The
 * factorization made there projects this step and iterates the next one: one per accepted step, and
 * of small full matrices another one, where q has settled.
 */
#include "integrate/mechanical.h"

#include <math.h>
#include <string.h>

#include "core/norm.h"

/* Evidence needed before the full iteration takes over, in units of slow steps; how many attempts it
 * is given to prove itself, and by how much more evidence is needed where it did not. */
enum { STRAIN_LIMIT = 15, TRIAL = 10, DOUBTED = 4 };

static const double
    tolerance_factor = 3,        /* gives the accuracy RADAU5 has at the same tolerance    */
    newton_constant = 0.1,       /* Newton error relative to the tolerance,                */
    newton_constant_5 = 0.05,    /* with five stages and more: their few steps leave it all, */
    strict_newton_constant = 0.03, /* and where stiff forces do not damp, or no projection */
                                 /* removes, what it leaves                                */
    slow_rate = 0.1,             /* Newton rate that counts as strain ...                  */
    idle_error = 0.05,           /* ... when the error is as small as this                 */
    newton_room = 0.5,           /* the step may grow until Newton's rate, ~ h^2, is this  */
    keep_step_to = 1.2,          /* full: h_new / h in [1, 1.2] keeps h and its matrices   */
    gain = 1.5;                  /* time per attempt by which the full iteration pays      */

static void stage_layout(arena *a, stage_data *st, int n, int m, int s)
{
    int w = lanes(s);
    ARENA_VECTORS(a, (size_t)n * (size_t)w, &st->K, &st->Q, &st->V, &st->f, &st->R, &st->dK, &st->dQ, &st->dV,
                  &st->restK, &st->xK);
    ARENA_VECTORS(a, (size_t)m * (size_t)w, &st->L, &st->g, &st->C, &st->dL, &st->restL, &st->xL);
    ARENA_VECTORS(a, s * w, &st->hA, &st->h2A2, &st->inverse, &st->T, &st->T_inv);
    st->M = ARENA(a, double, (size_t)n * (size_t)n * (size_t)w);
    st->G = ARENA(a, double, (size_t)m * (size_t)n * (size_t)w);
    st->one.mass = ARENA(a, double, (size_t)n * (size_t)n);
    st->one.force = ARENA(a, double, n);
    st->one.constraint = ARENA(a, double, m);
    st->one.constraint_jacobian = ARENA(a, double, (size_t)m * (size_t)n);
    ARENA_VECTORS(a, n, &st->q, &st->v);
}

static void full_layout(arena *a, full_matrices *fm, int n, int m)
{
    int N = n + m;
    ARENA_VECTORS(a, (size_t)n * (size_t)n, &fm->K, &fm->D);
    fm->minus_re = fm->im = (keel_matrix){.rows = N, .columns = N};
    ARENA_VECTORS(a, (size_t)N * (size_t)N, &fm->minus_re.values, &fm->im.values);
    fm->vector = ARENA(a, double, 2 * N);
    ARENA_OWN(a, fm, system, linear_tape);
}

static void layout(arena *a, keel_solver *s)
{
    mechanical_state *e = s->state;
    int n = e->n = s->problem->group[0], m = e->m = s->problem->constraints;
    method_set_layout(a, &e->set, s);
    int last = e->set.last;
    ARENA_KEEP(a, e, stages, newton);
    ARENA_KEEP(a, e, st.w, st.diagonal);
    ARENA_KEEP(a, e, fm.h, fm.jacobian_age);
    mechanical_point *points[] = {&e->now, &e->candidate};
    for (int k = 0; k < 2; k++) {
        points[k]->y = ARENA(a, double, s->n);
        point_layout(a, points[k], s->problem);
        e->kkt[k] = points[k]->kkt;
    }
    stage_layout(a, &e->st, n, m, last);
    full_layout(a, &e->fm, n, m);
    e->past_K = ARENA(a, double, lanes(last + 1) * n);
    e->past_L = ARENA(a, double, lanes(last + 1) * m);
    e->extrapolation = ARENA(a, double, (last + 1) * lanes(last));
    e->weight = ARENA(a, double, 2 * n + m);
    e->e_q = ARENA(a, double, 2 * n);
    e->e_v = e->e_q ? e->e_q + n : NULL;
    s->dense.values = ARENA(a, double, (last + 1) * (2 * n + m));
}

static int create(keel_solver *s)
{
    mechanical_state *e = s->state;
    linear_spec full = {.n = e->n + e->m, .storage = KEEL_DENSE, .real_slots = 1,
                        .complex_slots = e->set.last / 2};
    int rc = method_set_create(s, &e->set);
    return rc ? rc : linear_create(&e->fm.system, &full);
}

static void release(keel_solver *s)
{
    linear_free(((mechanical_state *)s->state)->fm.system);
}

/* Are velocities moved back to their constraint? */
static int keeps_velocities(const keel_solver *s)
{
    return s->options.projection != KEEL_PROJECT_NONE &&
           s->options.projection != KEEL_PROJECT_POSITION;
}

/* Must Newton's method be exact, because nothing removes what it leaves? */
static int is_strict(const keel_solver *s)
{
    const mechanical_state *e = s->state;
    return e->full || !keeps_velocities(s) || s->options.projection == KEEL_PROJECT_VELOCITY;
}

/* 0.1 (3 rtol)^((s+1)/(2s)), or twice that where nothing but Newton's error remains of what the
 * estimate sees: a local error of order s stands for one of order 2s - 1 [HW99].  With more than three
 * stages c rtol^((s+1)/(2s-1)), equal (or half of it; half as much again, where Newton's error is the
 * smaller part) at rtol = 3e-8, so that the global error follows rtol. */
static double error_rtol(const keel_solver *s, double rtol)
{
    const mechanical_state *e = s->state;
    int stages = e->stages;
    double exponent = (stages + 1.0) / (2.0 * stages);
    double common = (is_strict(s) ? 0.1 : 0.2) * pow(tolerance_factor, exponent);
    if (stages <= 3) return common * pow(rtol, exponent);
    double steeper = (stages + 1.0) / (2.0 * stages - 1);
    if (stages > 4) common *= is_strict(s) ? 0.5 : 1.5;          /* no jump where the count changes */
    return common * pow(3e-8, exponent - steeper) * pow(rtol, steeper);
}

/* ---- choice of order ---------------------------------------------------------------------- */

/* Stages by tolerance: each is the cheapest of all counts in its range of accuracy.  The error
 * estimate of the full iteration needs the real eigenvalue: odd counts only. */
static void choose_stages(keel_solver *s)
{
    mechanical_state *e = s->state;
    double rtol = tolerance_factor * s->least_tolerance;
    e->stages = s->stages ? s->stages
              : rtol >= 1e-3 ? 3
              : e->full ? (rtol >= 1e-9 ? 5 : 7)
              : rtol >= 1e-7 ? 4 : rtol >= 1e-11 ? 5 : 6;
    e->st.w = lanes(e->stages);
    method_set_need(&e->set, e->stages);
}

/* Zeros where lanes are not used, and a constant M in all lanes that are. */
static void clear_lanes(mechanical_state *e)
{
    stage_data *st = &e->st;
    int n = e->n, m = e->m, w = st->w;
    double *nodal[] = {st->K, st->f, st->R};
    double *constraint[] = {st->L, st->g, st->C};
    for (int k = 0; k < 3; k++) {
        memset(nodal[k], 0, (size_t)n * (size_t)w * sizeof(double));
        memset(constraint[k], 0, (size_t)m * (size_t)w * sizeof(double));
    }
    memset(st->M, 0, (size_t)(n * n * w) * sizeof(double));
    memset(st->G, 0, (size_t)(m * n * w) * sizeof(double));
    st->diagonal = e->now.constant != 0;
    for (int k = 0; k < n * n && e->now.constant; k++) {
        st->diagonal &= k % (n + 1) == 0 || e->now.M[k] == 0;
        for (int i = 0; i < e->stages; i++) st->M[k * w + i] = e->now.M[k];
    }
}

/* ---- start -------------------------------------------------------------------------------- */

static void set_tolerances(keel_solver *s)
{
    mechanical_state *e = s->state;
    error_weights(s, error_rtol, s->y, e->weight);
    e->newton_tolerance = tolerance_factor * newton_scale(s, error_rtol) *
                          (is_strict(s) ? strict_newton_constant
                           : e->stages > 4 ? newton_constant_5 : newton_constant);
    if (s->options.step > 0) e->newton_tolerance = 0;     /* to rounding: no error test follows */
}

static attempt_result start(keel_solver *s)
{
    mechanical_state *e = s->state;
    e->full = s->options.iteration == KEEL_ITERATION_FULL;
    e->strain = e->trial = 0;
    e->enough = STRAIN_LIMIT;
    e->pace = 0;
    e->fm.h = 0;
    e->fm.jacobian_known = 0;
    e->newton = (newton_monitor){.factor = 1};
    choose_stages(s);
    e->sweeps = s->options.sweeps < 0 ? 0 : s->options.sweeps ? s->options.sweeps
              : e->stages == 3 ? 1 : 2;
    point_forget(&e->now);
    point_forget(&e->candidate);
    memcpy(e->now.y, s->y, (size_t)s->n * sizeof *s->y);
    attempt_result result = point_complete(s, &e->now, s->t, NULL);
    if (result != ATTEMPT_DONE) return result;
    clear_lanes(e);
    if (s->stats.accepted == 0)                  /* what has been accepted stays as it is */
        memcpy(s->y, e->now.y, (size_t)s->n * sizeof *s->y);
    set_tolerances(s);
    start_rates rates = {.n = e->n, .y = e->now.y, .slope = e->now.y + e->n, .bend = e->now.a,
                         .rtol = s->rtol, .atol = s->atol};
    s->h_next = control_first(&rates, error_rtol(s, s->least_tolerance), 1.0 / (e->stages + 1));
    return ATTEMPT_DONE;
}

/* ---- step --------------------------------------------------------------------------------- */

/* Columns of the matrix that extrapolates from the nodes of the last step to this one's. */
static void set_extrapolation(mechanical_state *e, const interpolant *last, double h)
{
    const stage_method *rk = &e->set.method[e->stages];
    int w = e->st.w;
    double lagrange[STAGES_MAX + 1];
    memset(e->extrapolation, 0, (size_t)last->points * (size_t)w * sizeof *e->extrapolation);
    for (int i = 0; i < rk->s; i++) {
        lagrange_at(last->points, last->nodes, last->barycentric, 1 + rk->c[i] * h / last->h, lagrange);
        for (int j = 0; j < last->points; j++) e->extrapolation[j * w + i] = lagrange[j];
    }
}

/* With stiff forces accelerations carry errors magnified by the stiffness: there positions are
 * extrapolated and K = h^-2 A^-2 (Q - q - h c v). */
static void predict_positions(keel_solver *s, double h)
{
    mechanical_state *e = s->state;
    const stage_method *rk = &e->set.method[e->stages];
    int n = e->n, w = e->st.w, points = s->dense.points;
    const double *q = e->now.y, *v = e->now.y + n;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < rk->s; i++) {
            double sum = -q[k] - h * rk->c[i] * v[k];
            for (int j = 0; j < points; j++)
                sum += e->extrapolation[j * w + i] * s->dense.values[j * s->n + k];
            e->st.Q[k * w + i] = sum / (h * h);
        }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < rk->s; i++) {
            double sum = 0;
            for (int j = 0; j < rk->s; j++) sum += rk->A2_inv[i * rk->s + j] * e->st.Q[k * w + j];
            e->st.K[k * w + i] = sum;
        }
}

/* Start values: the polynomial through a_(n-1), K_1, ..., K_(s-1), a_n of the last step. */
static void predict(keel_solver *s, double h)
{
    mechanical_state *e = s->state;
    int n = e->n, m = e->m, w = e->st.w, points = s->dense.points, past_w = lanes(points);
    if (points > 0 && h / e->past_h <= EXTRAPOLATE_MOST) {
        set_extrapolation(e, &s->dense, h);
        lanes_combine(m, w, points, e->extrapolation, past_w, e->past_L, e->st.L);
        if (e->full) predict_positions(s, h);
        else lanes_combine(n, w, points, e->extrapolation, past_w, e->past_K, e->st.K);
        return;
    }
    for (int i = 0; i < e->stages; i++) {
        for (int k = 0; k < n; k++) e->st.K[k * w + i] = e->now.a[k];
        for (int k = 0; k < m; k++) e->st.L[k * w + i] = e->now.l[k];
    }
}

/* q and v alike; without projection v with the factor h of index-2 unknowns, because its drift
 * does not fall with the step size. */
static double error_norm(const keel_solver *s, double h)
{
    const mechanical_state *e = s->state;
    double scale = keeps_velocities(s) ? 1 : fmin(1, h * h);
    double sum = norm_sum(e->n, e->e_q, e->weight);
    sum += scale * norm_sum(e->n, e->e_v, e->weight + e->n);
    return sqrt(sum / (2 * e->n));
}

/* Is the step size limited by Newton's method although the error would allow a larger one, or stuck
 * on a plateau where the forces are stiff? */
static void judge_strain(keel_solver *s, attempt_result solved, double h)
{
    mechanical_state *e = s->state;
    if (e->full || s->stats.accepted == 0) return;
    int slow = e->newton.rate > slow_rate, plateau = fabs(h / e->past_h - 1) < 0.1;
    if (solved == ATTEMPT_NOT_CONVERGED) e->strain += 5;
    else if (slow && (plateau || s->report.error <= idle_error)) e->strain++;
    else if (s->report.error > idle_error && e->strain > 0) e->strain--;
}

static attempt_result attempt(keel_solver *s, double h)
{
    mechanical_state *e = s->state;
    if (e->full) {
        attempt_result ready = full_prepare(s, h);
        if (ready != ATTEMPT_DONE) return ready;
    }
    predict(s, h);
    attempt_result solved = stages_solve(s, h);
    if (solved == ATTEMPT_DONE) {
        stages_error(s, h);
        s->report.error = error_norm(s, h);
    }
    judge_strain(s, solved, h);
    if (solved != ATTEMPT_DONE) return solved;
    s->report.variable = norm_worst(2 * e->n, e->e_q, e->weight);
    s->report.factor = 0.5;
    return isfinite(s->report.error) ? ATTEMPT_DONE : ATTEMPT_NOT_CONVERGED;
}

static void store_dense(keel_solver *s, double h)
{
    mechanical_state *e = s->state;
    int n = e->n, m = e->m, stages = e->stages, width = s->n, w = e->st.w;
    dense_ends(s, h, e->set.points[stages], e->set.nodes[stages], e->set.barycentric[stages], e->candidate.y);
    for (int i = 0; i < stages - 1; i++) {
        double *value = s->dense.values + (i + 1) * width;
        for (int k = 0; k < n; k++) {
            value[k] = e->st.Q[k * w + i];
            value[n + k] = e->st.V[k * w + i];
        }
        for (int k = 0; k < m; k++) value[2 * n + k] = e->st.L[k * w + i];
    }
}

/* Keeps x of this step at 0, c_1, ..., c_(s-1), 1, for the next prediction. */
static void store_past(mechanical_state *e, int n, const double *before, const double *stage,
                       const double *after, double *past)
{
    int w = e->st.w, last = e->stages, past_w = lanes(last + 1);
    for (int k = 0; k < n; k++) {
        double *x = past + k * past_w;
        x[0] = before[k];
        for (int i = 1; i < last; i++) x[i] = stage[k * w + i - 1];
        x[last] = after[k];
    }
}

/* Multipliers by (2.5), for stiffly accurate methods those of the last stage, and their residual. */
static attempt_result take_recursion(keel_solver *s, double t_new)
{
    mechanical_state *e = s->state;
    double *value = e->st.C;
    for (int k = 0; k < e->m; k++)
        e->candidate.y[2 * e->n + k] = e->st.L[k * e->st.w + e->stages - 1];
    int rc = eval_mechanical_level(&s->eval, 2, t_new, e->candidate.y, value);
    if (rc > 0 && s->eval.fault.code == FAULT_SINGULAR_MASS) {   /* l does not determine a */
        s->left[2] = -1;
        return ATTEMPT_DONE;
    }
    s->left[2] = rc ? -1 : norm_max(e->m, value);
    return evaluation_result(s, rc);
}

/* The iteration leaves N^T L as it is, which no equation determines: 0, for the next prediction. */
static void make_smallest(mechanical_state *e, const dependence *dependent)
{
    double *l = e->st.C, *G = e->st.one.constraint_jacobian;
    int w = e->st.w;
    for (int i = 0; i < e->stages; i++) {
        for (int k = 0; k < e->m; k++) l[k] = e->st.L[k * w + i];
        for (int k = 0; k < e->m * e->n; k++) G[k] = e->st.G[k * w + i];
        dependence_smallest(dependent, G, l);
        for (int k = 0; k < e->m; k++) e->st.L[k * w + i] = l[k];
    }
}

static attempt_result accept(keel_solver *s, double h, double t_new)
{
    mechanical_state *e = s->state;
    int n = e->n, m = e->m, w = e->st.w, last = e->stages - 1;
    if (s->eval.dependence) make_smallest(e, s->eval.dependence);
    for (int k = 0; k < n; k++) {
        e->candidate.y[k] = e->st.Q[k * w + last];
        e->candidate.y[n + k] = e->st.V[k * w + last];
    }
    acceptance_begin(s, e->candidate.y);
    projection_plan plan = projection_plan_of(s, 0);
    attempt_result result = point_complete(s, &e->candidate, t_new,
                                           plan.kind != KEEL_PROJECT_NONE ? &plan : NULL);
    if (result == ATTEMPT_DONE && s->options.multipliers != KEEL_MULTIPLIERS_HIDDEN)
        result = take_recursion(s, t_new);
    if (result == ATTEMPT_DONE) result = acceptance_check(s, h, e->candidate.y, e->weight);
    if (result != ATTEMPT_DONE) return result;
    e->past_h = h;
    store_past(e, n, e->now.a, e->st.K, e->candidate.a, e->past_K);
    store_past(e, m, e->now.l, e->st.L, e->candidate.l, e->past_L);
    store_dense(s, h);
    mechanical_point previous = e->now;
    e->now = e->candidate;
    e->candidate = previous;
    e->candidate.contraction = e->now.contraction;
    memcpy(s->y, e->now.y, (size_t)s->n * sizeof *s->y);
    record_stages(s, e->stages);
    e->fm.jacobian_age++;
    return ATTEMPT_DONE;
}

/* The full iteration pays where forces are stiff.  Where the motion bends within a step, no constant
 * matrix helps: has the trial ended, and shown that? */
static int judge_trial(mechanical_state *e, double advanced)
{
    if (!e->full) e->pace += 0.2 * (advanced - e->pace);
    if (e->trial == 0) return 0;
    e->advanced += advanced;
    return --e->trial == 0 && e->advanced < gain * TRIAL * e->pace;
}

static void change_iteration(keel_solver *s)
{
    mechanical_state *e = s->state;
    e->full = !e->full;
    s->stats.iteration_switches++;
    choose_stages(s);
    clear_lanes(e);
}

static void next(keel_solver *s, double h)
{
    mechanical_state *e = s->state;
    if (h != 0) {
        double growth = control_factor(&s->control, h, s->report.error, 1.0 / (e->stages + 1),
                                       e->newton.iterations, e->newton.limit);
        if (e->newton.iterations > 1)
            growth = fmin(growth, fmax(1, sqrt(newton_room / e->newton.rate)));
        int keep = e->full && growth >= 1 && growth <= keep_step_to && e->newton.rate <= 0.1;
        s->h_next = keep ? h : h * growth;
    }
    int stuck = s->options.step > 0 && h == 0;   /* a constant step cannot shrink */
    int fails = judge_trial(e, h != 0 && s->report.error < 1 ? fabs(h) : 0);
    if (!e->full && s->options.iteration == KEEL_ITERATION_AUTO &&
        (e->strain >= e->enough || stuck)) {
        s->report.again = stuck;
        e->trial = stuck ? 0 : TRIAL;
        e->advanced = 0;
        change_iteration(s);
    } else if (fails) {
        e->strain = 0;
        e->enough *= DOUBTED;
        change_iteration(s);
    }
    set_tolerances(s);
}

const integrator mechanical_integrator = {
    .name = "mechanical", .safety = 0.85, .growth = 8, .state_size = sizeof(mechanical_state),
    .layout = layout, .create = create, .release = release, .start = start, .attempt = attempt,
    .accept = accept, .next = next};
