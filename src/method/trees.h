/* trees.h -- rooted trees and the order conditions they stand for [HNW93 II.2].
 *
 * A method has order p when Phi(t) = 1/gamma(t) for all trees t of at most p vertices.  A tree is
 * kept as `left` with `right` attached to its root as the last son (Butcher's product); sons come
 * in the order of falling index, so that each tree occurs once, after all its parts.
 */
#ifndef KEEL_TREES_H
#define KEEL_TREES_H

#include "keel/method.h"

enum {
    TREE_ORDER_MAX = 10,
    TREE_COUNT = 1205,           /* 1 + 1 + 2 + 4 + 9 + 20 + 48 + 115 + 286 + 719            */
    TREE_TEXT = 64
};

typedef struct rooted_tree {
    short order;                 /* vertices                                                 */
    short left, right;           /* indices of the parts; -1 for the single vertex           */
    long gamma;                  /* density [HNW93 II.2 definition 2.10]                     */
} rooted_tree;

typedef struct rooted_trees {
    int first[TREE_ORDER_MAX + 2];       /* first[n] .. first[n+1]-1 are those of order n    */
    rooted_tree each[TREE_COUNT];
} rooted_trees;

void rooted_trees_list(rooted_trees *trees);
/* Like [[t],t]: in brackets the sons of the root, t the single vertex. */
void rooted_tree_text(const rooted_trees *trees, int tree, char text[TREE_TEXT]);

/* The order condition that fails first. */
typedef struct order_defect {
    double defect;               /* Phi(t) - 1/gamma(t)                                      */
    char tree[TREE_TEXT];        /* empty: none failed                                       */
} order_defect;

/* The order by all conditions up to order TREE_ORDER_MAX, those up to `known` taken for granted;
 * residuals are compared with `tolerance` times the magnitudes of their terms.  -1 without memory. */
int order_by_trees(const keel_tableau *tableau, const double *b, int known, double tolerance,
                   order_defect *failed);

#endif
