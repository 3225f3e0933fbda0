#include "problem/quadratic.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"

enum { MOST_ENTRIES = 1 << 15 };                 /* of H: 256 kB */

static const double
    part = 0.25,                 /* of the largest |x_j|: length of the increments         */
    rounding = 100 * DBL_EPSILON;

int quadratic_fits(int rows, int size)
{
    return (double)rows * size * size <= MOST_ENTRIES;
}

void quadratic_layout(arena *a, quadratic *p, int rows, int size)
{
    p->rows = rows;
    p->size = size;
    ARENA_KEEP(a, p, length, length);
    p->x = ARENA(a, double, size);
    p->g = ARENA(a, double, rows);
    p->G = ARENA(a, double, (size_t)rows * (size_t)size);
    p->H = ARENA(a, double, (size_t)rows * (size_t)size * (size_t)size);
    p->line = ARENA(a, double, 5 * rows);
    p->w = ARENA(a, double, size);
    p->slope = ARENA(a, double, (size_t)rows * (size_t)size);
}

/* The value at x + shift w, or x + a e_i + b e_j with a, b in units of the length. */
static int value_on_line(const quadratic *p, const difference *d, double shift, double *value)
{
    for (int j = 0; j < p->size; j++) d->moved[j] = d->x[j] + shift * p->w[j];
    return d->value(d->context, d->t, d->moved, value);
}

static int value_beside(const quadratic *p, const difference *d, int i, double a, int j, double b,
                        double *value)
{
    memcpy(d->moved, d->x, (size_t)p->size * sizeof *d->moved);
    d->moved[i] += a * p->length;
    d->moved[j] += b * p->length;
    return d->value(d->context, d->t, d->moved, value);
}

/* Do third and fourth differences vanish along a line in no special direction? */
static int quadratic_on_line(quadratic *p, const difference *d, int *so)
{
    const double golden = 0.6180339887;
    int m = p->rows, rc = 0;
    for (int j = 0; j < p->size; j++) {
        double turn = (j + 1) * golden;
        p->w[j] = (j % 2 ? -1 : 1) * p->length * (0.5 + 0.5 * (turn - floor(turn)));
    }
    for (int k = 0; k < 5 && !rc; k++) rc = value_on_line(p, d, k - 2, p->line + k * m);
    *so = !rc;
    for (int i = 0; i < m && *so; i++) {
        const double *f = p->line + i;
        double third = f[4 * m] - 2 * f[3 * m] + 2 * f[m] - f[0];
        double fourth = f[4 * m] - 4 * f[3 * m] + 6 * f[2 * m] - 4 * f[m] + f[0], size = 0;
        for (int k = 0; k < 5; k++) size = fmax(size, fabs(f[k * m]));
        *so = fmax(fabs(third), fabs(fourth)) <= rounding * size;
    }
    return rc;
}

/* G_0 and the diagonal of H, with g_0 known. */
static int learn_columns(quadratic *p, const difference *d)
{
    int n = p->size, m = p->rows, rc = 0;
    double h = p->length, *right = p->line, *left = p->line + m;
    for (int j = 0; j < n && !rc; j++) {
        rc = value_beside(p, d, j, 1, j, 0, right);
        if (!rc) rc = value_beside(p, d, j, -1, j, 0, left);
        for (int k = 0; k < m && !rc; k++) {
            p->G[k * n + j] = (right[k] - left[k]) / h / 2;
            p->H[(k * n + j) * n + j] = (right[k] - 2 * p->g[k] + left[k]) / h / h;
        }
    }
    return rc;
}

/* H_ij from g(x + h e_i + h e_j) and what is known. */
static int learn_mixed(quadratic *p, const difference *d)
{
    int n = p->size, m = p->rows, rc = 0;
    double h = p->length, *value = p->line;
    for (int i = 0; i < n && !rc; i++)
        for (int j = 0; j < i && !rc; j++) {
            rc = value_beside(p, d, i, 1, j, 1, value);
            for (int k = 0; k < m && !rc; k++) {
                double *H = p->H + k * n * n, *G = p->G + k * n;
                double bend = (H[i * n + i] + H[j * n + j]) / 2;
                double pure = p->g[k] + h * (G[i] + G[j] + h * bend);
                H[i * n + j] = H[j * n + i] = (value[k] - pure) / h / h;
            }
        }
    return rc;
}

void quadratic_jacobian(const quadratic *p, const double *x, double *G)
{
    int n = p->size;
    const double *H = p->H;
    for (int k = 0; k < p->rows * n; k++, H += n) {
        double sum = p->G[k];
        for (int j = 0; j < n; j++) sum += H[j] * (x[j] - p->x[j]);
        G[k] = sum;
    }
}

void quadratic_curvature(const quadratic *p, const double *v, double *value)
{
    int n = p->size;
    const double *H = p->H;
    for (int k = 0; k < p->rows; k++) {
        value[k] = 0;
        for (int i = 0; i < n; i++, H += n)
            for (int j = 0; j < n; j++) value[k] += v[i] * H[j] * v[j];
    }
}

/* P - g_0 = (P'(x_0) + P'(x)) s / 2; g may have rounded its arguments. */
int quadratic_agrees(const quadratic *p, const double *x, const double *g, const double *G)
{
    int n = p->size;
    for (int k = 0; k < p->rows; k++) {
        double value = p->g[k], size = fabs(p->g[k]) + fabs(g[k]);
        for (int j = 0; j < n; j++) {
            double slope = (p->G[k * n + j] + G[k * n + j]) / 2, step = x[j] - p->x[j];
            value += slope * step;
            size += (fabs(p->G[k * n + j]) + fabs(G[k * n + j])) * (fabs(step) + fabs(x[j]));
        }
        if (!(fabs(g[k] - value) <= rounding * size)) return 0;
    }
    return 1;
}

int quadratic_confirm(quadratic *p, const difference *d, int *found)
{
    int rc = value_on_line(p, d, -1.5, p->line);
    if (rc) return rc;
    quadratic_jacobian(p, d->moved, p->slope);
    *found = quadratic_agrees(p, d->moved, p->line, p->slope);
    return 0;
}

int quadratic_learn(quadratic *p, const difference *d, int *found)
{
    int n = p->size, m = p->rows;
    double size = norm_max(n, d->x);
    p->length = exp2(round(log2(part * (size > 0 ? size : 1))));
    memcpy(p->x, d->x, (size_t)n * sizeof *p->x);
    memset(p->H, 0, (size_t)(m * n * n) * sizeof *p->H);
    int rc = quadratic_on_line(p, d, found);
    if (rc || !*found) return rc;
    memcpy(p->g, p->line + 2 * m, (size_t)m * sizeof *p->g);
    rc = learn_columns(p, d);
    if (!rc) rc = learn_mixed(p, d);
    return rc ? rc : quadratic_confirm(p, d, found);
}
