/* general_analysis.c -- what is known about a method, as a general linear method.
 *
 *     Y = U y[n] + h A f(Y),   y[n+1] = V y[n] + h B f(Y);     y' = lambda y: y[n+1] = M(z) y[n]
 *
 * The error constant C is that of the principal eigenvalue of M(z), w(z) = e^z - C z^(p+1) + ...,
 * which does not depend on the coordinates of y[n]: of R(z) for Runge-Kutta methods, and C_(p+1) /
 * sigma(1) for multistep methods [HNW93 III.2 (2.13)], so -1/(k+1) for BDF.
 *
 * Runge-Kutta stable [Butcher 2003]: det(wI - M(z)) = w^(r-1) (w - R(z)), that is
 * M^(r-1) (M - tr(M) I) = 0.  The coefficients are polynomials of degree s over det(I - zA), so
 * that s + 1 arguments z prove it for all.
 */
#include "method/method.h"

#include <math.h>
#include <string.h>

#include "core/sized.h"
#include "method/general_linear.h"
#include "method/known.h"
#include "method/locus.h"
#include "method/multistep.h"
#include "method/principal.h"
#include "method/spectrum.h"

enum { R = KEEL_VALUES_MOST };

/* ---- order --------------------------------------------------------------------------------- */

static void analyse_order(const keel_general_linear *g, keel_general_analysis *a)
{
    general_orders o = general_linear_orders(g, g->W ? g->order : g->stages + g->values);
    a->order = o.order < 0 ? 0 : o.order;
    a->stage_order = o.stage_order < 0 ? 0 : o.stage_order;
    a->error_constant = principal_error(g, a->preconsistency, a->order);
}

/* ---- V and M(inf) -------------------------------------------------------------------------- */

/* The eigenvalues beside the principal one are those of V - u l^T, where the latter is 0. */
static int analyse_zero_stability(const keel_general_linear *g, keel_general_analysis *a)
{
    int r = g->values;
    long double l[R];
    double rest[R * R];
    matrix V = {.n = r};
    for (int i = 0; i < r * r; i++) V.at[i / r][i % r] = g->V[i];
    a->zero_stable = power_bounded(&V);
    if (left_eigenvector(g, a->preconsistency, l)) {
        a->parasitic = 1;                        /* 1 is a multiple eigenvalue */
        return KEEL_OK;
    }
    for (int i = 0; i < r; i++)
        for (int j = 0; j < r; j++)
            rest[i * r + j] = (double)(V.at[i][j] - a->preconsistency[i] * l[j]);
    return spectral_radius(r, rest, NULL, &a->parasitic);
}

static int analyse_infinity(const keel_general_linear *g, keel_general_analysis *a)
{
    int r = g->values;
    matrix M, size;
    a->rho_infinity = NAN;
    if (stability_matrix(g, 0, &M, &size)) {
        for (int i = 0; i < r * r; i++) a->M_infinity[i] = NAN;
        return KEEL_OK;
    }
    for (int i = 0; i < r * r; i++) {
        long double entry = M.at[i / r][i % r], terms = size.at[i / r][i % r];
        a->M_infinity[i] = fabsl(entry) <= COEFFICIENT_ROUNDING * terms ? 0 : (double)entry;
    }
    a->nilpotent = nilpotency(&M, &size, COEFFICIENT_ROUNDING);
    a->rho_infinity = 0;
    if (a->nilpotent) return KEEL_OK;
    return spectral_radius(r, a->M_infinity, NULL, &a->rho_infinity);
}

/* ---- Runge-Kutta stability ------------------------------------------------------------------ */

static int one_eigenvalue_at(const keel_general_linear *g, long double z)
{
    matrix M, size, power, magnitude, product;
    long double trace = 0, trace_size = 0;
    if (stability_matrix(g, 1 / z, &M, &size)) return 1;             /* a pole tells nothing */
    power = M, magnitude = size;
    for (int i = 0; i < M.n; i++) trace += M.at[i][i], trace_size += size.at[i][i];
    for (int i = 0; i < M.n; i++) power.at[i][i] -= trace, magnitude.at[i][i] += trace_size;
    for (int k = 1; k < M.n; k++) {
        multiply(&power, &M, &product);
        power = product;
        multiply(&magnitude, &size, &product);
        magnitude = product;
    }
    return M.n == 1 || vanishes(&power, &magnitude, COEFFICIENT_ROUNDING);
}

static int runge_kutta_stable(const keel_general_linear *g)
{
    for (int k = 0; k <= g->stages; k++)
        if (!one_eigenvalue_at(g, -(k + 1) * 3.0L / (g->stages + 1))) return 0;
    return 1;
}

/* ---- structure and effort ------------------------------------------------------------------ */

static int carries_nordsieck(const keel_general_linear *g)
{
    int is = g->values > 1;
    for (int i = 0; i < g->values && g->W; i++)
        for (int k = 0; k <= g->order; k++) is &= g->W[i * (g->order + 1) + k] == (i == k);
    return is;
}

static int analyse_structure(const keel_method *m, keel_general_analysis *a)
{
    const keel_general_linear *g = &m->general;
    double *re = a->eigenvalue_re, *im = a->eigenvalue_im;
    int s = g->stages, one = 1, rc;
    if ((rc = stage_eigenvalues(s, g->A, re, im))) return rc;
    for (int i = 0; i < s; i++) one &= re[i] == re[0] && im[i] == 0;
    a->singly = one && re[0] != 0;
    a->diagonal = lower_triangular(s, g->A);
    a->nordsieck = carries_nordsieck(g);
    a->stiffly_accurate = m->stiffly_accurate;
    a->rhs_per_step = s;
    count_systems(s, re, im, &a->real_systems, &a->complex_systems);
    return KEEL_OK;
}

static int analyse_blocking(const keel_multistep *f, keel_general_analysis *a)
{
    double difference[KEEL_STEPS_MOST + 1];
    complex_root largest;
    a->blocked_root = NAN;
    if (!f->steps) return KEEL_OK;
    multistep_sigma_tau(f, difference);
    int rc = largest_root(f->steps, difference, &largest);
    if (!rc) a->blocked_root = largest.modulus;
    return rc;
}

/* ---- all ----------------------------------------------------------------------------------- */

/* The trees know more of a Runge-Kutta method, and R(z) is a function. */
static int analyse_runge_kutta(const keel_method *m, keel_general_analysis *a)
{
    keel_analysis of;
    int rc = keel_method_analyse(m, &of);
    if (rc) return rc;
    a->order = of.order;
    a->stage_order = of.stage_order;
    a->error_constant = of.error_constant;
    a->zero_stable = a->runge_kutta_stable = 1;
    a->M_infinity[0] = of.r_infinity;
    a->rho_infinity = fabs(of.r_infinity);
    a->nilpotent = of.r_infinity == 0;
    a->a_stable = of.a_stable;
    a->l_stable = of.l_stable;
    a->alpha = of.alpha;
    a->imaginary_limit = of.imaginary_limit;
    a->real_limit = of.real_limit;
    a->rhs_per_step = of.rhs_per_step;
    return KEEL_OK;
}

static void take_stability(const known_stability *known, keel_general_analysis *a)
{
    a->alpha = known->alpha;
    a->a_stable = known->alpha == 90;
    a->l_stable = a->a_stable && a->rho_infinity == 0;
    a->real_limit = known->real_limit;
    a->imaginary_limit = known->imaginary_limit;
}

static int analyse(const keel_method *method, keel_general_analysis *analysis)
{
    if (!method->block) return KEEL_BAD_ARGUMENT;
    const keel_general_linear *g = &method->general;
    int rc;
    *analysis = (keel_general_analysis){.stages = g->stages, .values = g->values};
    preconsistency_vector(g, analysis->preconsistency);
    if ((rc = analyse_structure(method, analysis))) return rc;
    if ((rc = analyse_blocking(&method->multistep, analysis))) return rc;
    if (!kind_carries_values(method->kind)) return analyse_runge_kutta(method, analysis);
    analyse_order(g, analysis);
    if ((rc = analyse_zero_stability(g, analysis))) return rc;
    if ((rc = analyse_infinity(g, analysis))) return rc;
    analysis->runge_kutta_stable = runge_kutta_stable(g);
    if (method->stability) take_stability(method->stability, analysis);
    else find_general_stability(g, analysis);
    return KEEL_OK;
}

int keel_method_analyse_general_sized(const keel_method *method, keel_general_analysis *analysis,
                                      size_t size)
{
    keel_general_analysis all;
    if (!method || !analysis) return KEEL_BAD_ARGUMENT;
    int rc = analyse(method, &all);
    if (!rc) sized_answer(analysis, size, &all, sizeof all);
    return rc;
}
