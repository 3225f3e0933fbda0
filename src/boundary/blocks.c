/* blocks.c -- the condensed system, by elimination of one mesh point after the other.
 *
 *   F_n v_(n-1) - v_n + P_n p = -r_n,  n = 1..N,    conditions in v_0, v_N, p, and in v_j inside
 *
 * The rows that are left, D v_j + C v_0 + B p = s, are stacked on those of the next interval and v_j
 * is eliminated from both with row interchanges, so that neither growing nor decaying solutions
 * are amplified; v_0 and p stay as a border.  What remains at the end is a dense system in v_N, v_0, p
 * with the conditions [Wright, SIAM J. Sci. Stat. Comput. 13 (1992) 742].
 *
 * Columns of stacked rows: v_j, v_(j+1), v_0, p; stored by columns.  Of each mesh point U, what is right
 * of it and L are kept.
 */
#include <math.h>
#include <string.h>

#include "boundary/boundary.h"
#include "boundary/rows.h"

static int width_of(const keel_boundary *w) { return 3 * w->flow.nx + w->flow.np; }

/* Rows that are stacked, by columns; `rows` to a column. */
typedef struct stack {
    int rows;
    double *a;
} stack;

static double *entry(const stack *k, int row, int column)
{
    return k->a + (ptrdiff_t)column * k->rows + row;
}

/* F v_(n-1) - v_n + P p, interval i from 0 on: from `row` on, in these columns. */
static void put_interval(const keel_boundary *w, const mesh *s, int i, const stack *k, int row,
                         int old, int new, int parameters)
{
    int nx = w->flow.nx, np = w->flow.np;
    const double *F = s->F + (ptrdiff_t)i * nx * nx, *P = s->P + (ptrdiff_t)i * nx * np;
    for (int c = 0; c < nx; c++) {
        double *column = entry(k, row, old + c);
        for (int r = 0; r < nx; r++) column[r] = F[(ptrdiff_t)r * nx + c];
        *entry(k, row + c, new + c) = -1;
    }
    for (int c = 0; c < np; c++)
        for (int r = 0; r < nx; r++) *entry(k, row + r, parameters + c) = P[(ptrdiff_t)r * np + c];
}

static void scale_row(int count, double *row, double *scale)
{
    double largest = 0;
    for (int j = 0; j < count; j++) largest = fmax(largest, fabs(row[j]));
    *scale = largest > 0 ? 1 / largest : 1;
    for (int j = 0; j < count; j++) row[j] *= *scale;
}

/* The conditions at mesh point j, each in v_j and p. */
static int put_inner(keel_boundary *w, mesh *s, int j, const stack *k, int row)
{
    int nx = w->flow.nx, np = w->flow.np, rows = 0;
    double *v = w->work, *p = v + nx;
    for (int i = 0; i < w->spec.inner; i++) {
        if (s->point[2 + i].at != j) continue;
        memset(v, 0, (size_t)(nx + np) * sizeof *v);
        conditions_inner_row(w, s, i, v, p);
        scale_row(nx + np, v, &s->dense_scale[2 * nx + np + i]);
        for (int c = 0; c < nx; c++) *entry(k, row + rows, c) = v[c];
        for (int c = 0; c < np; c++) *entry(k, row + rows, 3 * nx + c) = p[c];
        rows++;
    }
    return rows;
}

/* What is left of the rows before becomes the first rows of the next stack: v_(j+1) is v_j there. */
static void carry(const keel_boundary *w, const stack *from, int carried, const stack *to)
{
    int nx = w->flow.nx, width = width_of(w);
    for (int c = 0; c < width; c++) {
        if (c >= nx && c < 2 * nx) continue;
        const double *column = entry(from, nx, c < nx ? nx + c : c);
        memcpy(entry(to, 0, c), column, (size_t)carried * sizeof *column);
    }
}

/* U, what is right of it and L of mesh point j: so many numbers, and where they are. */
static size_t rows_count(const keel_boundary *w, const mesh *s, int j)
{
    return (size_t)w->flow.nx * (size_t)(width_of(w) + s->rows[j] - w->flow.nx);
}

/* In double precision: U and what is right of it; or U and L. */
enum part { RIGHT, BELOW };

static const double *rows_of(const keel_boundary *w, const mesh *s, int j, enum part part)
{
    size_t nx = (size_t)w->flow.nx, right = nx * (size_t)width_of(w), first = part == RIGHT ? right : nx * nx;
    if (s->single) to_double(first, s->row_single[j], s->row[j]);
    if (s->single && part == BELOW)
        to_double(rows_count(w, s, j) - right, s->row_single[j] + right, s->row[j] + right);
    return s->row[j];
}

/* The stack of mesh point j without what is left: nx rows of all columns, then L below them. */
static void keep(const keel_boundary *w, const mesh *s, int j, const stack *k)
{
    int nx = w->flow.nx, width = width_of(w), below = k->rows - nx;
    double *row = s->row[j];
    for (int c = 0; c < width; c++, row += nx)
        memcpy(row, entry(k, 0, c), (size_t)nx * sizeof *row);
    for (int c = 0; c < nx; c++, row += below)
        memcpy(row, entry(k, nx, c), (size_t)below * sizeof *row);
    if (s->single) to_single(rows_count(w, s, j), s->row[j], s->row_single[j]);
}

static int end_system(keel_boundary *w, mesh *s, int carried, const stack *from)
{
    int nx = w->flow.nx, np = w->flow.np, size = 2 * nx + np;
    stack alone = {nx, s->stack[0]};
    if (s->N == 1) {
        memset(alone.a, 0, (size_t)nx * (size_t)size * sizeof *alone.a);
        put_interval(w, s, 0, &alone, 0, nx, 0, 2 * nx);
    }
    for (int i = 0; i < carried; i++) {          /* v_N, v_0, p */
        double *row = s->dense + (ptrdiff_t)i * size;
        for (int c = 0; c < size; c++) row[c] = s->N == 1 ? *entry(&alone, i, c)
                                                          : *entry(from, nx + i, nx + c);
        scale_row(size, row, &s->dense_scale[i]);
    }
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
    stack before = {0};
    for (int j = 1; j < s->N; j++) {
        stack k = {s->rows[j], s->stack[j % 2]};
        memset(k.a, 0, (size_t)k.rows * (size_t)width * sizeof *k.a);
        if (j == 1) put_interval(w, s, 0, &k, 0, 2 * nx, 0, 3 * nx);
        else carry(w, &before, carried, &k);
        carried += put_inner(w, s, j, &k, carried);
        put_interval(w, s, j, &k, carried, 0, nx, 3 * nx);
        if (dense_eliminate(k.rows, nx, width, k.a, s->row_pivot + (ptrdiff_t)j * nx))
            return BOUNDARY_SINGULAR_ENDS;
        keep(w, s, j, &k);
        before = k;
    }
    return end_system(w, s, carried, &before);
}

/* ---- solutions ----------------------------------------------------------------------------- */

/* Right-hand sides after the same interchanges and eliminations. */
static void reduce(const keel_boundary *w, const mesh *s, int j, double *b)
{
    int nx = w->flow.nx, below = s->rows[j] - nx;
    const double *U = rows_of(w, s, j, BELOW), *L = U + (ptrdiff_t)nx * width_of(w);
    const int *pivot = s->row_pivot + (ptrdiff_t)j * nx;
    for (int k = 0; k < nx; k++) {
        double t = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = t;
    }
    for (int k = 0; k < nx; k++) {
        const double *top = U + (ptrdiff_t)k * nx, *low = L + (ptrdiff_t)k * below;
        double factor = b[k];
        for (int i = k + 1; i < nx; i++) b[i] -= factor * top[i];
        for (int i = 0; i < below; i++) b[nx + i] -= factor * low[i];
    }
}

static void subtract_columns(int nx, int columns, const double *a, const double *x, double *v)
{
    for (int c = 0; c < columns; c++, a += nx)
        for (int i = 0; i < nx; i++) v[i] -= x[c] * a[i];
}

/* v_j from v_(j+1), v_0, p. */
static void back(const keel_boundary *w, const mesh *s, int j, const double *right, unknowns *step)
{
    int nx = w->flow.nx;
    ptrdiff_t block = (ptrdiff_t)nx * nx;
    const double *U = rows_of(w, s, j, RIGHT);
    double *v = step->x + (ptrdiff_t)j * nx;
    memcpy(v, right, (size_t)nx * sizeof *v);
    subtract_columns(nx, nx, U + block, v + nx, v);
    subtract_columns(nx, nx, U + 2 * block, step->x, v);
    subtract_columns(nx, w->flow.np, U + 3 * block, step->p, v);
    for (int k = nx - 1; k >= 0; k--) {
        const double *column = U + (ptrdiff_t)k * nx;
        v[k] /= column[k];
        for (int i = 0; i < k; i++) v[i] -= v[k] * column[i];
    }
}

void blocks_solve(keel_boundary *w, mesh *s, const unknowns *r, unknowns *step)
{
    int nx = w->flow.nx, np = w->flow.np, size = 2 * nx + np, carried = nx;
    int room = 2 * nx + w->spec.inner;
    double *b = s->right, *end = w->work;
    for (int i = 0; i < nx; i++) b[i] = -r->x[nx + i];
    for (int j = 1; j < s->N; j++) {
        for (int i = 0; i < w->spec.inner; i++)
            if (s->point[2 + i].at == j)
                b[carried++] = s->dense_scale[size + i] * conditions_inner_right(w, s, i, r);
        for (int i = 0; i < nx; i++) b[carried + i] = -r->x[(ptrdiff_t)(j + 1) * nx + i];
        reduce(w, s, j, b);
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
