/* analysis.c -- what is known about a method, computed from its tableau.
 *
 * Nonlinear stability [HW96 IV.12; Burrage & Butcher 1979; Hundsdorfer & Spijker 1981]: with
 * M = BA + A^T B - b b^T, B = diag b, a method is algebraically stable when M >= 0 and b >= 0, and
 *     algebraically stable => BN-stable => B-stable and AN-stable => A-stable;
 * AN-stable methods with distinct nodes and irreducible B-stable ones are algebraically stable.
 */
#include "method/method.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sized.h"
#include "linear/small.h"
#include "method/conditions.h"
#include "method/known.h"
#include "method/spectrum.h"
#include "method/stability.h"

enum { S = KEEL_STAGES_MOST };

static const double equal_nodes = 1e-10;

static int close_to(double a, double b, double size)
{
    return fabs(a - b) <= CONDITION_TOLERANCE * size;
}

/* ---- order --------------------------------------------------------------------------------- */

static int analyse_order(const keel_tableau *t, keel_analysis *a)
{
    order_conditions o = find_order(t, t->b);
    a->stages = t->stages;
    a->order = o.order;
    a->B = o.B;
    a->C = o.C;
    a->D = o.D;
    a->stage_order = o.B < o.C ? o.B : o.C;
    a->error_constant = o.error_constant;
    a->condition_defect = o.failed.defect;
    _Static_assert(sizeof a->condition_tree == sizeof o.failed.tree, "the same texts");
    memcpy(a->condition_tree, o.failed.tree, sizeof a->condition_tree);
    a->order_hat = t->b_hat ? find_order(t, t->b_hat).order : 0;
    return a->order < 0 || a->order_hat < 0 ? KEEL_NO_MEMORY : KEEL_OK;
}

/* ---- effort -------------------------------------------------------------------------------- */

/* A first stage at the end of the last step is free. */
static void analyse_effort(const keel_method *m, keel_analysis *a)
{
    const keel_tableau *t = &m->tableau;
    int s = t->stages, last_is_new = 1;
    for (int j = 0; j < s; j++) last_is_new &= t->A[(s - 1) * s + j] == t->b[j];
    a->explicit_first = m->explicit_first;
    a->stiffly_accurate = m->stiffly_accurate;
    a->rhs_per_step = s - (m->explicit_first && last_is_new && s > 1);
    count_systems(s, a->eigenvalue_re, a->eigenvalue_im, &a->real_systems, &a->complex_systems);
}

/* ---- nonlinear stability ------------------------------------------------------------------- */

/* The eigenvalues of M, and whether M = 0 and M >= 0 up to the rounding of the coefficients. */
static int analyse_algebraic(const keel_tableau *t, keel_analysis *a)
{
    int s = t->stages, nonnegative = 1;
    double M[S * S], size = 0, largest = 0;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            long double bi = t->b[i], bj = t->b[j];
            long double term[3] = {bi * t->A[i * s + j], bj * t->A[j * s + i], -bi * bj};
            M[i * s + j] = (double)(term[0] + term[1] + term[2]);
            for (int k = 0; k < 3; k++) size = fmax(size, (double)fabsl(term[k]));
            largest = fmax(largest, fabs(M[i * s + j]));
        }
    if (small_symmetric_eigenvalues(s, M, a->algebraic)) return KEEL_NOT_CONVERGED;
    for (int i = 0; i < s; i++) {
        nonnegative &= t->b[i] >= -DBL_EPSILON;
        a->negative_weights += t->b[i] < 0;
    }
    double tolerance = s * CONDITION_TOLERANCE * size;
    a->symplectic = largest <= CONDITION_TOLERANCE * size;
    a->algebraically_stable = nonnegative && a->algebraic[0] >= -tolerance;
    return KEEL_OK;
}

/* DJ-irreducible: every stage reaches the result, by its weight or by other stages. */
static int all_stages_count(const keel_tableau *t)
{
    int s = t->stages, used[S], found = 1, all = 1;
    for (int i = 0; i < s; i++) used[i] = t->b[i] != 0;
    while (found) {
        found = 0;
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++)
                if (used[i] && !used[j] &&
                    (t->A[i * s + j] != 0 || (t->A_explicit && t->A_explicit[i * s + j] != 0)))
                    used[j] = found = 1;
    }
    for (int i = 0; i < s; i++) all &= used[i];
    return all;
}

/* Whether rows i and k of A have equal sums over each class of stages. */
static int same_sums(int s, const double *A, const int *class, int i, int k)
{
    long double difference[S] = {0}, size[S] = {0};
    for (int j = 0; j < s; j++) {
        long double a = A[i * s + j], b = A[k * s + j];
        difference[class[j]] += a - b;
        size[class[j]] += fabsl(a) + fabsl(b);
    }
    for (int j = 0; j < s; j++)
        if (fabsl(difference[j]) > CONDITION_TOLERANCE * size[j]) return 0;
    return 1;
}

/* S-irreducible: no two stages are always equal.  Classes of equal stages are split until they
 * agree [HW96 IV.12 definition 12.17]; each is named by its first stage.  Those of Rosenbrock methods
 * are equal where f is evaluated and in what J multiplies. */
static int all_stages_differ(const keel_tableau *t)
{
    int s = t->stages, class[S] = {0}, next[S], split = 1, differ = 1;
    while (split) {
        split = 0;
        for (int i = 0; i < s; i++) {
            next[i] = i;
            for (int k = 0; k < i && next[i] == i; k++)
                if (class[k] == class[i] && same_sums(s, t->A, class, i, k) &&
                    (!t->A_explicit || same_sums(s, t->A_explicit, class, i, k)))
                    next[i] = next[k];
            split |= next[i] != class[i];
        }
        memcpy(class, next, sizeof class);
    }
    for (int i = 0; i < s; i++) differ &= class[i] == i;
    return differ;
}

static void conclude_nonlinear(const keel_tableau *t, keel_analysis *a)
{
    for (int i = 0; i < t->stages; i++)
        for (int j = 0; j < i; j++) a->confluent |= fabs(t->c[i] - t->c[j]) < equal_nodes;
    a->irreducible = all_stages_count(t) && all_stages_differ(t);
    if (t->A_explicit) {                                    /* theory is of Runge-Kutta methods */
        a->algebraically_stable = 0;
        a->an_stable = a->b_stable = a->bn_stable = -1;
        return;
    }
    if (a->algebraically_stable || !a->a_stable) {
        a->an_stable = a->b_stable = a->bn_stable = a->algebraically_stable;
        return;
    }
    a->an_stable = a->confluent ? -1 : 0;
    a->b_stable = a->irreducible ? 0 : -1;
    a->bn_stable = a->irreducible || !a->confluent ? 0 : -1;
}

/* ---- symmetry ------------------------------------------------------------------------------ */

/* The adjoint method has b_j - a_(i j) in reversed order: look for a numbering sigma with
 * a_(sigma i, sigma j) = b_j - a_ij and b_(sigma j) = b_j [HNW93 II.8 theorem 8.3]. */
static int fits(const keel_tableau *t, const int *sigma, int i)
{
    int s = t->stages, k = sigma[i];
    double size = 1 + fabs(t->c[i]);
    if (!close_to(t->c[k], 1 - t->c[i], size) || !close_to(t->b[k], t->b[i], fabs(t->b[i])))
        return 0;
    for (int j = 0; j <= i; j++) {
        int l = sigma[j];
        double row = fabs(t->b[j]) + fabs(t->A[i * s + j]);
        double column = fabs(t->b[i]) + fabs(t->A[j * s + i]);
        if (!close_to(t->A[k * s + l], t->b[j] - t->A[i * s + j], row)) return 0;
        if (!close_to(t->A[l * s + k], t->b[i] - t->A[j * s + i], column)) return 0;
    }
    return 1;
}

static int find_numbering(const keel_tableau *t, int *sigma, unsigned taken, int i)
{
    if (i == t->stages) return 1;
    for (int k = t->stages - 1; k >= 0; k--) {
        if (taken >> k & 1u) continue;
        sigma[i] = k;
        if (fits(t, sigma, i) && find_numbering(t, sigma, taken | 1u << k, i + 1)) return 1;
    }
    return 0;
}

/* ---- all ----------------------------------------------------------------------------------- */

static void take_stability(const known_stability *known, keel_analysis *a)
{
    a->alpha = known->alpha;
    a->a_stable = known->alpha == 90;
    a->l_stable = a->a_stable && a->r_infinity == 0;
    a->real_limit = known->real_limit;
    a->imaginary_limit = known->imaginary_limit;
}

static int analyse(const keel_method *method, keel_analysis *analysis)
{
    if (!method->block) return KEEL_BAD_ARGUMENT;
    if (kind_carries_values(method->kind)) return KEEL_UNSUPPORTED;
    const keel_tableau *t = &method->tableau;
    int sigma[S], rc;
    *analysis = (keel_analysis){0};
    if ((rc = analyse_order(t, analysis))) return rc;
    if ((rc = stage_eigenvalues(t->stages, t->A, analysis->eigenvalue_re,
                                analysis->eigenvalue_im))) return rc;
    if ((rc = analyse_algebraic(t, analysis))) return rc;
    analyse_effort(method, analysis);
    analysis->r_infinity = r_infinity_of(t);
    if (method->stability) take_stability(method->stability, analysis);
    else find_stability(t, analysis);
    conclude_nonlinear(t, analysis);
    analysis->symmetric = find_numbering(t, sigma, 0, 0);
    return KEEL_OK;
}

int keel_method_analyse_sized(const keel_method *method, keel_analysis *analysis, size_t size)
{
    keel_analysis all;
    if (!method || !analysis) return KEEL_BAD_ARGUMENT;
    int rc = analyse(method, &all);
    if (!rc) sized_answer(analysis, size, &all, sizeof all);
    return rc;
}
