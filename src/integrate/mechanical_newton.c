/* mechanical_newton.c -- simplified Newton on stage accelerations and multipliers.
 *
 * saddle iteration, one real matrix for all stages, orders and step sizes:
 *
 *   [M G^T; G 0][dK_i; dL_i] = [R_i; -h^-2 sum_j (A^-2)_ij g_j]
 *
 * full iteration, transformed by A^-1 = T L T^-1, for each eigenvalue gamma:
 *
 *   [M - (h/gamma) D - (h/gamma)^2 K, G^T; G, 0][k; l] = T^-1 [R; -h^-2 A^-2 g]
 *
 * Refinement sweeps: M_i and G_i are known at every stage, so the linear system with them is
 * solved better by using the factorization as a preconditioner, without any user call.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/mechanical.h"

/* columns := factor c^T, padded with zeros to w entries each */
static void set_columns(int s, int w, double factor, const double *c, double *columns)
{
    memset(columns, 0, (size_t)s * (size_t)w * sizeof *columns);
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) columns[j * w + i] = factor * c[i * s + j];
}

static void prepare_coefficients(mechanical_state *e, const stage_method *rk, double h)
{
    stage_data *st = &e->st;
    set_columns(rk->s, st->w, h, rk->A, st->hA);
    set_columns(rk->s, st->w, h * h, rk->A2, st->h2A2);
    set_columns(rk->s, st->w, 1 / (h * h), rk->A2_inv, st->inverse);
    if (!e->full) return;
    set_columns(rk->s, st->w, 1, rk->T, st->T);
    set_columns(rk->s, st->w, 1, rk->T_inv, st->T_inv);
}

/* V = v + h A K, Q = q + h c v + h^2 A^2 K */
static void stage_values(mechanical_state *e, const stage_method *rk, double h)
{
    stage_data *st = &e->st;
    int n = e->n, w = st->w;
    const double *q = e->now.y, *v = e->now.y + n;
    lanes_combine(n, w, rk->s, st->hA, w, st->K, st->V);
    lanes_combine(n, w, rk->s, st->h2A2, w, st->K, st->Q);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < rk->s; i++) {
            st->V[k * w + i] += v[k];
            st->Q[k * w + i] += q[k] + h * rk->c[i] * v[k];
        }
}

static void spread(int count, int w, const double *one, double *all)
{
    for (int k = 0; k < count; k++) all[k * w] = one[k];
}

/* M, f, G, g at every stage; a constant M is spread once, at the start. */
static int evaluate_stages(keel_solver *s, const stage_method *rk, double h)
{
    mechanical_state *e = s->state;
    stage_data *st = &e->st;
    int n = e->n, m = e->m, w = st->w, rc = 0;
    const unsigned wanted = KEEL_FORCE | KEEL_CONSTRAINT | KEEL_CONSTRAINT_JACOBIAN |
                            (KEEL_MASS & ~e->now.constant);
    for (int i = 0; i < rk->s && !rc; i++) {
        for (int k = 0; k < n; k++) {
            st->q[k] = st->Q[k * w + i];
            st->v[k] = st->V[k * w + i];
        }
        rc = eval_mechanical(&s->eval, s->t + rk->c[i] * h, st->q, st->v, wanted, &st->one);
        if (rc) break;
        if (wanted & KEEL_MASS) spread(n * n, w, st->one.mass, st->M + i);
        spread(n, w, st->one.force, st->f + i);
        spread(m, w, st->one.constraint, st->g + i);
        spread(m * n, w, st->one.constraint_jacobian, st->G + i);
    }
    return rc;
}

/* R_i = f_i - G_i^T L_i - M_i K_i and C = -h^-2 A^-2 g */
static void stage_residuals(mechanical_state *e, int s)
{
    stage_data *st = &e->st;
    int n = e->n, m = e->m, w = st->w;
    lanes_residual(n, m, w, st->f, st->M, st->diagonal, st->G, st->K, st->L, st->R);
    lanes_combine(m, w, s, st->inverse, w, st->g, st->C);
    for (int k = 0; k < m * w; k++) st->C[k] = -st->C[k];
}

/* ---- the full matrices -------------------------------------------------------------------- */

/* fm->minus_re and fm->im, E(gamma) for gamma = re + i im; Im E is zero but for n columns of n entries. */
static void assemble(mechanical_state *e, const dependence *dependent, double h, double re, double im)
{
    full_matrices *fm = &e->fm;
    int n = e->n, m = e->m, N = n + m;
    double size = re * re + im * im, d_re = h * re / size, d_im = -h * im / size;   /* h / gamma */
    double k_re = d_re * d_re - d_im * d_im, k_im = 2 * d_re * d_im;
    double *E = fm->minus_re.values, *E_im = fm->im.values;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double D = fm->D[i * n + j], K = fm->K[i * n + j];
            E[j * N + i] = d_re * D + k_re * K - e->now.M[i * n + j];
            if (im != 0) E_im[j * N + i] = -d_im * D - k_im * K;
        }
    for (int k = 0; k < m; k++) {
        for (int j = 0; j < n; j++) E[j * N + n + k] = E[(n + k) * N + j] = -e->now.G[k * n + j];
        memset(E + (n + k) * N + n, 0, (size_t)m * sizeof *E);
    }
    if (dependent) dependence_add(dependent, 1, E + n * (N + 1), N, 1);
}

static int factor_full(keel_solver *s, const stage_method *rk, double h)
{
    mechanical_state *e = s->state;
    full_matrices *fm = &e->fm;
    const linear_mass im = {.matrix = &fm->im};
    fm->h = 0;
    assemble(e, s->eval.dependence, h, rk->gamma, 0);
    int rc = linear_factor(fm->system, 0, 0, im, &fm->minus_re);
    for (int p = 0; p < rk->pairs && !rc; p++) {
        assemble(e, s->eval.dependence, h, rk->alpha[p], rk->beta[p]);
        rc = linear_factor_complex(fm->system, p, 0, 1, im, &fm->minus_re);
    }
    if (!rc) fm->h = h, fm->stages = rk->s;
    return rc;
}

attempt_result full_prepare(keel_solver *s, double h)
{
    mechanical_state *e = s->state;
    full_matrices *fm = &e->fm;
    const stage_method *rk = &e->set.method[e->stages];
    int slow = e->newton.rate > 0.1, fresh = !fm->jacobian_known || (slow && fm->jacobian_age > 0);
    if (fresh) {
        int rc = eval_stiffness(&s->eval, s->t, e->now.y, e->now.y + e->n, e->now.a, e->now.l, fm->K, fm->D);
        if (rc) return evaluation_result(s, rc);
        fm->jacobian_known = 1;
        fm->jacobian_age = 0;
    }
    if (!fresh && !slow && fm->h == h && fm->stages == rk->s) return ATTEMPT_DONE;
    s->stats.factorizations++;
    int rc = factor_full(s, rk, h);
    if (!rc) return ATTEMPT_DONE;
    s->report.variable = rc - 1 < e->n ? rc - 1 : e->n + rc - 1;
    s->report.factor = 0.5;
    return ATTEMPT_SINGULAR;
}

/* One right-hand side out of the lanes, of N entries. */
static void gather(const mechanical_state *e, int lane, double *x)
{
    const stage_data *st = &e->st;
    for (int i = 0; i < e->n; i++) x[i] = st->xK[i * st->w + lane];
    for (int k = 0; k < e->m; k++) x[e->n + k] = st->xL[k * st->w + lane];
}

static void scatter(mechanical_state *e, int lane, const double *x)
{
    stage_data *st = &e->st;
    for (int i = 0; i < e->n; i++) st->xK[i * st->w + lane] = x[i];
    for (int k = 0; k < e->m; k++) st->xL[k * st->w + lane] = x[e->n + k];
}

/* (dK, dL) := T blockdiag(E(gamma)^-1) T^-1 (dK, dL) */
static void solve_full(mechanical_state *e, const stage_method *rk, double *dK, double *dL)
{
    stage_data *st = &e->st;
    full_matrices *fm = &e->fm;
    int n = e->n, m = e->m, w = st->w, lane = 0;
    double *re = fm->vector, *im = re + n + m;
    lanes_combine(n, w, rk->s, st->T_inv, w, dK, st->xK);
    lanes_combine(m, w, rk->s, st->T_inv, w, dL, st->xL);
    if (rk->reals) {
        gather(e, 0, re);
        linear_solve(fm->system, 0, re);
        scatter(e, 0, re);
        lane = 1;
    }
    for (int p = 0; p < rk->pairs; p++, lane += 2) {
        gather(e, lane, re);
        gather(e, lane + 1, im);
        linear_solve_complex(fm->system, p, re, im);
        scatter(e, lane, re);
        scatter(e, lane + 1, im);
    }
    lanes_combine(n, w, rk->s, st->T, w, st->xK, dK);
    lanes_combine(m, w, rk->s, st->T, w, st->xL, dL);
}

static void solve_stages(keel_solver *s, const stage_method *rk, double *dK, double *dL)
{
    mechanical_state *e = s->state;
    s->stats.solves++;
    if (e->full) solve_full(e, rk, dK, dL);
    else saddle_solve_lanes(e->now.kkt, e->st.w, dK, dL);
}

/* ---- iteration ---------------------------------------------------------------------------- */

/* Improves dK, dL as the solution of the linear system with each stage's own M_i, G_i. */
static void sweep(keel_solver *s, const stage_method *rk)
{
    mechanical_state *e = s->state;
    stage_data *st = &e->st;
    int n = e->n, m = e->m, w = st->w;
    lanes_combine(n, w, rk->s, st->h2A2, w, st->dK, st->dQ);
    lanes_residual(n, m, w, st->R, st->M, st->diagonal, st->G, st->dK, st->dL, st->restK);
    if (e->full) {
        lanes_combine(n, w, rk->s, st->hA, w, st->dK, st->dV);
        lanes_products(n, w, e->fm.D, st->dV, st->restK);
        lanes_products(n, w, e->fm.K, st->dQ, st->restK);
    }
    for (int k = 0; k < m * w; k++) st->xL[k] = -st->g[k];
    lanes_constraint(n, m, w, st->xL, st->G, st->dQ, st->restL);
    lanes_combine(m, w, rk->s, st->inverse, w, st->restL, st->C);
    solve_stages(s, rk, st->restK, st->C);
    lanes_add(n * w, st->dK, st->restK);
    lanes_add(m * w, st->dL, st->C);
}

/* Adds the update; its size is the rms over all stages of dQ and dV in units of the tolerance. */
static double add_update(mechanical_state *e, int stages)
{
    stage_data *st = &e->st;
    int n = e->n, w = st->w;
    lanes_combine(n, w, stages, st->hA, w, st->dK, st->dV);
    lanes_combine(n, w, stages, st->h2A2, w, st->dK, st->dQ);
    lanes_add(n * w, st->K, st->dK);
    lanes_add(e->m * w, st->L, st->dL);
    lanes_add(n * w, st->Q, st->dQ);
    lanes_add(n * w, st->V, st->dV);
    double sum = lanes_norm(n, w, st->dQ, e->weight) + lanes_norm(n, w, st->dV, e->weight + n);
    return sqrt(sum / (2 * n * stages));
}

/* Rounding in g enters V divided by h: updates cannot be expected to fall below this. */
static double rounding_floor(const mechanical_state *e, double h)
{
    double largest = 0;
    for (int i = 0; i < e->n; i++)
        largest = fmax(largest, fabs(e->now.y[i]) * e->weight[e->n + i]);
    return 10 * DBL_EPSILON * largest / fabs(h);
}

static int worst_update(const mechanical_state *e)
{
    int worst = 0, w = e->st.w;
    for (int i = 1; i < e->n; i++)
        if (fabs(e->st.dQ[i * w]) * e->weight[i] > fabs(e->st.dQ[worst * w]) * e->weight[worst])
            worst = i;
    return worst;
}

static int improve(void *context, double *update)
{
    stage_system *q = context;
    mechanical_state *e = q->s->state;
    stage_data *st = &e->st;
    const stage_method *rk = &e->set.method[e->stages];
    int rc = evaluate_stages(q->s, rk, q->h);
    if (rc) return rc;
    stage_residuals(e, rk->s);
    memcpy(st->dK, st->R, (size_t)e->n * (size_t)st->w * sizeof *st->dK);
    memcpy(st->dL, st->C, (size_t)e->m * (size_t)st->w * sizeof *st->dL);
    solve_stages(q->s, rk, st->dK, st->dL);
    for (int pass = 0; pass < e->sweeps; pass++) sweep(q->s, rk);
    *update = add_update(e, rk->s);
    return 0;
}

attempt_result stages_solve(keel_solver *s, double h)
{
    mechanical_state *e = s->state;
    const stage_method *rk = &e->set.method[e->stages];
    double tolerance = fmax(e->newton_tolerance, rounding_floor(e, h));
    prepare_coefficients(e, rk, h);
    newton_begin(&e->newton, newton_limit(s, rk->s), s->options.step > 0);
    stage_values(e, rk, h);
    attempt_result result = newton_attempt(s, &e->newton, tolerance, tolerance, improve,
                                           &(stage_system){s, h});
    if (tolerance > e->newton_tolerance) newton_forget(&e->newton);  /* it was rounding that shrank */
    if (result == ATTEMPT_NOT_CONVERGED) s->report.variable = worst_update(e);
    return result;
}

/* ---- error estimate ----------------------------------------------------------------------- */

/* e_v := (h/gamma) E(gamma)^-1 (M d_v + (h/gamma) K d_q), tangential */
static void filter_full(mechanical_state *e, const stage_method *rk, double h, const double *d_q)
{
    full_matrices *fm = &e->fm;
    int n = e->n, N = n + e->m;
    double ratio = h / rk->gamma, *x = fm->vector;
    memset(x, 0, (size_t)N * sizeof *x);
    for (int i = 0; i < n; i++) {
        x[i] = ratio * e->e_v[i];
        for (int j = 0; j < n; j++) x[i] += ratio * ratio * fm->K[i * n + j] * d_q[j];
    }
    linear_solve(fm->system, 0, x);
    memcpy(e->e_v, x, (size_t)n * sizeof *x);
}

/* d_v = a_n - (polynomial through K_i)(0), d_q = -(polynomial through V_i - v_n)(0);
 * e_v = (h/gamma) P d_v, e_q = (h/gamma)(P d_q + e_v), P the M-orthogonal projector to ker G.  Inertia is
 * subtracted from zeros, so d_v and d_q have the other sign here. */
void stages_error(keel_solver *s, double h)
{
    mechanical_state *e = s->state;
    const stage_method *rk = &e->set.method[e->stages];
    stage_data *st = &e->st;
    int n = e->n;
    int w = st->w;
    double *minus_d_v = st->q, *minus_d_q = st->v, ratio = h / rk->gamma, *mu = st->C;
    const double *v = e->now.y + n;
    for (int k = 0; k < n; k++) {
        minus_d_v[k] = -e->now.a[k];
        minus_d_q[k] = 0;
        for (int i = 0; i < rk->s; i++) {
            minus_d_v[k] -= rk->at_zero[i] * st->K[k * w + i];
            minus_d_q[k] -= rk->at_zero[i] * (st->V[k * w + i] - v[k]);
        }
    }
    memset(e->e_q, 0, (size_t)(2 * n) * sizeof *e->e_q);
    subtract_inertia(s->problem, e->now.M, minus_d_q, e->e_q);
    subtract_inertia(s->problem, e->now.M, minus_d_v, e->e_v);
    memset(mu, 0, (size_t)(2 * e->m) * sizeof *mu);
    s->stats.solves++;
    if (e->full) {
        saddle_solve(e->now.kkt, 1, e->e_q, mu);
        filter_full(e, rk, h, e->e_q);
    } else {
        saddle_solve(e->now.kkt, 2, e->e_q, mu);       /* e_q and e_v lie one after the other */
        for (int k = 0; k < n; k++) e->e_v[k] *= ratio;
    }
    for (int k = 0; k < n; k++) e->e_q[k] = ratio * (e->e_q[k] + e->e_v[k]);
}
