/* orders_rosenbrock.c -- orders of Rosenbrock methods on y' = f(y,z), 0 = g(y,z) [HW96 VI.4].
 *
 * Trees have vertices of two kinds, of f and of g: y-trees with the root f and any sons, z-trees
 * with the root g and as sons either a single y-tree or at least two trees of any kind.  With
 * omega = A^-1 and P_i = prod over the sons of (alpha phi(son))_i,
 *
 *     y-trees  phi_i = 1 (no son), (A phi(son))_i (one), P_i (more)
 *              rho = 1 + sum rho(sons),   gamma = rho prod gamma(sons)
 *     z-trees  phi_i = phi_i(son) (one), (omega P)_i (more)
 *              rho = sum rho(sons),       gamma = prod gamma(sons)
 *
 * sum_i b_i phi_i = 1/gamma for all y-trees with rho <= p makes the local error of y O(h^(p+1)), for
 * all z-trees with rho <= q that of z O(h^(q+1)).  Convergence of order min(p, q+1) follows where
 * |R(inf)| < 1; of order p where z is solved from g after every step.
 */
#include <math.h>
#include <stdlib.h>

#include "keel/solver.h"
#include "method/conditions.h"
#include "method/orders.h"
#include "method/real.h"

/* 1, 2, 10, 56, 372 y-trees, 1, 5, 28, 186 z-trees and as many bunches of sons. */
enum { RHO_MAX = 5, TREES = 700, S = STAGES_MAX };

typedef long double number;

typedef struct tree {
    int z, rho;
    number gamma, phi[S], alpha_phi[S];
} tree;

/* Sons, the numbers of which do not rise. */
typedef struct bunch {
    int count, last, rho;
    number gamma, product[S];
} bunch;

typedef struct forest {
    const keel_tableau *method;
    real_matrix omega;
    int trees, bunches;
    tree tree[TREES];
    bunch bunch[TREES];
} forest;

static void multiply(int s, const double *A, const number *x, number *y)
{
    for (int i = 0; i < s; i++) {
        y[i] = 0;
        for (int j = 0; j < s; j++) y[i] += A[i * s + j] * x[j];
    }
}

static void add_bunch(forest *f, int of, int son)
{
    const bunch *few = &f->bunch[of];
    const tree *t = &f->tree[son];
    bunch *more = &f->bunch[f->bunches++];
    *more = (bunch){.count = few->count + 1, .last = son, .rho = few->rho + t->rho,
                    .gamma = few->gamma * t->gamma};
    for (int i = 0; i < f->method->stages; i++)
        more->product[i] = few->product[i] * t->alpha_phi[i];
}

static void add_tree(forest *f, int z, const bunch *sons)
{
    const keel_tableau *m = f->method;
    const number *only = sons->count ? f->tree[sons->last].phi : NULL;
    tree *t = &f->tree[f->trees++];
    *t = (tree){.z = z, .rho = sons->rho + !z};
    t->gamma = sons->gamma * (z ? 1 : t->rho);
    if (sons->count == 1 && !z) multiply(m->stages, m->A, only, t->phi);
    for (int i = 0; i < m->stages; i++) {
        if (sons->count == 1 && z) t->phi[i] = only[i];
        if (sons->count != 1 && !z) t->phi[i] = sons->product[i];
        for (int j = 0; sons->count > 1 && z && j < m->stages; j++)
            t->phi[i] += (number)f->omega[i][j] * sons->product[j];
    }
    multiply(m->stages, m->A_explicit, t->phi, t->alpha_phi);
}

/* Trees and bunches of this rho; all smaller ones are there.  The last z-trees need no bunches. */
static void grow(forest *f, int rho)
{
    int bunches = f->bunches, trees = f->trees;
    for (int k = 0; k < bunches; k++)
        if (f->bunch[k].rho == rho - 1) add_tree(f, 0, &f->bunch[k]);
    if (rho == RHO_MAX) return;
    for (int k = 0; k < bunches; k++)
        for (int son = 0; son < f->trees && son <= f->bunch[k].last; son++)
            if (f->bunch[k].rho + f->tree[son].rho == rho) add_bunch(f, k, son);
    int all = f->bunches;
    for (int k = bunches; k < all; k++) add_tree(f, 1, &f->bunch[k]);
    for (int son = trees; son < f->trees; son++)
        if (f->tree[son].z) add_bunch(f, 0, son);
}

static int holds(const keel_tableau *m, const tree *t)
{
    number sum = -1 / t->gamma, size = 1 / t->gamma;
    for (int i = 0; i < m->stages; i++) {
        sum += m->b[i] * t->phi[i];
        size += fabsl(m->b[i] * t->phi[i]);
    }
    /* omega multiplies what rounding did to the coefficients, twice in the deepest trees. */
    return fabsl(sum) <= 1e4 * CONDITION_TOLERANCE * size;
}

/* The largest p of the y-trees, q of the z-trees (RHO_MAX - 1 at most); KEEL_OK or no memory. */
static int local_orders(const keel_tableau *m, int *p, int *q)
{
    forest *f = calloc(1, sizeof *f);
    real_matrix A = {{0}};
    if (!f) return KEEL_NO_MEMORY;
    f->method = m;
    for (int i = 0; i < m->stages; i++) {
        f->bunch[0].product[i] = 1;
        for (int j = 0; j < m->stages; j++) A[i][j] = m->A[i * m->stages + j];
    }
    real_invert(m->stages, A, f->omega);         /* triangular, a positive diagonal */
    f->bunch[0].gamma = 1;
    f->bunch[0].last = TREES;
    f->bunches = 1;
    for (int rho = 1; rho <= RHO_MAX; rho++) grow(f, rho);
    *p = RHO_MAX;
    *q = RHO_MAX - 1;
    for (int k = f->trees - 1; k >= 0; k--) {
        const tree *t = &f->tree[k];
        if (!holds(m, t)) *(t->z ? q : p) = smaller(t->rho - 1, *(t->z ? q : p));
    }
    free(f);
    return KEEL_OK;
}

int rosenbrock_orders(const keel_method *method, const keel_order_case *which, int order[3])
{
    const keel_tableau *m = &method->tableau;
    int p = 0, q = 0, y = KEEL_ORDER_UNKNOWN;
    int settled = which->projected && (which->multipliers == KEEL_MULTIPLIERS_AUTO ||
                                       which->multipliers == KEEL_MULTIPLIERS_HIDDEN);
    order_conditions o = find_order(m, m->b);
    if (o.order < 0) return KEEL_NO_MEMORY;
    if (which->index == 0) y = o.order;
    if (which->index == 1 && o.order <= RHO_MAX && m->stages <= S) {
        if (local_orders(m, &p, &q)) return KEEL_NO_MEMORY;
        if (settled) y = p;
        else if (fabs(method->r_infinity) < 1) y = smaller(p, q + 1);
    }
    set_orders(order, y, y, y);
    return KEEL_OK;
}
