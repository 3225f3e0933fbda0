/* tables_multistep.c -- multistep formulas by name, generated in extended precision.
 *
 *   bdf-K           rho = sum_(j=1..k) nabla^j / j, sigma = 1                         [HNW93 III.1]
 *   adams-K         Adams-Moulton with k steps: rho = nabla, sigma = sum_(j=0..k) gamma*_j nabla^j,
 *                   gamma*_0 = 1, gamma*_m = - sum_(j<m) gamma*_j / (m + 1 - j)       [HNW93 III.1]
 *   dcbdf-K         rho of bdf-K, sigma = 1 - nabla^k / (k+1), tau = -nabla^k / (k+1)
 *                                                           [Bendtsen & Thomsen 1999 (5.8), (5.9)]
 *   beta-adams-K    adams-K with tau = c nabla^k; beta-trapezoidal: c = -1/2, k = 1   [ibid. 5.4.2]
 *
 * nabla^j stands for zeta^(k-j) (zeta-1)^j.  c makes the largest root of sigma - tau as small as
 * can be.  There sigma / (zeta-1)^k = c has a double root, sigma' (zeta-1) = k sigma:
 *   k = 1   c = -1/2      root 0
 *   k = 2   c = -7/48     double root -1/3
 *   k = 3   c = -0.0910   23 zeta^2 + 14 zeta - 1 = 0: double root -(7 + 6 sqrt 2)/23 = -0.6733
 *   k = 4   c = -49/720   double root -1, not inside the unit circle
 * The multipliers of formulas with a tau may also be treated without it: NAME:constrain-first and
 * NAME:constrain-last, (5.10) and (5.11) of the same report.
 */
#include "method/multistep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/real.h"

#define BDF_FAMILY   .family = "BDF", .citation = "Curtiss & Hirschfelder 1952; Gear 1971; "       \
                     "Brenan, Campbell & Petzold 1996, 3.1",                                       \
                     .summary = "order K on index 0 to 3, stiffly accurate"
#define ADAMS_FAMILY .family = "Adams-Moulton",                                                    \
                     .citation = "Hairer, Norsett & Wanner 1993, III.1",                           \
                     .summary = "K steps, order K + 1; multipliers are stable for K = 1 at most"
#define BLOCKED_CITATION .citation = \
    "Arevalo, Fuehrer & Soderlind, BIT 36 (1996) 1; Bendtsen & Thomsen 1999, chapter 5"
#define DCBDF_FAMILY .family = "difference corrected BDF", BLOCKED_CITATION,                       \
                     .summary = "order K + 1; on index 2 K + 1 in y and K in z"
#define BETA_FAMILY  .family = "beta-blocked Adams-Moulton", BLOCKED_CITATION,                     \
                     .summary = "order K + 1; on index 2 K + 1 in y and K in z"
#define PLAIN(NAME, K, FAMILY)                                                                     \
    {{.name = NAME, FAMILY, .steps = K}, {.name = NULL}, {.name = NULL}}
#define BLOCKED(NAME, K, FAMILY)                                                                   \
    {{.name = NAME, FAMILY, .steps = K, .blocking = KEEL_BLOCKED},                                 \
     {.name = NAME ":constrain-first", FAMILY, .steps = K, .blocking = KEEL_CONSTRAIN_FIRST},      \
     {.name = NAME ":constrain-last", FAMILY, .steps = K, .blocking = KEEL_CONSTRAIN_LAST}}

static const keel_multistep entries[][MULTISTEP_VARIANTS] = {
    PLAIN("bdf-1", 1, BDF_FAMILY),        PLAIN("bdf-2", 2, BDF_FAMILY),
    PLAIN("bdf-3", 3, BDF_FAMILY),        PLAIN("bdf-4", 4, BDF_FAMILY),
    PLAIN("bdf-5", 5, BDF_FAMILY),        PLAIN("bdf-6", 6, BDF_FAMILY),
    BLOCKED("dcbdf-1", 1, DCBDF_FAMILY),  BLOCKED("dcbdf-2", 2, DCBDF_FAMILY),
    BLOCKED("dcbdf-3", 3, DCBDF_FAMILY),  BLOCKED("dcbdf-4", 4, DCBDF_FAMILY),
    BLOCKED("dcbdf-5", 5, DCBDF_FAMILY),  BLOCKED("dcbdf-6", 6, DCBDF_FAMILY),
    BLOCKED("beta-trapezoidal", 1, BETA_FAMILY),
    BLOCKED("beta-adams-1", 1, BETA_FAMILY), BLOCKED("beta-adams-2", 2, BETA_FAMILY),
    BLOCKED("beta-adams-3", 3, BETA_FAMILY),
    PLAIN("adams-1", 1, ADAMS_FAMILY),    PLAIN("adams-2", 2, ADAMS_FAMILY),
    PLAIN("adams-3", 3, ADAMS_FAMILY),    PLAIN("adams-4", 4, ADAMS_FAMILY),
    PLAIN("adams-5", 5, ADAMS_FAMILY),    PLAIN("adams-6", 6, ADAMS_FAMILY),
};

enum { ENTRIES = sizeof entries / sizeof entries[0], ADAMS_MOST = 6, BETA_ADAMS_MOST = 3 };

const keel_multistep *multistep_table(int i, int variant)
{
    if (i < 0 || i >= ENTRIES || variant < 0 || variant >= MULTISTEP_VARIANTS) return NULL;
    return entries[i][variant].name ? &entries[i][variant] : NULL;
}

/* ---- coefficients -------------------------------------------------------------------------- */

typedef struct generated {
    real rho[COEFFICIENTS], sigma[COEFFICIENTS], tau[COEFFICIENTS];
} generated;

/* a += factor zeta^(k-j) (zeta-1)^j */
static void add_difference(int k, int j, real factor, real *a)
{
    int binomial = 1;                            /* (-1)^i binom(j, i) */
    for (int i = 0; i <= j; i++) {
        a[k - i] += factor * binomial;
        binomial = -binomial * (j - i) / (i + 1);
    }
}

static void generate_bdf(int k, int corrected, generated *g)
{
    for (int j = 1; j <= k; j++) add_difference(k, j, (real)1 / j, g->rho);
    g->sigma[k] = 1;
    if (!corrected) return;
    add_difference(k, k, (real)-1 / (k + 1), g->sigma);
    add_difference(k, k, (real)-1 / (k + 1), g->tau);
}

/* sqrt(2) by Newton's method: real has no library. */
static real root_of_two(void)
{
    real x = (real)1.41421356237309505;
    for (int i = 0; i < 3; i++) x = (x + 2 / x) / 2;
    return x;
}

/* c for k = 1, 2, 3; for k = 4 that of the double root -1. */
static real best_factor(int k)
{
    real zeta = -(7 + 6 * root_of_two()) / 23, e = zeta - 1;
    real sigma = (((9 * zeta + 19) * zeta - 5) * zeta + 1) / 24;
    const real best[] = {(real)-1 / 2, (real)-7 / 48, sigma / (e * e * e), (real)-49 / 720};
    return best[k - 1];
}

static void generate_adams(int k, int blocked, generated *g)
{
    real factor[COEFFICIENTS] = {1};
    for (int m = 1; m <= k; m++)
        for (int j = 0; j < m; j++) factor[m] -= factor[j] / (m + 1 - j);
    for (int j = 0; j <= k; j++) add_difference(k, j, factor[j], g->sigma);
    add_difference(k, 1, 1, g->rho);
    if (blocked) add_difference(k, k, best_factor(k), g->tau);
}

/* The largest root of sigma, for listed numbers of steps; else NAN.  test/method/known compares. */
static double known_root(const keel_multistep *entry, int bdf, int corrected)
{
    static const double dcbdf[] = {1, 1.3660254037844386, 1.7024143839193155, 2.018779570900779,
                                   2.3203520712794976, 2.6103693238208034};
    static const double adams[] = {1, 1.7165151389911677, 2.3657917198626506, 2.9774610304970155,
                                   3.5638952133829678, 4.131748766259431};
    int blocked_adams = entry->blocking == KEEL_BLOCKED && !bdf;
    if (entry->steps > (blocked_adams ? BETA_ADAMS_MOST : ADAMS_MOST)) return NAN;
    return corrected ? dcbdf[entry->steps - 1] : bdf ? 0 : adams[entry->steps - 1];
}

int multistep_table_make(keel_method **method, const keel_multistep *entry)
{
    double rho[COEFFICIENTS], sigma[COEFFICIENTS], tau[COEFFICIENTS];
    int k = entry->steps, corrected = strncmp(entry->name, "dcbdf", 5) == 0;
    int blocked = entry->blocking == KEEL_BLOCKED;
    int bdf = corrected || strncmp(entry->name, "bdf", 3) == 0;
    generated g = {{0}, {0}, {0}};
    if (bdf) generate_bdf(k, corrected, &g);
    else generate_adams(k, blocked, &g);
    for (int j = 0; j <= k; j++) {
        rho[j] = (double)g.rho[j];
        sigma[j] = (double)g.sigma[j];
        tau[j] = (double)g.tau[j];
    }
    keel_multistep f = *entry;
    f.alpha = rho;
    f.beta = sigma;
    f.gamma = blocked ? tau : NULL;
    double root = known_root(entry, bdf, corrected);
    if (isnan(root)) return keel_multistep_create(method, &f);
    f.order = bdf && !corrected ? k : k + 1;
    return multistep_named(method, &f, root);
}

/* ---- formulas that cannot be used ---------------------------------------------------------- */

/* K of a name PREFIX-K or PREFIX-K:SUFFIX, 0 if it is none. */
static int steps_of(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    char *end;
    if (strncmp(name, prefix, length) != 0) return 0;
    long k = strtol(name + length, &end, 10);
    int digits = name[length] >= '1' && name[length] <= '9';
    return digits && (*end == '\0' || *end == ':') && k > 0 && k < 1000 ? (int)k : 0;
}

/* The reason is that of the formula itself, or of the longest that can be made. */
static int explain_bdf(keel_method **method, const char *name, int k, int corrected)
{
    const char *family = corrected ? "dcbdf" : "bdf";
    int made = k <= KEEL_STEPS_MOST ? k : KEEL_STEPS_MOST;
    int rc = multistep_table_make(method, &(keel_multistep){
                 .name = family, .steps = made,
                 .blocking = corrected ? KEEL_BLOCKED : KEEL_CONSTRAIN_FIRST});
    if (!*method || rc == KEEL_NO_MEMORY) return KEEL_NO_MEMORY;
    message reason = (*method)->message;
    return fail(&(*method)->message, KEEL_UNSUPPORTED, "%.60s is of no use; with %d steps: %.300s. "
                "So it is with all above 6: use %s-1 to %s-6", name, made, reason.text, family,
                family);
}

static int explain(keel_method **method, const char *name, const char *reason)
{
    *method = calloc(1, sizeof **method);
    if (!*method) return KEEL_NO_MEMORY;
    return fail(&(*method)->message, KEEL_UNSUPPORTED, "%.60s: %s", name, reason);
}

int multistep_explain(keel_method **method, const char *name)
{
    int bdf = steps_of(name, "bdf-"), dcbdf = steps_of(name, "dcbdf-");
    if (bdf > 6 || dcbdf > 6) return explain_bdf(method, name, bdf > 6 ? bdf : dcbdf, dcbdf > 6);
    if (steps_of(name, "beta-adams-") > BETA_ADAMS_MOST)
        return explain(method, name, "from 4 steps on no tau = c (zeta-1)^k makes all roots of "
                       "sigma - tau smaller than 1, so that multipliers do not converge; the best "
                       "for k = 4 is a double root at -1, at c = -49/720. Use beta-adams-1 to "
                       "beta-adams-3, or dcbdf-1 to dcbdf-6 for orders up to 7");
    if (steps_of(name, "adams-") > ADAMS_MOST)
        return explain(method, name, "Adams-Moulton formulas are made with 1 to 6 steps, order 2 "
                       "to 7: the more steps, the smaller the step sizes for which they are "
                       "stable. For smooth problems that are not stiff use verner8, else "
                       "radau-iia-S");
    return KEEL_UNKNOWN_NAME;
}
