/* trees.c -- rooted trees and order conditions [HNW93 II.2].
 *
 * With the stage weights phi_i of a tree, [t_1,...,t_m] -> phi_i = prod_k (A phi(t_k))_i,
 * attaching `right` to the root of `left` means
 *     phi(t) = phi(left) * (A phi(right))   stage by stage,    Phi(t) = b^T phi(t),
 *     gamma(t) = |t| gamma(left)/|left| gamma(right).
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

/* phi, A phi, and both with magnitudes instead of values [parts s]. */
typedef struct weights {
    int s;
    real tolerance;
    const double *A, *b;
    real *phi, *A_phi, *size, *A_size;
} weights;

static void stage_weights(const weights *w, const rooted_tree *t, real *phi, real *size)
{
    int s = w->s;
    for (int i = 0; i < s; i++) {
        phi[i] = t->left < 0 ? 1 : w->phi[t->left * s + i] * w->A_phi[t->right * s + i];
        size[i] = t->left < 0 ? 1 : w->size[t->left * s + i] * w->A_size[t->right * s + i];
    }
}

/* A phi of a tree that will be a part of others. */
static void apply_A(weights *w, int tree)
{
    int s = w->s;
    for (int i = 0; i < s; i++) {
        real sum = 0, size = 0;
        for (int j = 0; j < s; j++) {
            real a = w->A[i * s + j];
            sum += a * w->phi[tree * s + j];
            size += fabsl(a) * w->size[tree * s + j];
        }
        w->A_phi[tree * s + i] = sum;
        w->A_size[tree * s + i] = size;
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
        int part = t->order < TREE_ORDER_MAX;
        real *to = part ? w->phi + k * w->s : phi, *size_to = part ? w->size + k * w->s : size;
        stage_weights(w, t, to, size_to);
        real defect = t->order > known ? condition(w, t, to, size_to) : 0;
        if (defect != 0) {
            failed->defect = (double)defect;
            rooted_tree_text(trees, k, failed->tree);
            return t->order - 1;
        }
        if (part) apply_A(w, k);
    }
    return TREE_ORDER_MAX;
}

int order_by_trees(int s, const double *A, const double *b, int known, double tolerance,
                   order_defect *failed)
{
    *failed = (order_defect){0};
    rooted_trees *trees = malloc(sizeof *trees);
    if (!trees) return -1;
    rooted_trees_list(trees);
    size_t room = (size_t)trees->first[TREE_ORDER_MAX] * (size_t)s;
    real *block = calloc(4 * room, sizeof *block);
    int order = -1;
    if (block) {
        weights w = {.s = s, .tolerance = tolerance, .A = A, .b = b, .phi = block, .A_phi = block + room,
                     .size = block + 2 * room, .A_size = block + 3 * room};
        order = first_failure(&w, trees, known, failed);
    }
    free(block);
    free(trees);
    return order;
}
