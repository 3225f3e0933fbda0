/* tableau.c -- methods are made from a checked and copied tableau; what integrators ask about them
 * (kind, stiff accuracy, stage order, R(inf), error estimate) is found once, here. */
#include <math.h>
#include <stdlib.h>

#include "method/general_linear.h"
#include "method/making.h"
#include "method/real.h"

enum { STAGES = KEEL_STAGES_MOST };

/* Row sums and weights as people type them; conditions that only rounding may violate. */
static const double row_tolerance = 1e-10, condition_tolerance = 1e-12;

static const char *const kind_names[] = {"explicit", "half-explicit", "diagonally implicit",
                                         "fully implicit", "multistep", "general linear",
                                         "Rosenbrock"};

const char *keel_method_kind_name(keel_method_kind kind)
{
    int known = kind >= KEEL_METHOD_EXPLICIT && kind <= KEEL_METHOD_ROSENBROCK;
    return known ? kind_names[kind] : "unknown kind";
}

/* ---- copying ------------------------------------------------------------------------------- */

/* The sums of the rows where the nodes are not given. */
static const double *copy_nodes(arena *a, const double *given, const double *A, int rows,
                                int columns)
{
    if (given || !A || rows == 0) return copy_numbers(a, given, rows);
    double *c = ARENA(a, double, rows);
    for (int i = 0; c && i < rows; i++) {
        c[i] = 0;
        for (int j = 0; j < columns; j++) c[i] += A[i * columns + j];
    }
    return c;
}

static void copy_tableau(arena *a, keel_tableau *to, const keel_tableau *from)
{
    int s = from->stages, all = s + from->extra;
    *to = *from;
    to->name = copy_text(a, from->name ? from->name : "unnamed");
    to->family = copy_text(a, from->family);
    to->summary = copy_text(a, from->summary);
    to->citation = copy_text(a, from->citation);
    to->A = copy_numbers(a, from->A, s * s);
    to->b = copy_numbers(a, from->b, s);
    to->A_explicit = copy_numbers(a, from->A_explicit, s * s);
    to->c = copy_nodes(a, from->c, from->A_explicit ? from->A_explicit : from->A, s, s);
    to->b_hat = copy_numbers(a, from->b_hat, s);
    to->b_second = copy_numbers(a, from->b_second, s);
    to->corner = copy_numbers(a, from->corner, 2 * s);
    to->A_extra = copy_numbers(a, from->A_extra, from->extra * all);
    to->c_extra = copy_nodes(a, from->c_extra, from->A_extra, from->extra, all);
    to->dense = copy_numbers(a, from->dense, all * from->dense_degree);
    to->dense_rest = copy_numbers(a, from->dense_rest, all * from->dense_degree);
    to->A_constraint = copy_numbers(a, from->A_constraint, s * s);
    to->c_constraint = copy_nodes(a, from->c_constraint, from->A_constraint, s, s);
}

static void layout(arena *a, keel_method *m, const void *from)
{
    copy_tableau(a, &m->tableau, from);
    general_linear_of_tableau(a, &m->general, &m->tableau);
}

/* ---- dense output -------------------------------------------------------------------------- */

/* Horner's rule; `low` collects what rounding takes from its sums and products [Graillat, Langlois
 * & Louvet, Japan J. Indust. Appl. Math. 26 (2009) 191, algorithm CompHorner]. */
double tableau_dense_weight(const keel_tableau *t, int i, double theta)
{
    const double *high = t->dense + i * t->dense_degree;
    const double *rest = t->dense_rest ? t->dense_rest + i * t->dense_degree : NULL;
    double value = 0, low = 0;
    for (int k = t->dense_degree - 1; k >= 0; k--) {
        double sum = value + high[k], part = sum - value;
        low += (value - (sum - part)) + (high[k] - part) + (rest ? rest[k] : 0);
        value = sum * theta;
        low = low * theta + fma(sum, theta, -value);
    }
    return value + low;
}

/* ---- checks -------------------------------------------------------------------------------- */

/* Nodes are the row sums [HNW93 II.1 (1.9)]; without that the order conditions do not hold for
 * problems that depend on time. */
static int check_nodes(message *m, const char *row, const char *matrix, const double *A, const double *c,
                       int rows, int columns)
{
    for (int i = 0; A && c && i < rows; i++) {
        double sum = 0, size = 1;
        for (int j = 0; j < columns; j++) {
            sum += A[i * columns + j];
            size += fabs(A[i * columns + j]);
        }
        if (fabs(sum - c[i]) > row_tolerance * size)
            return fail(m, KEEL_BAD_ARGUMENT,
                        "c of %s %d is %.15g, but the row of %s sums to %.15g: correct one of them, "
                        "or leave c out", row, i + 1, c[i], matrix, sum);
    }
    return KEEL_OK;
}

static int check_weights(message *m, const char *what, const double *b, int s)
{
    double sum = 0, size = 1;
    for (int i = 0; b && i < s; i++) {
        sum += b[i];
        size += fabs(b[i]);
    }
    if (!b || fabs(sum - 1) <= row_tolerance * size) return KEEL_OK;
    return fail(m, KEEL_BAD_ARGUMENT, "the weights %s sum to %.15g instead of 1: not consistent",
                what, sum);
}

static int check_sizes(message *m, const keel_tableau *t)
{
    if (!t) return fail(m, KEEL_BAD_ARGUMENT, "the tableau is NULL");
    if (t->stages < 1 || t->stages > KEEL_STAGES_MOST)
        return fail(m, KEEL_BAD_ARGUMENT, "stages = %d must lie between 1 and %d", t->stages,
                    KEEL_STAGES_MOST);
    if (!t->A || !t->b) return fail(m, KEEL_BAD_ARGUMENT, "A or b is missing");
    if (t->order < 0 || t->order_hat < 0)
        return fail(m, KEEL_BAD_ARGUMENT, "orders must not be negative (0: not claimed)");
    if (t->extra < 0 || t->extra > KEEL_STAGES_MOST || (t->extra && !t->A_extra))
        return fail(m, KEEL_BAD_ARGUMENT, "%d extra stages: A_extra is needed, %d are the most",
                    t->extra, KEEL_STAGES_MOST);
    if (t->dense && (t->dense_degree < 1 || t->dense_degree > KEEL_STAGES_MOST))
        return fail(m, KEEL_BAD_ARGUMENT, "dense_degree = %d must lie between 1 and %d",
                    t->dense_degree, KEEL_STAGES_MOST);
    return KEEL_OK;
}

/* Extra stages are computed one after the other, from values that are known. */
static int check_extra(message *m, const keel_tableau *t)
{
    int s = t->stages, all = s + t->extra;
    for (int i = 0; i < t->extra; i++)
        for (int j = s + i; j < all; j++)
            if (t->A_extra[i * all + j] != 0)
                return fail(m, KEEL_BAD_ARGUMENT, "a_extra_%d,%d is not 0: extra stages must be "
                            "explicit", i + 1, j + 1);
    return KEEL_OK;
}

/* Rosenbrock methods: one factored matrix serves all stages, which come one after the other. */
static int check_rosenbrock(message *m, const keel_tableau *t)
{
    int s = t->stages;
    for (int i = 0; t->A_explicit && i < s; i++) {
        if (t->A[i * s + i] != t->A[0] || t->A[0] <= 0)
            return fail(m, KEEL_BAD_ARGUMENT, "a_%d,%d = %.15g: the diagonal of A of a Rosenbrock "
                        "method is one positive number, a_1,1 = %.15g", i + 1, i + 1,
                        t->A[i * s + i], t->A[0]);
        for (int j = i; j < s; j++)
            if (t->A_explicit[i * s + j] != 0 || (j > i && t->A[i * s + j] != 0))
                return fail(m, KEEL_BAD_ARGUMENT, "row %d of a Rosenbrock method: A must be 0 above "
                            "its diagonal, A_explicit on it as well", i + 1);
    }
    if (t->A_explicit && (t->extra || t->half_explicit || t->A_constraint))
        return fail(m, KEEL_BAD_ARGUMENT, "a Rosenbrock method has no extra stages and no "
                    "constraint points");
    return KEEL_OK;
}

static int check(message *m, const keel_tableau *t)
{
    int rc = check_sizes(m, t);
    if (rc) return rc;
    int s = t->stages, all = s + t->extra;
    if ((rc = check_matrix(m, "a", t->A, s, s))) return rc;
    if ((rc = check_matrix(m, "a_explicit", t->A_explicit, s, s))) return rc;
    if ((rc = check_rosenbrock(m, t))) return rc;
    if ((rc = check_vector(m, "b", t->b, s))) return rc;
    if ((rc = check_vector(m, "c", t->c, s))) return rc;
    if ((rc = check_vector(m, "b_hat", t->b_hat, s))) return rc;
    if ((rc = check_vector(m, "b_second", t->b_second, s))) return rc;
    if ((rc = check_matrix(m, "corner", t->corner, 2, s))) return rc;
    if ((rc = check_matrix(m, "a_extra", t->A_extra, t->extra, all))) return rc;
    if ((rc = check_extra(m, t))) return rc;
    if ((rc = check_vector(m, "c_extra", t->c_extra, t->extra))) return rc;
    if ((rc = check_matrix(m, "dense", t->dense, all, t->dense_degree))) return rc;
    if ((rc = check_matrix(m, "dense_rest", t->dense_rest, all, t->dense_degree))) return rc;
    if ((rc = check_matrix(m, "a_constraint", t->A_constraint, s, s))) return rc;
    if ((rc = check_vector(m, "c_constraint", t->c_constraint, s))) return rc;
    if ((rc = check_weights(m, "b", t->b, s))) return rc;
    if ((rc = check_weights(m, "b_hat", t->b_hat, s))) return rc;
    int free = s == 1 && t->order == 1;          /* Radau IA 1: A = 1, c = 0 */
    const double *A = t->A_explicit ? t->A_explicit : t->A;
    if (!free && (rc = check_nodes(m, "row", t->A_explicit ? "A_explicit" : "A", A, t->c, s, s))) return rc;
    if ((rc = check_nodes(m, "extra stage", "A_extra", t->A_extra, t->c_extra, t->extra, all))) return rc;
    return check_nodes(m, "constraint point", "A_constraint", t->A_constraint, t->c_constraint, s, s);
}

/* ---- properties ---------------------------------------------------------------------------- */

static keel_method_kind kind_of(const keel_tableau *t)
{
    int s = t->stages, above = 0, diagonal = 0;
    if (t->A_explicit) return KEEL_METHOD_ROSENBROCK;
    for (int i = 0; i < s; i++)
        for (int j = i; j < s; j++) {
            int nonzero = t->A[i * s + j] != 0;
            if (j > i) above |= nonzero;
            else diagonal |= nonzero;
        }
    if (above) return KEEL_METHOD_IMPLICIT;
    if (diagonal) return KEEL_METHOD_DIAGONAL;
    return t->half_explicit ? KEEL_METHOD_HALF_EXPLICIT : KEEL_METHOD_EXPLICIT;
}

/* sum_j w_j c_j^(k-1) = x^k / k? */
static int integrates(const keel_tableau *t, const double *w, double x, int k)
{
    double sum = 0, size = 1;
    for (int j = 0; j < t->stages; j++) {
        double term = w[j] * integer_power(t->c[j], k - 1);
        sum += term;
        size += fabs(term);
    }
    return fabs(sum - integer_power(x, k) / k) <= condition_tolerance * size;
}

/* The largest q with B(q) and C(q) [HW96 IV.5]; stages of Rosenbrock methods are of order 1. */
static int stage_order(const keel_tableau *t)
{
    if (t->A_explicit) return 1;
    for (int q = 1; q <= t->stages; q++) {
        if (!integrates(t, t->b, 1, q)) return q - 1;
        for (int i = 0; i < t->stages; i++)
            if (!integrates(t, t->A + i * t->stages, t->c[i], q)) return q - 1;
    }
    return t->stages;
}

/* x := A^-1 x over the stages after an explicit first one, by Gauss-Jordan with row pivoting; 0 if
 * that part of A is singular. */
static int solve(const keel_tableau *t, int first, long double *x)
{
    long double A[STAGES][STAGES];
    int n = t->stages - first;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[i][j] = t->A[(i + first) * t->stages + j + first];
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabsl(A[i][k]) > fabsl(A[p][k])) p = i;
        if (fabsl(A[p][k]) < 1e-14L) return 0;
        for (int j = 0; j < n; j++) {
            long double swap = A[k][j];
            A[k][j] = A[p][j], A[p][j] = swap;
        }
        long double swap = x[k];
        x[k] = x[p], x[p] = swap;
        for (int i = 0; i < n; i++) {
            long double factor = i == k ? 0 : A[i][k] / A[k][k];
            for (int j = k; factor != 0 && j < n; j++) A[i][j] -= factor * A[k][j];
            x[i] -= factor * x[k];
        }
    }
    for (int i = 0; i < n; i++) x[i] /= A[i][i];
    return 1;
}

/* R(inf) = 1 - b^T A^-1 1.  With an explicit first stage, a its column and b_1 its weight,
 *   R(z) = 1 + z b_1 + z b^T (I - zA)^-1 (1 + z a),
 * which is bounded iff b_1 = b^T A^-1 a, and then R(inf) = 1 - b^T A^-1 (1 + A^-1 a).
 * NAN where there is a pole at infinity. */
static double r_infinity(const keel_tableau *t, int first)
{
    long double x[STAGES] = {0}, pole = 0, R = 1;
    int s = t->stages, n = s - first;
    for (int i = 0; i < n; i++) x[i] = first ? t->A[(i + first) * s] : 0;
    if (!solve(t, first, x)) return NAN;
    for (int i = 0; i < n; i++) {
        pole += t->b[i + first] * x[i];
        x[i] += 1;
    }
    if (first && fabsl(pole - t->b[0]) > condition_tolerance) return NAN;
    solve(t, first, x);
    for (int i = 0; i < n; i++) R -= t->b[i + first] * x[i];
    long double whole = roundl(R);
    return (double)(fabsl(R - whole) <= condition_tolerance * s ? whole + 0 : R);   /* no -0 */
}

static void find_properties(keel_method *m)
{
    const keel_tableau *t = &m->tableau;
    int s = t->stages;
    m->kind = kind_of(t);
    m->explicit_first = m->stiffly_accurate = 1;
    for (int j = 0; j < s; j++) {
        m->explicit_first &= t->A[j] == 0;
        m->stiffly_accurate &= fabs(t->A[(s - 1) * s + j] - t->b[j]) <= 1e-15;
    }
    int rosenbrock = m->kind == KEEL_METHOD_ROSENBROCK;
    int implicit = kind_is_implicit(m->kind) || rosenbrock;
    m->stiffly_accurate &= implicit && fabs(t->c[s - 1] - 1) <= 1e-10;
    m->stage_order = m->general.stage_order = stage_order(t);
    m->r_infinity = implicit ? r_infinity(t, m->explicit_first) : NAN;
    m->estimate = t->b_hat ? KEEL_ESTIMATE_EMBEDDED
                : rosenbrock ? KEEL_ESTIMATE_NONE
                : implicit ? KEEL_ESTIMATE_ADDED : KEEL_ESTIMATE_DOUBLING;
}

int method_make(keel_method **method, const keel_tableau *tableau)
{
    if (!method) return KEEL_BAD_ARGUMENT;
    keel_method *m = *method = calloc(1, sizeof *m);
    if (!m) return KEEL_NO_MEMORY;
    int rc = check(&m->message, tableau);
    if (!rc) rc = method_fill(m, layout, tableau);
    if (rc) return rc;
    find_properties(m);
    return KEEL_OK;
}

int keel_method_create_sized(keel_method **method, const keel_tableau *given, size_t size)
{
    keel_tableau tableau = {0};
    sized kind = SIZED(keel_tableau, order_index2, corner);
    int rc = method_given(method, kind, &tableau, given, size);
    if (!rc) rc = method_make(method, given ? &tableau : NULL);
    if (!rc) rc = method_check_orders(*method);
    if (rc && method && *method) method_discard(*method);
    return rc;
}

int method_copy(keel_method **copy, const keel_method *of)
{
    int rc = of->facts ? general_linear_named(copy, &of->general, of->facts)
           : of->kind == KEEL_METHOD_MULTISTEP ? keel_multistep_create(copy, &of->multistep)
           : of->kind == KEEL_METHOD_GENERAL_LINEAR ? keel_general_linear_create(copy, &of->general)
                                                    : method_make(copy, &of->tableau);
    if (rc) return rc;
    (*copy)->radau_iia = of->radau_iia;
    (*copy)->eigensystem = of->eigensystem;
    (*copy)->stability = of->stability;
    (*copy)->stage_order = (*copy)->general.stage_order = of->stage_order;
    (*copy)->r_infinity = of->r_infinity;
    return KEEL_OK;
}

void keel_method_free(keel_method *m)
{
    if (!m) return;
    arena_block_free(m->block);
    free(m);
}

const char *keel_method_message(const keel_method *m) { return m ? m->message.text : ""; }

const keel_tableau *keel_method_tableau(const keel_method *m)
{
    return m && !kind_carries_values(m->kind) ? &m->tableau : NULL;
}

keel_method_kind keel_method_kind_of(const keel_method *m)
{
    return m ? m->kind : KEEL_METHOD_EXPLICIT;
}

keel_estimate keel_method_estimate(const keel_method *m)
{
    return m ? m->estimate : KEEL_ESTIMATE_EMBEDDED;
}
