/* multistep.c -- linear multistep methods, made of the coefficients of rho, sigma and tau.
 *
 *     rho(E) y_n = h sigma(E) f(y_n),   scaled so that sigma(1) = 1
 *
 * order p          sum_j (alpha_j x_j^q - q beta_j x_j^(q-1)) = 0, q = 0..p; x_j = j - k, since the
 *                  conditions do not depend on the origin [HNW93 III.2 theorem 2.4]
 * consistency      p >= 1: rho(1) = 0, rho'(1) = sigma(1)
 * zero-stability   roots of rho in the unit circle, those on it simple [HNW93 III.3 definition 3.2]
 * index 2          y' = f_0 + f_z z, 0 = g: the roots of sigma, of sigma - tau for blocked methods,
 *                  must lie inside [Bendtsen & Thomsen 1999, theorem 5.1].  Only a blocked method
 *                  is refused for it: others may serve for ordinary differential equations.
 */
#include "method/multistep.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/making.h"
#include "method/multistep_values.h"

static const double typed_tolerance = 1e-10;
/* Double roots come out with half the digits, and this far apart at the most. */
static const double root_tolerance = 1e-8, cluster = 1e-4;

/* ---- polynomials --------------------------------------------------------------------------- */

void multistep_sigma_tau(const keel_multistep *f, double *difference)
{
    int blocked = f->blocking == KEEL_BLOCKED && f->gamma;
    for (int j = 0; j <= f->steps; j++) difference[j] = f->beta[j] - (blocked ? f->gamma[j] : 0);
}

/* Divides by zeta - 1; the remainder, the value at 1, is returned. */
static double divide(int degree, double *a)
{
    double carry = 0;
    for (int j = degree; j >= 0; j--) {
        double coefficient = a[j];
        a[j] = carry;
        carry += coefficient;
    }
    return carry;
}

static double size_of(int degree, const double *a)
{
    double size = 0;
    for (int j = 0; j <= degree; j++) size += fabs(a[j]);
    return size;
}

int multistep_order_z(const keel_multistep *f)
{
    double tau[COEFFICIENTS];
    if (f->blocking != KEEL_BLOCKED || !f->gamma) return f->order;
    memcpy(tau, f->gamma, (size_t)(f->steps + 1) * sizeof *tau);
    for (int times = 0; times <= f->steps; times++) {
        double size = size_of(f->steps, tau);
        if (size == 0) return f->order;
        if (fabs(divide(f->steps - times, tau)) > typed_tolerance * size) return times;
    }
    return f->order;
}

int multistep_is_bdf(const keel_multistep *f)
{
    for (int j = 0; j < f->steps; j++)
        if (f->beta[j] != 0) return 0;
    return f->order >= f->steps;
}

/* ---- order --------------------------------------------------------------------------------- */

/* The largest p whose conditions all hold, -1 for none; *defect of the next one. */
static int find_order(const keel_multistep *f, double *defect)
{
    int k = f->steps;
    for (int q = 0; q <= k + 2; q++) {
        long double sum = 0, size = 0;
        for (int j = 0; j <= k; j++) {
            long double lower = q > 1 ? powl(j - k, q - 1) : q, power = q ? powl(j - k, q) : 1;
            long double left = f->alpha[j] * power, right = (q > 1 ? q : 1) * f->beta[j] * lower;
            sum += left - right;
            size += fabsl(left) + fabsl(right);
        }
        *defect = (double)sum;
        if (fabsl(sum) > typed_tolerance * size) return q - 1;
    }
    return k + 2;                                /* the most a stable one can have */
}

static int check_order(message *m, keel_multistep *f)
{
    double defect = 0;
    int order = find_order(f, &defect);
    if (order < 1)
        return fail(m, KEEL_BAD_ARGUMENT, order < 0
                    ? "not consistent: rho(1) = sum alpha_j is %.3g instead of 0"
                    : "not consistent: rho'(1) - sigma(1) is %.3g instead of 0", defect);
    if (f->order > order)
        return fail(m, KEEL_BAD_ARGUMENT, "the formula claims order %d, but has order %d: the "
                    "condition of h^%d fails by %.3g. Check the coefficients", f->order, order,
                    order + 1, defect);
    if (f->order == 0) f->order = order;
    return KEEL_OK;
}

/* ---- stability ----------------------------------------------------------------------------- */

/* Another root as close as the parts of a multiple one come out?  1 is simple: sigma(1) is not 0. */
static int is_multiple(int count, const complex_root *roots, int i)
{
    int near = 0;
    for (int j = 0; j < count; j++)
        near |= j != i && hypot(roots[i].re - roots[j].re, roots[i].im - roots[j].im) < cluster;
    return near;
}

static int check_zero_stability(message *m, const keel_multistep *f)
{
    double rho[COEFFICIENTS];
    complex_root roots[COEFFICIENTS], *worst = NULL;
    char text[ROOT_TEXT];
    int others = f->steps - 1, multiple = 0;
    memcpy(rho, f->alpha, (size_t)(f->steps + 1) * sizeof *rho);
    divide(f->steps, rho);
    if (polynomial_roots(others, rho, roots))
        return fail(m, KEEL_NOT_CONVERGED, "the roots of rho were not found");
    for (int i = 0; i < others; i++) {
        int twice = is_multiple(others, roots, i);
        if (roots[i].modulus <= 1 + (twice ? -cluster : root_tolerance)) continue;
        if (worst && roots[i].modulus <= worst->modulus) continue;
        worst = &roots[i];
        multiple = twice && roots[i].modulus < 1 + cluster;
    }
    if (!worst) return KEEL_OK;
    worst->im = fabs(worst->im);
    root_text(worst, text);
    return fail(m, KEEL_BAD_ARGUMENT, multiple
                ? "not zero-stable: rho has the multiple root %s of modulus %.4f"
                : "not zero-stable: rho has the root %s of modulus %.4f, errors would grow by that "
                  "factor in every step", text, worst->modulus);
}

static int check_blocking(message *m, const keel_multistep *f)
{
    double difference[COEFFICIENTS];
    complex_root root;
    char text[ROOT_TEXT];
    int degree = f->steps;
    if (f->blocking != KEEL_BLOCKED) return KEEL_OK;
    if (multistep_order_z(f) < 1)
        return fail(m, KEEL_BAD_ARGUMENT, "tau(1) = sum gamma_j is not 0: multipliers would not "
                    "converge");
    multistep_sigma_tau(f, difference);
    if (fabs(difference[degree]) <= typed_tolerance * size_of(degree, difference))
        return fail(m, KEEL_BAD_ARGUMENT, "beta_%d = gamma_%d: the new multipliers would not enter",
                    degree, degree);
    if (largest_root(degree, difference, &root))
        return fail(m, KEEL_NOT_CONVERGED, "the roots of sigma - tau were not found");
    if (root.modulus < 1 - root_tolerance) return KEEL_OK;
    root_text(&root, text);
    return fail(m, KEEL_BAD_ARGUMENT, "sigma - tau has the root %s of modulus %.4f: all must be "
                "smaller than 1, or errors of the multipliers do not die out", text, root.modulus);
}

/* ---- checks -------------------------------------------------------------------------------- */

static int check_sizes(message *m, const keel_multistep *f)
{
    if (!f) return fail(m, KEEL_BAD_ARGUMENT, "the multistep formula is NULL");
    if (f->steps < 1 || f->steps > KEEL_STEPS_MOST)
        return fail(m, KEEL_BAD_ARGUMENT, "steps = %d must lie between 1 and %d", f->steps,
                    KEEL_STEPS_MOST);
    if (!f->alpha || !f->beta)
        return fail(m, KEEL_BAD_ARGUMENT, "%s is missing", f->alpha ? "beta" : "alpha");
    if (f->order < 0)
        return fail(m, KEEL_BAD_ARGUMENT, "the order must not be negative (0: not claimed)");
    if (f->blocking < KEEL_CONSTRAIN_FIRST || f->blocking > KEEL_CONSTRAIN_LAST)
        return fail(m, KEEL_BAD_ARGUMENT, "there is no blocking %d", (int)f->blocking);
    if (f->blocking == KEEL_BLOCKED && !f->gamma)
        return fail(m, KEEL_BAD_ARGUMENT, "a blocked method needs gamma");
    if (f->blocking != KEEL_BLOCKED && f->gamma)
        return fail(m, KEEL_BAD_ARGUMENT, "gamma is of use for blocked methods only: ask for "
                    "blocking, or leave gamma out");
    return KEEL_OK;
}

static int check_numbers(message *m, const keel_multistep *f)
{
    int k = f->steps, rc;
    if ((rc = check_vector(m, "alpha", f->alpha, k + 1))) return rc;
    if ((rc = check_vector(m, "beta", f->beta, k + 1))) return rc;
    if ((rc = check_vector(m, "gamma", f->gamma, k + 1))) return rc;
    if (f->alpha[k] == 0)
        return fail(m, KEEL_BAD_ARGUMENT, "alpha_%d = 0: the new value would not enter", k);
    if (f->beta[k] == 0)
        return fail(m, KEEL_BAD_ARGUMENT, "beta_%d = 0: explicit multistep methods are not "
                    "possible, since they cannot meet constraints at the new point; try an "
                    "implicit one, or an explicit Runge-Kutta method", k);
    return KEEL_OK;
}

/* Divides by sigma(1) unless that is 1 but for rounding. */
static int scale(message *m, keel_multistep *f, double scaled[3][COEFFICIENTS])
{
    const double *given[] = {f->alpha, f->beta, f->gamma};
    long double sigma = 0;
    for (int j = 0; j <= f->steps; j++) sigma += f->beta[j];
    double size = size_of(f->steps, f->beta);
    if (fabsl(sigma) <= typed_tolerance * size)
        return fail(m, KEEL_BAD_ARGUMENT, "sigma(1) = sum beta_j is 0: then 1 is a multiple root "
                    "of rho, and the method not zero-stable");
    if (fabsl(sigma - 1) <= 4 * DBL_EPSILON * size) sigma = 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= f->steps && given[i]; j++)
            scaled[i][j] = (double)(given[i][j] / sigma);
    f->alpha = scaled[0];
    f->beta = scaled[1];
    f->gamma = f->gamma ? scaled[2] : NULL;
    int rc = check_vector(m, "divided by sigma(1), alpha", f->alpha, f->steps + 1);
    return rc ? rc : check_vector(m, "divided by sigma(1), gamma", f->gamma, f->steps + 1);
}

static int check(message *m, keel_multistep *f, double scaled[3][COEFFICIENTS])
{
    int rc;
    if ((rc = check_numbers(m, f)) || (rc = scale(m, f, scaled))) return rc;
    if ((rc = check_order(m, f)) || (rc = check_zero_stability(m, f))) return rc;
    return check_blocking(m, f);
}

/* ---- making -------------------------------------------------------------------------------- */

typedef struct multistep_parts {
    const keel_multistep *formula;
    keel_general_linear general;
} multistep_parts;

static void layout(arena *a, keel_method *m, const void *from)
{
    const multistep_parts *parts = from;
    const keel_multistep *f = parts->formula;
    keel_multistep *to = &m->multistep;
    general_linear_layout(a, &m->general, &parts->general);
    *to = *f;
    to->name = m->general.name;
    to->family = m->general.family;
    to->summary = m->general.summary;
    to->citation = m->general.citation;
    to->alpha = copy_numbers(a, f->alpha, f->steps + 1);
    to->beta = copy_numbers(a, f->beta, f->steps + 1);
    to->gamma = copy_numbers(a, f->gamma, f->steps + 1);
}

/* M(inf) has the roots of sigma and zeros for eigenvalues; `root`: the largest, or NAN. */
static int find_properties(keel_method *m, double root)
{
    const keel_multistep *f = &m->multistep;
    complex_root largest = {.modulus = root};
    general_linear_texts(m);
    m->kind = KEEL_METHOD_MULTISTEP;
    m->estimate = m->general.W ? KEEL_ESTIMATE_NONE : KEEL_ESTIMATE_CARRIED;
    m->stage_order = f->order;
    m->stiffly_accurate = 1;
    if (isnan(root) && largest_root(f->steps, f->beta, &largest))
        return fail(&m->message, KEEL_NOT_CONVERGED, "the roots of sigma were not found");
    m->r_infinity = fabs(largest.modulus - 1) <= root_tolerance ? 1 : largest.modulus;
    return KEEL_OK;
}

static int make(keel_method *m, const keel_multistep *f, double root)
{
    multistep_values values;
    const multistep_parts parts = {f, multistep_general(f, &values)};
    int rc = method_fill(m, layout, &parts);
    if (!rc) rc = find_properties(m, root);
    if (rc) method_discard(m);
    return rc;
}

int multistep_named(keel_method **method, const keel_multistep *f, double root)
{
    keel_method *m = *method = calloc(1, sizeof *m);
    return m ? make(m, f, root) : KEEL_NO_MEMORY;
}

int keel_multistep_create_sized(keel_method **method, const keel_multistep *given, size_t size)
{
    double scaled[3][COEFFICIENTS];
    keel_multistep f = {0};
    int rc = method_given(method, SIZED(keel_multistep, blocking, blocking), &f, given, size);
    if (rc) return rc;
    keel_method *m = *method = calloc(1, sizeof *m);
    if (!m) return KEEL_NO_MEMORY;
    rc = check_sizes(&m->message, given ? &f : NULL);
    if (rc) return rc;
    rc = check(&m->message, &f, scaled);
    if (!rc) return make(m, &f, NAN);
    method_discard(m);
    return rc;
}

const keel_multistep *keel_method_multistep(const keel_method *m)
{
    return m && m->multistep.steps ? &m->multistep : NULL;
}
