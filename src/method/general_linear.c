/* general_linear.c -- methods with several stages and several carried values.
 *
 *     Y = U y[n] + h A f(Y),   y[n+1] = V y[n] + h B f(Y),   y_i[n] = sum_k W_ik h^k y^(k)(t_n)
 *
 * With C_ik = c_i^k / k!, the shift K and E = exp K, the method has stage order q and order
 * p <= q + 1 when [Butcher 2003; Wright 2002; Weiss 2007 (4.3)]
 *     C_k = (U W)_k + (A C K)_k,      k = 0..q,
 *     (W E)_k = (V W)_k + (B C K)_k,  k = 0..p.
 * For k = 0 this is preconsistency, U u = 1 and V u = u with u = W e_0; for k = 1 it gives c.
 * Methods of an order above q + 1 have further conditions, which are not looked at: their order
 * counts as q + 1.
 */
#include "method/general_linear.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "method/making.h"
#include "method/principal.h"
#include "method/real.h"
#include "method/roots.h"

enum { S = KEEL_STAGES_MOST, R = KEEL_VALUES_MOST };

/* Coefficients are typed with ten digits at least. */
static const double typed_tolerance = 1e-10;
/* Eigenvalues of V on the unit circle may be multiple, and are then found with half the digits. */
static const double modulus_tolerance = 1e-6;

/* ---- order conditions ---------------------------------------------------------------------- */

static long double W_of(const keel_general_linear *g, int i, int k)
{
    if (!g->W) return i == k;
    return k <= g->order ? g->W[i * (g->order + 1) + k] : 0;
}

long double scaled_power(long double x, int k)
{
    long double power = k >= 0;
    for (int i = 1; i <= k; i++) power *= x / i;
    return power;
}

typedef struct sum { long double value, size; } sum;

static void add(sum *s, long double term)
{
    s->value += term;
    s->size += fabsl(term);
}

/* Left minus right side of the condition of stage or value i for h^k, and the size of its terms. */
static double residual(const keel_general_linear *g, int stages, int i, int k, double *size)
{
    int s = g->stages, r = g->values;
    const double *slopes = (stages ? g->A : g->B) + i * s, *values = (stages ? g->U : g->V) + i * r;
    sum total = {0};
    if (stages) add(&total, scaled_power(g->c[i], k));
    for (int j = 0; !stages && j <= k; j++) add(&total, W_of(g, i, j) * scaled_power(1, k - j));
    for (int j = 0; j < r; j++) add(&total, -values[j] * W_of(g, j, k));
    for (int j = 0; j < s; j++) add(&total, -slopes[j] * scaled_power(g->c[j], k - 1));
    *size = (double)total.size;
    return (double)total.value;
}

/* The largest k <= most so that all conditions up to it hold, -1 for none. */
static int holds_to(const keel_general_linear *g, int stages, int most, general_defect *failed)
{
    for (int k = 0; k <= most; k++)
        for (int i = 0; i < (stages ? g->stages : g->values); i++) {
            double size, defect = residual(g, stages, i, k, &size);
            if (fabs(defect) <= typed_tolerance * size) continue;
            *failed = (general_defect){stages, i, k, defect};
            return k - 1;
        }
    return most;
}

general_orders general_linear_orders(const keel_general_linear *g, int most)
{
    general_orders o = {0};
    int stage = holds_to(g, 1, most, &o.failed_stage), value = holds_to(g, 0, most, &o.failed);
    if (stage + 1 < value || stage < 0) o.failed = o.failed_stage;
    o.order = stage < 0 || value < 0 ? -1 : stage + 1 < value ? stage + 1 : value;
    o.stage_order = stage < o.order ? stage : o.order;
    return o;
}

/* ---- properties ---------------------------------------------------------------------------- */

int general_linear_at_infinity(const keel_general_linear *g, double *M, double *terms)
{
    int r = g->values;
    matrix limit, size;
    if (stability_matrix(g, 0, &limit, &size)) return KEEL_SINGULAR;
    for (int i = 0; i < r * r; i++) {
        M[i] = (double)limit.at[i / r][i % r];
        if (terms) terms[i] = (double)size.at[i / r][i % r];
    }
    return KEEL_OK;
}

int general_linear_radius(const keel_general_linear *g, double *radius)
{
    double M[R * R], terms[R * R];
    *radius = NAN;
    if (general_linear_at_infinity(g, M, terms)) return KEEL_OK;
    int rc = spectral_radius(g->values, M, terms, radius);
    if (fabs(*radius - 1) <= 64 * DBL_EPSILON) *radius = 1;
    return rc;
}

/* Does value i carry y itself? */
static int carries_y(const keel_general_linear *g, int i)
{
    int carries = fabsl(W_of(g, i, 0) - 1) <= 4 * DBL_EPSILON;
    for (int k = 1; k <= g->order; k++) carries &= fabsl(W_of(g, i, k)) <= 4 * DBL_EPSILON;
    return carries;
}

static int same_row(int count, const double *x, const double *y)
{
    for (int j = 0; j < count; j++)
        if (fabs(x[j] - y[j]) > 4 * DBL_EPSILON * fmax(1, fabs(x[j]))) return 0;
    return 1;
}

/* c_s = 1 follows from the order conditions. */
int general_linear_stiffly_accurate(const keel_general_linear *g)
{
    int s = g->stages, r = g->values, last = s - 1;
    for (int i = 0; i < r; i++)
        if (carries_y(g, i) && same_row(s, g->A + last * s, g->B + i * s)
            && same_row(r, g->U + last * r, g->V + i * r)) return 1;
    return 0;
}

/* ---- checks -------------------------------------------------------------------------------- */

static int check_sizes(message *m, const keel_general_linear *g)
{
    if (!g) return fail(m, KEEL_BAD_ARGUMENT, "the general linear method is NULL");
    if (g->stages < 1 || g->stages > STAGES_MAX)
        return fail(m, KEEL_BAD_ARGUMENT, "stages = %d must lie between 1 and %d", g->stages,
                    STAGES_MAX);
    if (g->values < 1 || g->values > R)
        return fail(m, KEEL_BAD_ARGUMENT, "values = %d must lie between 1 and %d", g->values, R);
    if (!g->A || !g->U || !g->B || !g->V || !g->c)
        return fail(m, KEEL_BAD_ARGUMENT, "%s is missing",
                    !g->A ? "A" : !g->U ? "U" : !g->B ? "B" : !g->V ? "V" : "c");
    if (g->order < 0 || g->stage_order < 0 || g->order > S)
        return fail(m, KEEL_BAD_ARGUMENT, "orders must lie between 0 (not claimed) and %d", S);
    if (g->W && g->order == 0)
        return fail(m, KEEL_BAD_ARGUMENT, "W has order + 1 columns: give the order, too, or leave "
                    "W out if the Nordsieck vector is carried");
    return KEEL_OK;
}

static int check_numbers(message *m, const keel_general_linear *g)
{
    int s = g->stages, r = g->values, rc;
    if ((rc = check_matrix(m, "a", g->A, s, s))) return rc;
    if ((rc = check_matrix(m, "u", g->U, s, r))) return rc;
    if ((rc = check_matrix(m, "b", g->B, r, s))) return rc;
    if ((rc = check_matrix(m, "v", g->V, r, r))) return rc;
    if ((rc = check_vector(m, "c", g->c, s))) return rc;
    return check_matrix(m, "w", g->W, r, g->order + 1);
}

static int check_consistency(message *m, const keel_general_linear *g, const general_orders *o)
{
    const general_defect *f = &o->failed, *stage = &o->failed_stage;
    if (o->order < 0)
        return fail(m, KEEL_BAD_ARGUMENT, "not preconsistent: %s with u = %s fails in row %d by "
                    "%.3g", f->stages ? "U u = 1" : "V u = u", g->W ? "W e_1" : "e_1", f->row + 1,
                    f->size);
    if (o->stage_order < 1 && stage->stages && stage->power == 1)
        return fail(m, KEEL_BAD_ARGUMENT, "c_%d = %.15g, but the values and the row of A give "
                    "%.15g: correct one of them", stage->row + 1, g->c[stage->row],
                    g->c[stage->row] - stage->size);
    return KEEL_OK;
}

/* Fills in what is not claimed. */
static int check_claims(message *m, keel_general_linear *g, const general_orders *o)
{
    const general_defect *f = &o->failed;
    if (g->order > o->order || o->order == 0)
        return fail(m, KEEL_BAD_ARGUMENT, "the method claims order %d, but has order %d%s: the "
                    "condition of %s %d for h^%d fails by %.3g. Check the coefficients",
                    g->order ? g->order : 1, o->order,
                    f->stages ? ", one more than its stage order" : "",
                    f->stages ? "stage" : "value", f->row + 1, f->power, f->size);
    if (g->stage_order > o->stage_order)
        return fail(m, KEEL_BAD_ARGUMENT, "the method claims stage order %d, but has %d: the "
                    "condition of stage %d for h^%d fails by %.3g. Check the coefficients",
                    g->stage_order, o->stage_order, o->failed_stage.row + 1, o->failed_stage.power,
                    o->failed_stage.size);
    if (!g->order) g->order = o->order;
    if (!g->stage_order) g->stage_order = o->stage_order < g->order ? o->stage_order : g->order;
    return KEEL_OK;
}

/* Are the powers of V bounded? */
static int check_stability(message *m, const keel_general_linear *g)
{
    int r = g->values;
    double radius;
    matrix V;
    int rc = spectral_radius(r, g->V, NULL, &radius);
    if (rc) return fail(m, rc, "the eigenvalues of V were not found");
    if (radius > 1 + modulus_tolerance)
        return fail(m, KEEL_BAD_ARGUMENT, "not zero-stable: V has an eigenvalue of modulus %.6g, "
                    "errors would grow by that factor in every step", radius);
    V.n = r;
    for (int i = 0; i < r * r; i++) V.at[i / r][i % r] = g->V[i];
    if (power_bounded(&V)) return KEEL_OK;
    return fail(m, KEEL_BAD_ARGUMENT, "not zero-stable: V has a multiple eigenvalue of modulus 1 "
                "without as many eigenvectors, so that errors would grow from step to step");
}

/* 0, or KEEL_SINGULAR, also where only rounding keeps A from being so. */
static int check_inverse(const keel_general_linear *g)
{
    int s = g->stages;
    real_matrix A, inverse;
    real size = 0, size_inverse = 0;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) A[i][j] = g->A[i * s + j];
    if (real_invert(s, A, inverse)) return KEEL_SINGULAR;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            if (magnitude(A[i][j]) > size) size = magnitude(A[i][j]);
            if (magnitude(inverse[i][j]) > size_inverse) size_inverse = magnitude(inverse[i][j]);
        }
    return size * size_inverse < 1e14 ? KEEL_OK : KEEL_SINGULAR;
}

static int check(message *m, keel_general_linear *g)
{
    int rc = check_sizes(m, g);
    if (rc || (rc = check_numbers(m, g))) return rc;
    if (check_inverse(g))
        return fail(m, KEEL_BAD_ARGUMENT, "A is singular: only methods whose stages are all "
                    "implicit are possible");
    general_orders o = general_linear_orders(g, g->W ? g->order : g->stages + g->values);
    if ((rc = check_consistency(m, g, &o)) || (rc = check_claims(m, g, &o))) return rc;
    return check_stability(m, g);
}

/* ---- making -------------------------------------------------------------------------------- */

void general_linear_layout(arena *a, keel_general_linear *to, const keel_general_linear *from)
{
    int s = from->stages, r = from->values;
    *to = *from;
    to->name = copy_text(a, from->name ? from->name : "unnamed");
    to->family = copy_text(a, from->family);
    to->summary = copy_text(a, from->summary);
    to->citation = copy_text(a, from->citation);
    to->A = copy_numbers(a, from->A, s * s);
    to->U = copy_numbers(a, from->U, s * r);
    to->B = copy_numbers(a, from->B, r * s);
    to->V = copy_numbers(a, from->V, r * r);
    to->c = copy_numbers(a, from->c, s);
    to->W = copy_numbers(a, from->W, r * (from->order + 1));
}

void general_linear_of_tableau(arena *a, keel_general_linear *to, const keel_tableau *t)
{
    double *one = ARENA(a, double, t->stages);
    for (int i = 0; one && i < t->stages; i++) one[i] = 1;
    *to = (keel_general_linear){
        .name = t->name, .family = t->family, .summary = t->summary, .citation = t->citation,
        .stages = t->stages, .values = 1, .order = t->order,
        .A = t->A, .U = one, .B = t->b, .V = one, .c = t->c};
}

static void layout(arena *a, keel_method *m, const void *from)
{
    general_linear_layout(a, &m->general, from);
}

void general_linear_texts(keel_method *m)
{
    const keel_general_linear *g = &m->general;
    m->tableau = (keel_tableau){.name = g->name, .family = g->family, .summary = g->summary,
                                .citation = g->citation, .stages = g->stages, .order = g->order};
}

static int find_properties(keel_method *m)
{
    const keel_general_linear *g = &m->general;
    int rc = KEEL_OK;
    general_linear_texts(m);
    m->kind = KEEL_METHOD_GENERAL_LINEAR;
    m->estimate = g->values == g->order + 1 ? KEEL_ESTIMATE_CARRIED : KEEL_ESTIMATE_NONE;
    m->stage_order = g->stage_order;
    m->stiffly_accurate = general_linear_stiffly_accurate(g);
    if (m->facts) m->r_infinity = m->facts->r_infinity;
    else rc = general_linear_radius(g, &m->r_infinity);
    return rc ? fail(&m->message, KEEL_NOT_CONVERGED, "the eigenvalues of M(inf) were not found")
              : KEEL_OK;
}

int general_linear_named(keel_method **method, const keel_general_linear *g,
                         const general_linear_facts *facts)
{
    keel_method *m = *method = calloc(1, sizeof *m);
    if (!m) return KEEL_NO_MEMORY;
    int rc = method_fill(m, layout, g);
    m->facts = facts;
    if (!rc) rc = find_properties(m);
    if (rc) method_discard(m);
    return rc;
}

int keel_general_linear_create_sized(keel_method **method, const keel_general_linear *given,
                                     size_t size)
{
    keel_general_linear g = {0};
    int rc = method_given(method, SIZED(keel_general_linear, W, W), &g, given, size);
    if (rc) return rc;
    keel_method *m = *method = calloc(1, sizeof *m);
    if (!m) return KEEL_NO_MEMORY;
    rc = check(&m->message, given ? &g : NULL);
    if (!rc) rc = method_fill(m, layout, &g);
    if (!rc) rc = find_properties(m);
    if (rc) method_discard(m);
    return rc;
}

const keel_general_linear *keel_method_general_linear(const keel_method *m)
{
    return m && m->block ? &m->general : NULL;
}
