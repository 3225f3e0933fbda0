/* test_starting_values.c -- what starting procedures [Weiss 2007, 4.1] compute, by themselves:
 * published errors (tables 4.1 to 4.3), and their orders on a nonlinear problem of index 2,
 *
 *   Y_i = y_0 + h sum_j a_ij f(Y_j, Z_j),   0 = g(x_i, Y_i),
 *   y[0] = e_1 y_0 + h B f,   z[0] = (e_1 - B A^-1 1) z_0 + B A^-1 Z   (lemma 4.1).
 */
#include "method/starting.h"
#include "method/method.h"       /* before cmocka, whose fail() is a macro */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES_MOST = 6, UNKNOWNS_MOST = 3 * STAGES_MOST };

typedef long double number;

/* Solves M x = x in place, M [n n], by elimination with pivots. */
static void solve(int n, number *M, number *x)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabsl(M[i * n + k]) > fabsl(M[best * n + k])) best = i;
        for (int j = 0; j < n; j++) {
            const number kept = M[k * n + j];
            M[k * n + j] = M[best * n + j], M[best * n + j] = kept;
        }
        const number kept = x[k];
        x[k] = x[best], x[best] = kept;
        for (int i = k + 1; i < n; i++) {
            const number factor = M[i * n + k] / M[k * n + k];
            for (int j = k; j < n; j++) M[i * n + j] -= factor * M[k * n + j];
            x[i] -= factor * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) x[k] -= M[k * n + j] * x[j];
        x[k] /= M[k * n + k];
    }
}

typedef struct procedure {
    int s;
    double c[STAGES_MOST], A[STAGES_MOST * STAGES_MOST], B[STAGES_MOST * STAGES_MOST];
} procedure;

/* That of examples 4.2 and 4.3: equidistant nodes, mu = 1. */
static procedure published(int s)
{
    procedure p = {.s = s};
    for (int i = 0; i < s; i++) p.c[i] = i / (s - 1.0);
    assert_int_equal(keel_starting_procedure(s - 1, p.c, 1, p.A, p.B), KEEL_OK);
    return p;
}

/* w := A^-1 w */
static void divide_by_A(const procedure *p, number *w)
{
    number A[STAGES_MOST * STAGES_MOST];
    for (int i = 0; i < p->s * p->s; i++) A[i] = p->A[i];
    solve(p->s, A, w);
}

/* The Nordsieck vector e_1 start + B w. */
static void finish(const procedure *p, number start, const number *w, number *value)
{
    for (int k = 0; k < p->s; k++) {
        value[k] = k == 0 ? start : 0;
        for (int j = 0; j < p->s; j++) value[k] += p->B[k * p->s + j] * w[j];
    }
}

/* The same for algebraic unknowns with stages Z. */
static void finish_algebraic(const procedure *p, number start, const number *Z, number *value)
{
    number w[STAGES_MOST];
    for (int i = 0; i < p->s; i++) w[i] = Z[i] - start;
    divide_by_A(p, w);
    finish(p, start, w, value);
}

/* Euclidean distance from h^k k! times Taylor coefficients. */
static number distance(int s, number h, const number *value, const number *taylor)
{
    number sum = 0, power = 1;
    for (int k = 0; k < s; k++) {
        if (k > 0) power *= h * k;
        const number e = value[k] - power * taylor[k];
        sum += e * e;
    }
    return sqrtl(sum);
}

static void expect(const char *what, number found, double printed, double relative)
{
    if (!(fabsl(found / printed - 1) < relative))
        fail_msg("%s: %.6Lg instead of %.6g", what, found, printed);
}

/* ---- published errors ------------------------------------------------------------------------ */

/* (4.6): u' = -z, 0 = u - e^(-x), so that U_i is known and h Z = -A^-1 (U - u_0). */
static void errors_on_4_6(int s, number h, number *u, number *z)
{
    const procedure p = published(s);
    number taylor[STAGES_MOST] = {1}, slope[STAGES_MOST];
    number Z[STAGES_MOST] = {0}, value[STAGES_MOST];
    for (int k = 1; k < s; k++) taylor[k] = -taylor[k - 1] / k;
    for (int i = 0; i < s; i++) slope[i] = expm1l(-p.c[i] * h);
    divide_by_A(&p, slope);
    for (int i = 0; i < s; i++) Z[i] = -slope[i] / h;
    finish(&p, 1, slope, value);
    *u = distance(s, h, value, taylor);
    finish_algebraic(&p, 1, Z, value);
    *z = distance(s, h, value, taylor);
}

/* Tables 4.2 (s = 3) and 4.3; the printed ones of s = 4, h = 0.001 feel rounding errors. */
static void tables_4_2_and_4_3(void **state)
{
    static const struct { int s; double h, u, z; } rows[] = {
        {3, 0.1, 0.49231346, 0.797679266}, {3, 0.01, 0.505410213, 0.791292722},
        {3, 0.001, 0.506747973, 0.790641688}, {4, 0.1, 0.496284148, 1.0590095},
        {4, 0.01, 0.508922019, 1.06219195},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        number u, z;
        errors_on_4_6(rows[i].s, rows[i].h, &u, &z);
        expect("u", u / powl(rows[i].h, rows[i].s), rows[i].u, 1e-5);
        expect("z", z / powl(rows[i].h, rows[i].s - 1), rows[i].z, 1e-5);
    }
}

/* Table 4.1, h = 0.01: y' = lambda (y - sin x) + cos x, y_0 = 0, by (I - h lambda A) F = ...;
 * smaller h feels rounding errors. */
static void table_4_1(void **state)
{
    static const double row[][2] = {{-1e3, 0.00195724035368}, {-1e4, 0.00149058145125},
                                    {-1e5, 0.00144328606726}, {-1e6, 0.00143855603818},
                                    {-1e7, 0.00143809885579}};
    static const number taylor[] = {0, 1, 0, -1.0L / 6};
    const procedure p = published(4);
    const number h = 0.01L;
    (void)state;
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        number M[STAGES_MOST * STAGES_MOST], F[STAGES_MOST], value[STAGES_MOST];
        for (int i = 0; i < 4; i++) {
            F[i] = h * (cosl(p.c[i] * h) - row[k][0] * sinl(p.c[i] * h));
            for (int j = 0; j < 4; j++) M[i * 4 + j] = (i == j) - h * row[k][0] * p.A[i * 4 + j];
        }
        solve(4, M, F);
        finish(&p, 0, F, value);
        expect("Prothero & Robinson", distance(4, h, value, taylor) / powl(h, 4), row[k][1], 1e-4);
    }
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* y1' = -y2 z, y2' = y1 z, 0 = y1 - cos(phi(x)), phi = e^x: y = (cos phi, sin phi), z = phi'. */
typedef struct circle {
    procedure p;
    number h;
    number Y[3][STAGES_MOST];    /* y1, y2, z at the stages */
} circle;

static number f(const circle *c, int component, int j)
{
    return component == 0 ? -c->Y[1][j] * c->Y[2][j] : c->Y[0][j] * c->Y[2][j];
}

/* Rows of stage i: residual, and its derivatives by the unknowns of stage j. */
static void linearise(const circle *c, int i, number *residual, number *M)
{
    const int s = c->p.s, n = 3 * s;
    const number start[2] = {cosl(1), sinl(1)};
    for (int r = 0; r < 2; r++) {
        number *row = M + (3 * i + r) * n;
        residual[3 * i + r] = start[r] - c->Y[r][i];
        for (int j = 0; j < s; j++) {
            const number a = c->h * c->p.A[i * s + j], sign = r == 0 ? -1 : 1;
            residual[3 * i + r] += a * f(c, r, j);
            row[3 * j + r] = i == j;
            row[3 * j + 1 - r] = -a * sign * c->Y[2][j];
            row[3 * j + 2] = -a * sign * c->Y[1 - r][j];
        }
    }
    residual[3 * i + 2] = cosl(expl(c->p.c[i] * c->h)) - c->Y[0][i];
    M[(3 * i + 2) * n + 3 * i] = 1;
}

static void newton(circle *c)
{
    const int s = c->p.s, n = 3 * s;
    for (int i = 0; i < s; i++) c->Y[0][i] = cosl(1), c->Y[1][i] = sinl(1), c->Y[2][i] = 1;
    for (int pass = 0; pass < 12; pass++) {
        number M[UNKNOWNS_MOST * UNKNOWNS_MOST] = {0}, update[UNKNOWNS_MOST];
        for (int i = 0; i < s; i++) linearise(c, i, update, M);
        solve(n, M, update);
        for (int i = 0; i < s; i++)
            for (int r = 0; r < 3; r++) c->Y[r][i] += update[3 * i + r];
    }
}

/* Taylor coefficients of cos phi, sin phi and phi' at x = 0. */
static void exact(int s, number taylor[3][STAGES_MOST + 1])
{
    taylor[2][0] = 1;
    for (int k = 1; k <= s; k++) taylor[2][k] = taylor[2][k - 1] / k;
    taylor[0][0] = cosl(1), taylor[1][0] = sinl(1);
    for (int k = 0; k < s; k++) {
        taylor[0][k + 1] = taylor[1][k + 1] = 0;
        for (int j = 0; j <= k; j++) {
            taylor[0][k + 1] -= taylor[1][j] * taylor[2][k - j] / (k + 1);
            taylor[1][k + 1] += taylor[0][j] * taylor[2][k - j] / (k + 1);
        }
    }
}

/* The procedure that integrators use. */
static procedure of_integrators(int s)
{
    procedure p = {.s = s};
    arena a = {0};
    starting_data d;
    assert_int_equal(starting_method(&a, s - 1, &d), 0);
    void *block = arena_block(a.used);
    a = (arena){.base = block};
    assert_int_equal(starting_method(&a, s - 1, &d), 0);
    memcpy(p.c, d.c, (size_t)s * sizeof *d.c);
    memcpy(p.A, d.A, (size_t)(s * s) * sizeof *d.A);
    memcpy(p.B, d.B, (size_t)(s * s) * sizeof *d.B);
    arena_block_free(block);
    return p;
}

/* Errors of y and z. */
static void errors(const procedure *p, number h, number *y, number *z)
{
    circle c = {.p = *p, .h = h};
    number taylor[3][STAGES_MOST + 1], slope[STAGES_MOST], value[STAGES_MOST];
    newton(&c);
    exact(p->s, taylor);
    *y = 0;
    for (int r = 0; r < 2; r++) {
        for (int j = 0; j < p->s; j++) slope[j] = h * f(&c, r, j);
        finish(p, taylor[r][0], slope, value);
        *y = fmaxl(*y, distance(p->s, h, value, taylor[r]));
    }
    finish_algebraic(p, 1, c.Y[2], value);
    *z = distance(p->s, h, value, taylor[2]);
}

/* Orders from h to h/2: asymptotic, and above what coefficients rounded to double let through. */
static void observe(const procedure *p, double *order_y, double *order_z)
{
    static const number h[STAGES_MOST] = {0, 0.01L, 0.01L, 0.0025L, 0.02L, 0.08L};
    number y[2], z[2];
    for (int k = 0; k < 2; k++) errors(p, h[p->s - 1] / (k + 1), &y[k], &z[k]);
    *order_y = (double)log2l(y[0] / y[1]);
    *order_z = (double)log2l(z[0] / z[1]);
}

/* Order p: y is of order p + 1, z of order p [lemma 4.1]. */
static void orders_on_index_2(void **state)
{
    (void)state;
    for (int order = 2; order <= 5; order++) {
        const procedure p = published(order + 1);
        double y, z;
        observe(&p, &y, &z);
        if (!(fabs(y - (order + 1)) < 0.15 && fabs(z - order) < 0.15))
            fail_msg("order %d: y %.2f, z %.2f", order, y, z);
    }
}

/* With other mu, and for p = 1, z can be better. */
static void orders_for_integrators(void **state)
{
    (void)state;
    for (int order = 1; order <= 5; order++) {
        const procedure p = of_integrators(order + 1);
        double y, z;
        observe(&p, &y, &z);
        if (!(fabs(y - (order + 1)) < 0.15 && z > order - 0.15))
            fail_msg("order %d: y %.2f, z %.2f", order, y, z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_4_2_and_4_3), cmocka_unit_test(table_4_1),
        cmocka_unit_test(orders_on_index_2), cmocka_unit_test(orders_for_integrators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
