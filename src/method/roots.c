/* roots.c -- roots as eigenvalues of the companion matrix; spectral radii of nilpotent matrices.
 *
 * The eigenvalues of a nilpotent matrix of index k come out as eps^(1/k): its powers tell better.
 * A^k = 0 up to rounding when |A^k| <= c eps |A|^k, |A| the matrix of the moduli, or of those of
 * the terms that were added up to A.
 */
#include "method/roots.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "keel/status.h"

enum { N = ROOTS_MOST };

static int eigenvalues(int n, const double *A, complex_root *roots)
{
    double copy[N * N], re[N], im[N];
    memcpy(copy, A, (size_t)(n * n) * sizeof *copy);
    if (n && LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', n, copy, n, re, im, NULL, 1, NULL, 1))
        return KEEL_NO_MEMORY;
    for (int i = 0; i < n; i++) roots[i] = (complex_root){re[i], im[i], hypot(re[i], im[i])};
    return KEEL_OK;
}

int polynomial_roots(int degree, const double *a, complex_root *roots)
{
    double companion[N * N] = {0};
    int zeros = 0, n;
    while (zeros < degree && a[zeros] == 0) zeros++;
    n = degree - zeros;
    for (int j = 0; j < n; j++) {
        companion[j] = -a[degree - 1 - j] / a[degree];
        if (j + 1 < n) companion[(j + 1) * n + j] = 1;
    }
    for (int i = n; i < degree; i++) roots[i] = (complex_root){0};
    return eigenvalues(n, companion, roots);
}

int largest_root(int degree, const double *a, complex_root *root)
{
    complex_root roots[N];
    int rc = polynomial_roots(degree, a, roots);
    *root = (complex_root){0};
    for (int i = 0; i < degree && !rc; i++)
        if (roots[i].modulus > root->modulus) *root = roots[i];
    if (root->im < 0) root->im = -root->im;
    return rc;
}

/* power := power A, and the largest of its moduli. */
static long double multiply(int n, long double *power, const double *A, int moduli)
{
    long double largest = 0;
    for (int i = 0; i < n; i++) {
        long double row[N];
        for (int j = 0; j < n; j++) {
            row[j] = 0;
            for (int k = 0; k < n; k++)
                row[j] += power[i * n + k] * (moduli ? fabs(A[k * n + j]) : A[k * n + j]);
            largest = fmaxl(largest, fabsl(row[j]));
        }
        memcpy(power + i * n, row, (size_t)n * sizeof *row);
    }
    return largest;
}

static int nilpotent(int n, const double *A, const double *terms)
{
    long double power[N * N] = {0}, moduli[N * N] = {0};
    for (int i = 0; i < n; i++) power[i * n + i] = moduli[i * n + i] = 1;
    for (int k = 1; k <= n; k++) {
        long double size = multiply(n, moduli, terms, 1);
        if (multiply(n, power, A, 0) <= 16 * k * DBL_EPSILON * size) return 1;
    }
    return 0;
}

int spectral_radius(int n, const double *A, const double *terms, double *radius)
{
    complex_root roots[N];
    *radius = 0;
    if (nilpotent(n, A, terms ? terms : A)) return KEEL_OK;
    int rc = eigenvalues(n, A, roots);
    for (int i = 0; i < n && !rc; i++) *radius = fmax(*radius, roots[i].modulus);
    return rc;
}

void root_text(const complex_root *root, char text[ROOT_TEXT])
{
    if (root->im == 0) snprintf(text, ROOT_TEXT, "%.6g", root->re);
    else snprintf(text, ROOT_TEXT, "%.6g + %.6g i", root->re, root->im);
}
