/* principal.c -- the principal eigenvalue of M(z) = V + z B (I - zA)^-1 U, and M(z) itself.
 *
 * y' = lambda y gives y[n+1] = M(h lambda) y[n].  M(0) = V has the eigenvalue 1 with eigenvector u;
 * w(z) is the eigenvalue that continues it, whatever coordinates y[n] has.  For a Runge-Kutta
 * method it is R(z), for a multistep method the principal root of rho(w) = z sigma(w).  From
 *     M(z) v(z) = w(z) v(z),   M_0 = V, M_k = B A^(k-1) U,   l^T v(z) = l^T u = 1,   l^T V = l^T,
 * the coefficient of z^k is, with a_k = A a_(k-1) + U v_(k-1),
 *     (V - I) v_k + x_k = w_k u,   x_k = B a_k - sum_(0<j<k) w_(k-j) v_j,
 * so that w_k = l^T x_k, and v_k follows from a system bordered by u and l.
 */
#include "method/principal.h"

#include <math.h>
#include <string.h>

enum { S = KEEL_STAGES_MOST, R = KEEL_VALUES_MOST };

_Static_assert((int)R < (int)MATRIX_MOST, "a border has room");

static void exchange_rows(matrix *M, int count, long double X[][R], int k, int l)
{
    if (k == l) return;
    for (int j = 0; j < M->n; j++) {
        long double keep = M->at[k][j];
        M->at[k][j] = M->at[l][j];
        M->at[l][j] = keep;
    }
    for (int j = 0; j < count; j++) {
        long double keep = X[k][j];
        X[k][j] = X[l][j];
        X[l][j] = keep;
    }
}

/* X := M^-1 X, `count` columns; M is lost.  KEEL_SINGULAR: up to rounding. */
static int solve(matrix *M, int count, long double X[][R])
{
    int n = M->n;
    long double largest = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) largest = fmaxl(largest, fabsl(M->at[i][j]));
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabsl(M->at[i][k]) > fabsl(M->at[pivot][k])) pivot = i;
        if (!(fabsl(M->at[pivot][k]) > 1e-13L * largest)) return KEEL_SINGULAR;
        exchange_rows(M, count, X, k, pivot);
        for (int i = k + 1; i < n; i++) {
            long double factor = M->at[i][k] / M->at[k][k];
            for (int j = k + 1; j < n; j++) M->at[i][j] -= factor * M->at[k][j];
            for (int j = 0; j < count; j++) X[i][j] -= factor * X[k][j];
        }
    }
    for (int i = n - 1; i >= 0; i--)
        for (int j = 0; j < count; j++) {
            for (int k = i + 1; k < n; k++) X[i][j] -= M->at[i][k] * X[k][j];
            X[i][j] /= M->at[i][i];
        }
    return KEEL_OK;
}

/* ---- M(z) ---------------------------------------------------------------------------------- */

int stability_matrix(const keel_general_linear *g, long double x, matrix *M, matrix *size)
{
    int s = g->stages, r = g->values;
    matrix shifted;
    long double X[S][R];
    shifted.n = s;
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) shifted.at[i][j] = (i == j ? x : 0) - g->A[i * s + j];
        for (int j = 0; j < r; j++) X[i][j] = g->U[i * r + j];
    }
    if (solve(&shifted, r, X)) return KEEL_SINGULAR;
    M->n = size->n = r;
    for (int i = 0; i < r; i++)
        for (int j = 0; j < r; j++) {
            M->at[i][j] = g->V[i * r + j];
            size->at[i][j] = fabs(g->V[i * r + j]);
            for (int k = 0; k < s; k++) {
                M->at[i][j] += g->B[i * s + k] * X[k][j];
                size->at[i][j] += fabsl(g->B[i * s + k] * X[k][j]);
            }
        }
    return KEEL_OK;
}

/* ---- the eigenvalue 1 of V ------------------------------------------------------------------ */

void preconsistency_vector(const keel_general_linear *g, double *u)
{
    for (int i = 0; i < g->values; i++) u[i] = g->W ? g->W[i * (g->order + 1)] : i == 0;
}

/* [V - I, column; row^T, 0], V transposed if asked for. */
static void bordered(const keel_general_linear *g, int transposed, const long double *column,
                     const long double *row, matrix *M)
{
    int r = g->values;
    M->n = r + 1;
    for (int i = 0; i < r; i++) {
        for (int j = 0; j < r; j++)
            M->at[i][j] = g->V[transposed ? j * r + i : i * r + j] - (i == j);
        M->at[i][r] = column[i];
        M->at[r][i] = row[i];
    }
    M->at[r][r] = 0;
}

int left_eigenvector(const keel_general_linear *g, const double *u, long double *l)
{
    int r = g->values;
    long double right[R] = {0}, x[R + 1][R];
    matrix M;
    for (int i = 0; i < r; i++) right[i] = u[i];
    for (int i = 0; i <= r; i++) x[i][0] = i == r;
    bordered(g, 1, right, right, &M);
    if (solve(&M, 1, x)) return KEEL_SINGULAR;
    for (int i = 0; i < r; i++) l[i] = x[i][0];
    return KEEL_OK;
}

/* ---- w(z) ---------------------------------------------------------------------------------- */

/* a := A a + U v. */
static void next_stages(const keel_general_linear *g, const long double *v, long double *a)
{
    int s = g->stages, r = g->values;
    long double next[S];
    for (int i = 0; i < s; i++) {
        next[i] = 0;
        for (int j = 0; j < s; j++) next[i] += g->A[i * s + j] * a[j];
        for (int j = 0; j < r; j++) next[i] += g->U[i * r + j] * v[j];
    }
    memcpy(a, next, (size_t)s * sizeof *a);
}

int principal_series(const keel_general_linear *g, const double *u, int terms, long double *w)
{
    int s = g->stages, r = g->values;
    long double l[R], right[R] = {0}, a[S] = {0}, v[PRINCIPAL_TERMS + 1][R], x[R + 1][R];
    matrix M;
    if (left_eigenvector(g, u, l)) return KEEL_SINGULAR;
    for (int i = 0; i < r; i++) right[i] = v[0][i] = u[i];
    w[0] = 1;
    for (int k = 1; k <= terms; k++) {
        next_stages(g, v[k - 1], a);
        w[k] = 0;
        for (int i = 0; i < r; i++) {
            x[i][0] = 0;
            for (int j = 0; j < s; j++) x[i][0] += g->B[i * s + j] * a[j];
            for (int j = 1; j < k; j++) x[i][0] -= w[k - j] * v[j][i];
            w[k] += l[i] * x[i][0];
        }
        for (int i = 0; i < r; i++) x[i][0] = w[k] * u[i] - x[i][0];
        x[r][0] = 0;
        bordered(g, 0, right, l, &M);
        if (solve(&M, 1, x)) return KEEL_SINGULAR;
        for (int i = 0; i < r; i++) v[k][i] = x[i][0];
    }
    return KEEL_OK;
}

double principal_error(const keel_general_linear *g, const double *u, int order)
{
    long double w[PRINCIPAL_TERMS + 1], exact = 1;
    for (int k = 2; k <= order + 1; k++) exact /= k;
    return principal_series(g, u, order + 1, w) ? (double)NAN : (double)(exact - w[order + 1]);
}
