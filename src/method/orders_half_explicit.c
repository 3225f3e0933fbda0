/* orders_half_explicit.c -- the order of the multipliers of half-explicit methods on index 2, tree
 * by tree.
 *
 * The last multipliers are Z_s, those that put y_(n+1) on the constraint.  Z_s - z(t_n + h) is
 * O(h^k) if Phi_s(u) = 1/gamma(u) for all trees u of z and of order below k [HW96 VII.5], where for
 * half-explicit methods [HW96 VII.6; Brasey & Hairer 1993; Murua 1997]
 *   Phi(tau) = 1,   Phi([t_1..t_m,u_1..u_n]_y) = prod A Phi(t_k) prod Phi(u_k)
 *   Phi([t_1..t_m]_z) = Abar^-1 prod Abar Phi(t_k)
 *   1/gamma([t..,u..]_y) = 1/rho prod 1/gamma,   1/gamma([t..]_z) = (rho + 1) prod 1/gamma
 *   rho([t..,u..]_y) = 1 + sum rho(t) + sum rho(u),   rho([t..]_z) = sum rho(t) - 1
 * stage by stage.  Abar has the coefficients of the points on the constraint: A without its first
 * row, then b, or A_constraint, whose first row is zero (Z_1 = z_n, Phi_1(u) = 0).  [[u]_y]_z and
 * [tau]_z are no trees.
 */
#include "method/orders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "keel/solver.h"

enum { Z_ORDER_MOST = 5 };       /* beyond it there are hundreds of trees, and no such method */

typedef struct tree {
    int of_z, order;
    int only_z;                  /* [u]_y                                                    */
    double inverse_gamma;
    double phi[KEEL_STAGES_MOST];
    double in_y[KEEL_STAGES_MOST], in_z[KEEL_STAGES_MOST];   /* what it contributes as a son  */
} tree;

typedef struct forest {
    int s;
    const double *A;
    double Abar[KEEL_STAGES_MOST * KEEL_STAGES_MOST];
    tree *each;
    size_t count, room;
} forest;

/* A root with sons to come, `left` being what is missing of their orders. */
typedef struct growth {
    int of_z, order, left, sons, only_z;
    double inverse_gamma, product[KEEL_STAGES_MOST];
} growth;

static void multiply(int s, const double *A, const double *x, double *y)
{
    for (int i = 0; i < s; i++) {
        y[i] = 0;
        for (int j = 0; j < s; j++) y[i] += A[i * s + j] * x[j];
    }
}

static void solve(const forest *f, const double *x, double *y)
{
    for (int i = 0; i < f->s; i++) {
        double pivot = f->Abar[i * f->s + i];
        y[i] = x[i];
        for (int j = 0; j < i; j++) y[i] -= f->Abar[i * f->s + j] * y[j];
        y[i] = pivot != 0 ? y[i] / pivot : 0;
    }
}

static int add(forest *f, const growth *g)
{
    if (f->count == f->room) {
        size_t room = f->room ? 2 * f->room : 64;
        tree *each = realloc(f->each, room * sizeof *each);
        if (!each) return KEEL_NO_MEMORY;
        f->each = each;
        f->room = room;
    }
    tree *t = &f->each[f->count++];
    *t = (tree){.of_z = g->of_z, .order = g->order, .only_z = g->only_z,
                .inverse_gamma = g->inverse_gamma * (g->of_z ? g->order + 1 : 1.0 / g->order)};
    if (g->of_z) solve(f, g->product, t->phi);
    else memcpy(t->phi, g->product, sizeof t->phi);
    if (g->of_z) {
        memcpy(t->in_y, t->phi, sizeof t->phi);
    } else {
        multiply(f->s, f->A, t->phi, t->in_y);
        multiply(f->s, f->Abar, t->phi, t->in_z);
    }
    return KEEL_OK;
}

/* All choices of sons from the trees first, ..., known - 1. */
static int grow(forest *f, const growth *g, size_t first, size_t known)
{
    if (g->left == 0) return g->of_z && g->sons == 1 && g->only_z ? KEEL_OK : add(f, g);
    for (size_t k = first; k < known; k++) {
        const tree *son = &f->each[k];
        if (son->order > g->left || (g->of_z && son->of_z)) continue;
        growth next = *g;
        next.left -= son->order;
        next.sons++;
        next.only_z = next.sons == 1 && (g->of_z ? son->only_z : son->of_z);
        next.inverse_gamma *= son->inverse_gamma;
        for (int i = 0; i < f->s; i++) next.product[i] *= g->of_z ? son->in_z[i] : son->in_y[i];
        int rc = grow(f, &next, k, known);
        if (rc) return rc;
    }
    return KEEL_OK;
}

static int grow_all(forest *f, int of_z, int order)
{
    growth root = {.of_z = of_z, .order = order, .left = of_z ? order + 1 : order - 1,
                   .inverse_gamma = 1};
    for (int i = 0; i < f->s; i++) root.product[i] = 1;
    return grow(f, &root, 0, f->count);
}

/* Trees of z of one order, for which those of y of the next one come first, except [u]_y; whether
 * all conditions hold. */
static int conditions_hold(forest *f, int order, int *hold)
{
    int rc = grow_all(f, 0, order + 1);
    size_t first = f->count;
    if (!rc) rc = grow_all(f, 1, order);
    *hold = 1;
    for (size_t k = first, last = f->count; k < last && !rc; k++) {
        const tree u = f->each[k];
        *hold &= fabs(u.phi[f->s - 1] - u.inverse_gamma) <= 1e-8 * u.inverse_gamma;
        growth alone = {.order = order + 1, .only_z = 1, .inverse_gamma = u.inverse_gamma};
        memcpy(alone.product, u.phi, sizeof u.phi);
        rc = add(f, &alone);
    }
    return rc;
}

int half_explicit_order_z(const keel_tableau *t, int *order)
{
    forest f = {.s = t->stages, .A = t->A};
    size_t s = (size_t)t->stages, row = s * sizeof(double);
    int hold = 1, rc;
    if (t->A_constraint) {
        memcpy(f.Abar, t->A_constraint, s * row);
    } else {
        memcpy(f.Abar, t->A + s, (s - 1) * row);
        memcpy(f.Abar + (s - 1) * s, t->b, row);
    }
    *order = 0;
    rc = grow_all(&f, 0, 1);
    while (!rc && hold && *order < Z_ORDER_MOST) rc = conditions_hold(&f, ++*order, &hold);
    free(f.each);
    return rc;
}
