/* trees.c -- rooted trees and order conditions [HNW93 II.2].
 *
 * With the stage weights phi_i of a tree, [t_1,...,t_m] -> phi_i = prod_k (A phi(t_k))_i,
 * attaching `right` to the root of `left` means
 *     phi(t) = phi(left) * (A phi(right))   stage by stage,    Phi(t) = b^T phi(t),
 *     gamma(t) = |t| gamma(left)/|left| gamma(right).
 * Rosenbrock methods have A = alpha + gamma where the root has one son, and alpha where it has more
 * [HW96 IV.7 theorem 7.4]: `left` then enters as a product with alpha, whatever it is by itself.
 * Beside each sum goes the sum of its magnitudes: what the rounding of coefficients to doubles can
 * do to a condition is in proportion to that, and so is the tolerance.
 */
#include "method/trees.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/conditions.h"

/* ---- the list of trees --------------------------------------------------------------------- */

static void add_products(rooted_trees *trees, int *count, int order, int left, int right_order)
{
    const rooted_tree *l = &trees->each[left];
    for (int right = trees->first[right_order]; right < trees->first[right_order + 1]; right++) {
        const rooted_tree *r = &trees->each[right];
        if (l->right >= 0 && right > l->right) break;
        trees->each[(*count)++] = (rooted_tree){
            .order = (short)order, .left = (short)left, .right = (short)right,
            .gamma = order * (l->gamma / l->order) * r->gamma,
        };
    }
}

void rooted_trees_list(rooted_trees *trees)
{
    int count = 1;
    trees->each[0] = (rooted_tree){.order = 1, .left = -1, .right = -1, .gamma = 1};
    trees->first[0] = trees->first[1] = 0;
    for (int order = 2; order <= TREE_ORDER_MAX + 1; order++) {
        trees->first[order] = count;
        for (int right = 1; order <= TREE_ORDER_MAX && right < order; right++) {
            int from = trees->first[order - right], to = trees->first[order - right + 1];
            for (int left = from; left < to; left++)
                add_products(trees, &count, order, left, right);
        }
    }
}

static char *write_tree(const rooted_trees *trees, int tree, char *at);

/* The sons of a root, the last of them being `right`. */
static char *write_sons(const rooted_trees *trees, int tree, char *at)
{
    const rooted_tree *t = &trees->each[tree];
    if (trees->each[t->left].right >= 0) {
        at = write_sons(trees, t->left, at);
        *at++ = ',';
    }
    return write_tree(trees, t->right, at);
}

static char *write_tree(const rooted_trees *trees, int tree, char *at)
{
    if (trees->each[tree].right < 0) {
        *at++ = 't';
        return at;
    }
    *at++ = '[';
    at = write_sons(trees, tree, at);
    *at++ = ']';
    return at;
}

void rooted_tree_text(const rooted_trees *trees, int tree, char text[TREE_TEXT])
{
    *write_tree(trees, tree, text) = '\0';
}

/* ---- their weights ------------------------------------------------------------------------- */

typedef long double real;

/* Of each tree the product over its sons, [parts s]; its phi multiplied by alpha and, for Rosenbrock
 * methods, by A as well; all of them once more with magnitudes instead of values. */
typedef struct weights {
    int s;
    real tolerance;
    const double *A, *alpha, *b; /* alpha: A itself for Runge-Kutta methods                  */
    real *product, *alpha_phi, *A_phi;
    real *product_size, *alpha_size, *A_size;
} weights;

static void stage_weights(const weights *w, const rooted_tree *t, real *phi, real *size)
{
    int s = w->s, only_son = t->left == 0;       /* `left` is the single vertex */
    const real *of = only_son ? w->A_phi : w->alpha_phi, *sizes = only_son ? w->A_size : w->alpha_size;
    for (int i = 0; i < s; i++) {
        phi[i] = t->left < 0 ? 1 : w->product[t->left * s + i] * of[t->right * s + i];
        size[i] = t->left < 0 ? 1 : w->product_size[t->left * s + i] * sizes[t->right * s + i];
    }
}

static void multiply(int s, const double *A, const real *phi, const real *size, real *A_phi,
                     real *A_size)
{
    for (int i = 0; i < s; i++) {
        A_phi[i] = A_size[i] = 0;
        for (int j = 0; j < s; j++) {
            A_phi[i] += A[i * s + j] * phi[j];
            A_size[i] += fabsl((real)A[i * s + j]) * size[j];
        }
    }
}

/* What a tree, with phi and size, is as a part of others. */
static void keep_part(weights *w, const rooted_tree *t, int tree, const real *phi, const real *size)
{
    int s = w->s, at = tree * s, right = t->right * s;
    multiply(s, w->alpha, phi, size, w->alpha_phi + at, w->alpha_size + at);
    if (w->alpha != w->A) multiply(s, w->A, phi, size, w->A_phi + at, w->A_size + at);
    for (int i = 0; i < s; i++) {
        w->product[at + i] = t->left == 0 ? w->alpha_phi[right + i] : phi[i];
        w->product_size[at + i] = t->left == 0 ? w->alpha_size[right + i] : size[i];
    }
}

/* Phi(t) - 1/gamma(t), or 0 where rounding explains it. */
static real condition(const weights *w, const rooted_tree *t, const real *phi, const real *size)
{
    real exact = 1 / (real)t->gamma, sum = -exact, sizes = exact;
    for (int i = 0; i < w->s; i++) {
        sum += w->b[i] * phi[i];
        sizes += fabsl((real)w->b[i]) * size[i];
    }
    return fabsl(sum) <= w->tolerance * sizes ? 0 : sum;
}

static int first_failure(weights *w, const rooted_trees *trees, int known, order_defect *failed)
{
    real phi[KEEL_STAGES_MOST], size[KEEL_STAGES_MOST];
    for (int k = 0; k < TREE_COUNT; k++) {
        const rooted_tree *t = &trees->each[k];
        stage_weights(w, t, phi, size);
        real defect = t->order > known ? condition(w, t, phi, size) : 0;
        if (defect != 0) {
            failed->defect = (double)defect;
            rooted_tree_text(trees, k, failed->tree);
            return t->order - 1;
        }
        if (t->order < TREE_ORDER_MAX) keep_part(w, t, k, phi, size);
    }
    return TREE_ORDER_MAX;
}

int order_by_trees(const keel_tableau *tableau, const double *b, int known, double tolerance,
                   order_defect *failed)
{
    int s = tableau->stages, rosenbrock = tableau->A_explicit != NULL;
    *failed = (order_defect){0};
    rooted_trees *trees = malloc(sizeof *trees);
    if (!trees) return -1;
    rooted_trees_list(trees);
    size_t room = (size_t)trees->first[TREE_ORDER_MAX] * (size_t)s;
    real *block = calloc((rosenbrock ? 6 : 4) * room, sizeof *block);
    int order = -1;
    if (block) {
        weights w = {.s = s, .tolerance = tolerance, .A = tableau->A, .b = b,
                     .alpha = rosenbrock ? tableau->A_explicit : tableau->A,
                     .product = block, .product_size = block + room, .alpha_phi = block + 2 * room,
                     .alpha_size = block + 3 * room};
        w.A_phi = rosenbrock ? block + 4 * room : w.alpha_phi;
        w.A_size = rosenbrock ? block + 5 * room : w.alpha_size;
        order = first_failure(&w, trees, known, failed);
    }
    free(block);
    free(trees);
    return order;
}
