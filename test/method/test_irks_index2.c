/* test_irks_index2.c -- irks-1 .. irks-5 on a problem of index 2 that is nonlinear in z, with steps
 * that change. */
#include "method/tables.h"               /* before cmocka, whose fail() is a macro */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

enum { METHODS = 5, N = METHODS + 1 };

static const keel_general_linear *const methods[METHODS] = {&irks_1, &irks_2, &irks_3, &irks_4,
                                                            &irks_5};

/* x' = x y^2 z^2, y' = x^2 y^2 - 3 y^2 z, 0 = x^2 y - 1: x = e^t, y = e^(-2t), z = e^(2t). */
static void solution(double t, double *u)
{
    u[0] = exp(t);
    u[1] = exp(-2 * t);
    u[2] = exp(2 * t);
}

static void solve3(double M[3][4], double *x)
{
    for (int k = 0; k < 3; k++) {
        int pivot = k;
        for (int i = k + 1; i < 3; i++)
            if (fabs(M[i][k]) > fabs(M[pivot][k])) pivot = i;
        for (int j = 0; j < 4; j++) {
            double swapped = M[k][j];
            M[k][j] = M[pivot][j];
            M[pivot][j] = swapped;
        }
        for (int i = 0; i < 3; i++)
            for (int j = 3; i != k && j >= k; j--) M[i][j] -= M[i][k] / M[k][k] * M[k][j];
    }
    for (int k = 0; k < 3; k++) x[k] = M[k][3] / M[k][k];
}

/* (x, y) = base + gamma f(x, y, z), 0 = x^2 y - 1 by Newton's method */
static void solve_stage(const double base[2], double gamma, double u[3])
{
    for (int k = 0; k < 20; k++) {
        double x = u[0], y = u[1], z = u[2], update[3];
        double M[3][4] = {
            {1 - gamma * y * y * z * z, -2 * gamma * x * y * z * z, -2 * gamma * x * y * y * z,
             x - base[0] - gamma * x * y * y * z * z},
            {-2 * gamma * x * y * y, 1 - gamma * (2 * x * x * y - 6 * y * z), 3 * gamma * y * y,
             y - base[1] - gamma * (x * x * y * y - 3 * y * y * z)},
            {2 * x * y, x * x, 0, x * x * y - 1}};
        solve3(M, update);
        for (int i = 0; i < 3; i++) u[i] -= update[i];
    }
}

static void exact_values(int p, double h, double v[N][2])
{
    for (int k = 0; k <= p; k++) {
        v[k][0] = pow(h, k);
        v[k][1] = pow(-2 * h, k);
    }
}

/* One step from the values v. */
static void step(const keel_general_linear *g, double t, double h, double v[N][2], double u[N][3])
{
    int s = g->stages;
    double slope[N][2], next[N][2] = {{0}};
    for (int i = 0; i < s; i++) {
        double base[2] = {0}, gamma = g->A[i * s + i];
        for (int c = 0; c < 2; c++) {
            for (int k = 0; k < s; k++) base[c] += g->U[i * s + k] * v[k][c];
            for (int j = 0; j < i; j++) base[c] += g->A[i * s + j] * slope[j][c];
        }
        solution(t + g->c[i] * h, u[i]);
        solve_stage(base, h * gamma, u[i]);
        for (int c = 0; c < 2; c++) slope[i][c] = (u[i][c] - base[c]) / gamma;
    }
    for (int k = 0; k < s; k++)
        for (int c = 0; c < 2; c++)
            for (int j = 0; j < s; j++)
                next[k][c] += g->B[k * s + j] * slope[j][c] + g->V[k * s + j] * v[j][c];
    memcpy(v, next, sizeof next);
}

/* One step from exact values: y(t_n+1) - y_n+1 = kappa (Y_s - Y_j) in every component, since both
 * stages obey the constraint; terms of one order more reach half of it at this step. */
static void estimates(void **state)
{
    static const struct { int p, j; double kappa; } claimed[] = {
        {2, 2, -7. / 3}, {3, 2, -3. / 11}, {4, 1, -13. / 45}, {5, 1, 83. / 45}};
    const double h = 1. / 64;
    (void)state;
    for (size_t i = 0; i < sizeof claimed / sizeof *claimed; i++) {
        int p = claimed[i].p, j = claimed[i].j - 1;
        double v[N][2], stages[N][3], exact[3];
        exact_values(p, h, v);
        step(methods[p - 1], 0, h, v, stages);
        solution(h, exact);
        for (int c = 0; c < 2; c++) {
            double error = exact[c] - stages[p][c];
            double estimate = claimed[i].kappa * (stages[p][c] - stages[j][c]);
            assert_true(fabs(estimate - error) < 0.5 * fabs(error));
        }
    }
}

static double ratio(unsigned *seed, double most)
{
    *seed = *seed * 1664525u + 1013904223u;
    return exp((*seed / 2147483648.0 - 1) * log(most));
}

/* The largest relative errors of (x, y) and z on [0, 1]: 10 steps whose sizes vary by ratios in
 * [1/2, 2], each divided into `parts`. */
static void errors_of(const keel_general_linear *g, int parts, double error[2])
{
    enum { COARSE = 10 };
    double size[COARSE], sum = 0, h = 1, t = 0, v[N][2], u[N][3], exact[3];
    unsigned seed = 3;
    for (int n = 0; n < COARSE; n++) sum += size[n] = h = fmin(fmax(h * ratio(&seed, 2), 0.3), 3);
    h = size[0] / (sum * parts);
    exact_values(g->order, h, v);
    error[0] = error[1] = 0;
    for (int n = 0; n < COARSE * parts; n++) {
        double r = size[n / parts] / (sum * parts) / h;
        h *= r;
        for (int k = 0; k < g->values; k++)
            for (int c = 0; c < 2; c++) v[k][c] *= pow(r, k);
        step(g, t, h, v, u);
        t += h;
        solution(t, exact);
        for (int c = 0; c < 3; c++)
            error[c == 2] = fmax(error[c == 2], fabs(u[g->order][c] / exact[c] - 1));
    }
}

/* Order p in y and z on index 2 [Weiss 2007, theorems 3.25, 3.27], here with changing steps: nearer
 * to p than to p - 1, at sizes where neither rounding nor terms of order p + 1 rule. */
static void orders(void **state)
{
    static const int parts[METHODS] = {16, 16, 16, 16, 8};
    (void)state;
    for (int p = 1; p <= METHODS; p++) {
        double coarse[2], fine[2];
        errors_of(methods[p - 1], parts[p - 1], coarse);
        errors_of(methods[p - 1], 2 * parts[p - 1], fine);
        for (int i = 0; i < 2; i++) {
            double order = log2(coarse[i] / fine[i]);
            if (!(order > p - 0.6)) fail_msg("irks-%d: order %.2f", p, order);
            assert_true(fine[i] < pow(0.1, p + 1));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(estimates), cmocka_unit_test(orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
