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

#include "core/norm.h"
#include "integrate/mechanical.h"

/* X_i = sum_j c_ij Y_j for stage-major vectors of length n. */
static void combine(int s, int n, const double *c, const double *Y, double *X)
{
    for (int i = 0; i < s; i++) {
        double *x = X + i * n;
        for (int k = 0; k < n; k++) x[k] = c[i * s] * Y[k];
        for (int j = 1; j < s; j++)
            for (int k = 0; k < n; k++) x[k] += c[i * s + j] * Y[j * n + k];
    }
}

/* V = v + h A K, Q = q + h c v + h^2 A^2 K */
static void stage_values(mechanical_state *e, const stage_method *rk, double h)
{
    stage_data *st = &e->st;
    int n = e->n, s = rk->s;
    const double *q = e->now.y, *v = e->now.y + n;
    combine(s, n, st->hA, st->K, st->V);
    combine(s, n, st->h2A2, st->K, st->Q);
    for (int i = 0; i < s; i++) {
        double hc = h * rk->c[i];
        for (int k = 0; k < n; k++) {
            st->V[i * n + k] += v[k];
            st->Q[i * n + k] += q[k] + hc * v[k];
        }
    }
}

static int evaluate_stages(keel_solver *s, const stage_method *rk, double h)
{
    mechanical_state *e = s->state;
    stage_data *st = &e->st;
    int n = e->n, m = e->m, rc = 0;
    for (int i = 0; i < rk->s && !rc; i++) {
        keel_mechanical_parts parts = {.mass = st->M + i * n * n, .force = st->f + i * n,
                                       .constraint = st->g + i * m,
                                       .constraint_jacobian = st->G + i * m * n};
        rc = eval_mechanical(&s->eval, s->t + rk->c[i] * h, st->Q + i * n, st->V + i * n,
                             KEEL_MASS | KEEL_FORCE | KEEL_CONSTRAINT | KEEL_CONSTRAINT_JACOBIAN,
                             &parts);
    }
    return rc;
}

/* x = b - M k - G^T l for one stage */
static void equation_residual(int n, int m, const double *b, const double *M, const double *G,
                              const double *k, const double *l, double *x)
{
    for (int i = 0; i < n; i++) {
        double sum = b[i];
        for (int j = 0; j < n; j++) sum -= M[i * n + j] * k[j];
        x[i] = sum;
    }
    for (int r = 0; r < m; r++)
        for (int i = 0; i < n; i++) x[i] -= G[r * n + i] * l[r];
}

/* R_i = f_i - G_i^T L_i - M_i K_i and C = -h^-2 A^-2 g */
static void stage_residuals(mechanical_state *e, int s)
{
    stage_data *st = &e->st;
    int n = e->n, m = e->m;
    for (int i = 0; i < s; i++)
        equation_residual(n, m, st->f + i * n, st->M + i * n * n, st->G + i * m * n,
                          st->K + i * n, st->L + i * m, st->R + i * n);
    combine(s, m, st->inverse, st->g, st->C);
    for (int k = 0; k < s * m; k++) st->C[k] = -st->C[k];
}

/* ---- the full matrices -------------------------------------------------------------------- */

/* E(gamma) for gamma = re + i im, row-major; complex entries interleaved. */
static void assemble(const mechanical_state *e, double h, double re, double im, double *E)
{
    const full_matrices *fm = &e->fm;
    int n = e->n, m = e->m, N = n + m, wide = im != 0 ? 2 : 1;
    double size = re * re + im * im, d_re = h * re / size, d_im = -h * im / size;   /* h / gamma */
    double k_re = d_re * d_re - d_im * d_im, k_im = 2 * d_re * d_im;
    memset(E, 0, (size_t)(wide * N * N) * sizeof *E);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double *entry = E + wide * (i * N + j);
            entry[0] = fm->M[i * n + j] - d_re * fm->D[i * n + j] - k_re * fm->K[i * n + j];
            if (im != 0) entry[1] = -d_im * fm->D[i * n + j] - k_im * fm->K[i * n + j];
        }
    for (int k = 0; k < m; k++)
        for (int j = 0; j < n; j++) {
            E[wide * (j * N + n + k)] = fm->G[k * n + j];
            E[wide * ((n + k) * N + j)] = fm->G[k * n + j];
        }
}

static int factor_full(mechanical_state *e, const stage_method *rk, double h)
{
    full_matrices *fm = &e->fm;
    int N = e->n + e->m, rc = 0;
    fm->h = 0;
    assemble(e, h, rk->gamma, 0, fm->real);
    rc = dense_factor(N, fm->real, fm->real_pivot);
    for (int p = 0; p < rk->pairs && !rc; p++) {
        assemble(e, h, rk->alpha[p], rk->beta[p], fm->complex_part[p]);
        rc = dense_factor_complex(N, fm->complex_part[p], fm->complex_pivot[p]);
    }
    if (!rc) fm->h = h, fm->stages = rk->s;
    return rc;
}

attempt_result full_prepare(keel_solver *s, double h)
{
    mechanical_state *e = s->state;
    full_matrices *fm = &e->fm;
    const stage_method *rk = &e->set.method[e->stages];
    int n = e->n, m = e->m;
    int fresh = !fm->jacobian_known || (e->newton.rate > 0.1 && fm->jacobian_age > 0);
    if (fresh) {
        int rc = eval_stiffness(&s->eval, s->options.jacobian_differences, s->t, e->now.y,
                                e->now.y + n, e->now.a, e->now.y + 2 * n, fm->K, fm->D);
        if (rc) return evaluation_result(s, rc);
        fm->jacobian_known = 1;
        fm->jacobian_age = 0;
    }
    int slow = e->newton.rate > 0.1;
    if (!fresh && !slow && fm->h == h && fm->stages == rk->s) return ATTEMPT_DONE;
    memcpy(fm->M, e->now.M, (size_t)(n * n) * sizeof *fm->M);
    memcpy(fm->G, e->now.G, (size_t)(m * n) * sizeof *fm->G);
    s->stats.factorizations++;
    int rc = factor_full(e, rk, h);
    if (!rc) return ATTEMPT_DONE;
    s->report.variable = rc - 1 < n ? rc - 1 : n + rc - 1;
    s->report.factor = 0.5;
    return ATTEMPT_SINGULAR;
}

/* One real or complex system; x holds N (or 2 N interleaved) numbers. */
static void gather(const mechanical_state *e, int wide, int part, const double *top,
                   const double *bottom, double *x)
{
    for (int i = 0; i < e->n; i++) x[wide * i + part] = top[i];
    for (int k = 0; k < e->m; k++) x[wide * (e->n + k) + part] = bottom[k];
}

static void scatter(const mechanical_state *e, int wide, int part, const double *x, double *top,
                    double *bottom)
{
    for (int i = 0; i < e->n; i++) top[i] = x[wide * i + part];
    for (int k = 0; k < e->m; k++) bottom[k] = x[wide * (e->n + k) + part];
}

/* (dK, dL) := T blockdiag(E(gamma)^-1) T^-1 (dK, dL) */
static void solve_full(mechanical_state *e, const stage_method *rk, double *dK, double *dL)
{
    stage_data *st = &e->st;
    full_matrices *fm = &e->fm;
    int n = e->n, m = e->m, N = n + m, row = 0;
    combine(rk->s, n, rk->T_inv, dK, st->xK);
    combine(rk->s, m, rk->T_inv, dL, st->xL);
    if (rk->has_real) {
        gather(e, 1, 0, st->xK, st->xL, fm->vector);
        dense_solve(N, fm->real, fm->real_pivot, fm->vector);
        scatter(e, 1, 0, fm->vector, st->xK, st->xL);
        row = 1;
    }
    for (int p = 0; p < rk->pairs; p++, row += 2) {
        for (int part = 0; part < 2; part++)
            gather(e, 2, part, st->xK + (row + part) * n, st->xL + (row + part) * m, fm->vector);
        dense_solve_complex(N, fm->complex_part[p], fm->complex_pivot[p], fm->vector);
        for (int part = 0; part < 2; part++)
            scatter(e, 2, part, fm->vector, st->xK + (row + part) * n, st->xL + (row + part) * m);
    }
    combine(rk->s, n, rk->T, st->xK, dK);
    combine(rk->s, m, rk->T, st->xL, dL);
}

static void solve_stages(keel_solver *s, const stage_method *rk, double *dK, double *dL)
{
    mechanical_state *e = s->state;
    s->stats.solves++;
    if (e->full) solve_full(e, rk, dK, dL);
    else saddle_solve(e->now.kkt, rk->s, dK, dL);
}

/* ---- iteration ---------------------------------------------------------------------------- */

/* x_i += D (h A dK)_i + K (h^2 A^2 dK)_i, with dV = h A dK in V and dQ in Q. */
static void add_stiffness(const mechanical_state *e, int s, const double *dV, const double *dQ,
                          double *x)
{
    const full_matrices *fm = &e->fm;
    int n = e->n;
    for (int i = 0; i < s; i++)
        for (int r = 0; r < n; r++) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += fm->D[r * n + j] * dV[i * n + j] + fm->K[r * n + j] * dQ[i * n + j];
            x[i * n + r] += sum;
        }
}

/* Improves dK, dL as the solution of the linear system with each stage's own M_i, G_i.  V and Q
 * serve as scratch for h A dK and h^2 A^2 dK: they are recomputed from K afterwards. */
static void sweep(keel_solver *s, const stage_method *rk)
{
    mechanical_state *e = s->state;
    stage_data *st = &e->st;
    int n = e->n, m = e->m, stages = rk->s;
    double *rest = st->restK, *gap = st->restL;
    combine(stages, n, st->h2A2, st->dK, st->Q);
    for (int i = 0; i < stages; i++) {
        equation_residual(n, m, st->R + i * n, st->M + i * n * n, st->G + i * m * n,
                          st->dK + i * n, st->dL + i * m, rest + i * n);
        for (int k = 0; k < m; k++) {
            double sum = -st->g[i * m + k];
            for (int j = 0; j < n; j++) sum -= st->G[(i * m + k) * n + j] * st->Q[i * n + j];
            gap[i * m + k] = sum;
        }
    }
    if (e->full) {
        combine(stages, n, st->hA, st->dK, st->V);
        add_stiffness(e, stages, st->V, st->Q, rest);
    }
    combine(stages, m, st->inverse, gap, st->C);
    solve_stages(s, rk, rest, st->C);
    for (int k = 0; k < stages * n; k++) st->dK[k] += rest[k];
    for (int k = 0; k < stages * m; k++) st->dL[k] += st->C[k];
}

/* rms over all stages of dQ and dV in units of the tolerated error. */
static double update_norm(mechanical_state *e, int stages)
{
    stage_data *st = &e->st;
    int n = e->n;
    double sum = 0;
    combine(stages, n, st->hA, st->dK, st->V);
    combine(stages, n, st->h2A2, st->dK, st->Q);
    for (int i = 0; i < stages; i++)
        sum += norm_sum(n, st->Q + i * n, e->weight) + norm_sum(n, st->V + i * n, e->weight + n);
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
    int worst = 0;
    for (int i = 1; i < e->n; i++)
        if (fabs(e->st.Q[i]) * e->weight[i] > fabs(e->st.Q[worst]) * e->weight[worst]) worst = i;
    return worst;
}

static void prepare_coefficients(stage_data *st, const stage_method *rk, double h)
{
    for (int k = 0; k < rk->s * rk->s; k++) {
        st->hA[k] = h * rk->A[k];
        st->h2A2[k] = h * h * rk->A2[k];
        st->inverse[k] = rk->A2_inv[k] / (h * h);
    }
}

attempt_result stages_solve(keel_solver *s, double h)
{
    mechanical_state *e = s->state;
    stage_data *st = &e->st;
    const stage_method *rk = &e->set.method[e->stages];
    double tolerance = fmax(e->newton_tolerance, rounding_floor(e, h));
    prepare_coefficients(st, rk, h);
    newton_begin(&e->newton, newton_limit(s, rk->s));
    for (;;) {
        stage_values(e, rk, h);
        int rc = evaluate_stages(s, rk, h);
        if (rc) return evaluation_result(s, rc);
        stage_residuals(e, rk->s);
        memcpy(st->dK, st->R, (size_t)(rk->s * e->n) * sizeof *st->dK);
        memcpy(st->dL, st->C, (size_t)(rk->s * e->m) * sizeof *st->dL);
        solve_stages(s, rk, st->dK, st->dL);
        for (int pass = 0; pass < e->sweeps; pass++) sweep(s, rk);
        s->stats.newton++;
        double update = update_norm(e, rk->s);
        for (int k = 0; k < rk->s * e->n; k++) st->K[k] += st->dK[k];
        for (int k = 0; k < rk->s * e->m; k++) st->L[k] += st->dL[k];
        newton_verdict verdict = newton_judge(&e->newton, update, tolerance, tolerance);
        if (verdict == NEWTON_DONE) break;
        if (verdict == NEWTON_GO_ON) continue;
        s->report.variable = worst_update(e);
        s->report.factor = verdict == NEWTON_DIVERGES
                         ? 0.5 : newton_shrink(&e->newton, update, tolerance);
        return ATTEMPT_NOT_CONVERGED;
    }
    stage_values(e, rk, h);
    return ATTEMPT_DONE;
}

/* ---- error estimate ----------------------------------------------------------------------- */

static void mass_times(int n, const double *M, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += M[i * n + j] * x[j];
        y[i] = sum;
    }
}

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
    dense_solve(N, fm->real, fm->real_pivot, x);
    memcpy(e->e_v, x, (size_t)n * sizeof *x);
}

/* d_v = a_n - (polynomial through K_i)(0), d_q = -(polynomial through V_i - v_n)(0);
 * e_v = (h/gamma) P d_v, e_q = (h/gamma)(P d_q + e_v), P the M-orthogonal projector to ker G. */
void stages_error(keel_solver *s, double h)
{
    mechanical_state *e = s->state;
    const stage_method *rk = &e->set.method[e->stages];
    stage_data *st = &e->st;
    int n = e->n;
    double *d_v = st->R, *d_q = st->R + n, ratio = h / rk->gamma, *mu = st->C;
    const double *v = e->now.y + n;
    memcpy(d_v, e->now.a, (size_t)n * sizeof *d_v);
    memset(d_q, 0, (size_t)n * sizeof *d_q);
    for (int i = 0; i < rk->s; i++)
        for (int k = 0; k < n; k++) {
            d_v[k] += rk->at_zero[i] * st->K[i * n + k];
            d_q[k] += rk->at_zero[i] * (st->V[i * n + k] - v[k]);
        }
    mass_times(n, e->now.M, d_q, e->e_q);
    mass_times(n, e->now.M, d_v, e->e_v);
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
