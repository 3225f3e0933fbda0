/* trees.h -- order conditions by rooted trees, written apart from those of the library. */
#ifndef TEST_METHOD_TREES_H
#define TEST_METHOD_TREES_H

#include <math.h>

enum { TREE_ORDER_MAX = 9, TREE_STAGES_MAX = 40 };

/* The next rooted tree of n nodes as level sequence in preorder [Beyer & Hedetniemi 1980]; the
 * first is 0, 1, .., n-1. */
static inline int next_tree(int n, int *level)
{
    int p = n - 1, q;
    while (p > 0 && level[p] == 1) p--;
    if (p <= 0) return 0;
    for (q = p - 1; level[q] != level[p] - 1; q--) continue;
    for (int i = p; i < n; i++) level[i] = level[i - (p - q)];
    return 1;
}

static inline int tree_sons(int n, const int *level, int v)
{
    int count = 0;
    for (int w = v + 1; w < n && level[w] > level[v]; w++) count += level[w] == level[v] + 1;
    return count;
}

/* Elementary weight Phi(t) = sum_i b_i prod over children (A ...)_i, and the density gamma(t);
 * order means Phi(t) = 1 / gamma(t) [HNW93 II.2].  Rosenbrock methods have alpha in the place of A
 * where there are several children [HW96 IV.7]; alpha NULL: A. */
static inline double tree_weight(int s, const double *A, const double *alpha, const double *b, int n,
                                 const int *level, double *density)
{
    double u[TREE_ORDER_MAX][TREE_STAGES_MAX], sum = 0;
    int size[TREE_ORDER_MAX];
    *density = 1;
    for (int v = n - 1; v >= 0; v--) {
        const double *M = alpha && tree_sons(n, level, v) > 1 ? alpha : A;
        size[v] = 1;
        for (int i = 0; i < s; i++) u[v][i] = 1;
        for (int w = v + 1; w < n && level[w] > level[v]; w++) {
            if (level[w] != level[v] + 1) continue;
            size[v] += size[w];
            for (int i = 0; i < s; i++) {
                double inner = 0;
                for (int j = 0; j < s; j++) inner += M[i * s + j] * u[w][j];
                u[v][i] *= inner;
            }
        }
        *density *= size[v];
    }
    for (int i = 0; i < s; i++) sum += b[i] * u[0][i];
    return sum;
}

/* Largest |Phi(t) - theta^n / gamma(t)| over the trees of n nodes. */
static inline double rosenbrock_tree_defect(int s, const double *A, const double *alpha,
                                            const double *b, int n, double theta)
{
    int level[TREE_ORDER_MAX];
    double most = 0, density;
    for (int i = 0; i < n; i++) level[i] = i;
    do {
        double phi = tree_weight(s, A, alpha, b, n, level, &density);
        most = fmax(most, fabs(phi - pow(theta, n) / density));
    } while (next_tree(n, level));
    return most;
}

static inline double tree_defect(int s, const double *A, const double *b, int n, double theta)
{
    return rosenbrock_tree_defect(s, A, NULL, b, n, theta);
}

#endif
