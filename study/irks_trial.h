/* irks_trial.h -- a problem of index 2, nonlinear in z, to try general linear methods on:
 *
 *   x' = x y^2 z^2,  y' = x^2 y^2 - 3 y^2 z,  0 = x^2 y - 1;   x = e^t, y = e^(-2t), z = e^(2t).
 *
 * The methods carry the Nordsieck vector and have the last stage at the new point.
 */
#ifndef KEEL_STUDY_IRKS_TRIAL_H
#define KEEL_STUDY_IRKS_TRIAL_H

#include <math.h>
#include <string.h>

#include "keel/method.h"

enum { TRIAL = 6, TRIAL_STEPS = 20 };

static inline void trial_solution(double t, double u[3])
{
    u[0] = exp(t);
    u[1] = exp(-2 * t);
    u[2] = exp(2 * t);
}

/* h^k d^k/dt^k (x, y) at t = 0, k = 0..p */
static inline void trial_values(int p, double h, double v[TRIAL][2])
{
    for (int k = 0; k <= p; k++) {
        v[k][0] = pow(h, k);
        v[k][1] = pow(-2 * h, k);
    }
}

/* x := M^-1 x, M = [M[0..2], M[3]] by elimination with row interchanges */
static inline void trial_solve(double M[3][4], double x[3])
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

/* (x, y) = base + gamma f(x, y, z), 0 = x^2 y - 1 by Newton's method, to rounding */
static inline void trial_stage(const double base[2], double gamma, double u[3])
{
    for (int k = 0; k < 12; k++) {
        double x = u[0], y = u[1], z = u[2], update[3];
        double M[3][4] = {
            {1 - gamma * y * y * z * z, -2 * gamma * x * y * z * z, -2 * gamma * x * y * y * z,
             x - base[0] - gamma * x * y * y * z * z},
            {-2 * gamma * x * y * y, 1 - gamma * (2 * x * x * y - 6 * y * z), 3 * gamma * y * y,
             y - base[1] - gamma * (x * x * y * y - 3 * y * y * z)},
            {2 * x * y, x * x, 0, x * x * y - 1}};
        trial_solve(M, update);
        for (int i = 0; i < 3; i++) u[i] -= update[i];
    }
}

/* One step from the values v; u: the stages. */
static inline void trial_step(const keel_general_linear *g, double t, double h, double v[TRIAL][2],
                              double u[TRIAL][3])
{
    int s = g->stages;
    double slope[TRIAL][2], next[TRIAL][2] = {{0}};
    for (int i = 0; i < s; i++) {
        double base[2] = {0}, gamma = g->A[i * s + i];
        for (int c = 0; c < 2; c++) {
            for (int k = 0; k < s; k++) base[c] += g->U[i * s + k] * v[k][c];
            for (int j = 0; j < i; j++) base[c] += g->A[i * s + j] * slope[j][c];
        }
        trial_solution(t + g->c[i] * h, u[i]);
        trial_stage(base, h * gamma, u[i]);
        for (int c = 0; c < 2; c++) slope[i][c] = (u[i][c] - base[c]) / gamma;
    }
    for (int k = 0; k < s; k++)
        for (int c = 0; c < 2; c++)
            for (int j = 0; j < s; j++)
                next[k][c] += g->B[k * s + j] * slope[j][c] + g->V[k * s + j] * v[j][c];
    memcpy(v, next, sizeof next);
}

/* Sizes with the sum 1; their ratios, of one of several sequences, are random between 1/most and
 * most. */
static inline void trial_sizes(double most, unsigned sequence, int steps, double *size)
{
    double h = 1, sum = 0;
    for (int n = 0; n < steps; n++) {
        sequence = sequence * 1664525u + 1013904223u;
        h = fmin(fmax(h * exp((sequence / 2147483648.0 - 1) * log(most)), 0.2), 5);
        sum += size[n] = h;
    }
    for (int n = 0; n < steps; n++) size[n] /= sum;
}

/* Largest relative errors of (x, y) and z on [0, 1], every step divided into `parts`. */
static inline void trial_errors(const keel_general_linear *g, int steps, const double *size,
                                int parts, double error[2])
{
    double h = size[0] / parts, t = 0, v[TRIAL][2], u[TRIAL][3], exact[3];
    trial_values(g->order, h, v);
    error[0] = error[1] = 0;
    for (int n = 0; n < steps * parts; n++) {
        double r = size[n / parts] / parts / h;
        h *= r;
        for (int k = 0; k < g->values; k++)
            for (int c = 0; c < 2; c++) v[k][c] *= pow(r, k);
        trial_step(g, t, h, v, u);
        t += h;
        trial_solution(t, exact);
        for (int c = 0; c < 3; c++) {
            double relative = fabs(u[g->stages - 1][c] / exact[c] - 1);
            if (!(relative <= error[c == 2])) error[c == 2] = relative;
        }
    }
}

#endif
