/* saddle_solve.c -- solves with the factors of saddle.c, w right-hand sides at a time.
 *
 * The w right-hand sides lie side by side, entry i of number c at [i*w + c], so that every
 * coefficient is loaded once and loops over 8 or 4 lanes become vector instructions.
 */
#include "linear/lanes.h"
#include "linear/saddle.h"

/* target -= sum over j of row[j] x[j], each x[j] being w numbers */
KERNEL void subtract_sums(const int w, double *restrict target, int count,
                          const double *restrict row, const double *restrict x)
{
    double sum[8];
    for (int c = 0; c < w; c++) sum[c] = target[c];
    for (int j = 0; j < count; j++)
        for (int c = 0; c < w; c++) sum[c] -= row[j] * x[j * w + c];
    for (int c = 0; c < w; c++) target[c] = sum[c];
}

/* x[j] -= row[j] source for all j */
KERNEL void subtract_multiples(const int w, double *restrict x, int count,
                               const double *restrict row, const double *restrict source)
{
    for (int j = 0; j < count; j++)
        for (int c = 0; c < w; c++) x[j * w + c] -= row[j] * source[c];
}

KERNEL void scale(const int w, double *x, double factor)
{
    for (int c = 0; c < w; c++) x[c] *= factor;
}

/* r: right-hand side a in the order Q, becomes x; y: right-hand side b, becomes l. */
KERNEL void solve_null_space(const saddle *s, const int w, double *r, double *y)
{
    int n = s->n, m = s->m, f = n - m;
    const double *g = s->g;
    double *free_part = r + m * w;
    for (int k = 1; k < m; k++) subtract_sums(w, y + k * w, k, g + row_start(k, n), y);
    for (int k = m - 1; k >= 0; k--) {
        subtract_sums(w, y + k * w, m - 1 - k, g + row_start(k, n) + k + 1, y + (k + 1) * w);
        scale(w, y + k * w, g[row_start(k, n) + k]);
    }
    for (int i = 0; i < n; i++) subtract_sums(w, r + i * w, m, s->mass + row_start(i, m), y);
    for (int c = 0; c < f; c++) {
        subtract_sums(w, free_part + c * w, m, s->tt + row_start(c, m), r);
        subtract_sums(w, free_part + c * w, c, s->h + row_start(c, f), free_part);
        scale(w, free_part + c * w, s->h[row_start(c, f) + c]);
    }
    for (int c = f - 1; c >= 0; c--) {
        scale(w, free_part + c * w, s->h[row_start(c, f) + c]);
        subtract_multiples(w, free_part, c, s->h + row_start(c, f), free_part + c * w);
    }
    for (int k = 0; k < m; k++) {
        subtract_sums(w, y + k * w, f, g + row_start(k, n) + m, free_part);
        subtract_sums(w, r + k * w, f, s->mz + row_start(k, f), free_part);
    }
    for (int k = 0; k < m; k++) {
        scale(w, r + k * w, g[row_start(k, n) + k]);
        subtract_multiples(w, r + (k + 1) * w, m - 1 - k, g + row_start(k, n) + k + 1, r + k * w);
    }
    for (int k = m - 1; k > 0; k--) subtract_multiples(w, r, k, g + row_start(k, n), r + k * w);
    swap_entries(r, y, m * w);
}

KERNEL void solve_ldl(const saddle *s, const int w, double *b)
{
    int size = s->n + s->m;
    for (int i = 1; i < size; i++) {
        int first = s->first[i];
        subtract_sums(w, b + i * w, i - first, s->a + row_start(i, size) + first, b + first * w);
    }
    for (int i = 0; i < size; i++) scale(w, b + i * w, s->a[row_start(i, size) + i]);
    for (int i = size - 1; i > 0; i--) {
        int first = s->first[i];
        const double *row = s->a + row_start(i, size) + first;
        subtract_multiples(w, b + first * w, i - first, row, b + i * w);
    }
}

/* Copies b = 4 or 8 of w lanes into the work array, solves there, and copies back. */
KERNEL void solve_lanes(const saddle *s, const int b, int w, double *x, double *l)
{
    int n = s->n, m = s->m;
    double *r = s->work, *y = s->work + n * b;
    for (int c = 0; c < b; c += 4) {
        for (int i = 0; i < n; i++) LANE(r + i * b + c) = LANE_OF(x + s->order[i] * w + c);
        for (int k = 0; k < m; k++) LANE(y + k * b + c) = LANE_OF(l + k * w + c);
    }
    if (s->kind == SADDLE_NULL_SPACE) solve_null_space(s, b, r, y);
    else solve_ldl(s, b, r);
    for (int c = 0; c < b; c += 4) {
        for (int i = 0; i < n; i++) LANE(x + s->order[i] * w + c) = LANE_OF(r + i * b + c);
        for (int k = 0; k < m; k++) LANE(l + k * w + c) = LANE_OF(y + k * b + c);
    }
}

static void solve_single(const saddle *s, double *x, double *l)
{
    int n = s->n, m = s->m;
    double *r = s->work, *y = r + n;
    for (int i = 0; i < n; i++) r[i] = x[s->order[i]];
    for (int k = 0; k < m; k++) y[k] = l[k];
    if (s->kind == SADDLE_NULL_SPACE) solve_null_space(s, 1, r, y);
    else solve_ldl(s, 1, r);
    for (int i = 0; i < n; i++) x[s->order[i]] = r[i];
    for (int k = 0; k < m; k++) l[k] = y[k];
}

/* One right-hand side with entries w apart. */
static void solve_whole(const saddle *s, int w, double *x, double *l)
{
    int n = s->n, m = s->m;
    for (int i = 0; i < n; i++) s->work[i] = x[i * w];
    for (int k = 0; k < m; k++) s->work[n + k] = l[k * w];
    saddle_solve_pair(s, s->work);
    for (int i = 0; i < n; i++) x[i * w] = s->work[i];
    for (int k = 0; k < m; k++) l[k * w] = s->work[n + k];
}

void saddle_solve(saddle *s, int count, double *x, double *l)
{
    for (int c = 0; c < count; c++, x += s->n, l += s->m)
        if (s->kind == SADDLE_SMALL) saddle_solve_small(s, x, l);
        else if (s->kind == SADDLE_RANGE) saddle_solve_range(s, x, l);
        else if (s->kind >= SADDLE_LU) solve_whole(s, 1, x, l);
        else solve_single(s, x, l);
}

VECTOR_CLONES
void saddle_solve_lanes(saddle *s, int w, double *x, double *l)
{
    if (s->kind == SADDLE_RANGE) {
        saddle_solve_range_lanes(s, w, x, l);
        return;
    }
    int factored = s->kind == SADDLE_NULL_SPACE || s->kind == SADDLE_LDL, b = 0;
    for (; factored && b + 8 <= w; b += 8) solve_lanes(s, 8, w, x + b, l + b);
    for (; b < w; b += 4)
        if (s->kind == SADDLE_SMALL) saddle_solve_small_lanes(s, w, x + b, l + b);
        else if (factored) solve_lanes(s, 4, w, x + b, l + b);
        else
            for (int c = b; c < b + 4; c++) solve_whole(s, w, x + c, l + c);
}
