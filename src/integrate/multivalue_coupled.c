/* multivalue_coupled.c -- stages that depend on each other, by simplified Newton in coordinates
 * where the systems are solved one after the other [Weiss 2007, 4.2]:
 *
 *   (h^-1 L x M - I x J) W = (T^-1 x I) R,   dZ = (T x I) W,   T^-1 A^-1 T = L
 *
 * with L block upper triangular.  The real Schur form gives it for every A; the starting
 * procedures, whose A has one eigenvalue with one eigenvector, bring theirs along.
 */
#include <math.h>
#include <string.h>

#include "integrate/multivalue.h"
#include "linear/lanes.h"
#include "linear/small.h"

void coupled_layout(arena *a, coupled_stages *c, int s)
{
    ARENA_VECTORS(a, s * s, &c->T, &c->T_inv, &c->L, &c->A_inv);
    c->slot = ARENA(a, int, s);
}

/* A pair of rows becomes [alpha -beta; beta alpha] when the second basis vector is scaled. */
static void scale_pair(coupled_stages *c, int k)
{
    int s = c->s;
    double d = sqrt(-c->L[(k + 1) * s + k] / c->L[k * s + k + 1]);
    for (int i = 0; i < s; i++) {
        c->L[i * s + k + 1] *= d;
        c->T[i * s + k + 1] *= d;
    }
    for (int j = 0; j < s; j++) {
        c->L[(k + 1) * s + j] /= d;
        c->T_inv[(k + 1) * s + j] /= d;
    }
}

int coupled_create(coupled_stages *c, const multivalue_method *m)
{
    double re[KEEL_STAGES_MOST], im[KEEL_STAGES_MOST];
    int s = c->s = m->s;
    size_t bytes = (size_t)s * (size_t)s * sizeof *c->L;
    c->c = m->c;
    if (small_inverse(s, m->A, c->A_inv)) return KEEL_SINGULAR;
    memcpy(c->L, c->A_inv, bytes);
    if (small_schur(s, c->L, c->T, re, im)) return KEEL_NOT_CONVERGED;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) c->T_inv[i * s + j] = c->T[j * s + i];
    c->reals = c->pairs = 0;
    for (int k = 0; k < s; k++) {
        if (im[k] == 0) c->slot[k] = c->reals++;
        else {
            scale_pair(c, k);
            c->slot[k] = c->slot[k + 1] = -1 - c->pairs++;
            k++;
        }
    }
    return KEEL_OK;
}

attempt_result coupled_factor(keel_solver *s, const coupled_stages *c, double h)
{
    multivalue_state *e = s->state;
    int rc = 0, done = -1;                       /* real slots factored so far */
    for (int k = 0; k < c->s && !rc; k++) {
        double shift = c->L[k * c->s + k] / h;
        if (c->slot[k] < 0) {
            rc = iteration_factor(&e->matrix, -1 - c->slot[k], shift,
                                          c->L[(k + 1) * c->s + k] / h);
            k++;
        } else if (c->slot[k] > done) rc = iteration_factor(&e->matrix, done = c->slot[k], shift, 0);
    }
    e->factored = rc ? 0 : h;
    return factoring_result(s, rc);
}

/* x_k := x_k - h^-1 sum_(j>=from) L_kj M x_j */
static void subtract_later(const multivalue_state *e, const coupled_stages *c, double h, int k,
                           int from, double *x)
{
    double *sum = e->rate;
    memset(sum, 0, (size_t)e->n * sizeof *sum);
    for (int j = from; j < c->s; j++)
        for (int i = 0; i < e->n; i++) sum[i] += c->L[k * c->s + j] * x[j * e->n + i];
    iteration_mass_add(&e->matrix, -1 / h, sum, x + k * e->n);
}

/* x := (h^-1 L x M - I x J)^-1 x, from the last block to the first */
static void solve_blocks(keel_solver *s, const coupled_stages *c, double h, double *x)
{
    multivalue_state *e = s->state;
    int n = e->n;
    s->stats.solves++;
    for (int k = c->s - 1; k >= 0; k--) {
        int pair = c->slot[k] < 0, from = k + 1;
        subtract_later(e, c, h, k, from, x);
        if (!pair) iteration_solve(&e->matrix, c->slot[k], x + k * n, NULL);
        else {
            subtract_later(e, c, h, k - 1, from, x);
            iteration_solve(&e->matrix, -1 - c->slot[k], x + (k - 1) * n, x + k * n);
            k--;
        }
    }
}

typedef struct coupled_system {
    keel_solver *s;
    const coupled_stages *c;
    double h;
} coupled_system;

/* Residuals of all stages into e->update. */
static int residuals(const coupled_system *q)
{
    multivalue_state *e = q->s->state;
    int n = e->n, rc = 0;
    vectors_combine(q->c->s, q->c->s, n, q->c->A_inv, e->Z, e->slopes);
    for (int i = 0; i < q->c->s && !rc; i++) {
        double *Y = e->Y + i * n;
        for (int k = 0; k < n; k++) {
            Y[k] = e->base[i * n + k] + e->Z[i * n + k];
            e->rate[k] = e->slopes[i * n + k] / q->h;
        }
        rc = eval_residual(e->eval, q->s->t + q->c->c[i] * q->h, Y, e->rate, e->update + i * n);
    }
    return rc;
}

static int improve(void *context, double *update)
{
    const coupled_system *q = context;
    const coupled_stages *c = q->c;
    multivalue_state *e = q->s->state;
    int n = e->n, rc = residuals(q);
    if (rc) return rc;
    vectors_combine(c->s, c->s, n, c->T_inv, e->update, e->Y);
    solve_blocks(q->s, c, q->h, e->Y);
    vectors_combine(c->s, c->s, n, c->T, e->Y, e->update);
    *update = stages_add(NULL, c->s, n, e->update, e->scaled, e->Z);
    return 0;
}

attempt_result coupled_solve(keel_solver *s, const coupled_stages *c, double h)
{
    multivalue_state *e = s->state;
    attempt_result result = multivalue_solve(s, newton_limit(s, c->s), improve, &(coupled_system){s, c, h});
    if (result != ATTEMPT_DONE) return result;
    vectors_combine(c->s, c->s, e->n, c->A_inv, e->Z, e->slopes);
    for (int k = 0; k < c->s * e->n; k++) e->Y[k] = e->base[k] + e->Z[k];
    return result;
}
