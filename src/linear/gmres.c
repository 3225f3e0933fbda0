#include "linear/gmres.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

void gmres_layout(arena *a, gmres *k, int n, int restart, int limit)
{
    size_t m = (size_t)restart;
    k->n = n;
    k->restart = restart;
    k->limit = limit;
    k->V = ARENA(a, double, (m + 1) * (size_t)n);
    k->H = ARENA(a, double, m * (m + 1));
    ARENA_VECTORS(a, m, &k->cosine, &k->sine);
    k->g = ARENA(a, double, m + 1);
    ARENA_VECTORS(a, n, &k->x, &k->r);
}

static double *basis(const gmres *k, int j) { return k->V + (size_t)j * (size_t)k->n; }

/* v_(j+1) from B v_j, and column j of H. */
static void orthogonalise(gmres *k, int j)
{
    double *w = basis(k, j + 1), *h = k->H + (size_t)j * (size_t)(k->restart + 1);
    for (int i = 0; i <= j; i++) {
        h[i] = cblas_ddot(k->n, basis(k, i), 1, w, 1);
        cblas_daxpy(k->n, -h[i], basis(k, i), 1, w, 1);
    }
    h[j + 1] = cblas_dnrm2(k->n, w, 1);
    if (h[j + 1] > 0) cblas_dscal(k->n, 1 / h[j + 1], w, 1);
}

/* The rotations so far on column j, and one more that takes h_(j+1) away; |g_(j+1)| is what is left. */
static void rotate(gmres *k, int j)
{
    double *h = k->H + (size_t)j * (size_t)(k->restart + 1);
    for (int i = 0; i < j; i++) {
        double upper = k->cosine[i] * h[i] + k->sine[i] * h[i + 1];
        h[i + 1] = -k->sine[i] * h[i] + k->cosine[i] * h[i + 1];
        h[i] = upper;
    }
    double size = hypot(h[j], h[j + 1]);
    k->cosine[j] = size == 0 ? 1 : h[j] / size;      /* NaN stays what it is */
    k->sine[j] = size == 0 ? 0 : h[j + 1] / size;
    h[j] = size;
    k->g[j + 1] = -k->sine[j] * k->g[j];
    k->g[j] *= k->cosine[j];
}

/* x := x + V c, H c = g, of the first m columns. */
static void add_solution(gmres *k, int m)
{
    for (int i = m - 1; i >= 0; i--) {
        double sum = k->g[i];
        for (int j = i + 1; j < m; j++) sum -= k->H[(size_t)j * (size_t)(k->restart + 1) + (size_t)i] * k->g[j];
        double pivot = k->H[(size_t)i * (size_t)(k->restart + 1) + (size_t)i];
        k->g[i] = pivot != 0 ? sum / pivot : 0;
    }
    for (int i = 0; i < m; i++) cblas_daxpy(k->n, k->g[i], basis(k, i), 1, k->x, 1);
}

/* v_0 and g_0 = |P (b - A x)|; at first x = 0. */
static int residual(gmres *k, gmres_operator *A, gmres_operator *P, void *context, const double *b, int first,
                    double *size)
{
    int rc = 0;
    if (first) memcpy(k->r, b, (size_t)k->n * sizeof *b);
    else {
        rc = A(context, k->x, k->r);
        for (int i = 0; i < k->n; i++) k->r[i] = b[i] - k->r[i];
    }
    if (!rc) rc = P(context, k->r, basis(k, 0));
    *size = cblas_dnrm2(k->n, basis(k, 0), 1);
    if (*size > 0) cblas_dscal(k->n, 1 / *size, basis(k, 0), 1);
    return rc;
}

int gmres_solve(gmres *k, gmres_operator *A, gmres_operator *P, void *context, double tolerance, double *b,
                long *iterations)
{
    double left, enough = 0;
    memset(k->x, 0, (size_t)k->n * sizeof *k->x);
    for (int spent = 0; spent < k->limit;) {
        int rc = residual(k, A, P, context, b, spent == 0, &left), m = 0;
        if (rc) return rc;
        if (!isfinite(left)) return GMRES_NOT_FINITE;
        if (spent == 0) enough = tolerance * left;
        k->g[0] = left;
        for (; m < k->restart && spent < k->limit && left > enough; m++, spent++) {
            rc = A(context, basis(k, m), k->r);
            if (!rc) rc = P(context, k->r, basis(k, m + 1));
            ++*iterations;
            if (rc) return rc;
            orthogonalise(k, m);
            rotate(k, m);
            left = fabs(k->g[m + 1]);
            if (!isfinite(left)) return GMRES_NOT_FINITE;
        }
        add_solution(k, m);
        if (left <= enough) {
            memcpy(b, k->x, (size_t)k->n * sizeof *b);
            return 0;
        }
    }
    return GMRES_NOT_REACHED;
}
