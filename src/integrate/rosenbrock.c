/* rosenbrock.c -- Rosenbrock methods, for M y' = f(t,y) with constant M, of index 0 and 1.
 *
 *   (M / (h gamma) - J) u_i = f(t_n + c_i h, y_n + sum_(j<i) a_ij u_j) + M sum_(j<i) (c_ij / h) u_j
 *                             + h gamma_i f_t,        J = f_y and f_t at (t_n, y_n)
 *   y_(n+1) = y_n + sum_i m_i u_i,                    error sum_i (m - m_hat)_i u_i
 *
 * [HW96 IV.7 (7.25), VI.4 (4.12)], with u = Gamma k in the place of the k of the tableau, whose
 * Gamma = A - alpha:  a = alpha Gamma^-1, (c_ij) = I / gamma - Gamma^-1, m = b Gamma^-1, and gamma_i
 * the row sums of Gamma.  No Newton iteration: a step is one J, one factorization, s evaluations and
 * solves, and one evaluation more for f_t.  J must be the Jacobian: with another one the order is lost.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "integrate/settle.h"
#include "linear/lanes.h"

/* No iteration mends what a solution of an engine is off by: this part of the tolerance, beside u_i. */
static const double solve_share = 0.05;

/* A step that goes less far than this part of the tolerances has no error that could be seen.  Steps then
 * double at most, so that small solutions are followed nevertheless: their last digits are those of their
 * last steps.  (Tuned on robertson; judged by chemical-akzo-nobel and transistor-amplifier.) */
static const double unseen = 0.1, unseen_growth = 2;

typedef struct rosenbrock_state {
    int n, stages;
    double gamma;
    double *a, *c;               /* [s s] a_ij, c_ij                                       */
    double *m, *error_row;       /* [s] m_i, m_i - m_hat_i                                 */
    double *sum;                 /* [s] gamma_i                                            */
    double *end_slope;           /* [s] h y' at the new point = sum_i of it u_i            */
    int points;                  /* of dense output                                        */
    double *nodes, *barycentric, *at_node;          /* [points], [points], [points s]      */
    iteration matrix;
    newton_monitor solution;     /* which says how exact u_i has to be                     */
    settlement settlement;
    double factored_h;           /* 0: none                                                */
    double delta;                /* f_t is this times the derivative                       */
    int f_t_known, f_t_zero;
    double *U, *U_done;          /* [s n], and of the last accepted step                   */
    double *f, *f_new;           /* [n] f at the accepted point and at the candidate       */
    double *slope, *slope_new;   /* [n] y' there; after acceptance those of the last step  */
    double *weight;              /* [n] reciprocal tolerances                              */
    double *f_t, *y_new;         /* [n] delta f_t at the accepted point, and the candidate */
    double *zero, *stage, *rate; /* [n]                                                    */
} rosenbrock_state;

/* ---- creation ----------------------------------------------------------------------------- */

const char *rosenbrock_obstacle(const keel_problem *p)
{
    int stated = p->ops == &ode_form || p->ops == &semi_explicit_form || p->ops == &quasilinear_form;
    return p->index > 1 ? "constraints of index 2 or 3" : !stated ? "a form that is not M y' = f(t,y)"
         : !problem_mass_constant(p) ? "a mass matrix that may change" : NULL;
}

static int check(keel_solver *s)
{
    const char *why = rosenbrock_obstacle(s->problem);
    if (!why && s->options.step == 0 && s->method->estimate == KEEL_ESTIMATE_NONE)
        return fail(&s->message, KEEL_UNSUPPORTED, "%s has no embedded method (b_hat), so that the "
                    "error of a step is not known: give a constant step", s->method->tableau.name);
    if (!why) return KEEL_OK;
    return fail(&s->message, KEEL_UNSUPPORTED, "%s is a Rosenbrock method, for M y' = f(t,y) with "
                "constant M and index 1 at most; this problem has %s: try radau-iia",
                s->method->tableau.name, why);
}

static void layout(arena *a, keel_solver *s)
{
    rosenbrock_state *e = s->state;
    const keel_tableau *t = &s->method->tableau;
    int n = e->n = s->n, stages = e->stages = t->stages;
    int points = e->points = t->dense ? t->dense_degree + 1 : HERMITE_POINTS;
    ARENA_KEEP(a, e, factored_h, f_t_zero);
    ARENA_KEEP(a, e, solution.solve_to, solution.solve_to);
    ARENA_LINKS(a, e, U, slope_new);             /* which change places */
    ARENA_VECTORS(a, stages * stages, &e->a, &e->c);
    ARENA_VECTORS(a, stages, &e->m, &e->error_row, &e->sum, &e->end_slope);
    ARENA_VECTORS(a, n, &e->weight, &e->f, &e->f_t, &e->slope, &e->f_new, &e->slope_new, &e->y_new, &e->zero,
                  &e->stage, &e->rate);
    ARENA_VECTORS(a, (size_t)stages * (size_t)n, &e->U, &e->U_done);
    ARENA_VECTORS(a, points, &e->nodes, &e->barycentric);
    e->at_node = ARENA(a, double, (size_t)points * (size_t)stages);
    s->dense.values = ARENA(a, double, (size_t)points * (size_t)n);
    iteration_layout(a, &e->matrix, s->problem, s->eval.engine);
    settle_layout(a, &e->settlement, s);
}

/* to := from Gamma^-1 for a row over the stages; Gamma = A - alpha is lower triangular. */
static void divide_by_gamma(const keel_tableau *t, const double *from, double *to)
{
    int s = t->stages;
    for (int j = s - 1; j >= 0; j--) {
        double rest = from[j];
        for (int k = j + 1; k < s; k++) rest -= to[k] * (t->A[k * s + j] - t->A_explicit[k * s + j]);
        to[j] = rest / t->A[0];
    }
}

/* b(theta), or with `slope` b'(theta). */
static void dense_weights(const keel_tableau *t, double theta, int slope, double *b)
{
    int degree = t->dense_degree;
    for (int i = 0; i < t->stages; i++) {
        b[i] = 0;
        for (int k = degree - 1; k >= 0; k--) {
            double weight = t->dense[i * degree + k];
            b[i] = slope ? b[i] * theta + (k + 1) * weight : (b[i] + weight) * theta;
        }
    }
}

static void dense_coefficients(rosenbrock_state *e, const keel_tableau *t)
{
    static const double pi = 3.14159265358979323846;
    double b[KEEL_STAGES_MOST];
    for (int i = 0; i < e->stages; i++) e->end_slope[i] = e->m[i];       /* (y_new - y) / h */
    for (int j = 0; j < e->points; j++)
        e->nodes[j] = !t->dense ? hermite_nodes[j] : (1 - cos(pi * j / (e->points - 1))) / 2;
    e->nodes[e->points - 1] = 1;
    barycentric_weights(e->points, e->nodes, e->barycentric);
    for (int j = 0; t->dense && j < e->points; j++) {
        dense_weights(t, e->nodes[j], 0, b);
        divide_by_gamma(t, b, e->at_node + j * e->stages);
    }
    if (!t->dense) return;
    dense_weights(t, 1, 1, b);
    divide_by_gamma(t, b, e->end_slope);
}

static void coefficients(rosenbrock_state *e, const keel_tableau *t)
{
    int s = e->stages;
    double row[KEEL_STAGES_MOST] = {0};
    e->gamma = t->A[0];
    for (int i = 0; i < s; i++) {
        divide_by_gamma(t, t->A_explicit + i * s, e->a + i * s);
        for (int j = 0; j < s; j++) row[j] = j == i;
        divide_by_gamma(t, row, e->c + i * s);
        e->sum[i] = 0;
        for (int j = 0; j < s; j++) {
            e->c[i * s + j] = (j == i ? 1 / e->gamma : 0) - e->c[i * s + j];
            e->sum[i] += t->A[i * s + j] - t->A_explicit[i * s + j];
        }
    }
    divide_by_gamma(t, t->b, e->m);
    for (int j = 0; j < s; j++) row[j] = t->b_hat ? t->b[j] - t->b_hat[j] : 0;
    divide_by_gamma(t, row, e->error_row);
    dense_coefficients(e, t);
}

/* ---- start -------------------------------------------------------------------------------- */

static int right_hand_side(keel_solver *s, double t, const double *y, double *f)
{
    rosenbrock_state *e = s->state;
    return eval_residual(&s->eval, t, y, e->zero, f);
}

/* y' from f where M is a 0/1 diagonal, else `given`. */
static void find_slope(const rosenbrock_state *e, const double *f, const double *given, double *slope)
{
    if (!e->matrix.local.diagonal) memcpy(slope, given, (size_t)e->n * sizeof *slope);
    for (int k = 0; k < e->n && e->matrix.local.diagonal; k++)
        slope[k] = e->matrix.local.mass_diagonal[k] * f[k];
}

/* The estimate is O(h^this). */
static int error_power(const keel_solver *s) { return s->method->tableau.order_hat + 1; }

static double error_rtol(const keel_solver *s, double rtol)
{
    const keel_tableau *t = &s->method->tableau;
    return error_power(s) > t->order ? error_per_unit(rtol, t->order) : rtol;
}

/* f and y' at a new point, `rate` being y' where f does not give it. */
static int at_new(keel_solver *s, double t, const double *y, double *sum, double *most)
{
    rosenbrock_state *e = s->state;
    (void)sum, (void)most;
    int rc = right_hand_side(s, t, y, e->f_new);
    if (!rc) find_slope(e, e->f_new, e->rate, e->slope_new);
    return rc;
}

static int create(keel_solver *s)
{
    rosenbrock_state *e = s->state;
    e->matrix.newton = &e->solution;
    e->settlement.at_new = at_new;
    coefficients(e, &s->method->tableau);
    return iteration_create(&e->matrix, s, &s->eval, 1, 0);
}

static attempt_result start(keel_solver *s)
{
    rosenbrock_state *e = s->state;
    e->solution.solve_to = solve_share * s->least_tolerance;
    settle_begin(s, &e->settlement, &e->matrix, e->weight, e->slope, s->method->stiffly_accurate);
    e->factored_h = e->f_t_known = 0;
    int rc = iteration_start(&e->matrix, s->t, s->y, s->yp);
    if (!rc) rc = right_hand_side(s, s->t, s->y, e->f);
    if (rc) return evaluation_result(s, rc);
    find_slope(e, e->f, s->yp, e->slope);
    attempt_result measured = measure_levels(s, s->t, s->y, 0);
    if (measured != ATTEMPT_DONE) return measured;
    error_weights(s, error_rtol, s->y, e->weight);
    first_step(s, e->slope, error_rtol(s, s->least_tolerance), 1.0 / error_power(s));
    return evaluation_result(s, eval_outcome(&s->eval));
}

/* ---- step --------------------------------------------------------------------------------- */

/* f_t by one difference inside the step, beyond which f may not be known; often it is exactly 0. */
static int time_derivative(keel_solver *s, double h)
{
    rosenbrock_state *e = s->state;
    if (e->f_t_known) return 0;
    double reach = sqrt(DBL_EPSILON * fmax(1e-5, fabs(s->t)));           /* [HW96 IV.8] */
    double moved = s->t + copysign(fmin(reach, fabs(h)), h), any = 0, *f_t = e->f_t;
    const int n = moved == s->t ? 0 : e->n, rc = n == 0 ? 0 : right_hand_side(s, moved, s->y, f_t);
    const double *f = e->f;
    for (int k = 0; k < n; k++) any += fabs(f_t[k] -= f[k]);
    e->delta = moved - s->t;
    e->f_t_zero = any == 0;
    e->f_t_known = !rc;
    return rc;
}

static attempt_result prepare(keel_solver *s, double h)
{
    rosenbrock_state *e = s->state;
    int renewed, rc = iteration_jacobian(&e->matrix, s->t, s->y, s->yp, &renewed);
    if (!rc) rc = time_derivative(s, h);
    if (rc) return evaluation_result(s, rc);
    if (e->factored_h == h && !renewed) return ATTEMPT_DONE;
    e->factored_h = 0;
    s->stats.factorizations++;
    rc = iteration_factor(&e->matrix, 0, 1 / (h * e->gamma), 0);
    if (rc) return factoring_result(s, rc);
    e->factored_h = h;
    return ATTEMPT_DONE;
}

static int solve_stage(keel_solver *s, double h, int i)
{
    rosenbrock_state *e = s->state;
    double *U = e->U + i * e->n;
    const double *right = i == 0 ? e->f : U;
    int rc = 0;
    if (i > 0) {                                 /* f - M y', y' = -h^-1 sum_(j<i) c_ij u_j */
        vectors_argument(i, e->n, s->y, e->a + i * e->stages, e->c + i * e->stages, -1 / h, e->U,
                         e->stage, e->rate);
        rc = eval_residual(&s->eval, s->t + s->method->tableau.c[i] * h, e->stage, e->rate, U);
    }
    if (rc) return rc;
    if (!e->f_t_zero) vectors_shift(1, e->n, e->f_t, right, h * e->sum[i] / e->delta, U);
    else if (i == 0) memcpy(U, e->f, (size_t)e->n * sizeof *U);
    return iteration_solve(&e->matrix, 0, U, NULL);
}

/* The error and, with u_1 = gamma h y' for them, whether algebraic unknowns are resolved: one message. */
static attempt_result measure_error(keel_solver *s, double h)
{
    rosenbrock_state *e = s->state;
    vectors_argument(e->stages, e->n, s->y, e->m, e->error_row, 1, e->U, e->y_new, e->stage);
    roughness r = resolution_of_prediction(s, &e->matrix, h, 1 / e->gamma, e->U, e->y_new);
    double sum[2] = {norm_sum(e->n, e->stage, e->weight), e->n}, most = r.most;
    if (s->eval.reducer) ranks_reduce(s->eval.reducer, 2, sum, 1, &most);
    s->report.error = sqrt(sum[0] / sum[1]);
    if (!(s->report.error < 1)) report_worst(s, e->n, e->stage, e->weight);
    resolution_raise(s, &r, most, error_power(s), PREDICTION_POWER);
    return evaluation_result(s, eval_outcome(&s->eval));
}

static attempt_result attempt(keel_solver *s, double h)
{
    rosenbrock_state *e = s->state;
    attempt_result result = prepare(s, h);
    int i = 0, rc = 0;
    for (; i < e->stages && !rc && result == ATTEMPT_DONE; i++) rc = solve_stage(s, h, i);
    s->stats.solves += i;
    if (rc) result = evaluation_result(s, rc);
    if (result == ATTEMPT_DONE) result = measure_error(s, h);
    if (result != ATTEMPT_DONE) {
        if (result != ATTEMPT_STOP) s->report.again = iteration_doubt(&e->matrix);
        e->f_t_known &= !s->eval.engine;         /* another rank's may have failed there */
        return result;
    }
    s->report.factor = 0.25;
    return isfinite(s->report.error) ? ATTEMPT_DONE : ATTEMPT_NOT_CONVERGED;
}

static attempt_result dense(keel_solver *s)
{
    rosenbrock_state *e = s->state;
    int n = e->n, given = s->method->tableau.dense != NULL;
    double *y = s->dense.values, *y_end = y + (e->points - 1) * n, *value = y + n, h = s->dense.h;
    for (int j = 1; j < e->points - 1; j++, value += n) {
        if (given) vectors_sum(e->stages, n, y, e->at_node + j * e->stages, e->U_done, value);
        for (int k = 0; k < n && !given; k++)
            value[k] = hermite(e->nodes[j], h, y[k], y_end[k], e->slope_new[k], e->slope[k]);
    }
    s->dense_due = 0;
    return ATTEMPT_DONE;
}

static attempt_result accept(keel_solver *s, double h, double t_new)
{
    rosenbrock_state *e = s->state;
    size_t bytes = (size_t)e->n * sizeof(double);
    if (!e->matrix.local.diagonal) vectors_sum(e->stages, e->n, e->zero, e->end_slope, e->U, e->rate);
    for (int k = 0; k < e->n && !e->matrix.local.diagonal; k++) e->rate[k] /= h;
    attempt_result result = settle(s, &e->settlement, t_new, e->y_new);
    if (result != ATTEMPT_DONE) return result;
    dense_ends(s, h, e->points, e->nodes, e->barycentric, e->y_new);
    s->dense_due = 1;                            /* what lies between the ends */
    memcpy(s->y, e->y_new, bytes);
    memcpy(s->yp, e->slope_new, bytes);
    swap_vectors(&e->f, &e->f_new);
    swap_vectors(&e->slope, &e->slope_new);
    swap_vectors(&e->U, &e->U_done);
    record_stages(s, e->stages);
    e->f_t_known = 0;
    e->matrix.jacobian_fresh = 0;
    iteration_outdate(&e->matrix);
    return ATTEMPT_DONE;
}

static void next(keel_solver *s, double h)
{
    rosenbrock_state *e = s->state;
    if (h == 0) return;
    double growth = control_factor(&s->control, h, s->report.error, 1.0 / error_power(s), 0, 1);
    if (growth > unseen_growth && last_move(s, e->weight) < unseen) growth = unseen_growth;
    s->h_next = h * growth;
    if (s->report.error < 1 || s->options.step > 0) error_weights(s, error_rtol, s->y, e->weight);
}

const integrator rosenbrock_integrator = {
    .name = "rosenbrock", .fixed_lag = -1, .safety = 0.9, .growth = 6,
    .state_size = sizeof(rosenbrock_state), .layout = layout, .create = create, .start = start,
    .attempt = attempt, .accept = accept, .next = next, .dense = dense, .check = check};
