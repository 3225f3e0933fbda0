#include "natural/rows.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"

/* Entries, in units of their row, that count as zero. */
static const double rank_tolerance = 1e-7;

static int least(int a, int b) { return a < b ? a : b; }

void rows_layout(arena *a, row_system *q, int rows, int columns)
{
    size_t entries = (size_t)rows * (size_t)columns;
    int most = rows > columns ? rows : columns;
    q->A = ARENA(a, double, entries);
    q->factors = ARENA(a, double, entries);
    q->scale = ARENA(a, double, rows);
    q->order = ARENA(a, int, most);
    q->size = 4 * least(rows, columns) + 64 * (columns + 1) + 2 * most;
    q->work = ARENA(a, double, q->size);
    ARENA_KEEP(a, q, rows, eliminated);
}

/* Takes row r as the one of column c. */
static void take(row_system *q, int r, int c)
{
    int n = q->columns, taken = q->order[r];
    for (int j = 0; j < n && r != c; j++) {
        double entry = q->factors[r * n + j];
        q->factors[r * n + j] = q->factors[c * n + j];
        q->factors[c * n + j] = entry;
    }
    q->order[r] = q->order[c];
    q->order[c] = taken;
}

static int eliminate(row_system *q)
{
    int m = q->rows, n = q->columns;
    for (int i = 0; i < m; i++) {
        q->order[i] = i;
        for (int j = 0; j < n; j++) q->factors[i * n + j] = q->A[i * n + j] / q->scale[i];
    }
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int r = c + 1; r < m; r++)
            if (fabs(q->factors[r * n + c]) > fabs(q->factors[best * n + c])) best = r;
        if (!(fabs(q->factors[best * n + c]) > rank_tolerance)) return 0;
        take(q, best, c);
        for (int r = c + 1; r < m; r++) {
            double *row = q->factors + r * n;
            if (row[c] == 0) continue;
            row[c] /= q->factors[c * n + c];
            for (int j = c + 1; j < n; j++) row[j] -= row[c] * q->factors[c * n + j];
        }
    }
    return 1;
}

void rows_factor(row_system *q, int tall)
{
    for (int i = 0; i < q->rows; i++)
        if (!(q->scale[i] > 0)) q->scale[i] = 1;
    q->eliminated = q->rows == q->columns || (tall && q->rows > q->columns);
    if (q->eliminated) q->eliminated = eliminate(q);
}

static int solve_least(row_system *q, double *b)
{
    int m = q->rows, n = q->columns, rank;
    memset(q->order, 0, (size_t)n * sizeof *q->order);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) q->factors[j * m + i] = q->A[i * n + j];
    if (first_not_finite(m * n, q->factors) >= 0) return 1;
    return LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, 1, q->factors, m, b, m > n ? m : n, q->order,
                               rank_tolerance, &rank, q->work, q->size) != 0;
}

int rows_solve(row_system *q, double *b)
{
    int n = q->columns;
    if (q->rows == 0 || n == 0 || first_not_finite(q->rows, b) >= 0) return 1;
    if (!q->eliminated) return solve_least(q, b);
    double *x = q->work;
    for (int i = 0; i < n; i++) {
        x[i] = b[q->order[i]] / q->scale[q->order[i]];
        for (int j = 0; j < i; j++) x[i] -= q->factors[i * n + j] * x[j];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= q->factors[i * n + j] * x[j];
        x[i] /= q->factors[i * n + i];
    }
    memcpy(b, x, (size_t)n * sizeof *b);
    return 0;
}
