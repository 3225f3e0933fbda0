/* roots.c -- roots as eigenvalues of the companion matrix; spectral radii of nilpotent matrices.
 *
 * The eigenvalues of a nilpotent matrix of index k come out as eps^(1/k): its powers tell better.
 */
#include "method/roots.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "keel/status.h"
#include "linear/small.h"
#include "method/powers.h"

enum { N = ROOTS_MOST };

static int eigenvalues(int n, const double *A, complex_root *roots)
{
    double re[N], im[N];
    if (n && small_eigenvalues(n, A, re, im, NULL)) return KEEL_NOT_CONVERGED;
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

static void matrix_of(int n, const double *A, int moduli, matrix *M)
{
    M->n = n;
    for (int i = 0; i < n * n; i++) M->at[i / n][i % n] = moduli ? fabs(A[i]) : A[i];
}

int spectral_radius(int n, const double *A, const double *terms, double *radius)
{
    complex_root roots[N];
    matrix M, size;
    matrix_of(n, A, 0, &M);
    matrix_of(n, terms ? terms : A, 1, &size);
    *radius = 0;
    if (nilpotency(&M, &size, COEFFICIENT_ROUNDING)) return KEEL_OK;
    int rc = eigenvalues(n, A, roots);
    for (int i = 0; i < n && !rc; i++) *radius = fmax(*radius, roots[i].modulus);
    return rc;
}

void root_text(const complex_root *root, char text[ROOT_TEXT])
{
    if (root->im == 0) number_print(text, ROOT_TEXT, "%.6g", root->re);
    else number_print(text, ROOT_TEXT, "%.6g + %.6g i", root->re, root->im);
}
