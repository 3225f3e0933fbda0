/* irks.c -- derives irks-1 .. irks-5 and prints what is known of them and their tables as C source.
 *
 * The equations are in irks.h.  Free are lambda and c.  lambda lies in the interval of L-stability
 * [HW96 IV.6 table 6.4, s = p + 1] and makes the error constant small; c_1 = p lambda <= 1, p > 1:
 * then the last column of U vanishes, and a step of order p needs y_0 .. y_(p-1) only.  A stage
 * before the last has the node 1, to estimate the error by the difference of two stages.  Remaining
 * nodes are searched on a grid, for little growth of perturbations and small errors in a trial
 * (irks_trial.h); that of order 1 makes phi_1(inf) zero.  Beside them methods 1 to 3 of Weiss 2007.
 */
#include "study/irks.h"
#include "study/irks_trial.h"

#include <complex.h>

typedef struct irks_choice {
    int p, numerator, denominator;   /* lambda                                     */
    int known;                       /* the first nodes, in units of 1/grid ...    */
    int grid, node[IRKS];            /* ... the others but the last are searched   */
} irks_choice;

static const irks_choice choices[] = {
    {1, 3, 10, 1, 7, {4}},
    {2, 1, 4, 2, 2, {1, 2}},
    {3, 1, 4, 2, 4, {3, 4}},
    {4, 1, 4, 1, 6, {6}},
    {5, 1, 5, 1, 10, {10}},
};
enum { CHOICES = sizeof choices / sizeof *choices };

/* Worst errors of (x, y) and z in trials with ratios up to `most`, steps divided into `parts`. */
static void try_steps(const irks *m, double most, int parts, double worst[2])
{
    enum { SEEDS = 3 };
    double A[IRKS * IRKS], U[IRKS * IRKS], B[IRKS * IRKS], V[IRKS * IRKS], c[IRKS];
    for (int i = 0; i < m->s; i++) {
        c[i] = (double)m->c[i];
        for (int j = 0; j < m->s; j++) {
            A[i * m->s + j] = (double)m->A[i][j];
            U[i * m->s + j] = (double)m->U[i][j];
            B[i * m->s + j] = (double)m->B[i][j];
            V[i * m->s + j] = (double)m->V[i][j];
        }
    }
    keel_general_linear g = {.stages = m->s, .values = m->s, .order = m->p,
                             .A = A, .U = U, .B = B, .V = V, .c = c};
    worst[0] = worst[1] = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        double size[TRIAL_STEPS], error[2];
        trial_sizes(most, seed, TRIAL_STEPS, size);
        trial_errors(&g, TRIAL_STEPS, size, parts, error);
        for (int i = 0; i < 2; i++)
            if (!(error[i] <= worst[i])) worst[i] = error[i] <= 1 ? error[i] : 1;
    }
}

/* What the search minimises: |A|, growth and errors of a trial with steps that are constant or
 * change by factors of up to 2. */
static quad badness(irks *m)
{
    quad product = norm(m->s, m->A);
    for (int r = 1; r <= 2; r++) {
        double worst[2];
        try_steps(m, r, 1, worst);
        product *= sqrt(worst[0] * worst[1]) * sqrtq(growth(m, r, 0) * growth(m, r, 1));
    }
    return product;
}

/* Fills in the nodes from `from` on. */
static void search(const irks_choice *choice, irks *m, int from, irks *best, quad *least)
{
    if (from >= choice->p) {
        quad bad = construct(m) ? badness(m) : HUGE_VALQ;
        if (!(bad < *least)) return;
        *least = bad;
        *best = *m;
        return;
    }
    for (int node = 1; node < choice->grid; node++) {
        int used = 0;
        m->c[from] = (quad)node / choice->grid;
        for (int i = 0; i < from; i++) used |= m->c[i] == m->c[from];
        if (!used) search(choice, m, from + 1, best, least);
    }
}

static irks derive(const irks_choice *choice)
{
    irks m = {.p = choice->p, .s = choice->p + 1}, best = m;
    quad least = HUGE_VALQ;
    m.lambda = (quad)choice->numerator / choice->denominator;
    for (int i = 0; i < choice->known; i++) m.c[i] = (quad)choice->node[i] / choice->grid;
    m.c[m.p] = 1;
    search(choice, &m, choice->known, &best, &least);
    return best;
}

/* A method of the library. */
static irks from_library(const char *name)
{
    irks m = {0};
    keel_method *method = NULL;
    const keel_general_linear *g = NULL;
    if (keel_method_named(&method, name) == KEEL_OK) g = keel_method_general_linear(method);
    for (int i = 0; g && i < g->stages; i++) {
        m.p = g->order;
        m.s = g->stages;
        m.c[i] = g->c[i];
        m.lambda = g->A[0];
        for (int j = 0; j < g->stages; j++) {
            m.A[i][j] = g->A[i * g->stages + j];
            m.U[i][j] = g->U[i * g->stages + j];
            m.B[i][j] = g->B[i * g->stages + j];
            m.V[i][j] = g->V[i * g->stages + j];
        }
    }
    if (g) at_infinity(&m);
    keel_method_free(method);
    return m;
}

/* ---- what is known ------------------------------------------------------------------------- */

/* Largest violation of (1), (2) with X = K^T, and of the last stage and slope being carried. */
static quad defect(const irks *m)
{
    quad most = 0;
    int p = m->p, s = m->s;
    for (int k = 0; k < s; k++)
        for (int l = 0; l < s; l++) {
            quad BA = k == 0 ? 0 : -m->B[k - 1][l];
            quad BU = k == 0 ? 0 : -m->V[k - 1][l] + (l < p ? m->V[k][l + 1] : 0);
            for (int j = 0; k > 0 && j < s; j++) {
                BA += m->B[k][j] * m->A[j][l];
                BU += m->B[k][j] * m->U[j][l];
            }
            most = fmaxq(most, fmaxq(fabsq(BA), fabsq(BU)));
        }
    for (int j = 0; j < s; j++) {
        quad stage = fmaxq(fabsq(m->A[p][j] - m->B[0][j]), fabsq(m->U[p][j] - m->V[0][j]));
        quad slope = fmaxq(fabsq(m->B[1][j] - (j == p)), fabsq(m->V[1][j]));
        most = fmaxq(most, fmaxq(stage, slope));
    }
    return most;
}

/* max |R(iy)|, R = N(z) / (1 - lambda z)^(p+1), N the series of e^z (1 - lambda z)^(p+1) to z^p */
static double largest_on_axis(int p, double lambda)
{
    double most = 0;
    for (double y = 1e-2; y < 1e6; y *= 1.002) {
        double complex z = I * y, N = 0, power_z = 1;
        for (int k = 0; k <= p; k++, power_z *= z) {
            double coefficient = 0;
            for (int j = 0; j <= k; j++)
                coefficient += (double)(binomial(p + 1, j) * power(-lambda, j) / factorial(k - j));
            N += coefficient * power_z;
        }
        most = fmax(most, cabs(N / cpow(1 - lambda * z, p + 1)));
    }
    return most;
}

static void print_list(const char *name, int count, const quad *x)
{
    printf(" *   %s", name);
    for (int k = 0; k < count; k++) printf(" %.6g", (double)x[k]);
    printf("\n");
}

/* growth at the ratios 1/2, 1, 2; the ratios around 1, up to 4, with a spectral radius below 1 */
static void print_steps(const char *name, irks *m, int infinite)
{
    int least = 100, most = 100;
    while (most < 400 && radius(m, (quad)(most + 1) / 100, infinite) < 1) most++;
    while (least > 1 && radius(m, (quad)(least - 1) / 100, infinite) < 1) least--;
    printf(" *   %s: growth %.3g %.3g %.3g, stable for ratios %.2f to %.2f\n", name,
           (double)growth(m, 0.5, infinite), (double)growth(m, 1, infinite),
           (double)growth(m, 2, infinite), least / 100.0, most / 100.0);
}

/* errors of (x, y) and z in the trial with 20, 40, 80 steps; 1: it failed */
static void print_trial(const irks *m, double most)
{
    printf(" *   trial, ratios to %.1f:", most);
    for (int parts = 1; parts <= 4; parts *= 2) {
        double worst[2];
        try_steps(m, most, parts, worst);
        printf(" %.1e/%.1e", worst[0], worst[1]);
    }
    printf("\n");
}

static void describe(const char *name, irks *m)
{
    quad phi[IRKS], phi_infinity[IRKS], xi[IRKS];
    carried_errors(m, 0, phi);
    carried_errors(m, 1, phi_infinity);
    for (int i = 0; i < m->s; i++) xi[i] = stage_error(m, i, phi);
    printf(" * %s: lambda = %.6g, max |R(iy)| = 1 + %.1e, defect %.0e, |A| = %.3g\n", name,
           (double)m->lambda, largest_on_axis(m->p, (double)m->lambda) - 1, (double)defect(m),
           (double)norm(m->s, m->A));
    print_list("c         ", m->s, m->c);
    print_list("xi        ", m->s, xi);
    print_list("phi       ", m->s, phi);
    print_list("phi(inf)  ", m->s, phi_infinity);
    print_steps("y' = f    ", m, 0);
    print_steps("index 2   ", m, 1);
    for (int k = 2; k <= 4; k++) print_trial(m, k / 2.0);
    for (int i = 0; i < m->p; i++)
        if (m->c[i] == 1)
            printf(" *   error      = %.10g (Y_%d - Y_%d)\n",
                   (double)(xi[m->p] / (xi[i] - xi[m->p])), m->s, i + 1);
}

/* ---- tables -------------------------------------------------------------------------------- */

/* As a fraction of numbers of up to 12 digits, or in 25 digits. */
static void print_number(quad x)
{
    quad before = 0, denominator = 1, rest = fabsq(x), whole = floorq(rest);
    if (fabsq(x) < 1e-25) {
        printf("0");
        return;
    }
    for (int k = 0; k < 40; k++) {
        quad numerator = roundq(x * denominator);
        if (fabsq(numerator) > 1e12 || denominator > 1e12) break;
        if (fabsq(x * denominator - numerator) < 1e-27 * fmaxq(1, fabsq(numerator))) {
            printf(denominator == 1 ? "%.0f" : "%.0f. / %.0f", (double)numerator,
                   (double)denominator);
            return;
        }
        rest = 1 / (rest - whole);
        whole = floorq(rest);
        quad next = whole * denominator + before;
        before = denominator;
        denominator = next;
    }
    char text[64];
    quadmath_snprintf(text, sizeof text, "%.25Qg", x);
    printf("%s", text);
}

static void print_matrix(int p, const char *name, int rows, int columns, quad (*a)[IRKS])
{
    printf("static const double irks_%d_%s[] = {\n", p, name);
    for (int i = 0; i < rows; i++) {
        printf("    ");
        for (int j = 0; j < columns; j++) {
            print_number(a[i][j]);
            printf(j < columns - 1 ? ", " : ",\n");
        }
    }
    printf("};\n");
}

int main(void)
{
    irks method[CHOICES];
    char name[16];
    printf("/*\n");
    for (int p = 1; p <= 3; p++) {
        snprintf(name, sizeof name, "dimsim-%d", p);
        irks known = from_library(name);
        if (known.s > 0) describe(name, &known);
    }
    for (int i = 0; i < CHOICES; i++) {
        method[i] = derive(&choices[i]);
        snprintf(name, sizeof name, "irks-%d", method[i].p);
        describe(name, &method[i]);
    }
    printf(" */\n");
    for (int i = 0; i < CHOICES; i++) {
        int p = method[i].p, s = method[i].s;
        print_matrix(p, "A", s, s, method[i].A);
        print_matrix(p, "U", s, s, method[i].U);
        print_matrix(p, "B", s, s, method[i].B);
        print_matrix(p, "V", s, s, method[i].V);
        print_matrix(p, "c", 1, s, &method[i].c);
    }
    return 0;
}
