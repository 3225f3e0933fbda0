/* blocks.c -- the condensed system, by elimination of one mesh point after the other.
 *
 *   F_n v_(n-1) - v_n + P_n p = -r_n,  n = 1..N,    conditions in v_0, v_N, p, and in v_j inside
 *
 * The rows that are left, D v_j + C v_0 + B p = s, are stacked on those of the next interval and v_j
 * is eliminated from both with row interchanges, so that neither growing nor decaying solutions
 * are amplified; v_0 and p stay as a border.  What remains at the end is a dense system in v_N, v_0, p
 * with the conditions [Wright, SIAM J. Sci. Stat. Comput. 13 (1992) 742].
 *
 * Columns of stacked rows: v_j, v_(j+1), v_0, p.
 */
#include <math.h>
#include <string.h>

#include "boundary/boundary.h"
#include "boundary/rows.h"

static int width_of(const keel_boundary *w) { return 3 * w->flow.nx + w->flow.np; }

/* F v_(n-1) - v_n + P p, interval i from 0 on: into rows with these columns. */
static void put_interval(const keel_boundary *w, const mesh *s, int i, int width, double *row,
                         int old, int new, int parameters)
{
    int nx = w->flow.nx, np = w->flow.np;
    const double *F = s->F + (ptrdiff_t)i * nx * nx, *P = s->P + (ptrdiff_t)i * nx * np;
    for (int r = 0; r < nx; r++, row += width) {
        memset(row, 0, (size_t)width * sizeof *row);
        memcpy(row + old, F + (ptrdiff_t)r * nx, (size_t)nx * sizeof *row);
        memcpy(row + parameters, P + (ptrdiff_t)r * np, (size_t)np * sizeof *row);
        row[new + r] = -1;
    }
}

static void scale_row(int count, double *row, double *scale)
{
    double largest = 0;
    for (int j = 0; j < count; j++) largest = fmax(largest, fabs(row[j]));
    *scale = largest > 0 ? 1 / largest : 1;
    for (int j = 0; j < count; j++) row[j] *= *scale;
}

/* The conditions at mesh point j, each in v_j and p. */
static int put_inner(const keel_boundary *w, mesh *s, int j, int width, double *row)
{
    int nx = w->flow.nx, rows = 0;
    for (int i = 0; i < w->spec.inner; i++) {
        if (s->point[2 + i].at != j) continue;
        memset(row, 0, (size_t)width * sizeof *row);
        conditions_inner_row(w, s, i, row, row + 3 * nx);
        scale_row(width, row, &s->dense_scale[2 * nx + w->flow.np + i]);
        row += width;
        rows++;
    }
    return rows;
}

static void swap_rows(int width, double *a, double *b)
{
    for (int j = 0; j < width && a != b; j++) {
        double t = a[j];
        a[j] = b[j];
        b[j] = t;
    }
}

/* LU of the first nx columns; rows change places whole.  0, or 1: no pivot. */
static int eliminate(int rows, int nx, int width, double *a, int *pivot)
{
    for (int k = 0; k < nx; k++) {
        double *top = a + (ptrdiff_t)k * width;
        int best = k;
        for (int i = k + 1; i < rows; i++)
            if (fabs(a[(ptrdiff_t)i * width + k]) > fabs(a[(ptrdiff_t)best * width + k])) best = i;
        pivot[k] = best;
        swap_rows(width, top, a + (ptrdiff_t)best * width);
        if (!(fabs(top[k]) > 0)) return 1;
        for (int i = k + 1; i < rows; i++) {
            double *row = a + (ptrdiff_t)i * width, factor = row[k] / top[k];
            row[k] = factor;
            if (factor == 0) continue;
            for (int j = k + 1; j < width; j++) row[j] -= factor * top[j];
        }
    }
    return 0;
}

static int end_system(keel_boundary *w, mesh *s, int carried, const double *from)
{
    int nx = w->flow.nx, np = w->flow.np, size = 2 * nx + np, width = width_of(w);
    for (int i = 0; i < carried; i++) {          /* v_N, v_0, p */
        double *row = s->dense + (ptrdiff_t)i * size;
        if (s->N == 1) break;
        memcpy(row, from + (ptrdiff_t)i * width + nx, (size_t)size * sizeof *row);
    }
    if (s->N == 1) put_interval(w, s, 0, size, s->dense, nx, 0, 2 * nx);
    for (int i = 0; i < carried; i++)
        scale_row(size, s->dense + (ptrdiff_t)i * size, &s->dense_scale[i]);
    for (int i = 0; i < w->rows; i++) {
        double *row = s->dense + (ptrdiff_t)(carried + i) * size;
        memset(row, 0, (size_t)size * sizeof *row);
        conditions_row(w, s, i, row + nx, row, row + 2 * nx);
        scale_row(size, row, &s->dense_scale[carried + i]);
    }
    return dense_factor(size, s->dense, s->dense_pivot) ? BOUNDARY_SINGULAR_ENDS : 0;
}

int blocks_factor(keel_boundary *w, mesh *s)
{
    int nx = w->flow.nx, width = width_of(w), carried = nx;
    const double *left = NULL;
    for (int j = 1; j < s->N; j++) {
        double *a = s->row[j];
        if (j == 1) put_interval(w, s, 0, width, a, 2 * nx, 0, 3 * nx);
        for (int i = 0; i < carried && j > 1; i++) {
            const double *from = left + (ptrdiff_t)i * width;
            double *row = a + (ptrdiff_t)i * width;
            memcpy(row, from + nx, (size_t)nx * sizeof *row);
            memset(row + nx, 0, (size_t)nx * sizeof *row);
            memcpy(row + 2 * nx, from + 2 * nx, (size_t)(width - 2 * nx) * sizeof *row);
        }
        carried += put_inner(w, s, j, width, a + (ptrdiff_t)carried * width);
        put_interval(w, s, j, width, a + (ptrdiff_t)carried * width, 0, nx, 3 * nx);
        if (eliminate(carried + nx, nx, width, a, s->row_pivot + (ptrdiff_t)j * nx))
            return BOUNDARY_SINGULAR_ENDS;
        left = a + (ptrdiff_t)nx * width;
    }
    return end_system(w, s, carried, left);
}

/* ---- solutions ----------------------------------------------------------------------------- */

/* Right-hand sides after the same interchanges and eliminations. */
static void reduce(int rows, int nx, int width, const double *a, const int *pivot, double *b)
{
    for (int k = 0; k < nx; k++) swap_rows(1, b + k, b + pivot[k]);
    for (int k = 0; k < nx; k++)
        for (int i = k + 1; i < rows; i++) b[i] -= a[(ptrdiff_t)i * width + k] * b[k];
}

/* v_j from v_(j+1), v_0, p. */
static void back(const keel_boundary *w, const mesh *s, int j, const double *right, unknowns *step)
{
    int nx = w->flow.nx, np = w->flow.np, width = width_of(w);
    double *v = step->x + (ptrdiff_t)j * nx;
    for (int k = nx - 1; k >= 0; k--) {
        const double *row = s->row[j] + (ptrdiff_t)k * width;
        double sum = right[k];
        for (int l = k + 1; l < nx; l++) sum -= row[l] * v[l];
        for (int l = 0; l < nx; l++) sum -= row[nx + l] * v[nx + l] + row[2 * nx + l] * step->x[l];
        for (int l = 0; l < np; l++) sum -= row[3 * nx + l] * step->p[l];
        v[k] = sum / row[k];
    }
}

void blocks_solve(keel_boundary *w, mesh *s, const unknowns *r, unknowns *step)
{
    int nx = w->flow.nx, np = w->flow.np, size = 2 * nx + np, carried = nx;
    int room = 2 * nx + w->spec.inner, width = width_of(w);
    double *b = s->right, *end = w->work;
    for (int i = 0; i < nx; i++) b[i] = -r->x[nx + i];
    for (int j = 1; j < s->N; j++) {
        for (int i = 0; i < w->spec.inner; i++)
            if (s->point[2 + i].at == j)
                b[carried++] = s->dense_scale[size + i] * conditions_inner_right(w, s, i, r);
        for (int i = 0; i < nx; i++) b[carried + i] = -r->x[(ptrdiff_t)(j + 1) * nx + i];
        reduce(carried + nx, nx, width, s->row[j], s->row_pivot + (ptrdiff_t)j * nx, b);
        memcpy(b + room, b + nx, (size_t)carried * sizeof *b);
        b += room;
    }
    for (int i = 0; i < carried; i++) end[i] = s->dense_scale[i] * b[i];
    for (int i = 0; i < w->rows; i++)
        end[carried + i] = s->dense_scale[carried + i] * conditions_right(w, s, i, r);
    dense_solve(size, s->dense, s->dense_pivot, end);
    memcpy(step->x + (ptrdiff_t)s->N * nx, end, (size_t)nx * sizeof *end);
    memcpy(step->x, end + nx, (size_t)nx * sizeof *end);
    memcpy(step->p, end + 2 * nx, (size_t)np * sizeof *end);
    for (int j = s->N - 1; j >= 1; j--) back(w, s, j, s->right + (ptrdiff_t)(j - 1) * room, step);
}
