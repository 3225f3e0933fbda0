/* table.c -- Gauss, Radau IIA and other collocation, and integrals of Lagrange polynomials.
 *
 *   int_0^s L_j = sum_q w_q s L_j(s x_q)     with Gauss points x_q, exact for up to 11 nodes
 */
#include "boundary/boundary.h"

#include <math.h>
#include <string.h>

#include "core/number.h"
#include "linear/small.h"
#include "keel/method.h"
#include "step/interpolation.h"

/* Gauss points on [0,1] of six points: exact for polynomials up to degree 11. */
enum { QUADRATURE = 6 };
static const double quadrature_node[QUADRATURE] = {
    0.033765242898423986, 0.16939530676686774, 0.38069040695840155,
    0.61930959304159845, 0.83060469323313226, 0.96623475710157601};
static const double quadrature_weight[QUADRATURE] = {
    0.085662246189585173, 0.18038078652406930, 0.23395696728634552,
    0.23395696728634552, 0.18038078652406930, 0.085662246189585173};

void table_integrals(int count, const double *node, const double *barycentric, double s,
                     double *weight)
{
    double lagrange[NODES_MOST];
    memset(weight, 0, (size_t)count * sizeof *weight);
    for (int q = 0; q < QUADRATURE; q++) {
        lagrange_at(count, node, barycentric, s * quadrature_node[q], lagrange);
        for (int j = 0; j < count; j++) weight[j] += s * quadrature_weight[q] * lagrange[j];
    }
}

/* Zeros of the Legendre polynomial P_k, moved to [0,1], by Newton's method. */
static void gauss_nodes(int k, double *c)
{
    enum { STEPS = 8 };
    for (int i = 0; i < k; i++) {
        double x = -cos(3.14159265358979323846 * (i + 0.75) / (k + 0.5));
        for (int step = 0; step < STEPS; step++) {
            double before = 1, p = x;
            for (int j = 2; j <= k; j++) {
                double next = ((2 * j - 1) * x * p - (j - 1) * before) / j;
                before = p;
                p = next;
            }
            x -= p * (x * x - 1) / (k * (x * p - before));
        }
        c[i] = 0.5 + 0.5 * x;
    }
}

/* Radau IIA from the tables of methods. */
static int radau_nodes(int k, double *c)
{
    char name[32];
    keel_method *method = NULL;
    number_print(name, sizeof name, "radau-iia-%d", k);
    int rc = keel_method_named(&method, name);
    if (!rc) memcpy(c, keel_method_tableau(method)->c, (size_t)k * sizeof *c);
    keel_method_free(method);
    return rc;
}

/* A node that is none yet, next to the middle. */
static double further_node(const table *a)
{
    double best = 0, at = 0.5;
    for (int i = 0; i < a->k; i++) {
        double right = i + 1 < a->k ? a->c[i + 1] : 1, gap = right - a->c[i];
        double middle = a->c[i] + 0.5 * gap;
        if (gap > best * (1 + 1e-6) && fabs(middle - 0.5) < 0.4) best = gap, at = middle;
    }
    return best > 0 ? at : 0.5 * a->c[0];
}

/* The end of Radau IIA is a stage, which leaves one node less. */
static void set_nodes(table *a)
{
    int last = a->c[a->k - 1] == 1;
    a->nodes = 0;
    a->node[a->nodes++] = 0;
    for (int i = 0; i < a->k; i++) a->node[a->nodes++] = a->c[i];
    if (!last) a->node[a->nodes++] = 1;
    a->node[a->nodes++] = further_node(a);
    barycentric_weights(a->nodes, a->node, a->weight);
}

/* At place q the integrals and values of Lagrange polynomials of the stages and of the rates, of which
 * these are the barycentric weights. */
static void fill_place(table *a, int q, double at, const double *of_stages, const double *of_rates)
{
    table_integrals(a->k, a->c, of_stages, at, a->plain[q]);
    lagrange_at(a->k, a->c, of_stages, at, a->plain_value[q]);
    table_integrals(a->rates, a->node, of_rates, at, a->full[q]);
    lagrange_at(a->rates, a->node, of_rates, at, a->full_value[q]);
}

/* Three places between nodes: next to an end, to the last stage and to the middle, or where few stages leave
 * room for them. */
static void set_samples(table *a)
{
    int k = a->k, middle = (k - 1) / 2 - (k == 3);       /* else that would be the second once more */
    a->sample[0] = 0.5 * a->c[0];
    a->sample[1] = k > 1 ? 0.5 * (a->c[k - 2] + a->c[k - 1]) : 0.75;
    if (k > 2) a->sample[2] = 0.5 * (a->c[middle] + a->c[middle + 1]);
    else a->sample[2] = a->c[k - 1] < 1 && k > 1 ? 0.5 * (1 + a->c[k - 1]) : 0.25 * a->c[0];
}

static void fill_places(table *a, const double *of_stages)
{
    double of_rates[NODES_MOST];
    a->rates = a->nodes - 1;
    set_samples(a);
    barycentric_weights(a->rates, a->node, of_rates);
    for (int q = 0; q < a->nodes; q++) fill_place(a, q, a->node[q], of_stages, of_rates);
    for (int q = 0; q < SAMPLES; q++)
        fill_place(a, a->nodes + q, a->sample[q], of_stages, of_rates);
}

/* The polynomial with zeros at all nodes that derivatives are known at. */
static double zeros_at(const table *a, double s)
{
    double product = 1;
    for (int i = 0; i < a->rates; i++) product *= s - a->node[i];
    return product;
}

/* Interpolation of z and of x' is wrong by a multiple of that polynomial, x by one of its integral. */
static void fill_gaps(table *a)
{
    enum { PARTS = 12 };
    double integral = 0, last = 0, all_x = 0, all_z = 0;
    for (int g = 0; g < a->rates - 1; g++) {
        double step = (a->node[g + 1] - a->node[g]) / PARTS;
        a->gap_x[g] = a->gap_z[g] = 0;
        for (int i = 1; i <= PARTS; i++) {
            double value = zeros_at(a, a->node[g] + i * step);
            integral += 0.5 * step * (last + value);
            last = value;
            a->gap_x[g] = fmax(a->gap_x[g], fabs(integral));
            a->gap_z[g] = fmax(a->gap_z[g], fabs(value));
        }
        all_x = fmax(all_x, a->gap_x[g]);
        all_z = fmax(all_z, a->gap_z[g]);
    }
    for (int g = 0; g < a->rates - 1; g++) {
        a->gap_x[g] /= all_x;
        a->gap_z[g] /= all_z;
    }
}

/* A defect p(s) (alpha + beta (s - 1/2)), where p has its zeros, the stages or all nodes that derivatives are
 * known at: its value, and weights of samples whose sum is its mean for all alpha and beta, the smallest of
 * these.  Radau's points make the mean of both parts vanish, and there the mean of samples is as large as the
 * error between them. */
static double defect_at(const table *a, double s)
{
    double product = 1;
    if (a->enriched) return zeros_at(a, s);
    for (int i = 0; i < a->k; i++) product *= s - a->c[i];
    return product;
}

static void fill_means(table *a)
{
    double mean[2] = {0}, at[2][SAMPLES], aa = 0, ab = 0, bb = 0;
    for (int q = 0; q < QUADRATURE; q++) {
        double s = quadrature_node[q], value = quadrature_weight[q] * defect_at(a, s);
        mean[0] += value;
        mean[1] += value * (s - 0.5);
    }
    for (int q = 0; q < SAMPLES; q++) {
        at[0][q] = defect_at(a, a->sample[q]);
        at[1][q] = at[0][q] * (a->sample[q] - 0.5);
        aa += at[0][q] * at[0][q];
        ab += at[0][q] * at[1][q];
        bb += at[1][q] * at[1][q];
    }
    double size = aa * bb - ab * ab;
    if (fabs(mean[0]) + fabs(mean[1]) < 1e-12) {
        for (int q = 0; q < SAMPLES; q++) a->mean[q] = 1.0 / SAMPLES;
        return;
    }
    double alpha = (bb * mean[0] - ab * mean[1]) / size, beta = (aa * mean[1] - ab * mean[0]) / size;
    for (int q = 0; q < SAMPLES; q++) a->mean[q] = alpha * at[0][q] + beta * at[1][q];
}

int table_make(table *a, int k, keel_points points, const double *given)
{
    int gauss = points == KEEL_POINTS_GAUSS, rc = KEEL_OK;
    double weight[NODES_MOST];
    if (a->k == k && a->points == points) return KEEL_OK;
    *a = (table){.k = k, .points = points, .enriched = gauss && k > 1, .means = !gauss || k < 4};
    if (gauss) gauss_nodes(k, a->c);
    else if (points == KEEL_POINTS_RADAU_IIA) rc = radau_nodes(k, a->c);
    else memcpy(a->c, given, (size_t)k * sizeof *a->c);
    if (rc) return rc;
    barycentric_weights(k, a->c, weight);
    set_nodes(a);
    fill_places(a, weight);
    fill_gaps(a);
    fill_means(a);
    for (int i = 0; i < k; i++) memcpy(a->A + i * k, a->plain[i + 1], (size_t)k * sizeof *a->A);
    memcpy(a->b, a->plain[a->rates - 1], (size_t)k * sizeof *a->b);
    if (small_inverse(k, a->A, a->A_inv)) return KEEL_SINGULAR;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) a->d[j] += a->b[i] * a->A_inv[i * k + j];
    return KEEL_OK;
}
