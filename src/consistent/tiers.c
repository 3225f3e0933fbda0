/* tiers.c -- the order in which unknowns move.
 *
 * Unknowns are in tiers: derivatives; free unknowns; directions in ker M (proper: ker d_x) among
 * the guesses; the guesses, those of a higher derivative of the constraint first.  A tier moves
 * for what the tiers before it cannot meet, and by no more than that takes.  With D the columns of
 * a tier and Z combinations of equations that are left, Z D P = Q R: Y = Q_1^T Z are the
 * combinations that this tier meets, Z := Q_2^T Z goes to the next one.  Backwards, from the last
 * tier to the first,
 *
 *   Y D dx = Y (-c - B (what moves already)),   |dx / unit| least.
 *
 * What is left of Z at the end no unknown can meet: rows that depend on each other if Z B = 0, else
 * fixed values are in the way, those with Z B not 0.
 */
#include "consistent/equations.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"

/* The same in M: given, by differences. */
static const double rank_tolerance = RANK_TOLERANCE, mass_tolerance = 1e-12, mass_differences = 1e-8;

/* Does M (proper: d) depend on the unknown? */
static int acts(const start_point *w, equations *q, int j)
{
    int proper = w->p->ops == &proper_form, n = w->p->n;
    for (int i = proper ? w->p->group[0] : 0; i < n; i++)
        if (*entry(q, i, proper ? j : n + j) != 0) return 1;
    return 0;
}

static void assign_tiers(start_point *w, equations *q)
{
    const keel_problem *p = w->p;
    int n = p->n, alone = q->which == EQUATIONS_DERIVATIVE;
    for (int j = 0; j < q->columns; j++) {
        int i = j < n ? j : j - n;
        int soft = j >= n || (q->columns > n && !acts(w, q, i));
        if (w->standard && soft && j < n && w->marks[j] == KEEL_GUESS) w->marks[j] = KEEL_FREE;
        keel_mark mark = j < n ? w->marks[i] : w->yp_marks ? w->yp_marks[i] : KEEL_FREE;
        q->tier[j] = mark == KEEL_FIXED || (alone && j < n) || q->depth[i] < 0 ? -1
                     : mark == KEEL_FREE && j >= n                             ? TIER_DERIVATIVE
                     : mark == KEEL_FREE && !q->merged                         ? TIER_FREE
                     : soft && !q->merged                                      ? TIER_KERNEL
                                          : TIER_GUESS + q->depth[i];
    }
}

/* Each asks LAPACK first for how much room it wants; with room 0 that is all. */
static int qr_with_pivots(int r, int c, double *A, int *pivot, double *tau, double *work, int room)
{
    double asked;
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, r, c, A, r, pivot, tau, &asked, -1);
    if (room)
        LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, r, c, A, r, pivot, tau, work,
                            asked < room ? (int)asked : room);
    return (int)asked;
}

static int whole_q(int r, int most, double *Q, const double *tau, double *work, int room)
{
    double asked;
    LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, r, r, most, Q, r, tau, &asked, -1);
    if (room)
        LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, r, r, most, Q, r, tau, work,
                            asked < room ? (int)asked : room);
    return (int)asked;
}

static int least_norm(int r, int c, int sides, double *A, double *right, double *work, int room)
{
    double asked;
    LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', r, c, sides, A, r, right, c, &asked, -1);
    if (room)
        LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', r, c, sides, A, r, right, c, work,
                           asked < room ? (int)asked : room);
    return (int)asked;
}

int tiers_room(const equations *q, int n)
{
    int r = q->rows > n ? q->rows : n, c = q->columns > r ? q->columns : r;
    int first = qr_with_pivots(r, c, NULL, NULL, NULL, NULL, 0);
    int second = whole_q(r, r, NULL, NULL, NULL, 0);
    int third = least_norm(r, c, q->rows, NULL, NULL, NULL, 0);
    int most = first > second ? first : second;
    return most > third ? most : third;
}

/* Rank of A, r x c column by column, with Q [r r] and, in A, R; pivots as of dgeqp3. */
static int split(equations *q, int r, int c, double *A, double least, double *Q)
{
    int most = r < c ? r : c, rank = 0;
    memset(Q, 0, (size_t)r * (size_t)r * sizeof *Q);
    if (most == 0) {
        for (int i = 0; i < r; i++) Q[at(i, r + 1)] = 1;
        return 0;
    }
    memset(q->pivot, 0, (size_t)c * sizeof *q->pivot);
    qr_with_pivots(r, c, A, q->pivot, q->tau, q->work, q->room);
    while (rank < most && fabs(A[at(rank, r + 1)]) > least) rank++;
    memcpy(Q, A, (size_t)r * (size_t)most * sizeof *Q);
    whole_q(r, most, Q, q->tau, q->work, q->room);
    return rank;
}

static double largest_in_row(equations *q, int i, int from, int to)
{
    return to > from ? norm_max(to - from, entry(q, i, from)) : 0;
}

/* Null vectors of M, or d_x, restricted to the unknowns in q->list[0..c): into q->kernel, n
 * each. */
static void find_kernel(start_point *w, equations *q, int proper, int c)
{
    const keel_problem *p = w->p;
    int n = p->n, from = proper ? p->group[0] : 0, r = n - from;
    int shift = proper ? 0 : n;
    for (int i = 0; i < r; i++) {
        double size = largest_in_row(q, from + i, shift, shift + (proper ? from : n));
        for (int a = 0; a < c; a++)
            q->square[at(i, c) + a] =
                *entry(q, from + i, shift + q->list[a]) / (size > 0 ? size : 1);
    }
    double least = equations_differenced(w) || proper ? mass_differences : mass_tolerance;
    int rank = split(q, c, r, q->square, least, q->Q);
    q->kernels = c - rank;
    memset(q->kernel, 0, (size_t)n * (size_t)q->kernels * sizeof *q->kernel);
    for (int k = 0; k < q->kernels; k++)
        for (int a = 0; a < c; a++) q->kernel[at(k, n) + q->list[a]] = q->Q[at(rank + k, c) + a];
}

static void guessed_kernel(start_point *w, equations *q)
{
    int c = 0, n = w->p->n;
    q->kernels = 0;
    if (q->columns == n || q->merged) return;
    for (int j = 0; j < n; j++)
        if (q->tier[j] >= TIER_GUESS) q->list[c++] = j;
    if (c) find_kernel(w, q, w->p->ops == &proper_form, c);
}

/* D: what a tier moves, in units or not; columns of the kernel come last.  Returns their number. */
static int tier_columns(start_point *w, equations *q, int tier, int in_units)
{
    int c = 0, n = w->p->n, R = q->rows;
    for (int j = 0; j < q->columns; j++) {
        if (q->tier[j] != tier) continue;
        double *d = q->D + at(c, R), unit = 1;
        if (in_units) unit = start_unit(w, j < n ? j : j - n);
        for (int i = 0; i < R; i++) d[i] = *entry(q, i, j) * unit;
        q->list[c++] = j;
    }
    for (int k = 0; k < q->kernels && tier == TIER_KERNEL; k++) {
        double *d = q->D + at(c, R), *v = q->kernel + at(k, n);
        for (int i = 0; i < R; i++) {
            d[i] = 0;
            for (int j = 0; j < n; j++) d[i] += *entry(q, i, j) * v[j];
        }
        q->list[c++] = -1 - k;
    }
    return c;
}

/* C = A B, row-major A [r k], column-major B [k c] and C [r c]; most of B is zeros where equations
 * have few unknowns each. */
static void multiply(int r, int k, int c, const double *A, const double *B, double *C)
{
    memset(C, 0, (size_t)r * (size_t)c * sizeof *C);
    for (int j = 0; j < c; j++)
        for (int l = 0; l < k; l++) {
            double b = B[at(j, k) + l];
            for (int i = 0; i < r && b != 0; i++) C[at(j, r) + i] += A[at(i, k) + l] * b;
        }
}

/* Rows of Z scaled so that Z B has length 1 in the unknowns that are still to come: units must not
 * decide on ranks.  What is nothing but rounding stays. */
static void rescale(equations *q, int n, int tier)
{
    int R = q->rows;
    double *sum = q->above, *terms = q->below;
    for (int i = 0; i < q->left; i++) {
        double *z = q->Z + at(i, R), size = 0, most = 0;
        memset(sum, 0, (size_t)n * sizeof *sum);
        memset(terms, 0, (size_t)n * sizeof *terms);
        for (int r = 0; r < R; r++) {
            const double *b = entry(q, r, 0);
            if (z[r] == 0) continue;
            for (int j = 0; j < n; j++) sum[j] += z[r] * b[j], terms[j] += fabs(z[r] * b[j]);
        }
        for (int j = 0; j < n; j++) {
            if (q->tier[j] >= 0 && q->tier[j] <= tier) continue;
            size = fmax(size, fabs(sum[j]));
            most = fmax(most, terms[j]);
        }
        for (int r = 0; r < R && size > rank_tolerance * most; r++) z[r] /= size;
    }
}

/* Z := Q_2^T Z, and Y gets Q_1^T Z. */
static void pass_on(equations *q, int met, int rank)
{
    int R = q->rows, r = q->left;
    double *Y = q->Y + at(met, R), *rest = q->T;
    memset(Y, 0, (size_t)rank * (size_t)R * sizeof *Y);
    memset(rest, 0, (size_t)(r - rank) * (size_t)R * sizeof *rest);
    for (int i = 0; i < r; i++)
        for (int l = 0; l < R; l++) {
            double z = q->Z[at(i, R) + l];
            if (z == 0) continue;                /* most of them, at first */
            for (int k = 0; k < rank; k++) Y[at(k, R) + l] += q->Q[at(k, r) + i] * z;
            for (int k = rank; k < r; k++) rest[at(k - rank, R) + l] += q->Q[at(k, r) + i] * z;
        }
    q->left = r - rank;
    memcpy(q->Z, rest, (size_t)q->left * (size_t)R * sizeof *rest);
}

/* Each equation in its own size: that of the terms with y', else of those with y. */
static void begin_rows(start_point *w, equations *q)
{
    int n = w->p->n;
    q->left = 0;
    for (int k = 0; k < q->blocks; k++)
        for (int i = 0; i < q->block[k].rows; i++) {
            int row = q->block[k].first + i;
            double size = largest_in_row(q, row, n, q->columns);
            if (size == 0) size = largest_in_row(q, row, 0, n);
            q->scale[row] = size > 0 ? size : 1;
            if (equations_absent(w->p, &q->block[k], i)) continue;
            double *z = q->Z + (size_t)q->left++ * (size_t)q->rows;
            memset(z, 0, (size_t)q->rows * sizeof *z);
            z[row] = 1 / q->scale[row];
        }
}

/* Y, and Z, tier by tier. */
static void forward(start_point *w, equations *q)
{
    int met = 0;
    begin_rows(w, q);
    for (int tier = 0; tier < TIERS; tier++) {
        int c = tier_columns(w, q, tier, 0);
        double least = tier > 0                   ? rank_tolerance
                       : equations_differenced(w) ? mass_differences
                                                  : mass_tolerance;
        q->met[tier] = 0;
        if (c == 0 && tier > 0) continue;
        multiply(q->left, q->rows, c, q->Z, q->D, q->A);
        int rank = split(q, q->left, c, q->A, least, q->Q);
            q->met[tier] = rank;
        pass_on(q, met, rank);
        rescale(q, w->p->n, tier);
        met += rank;
    }
}

/* Column k of the tier moves by row k of `right`: into X, and out of T where tiers are to come. */
static void move_along(start_point *w, equations *q, int k, int ld, int more)
{
    int R = q->rows, n = w->p->n, j = q->list[k];
    for (int i = 0; i < R && more; i++) {
        double d = q->D[at(k, R) + i];
        for (int r = 0; r < R && d != 0; r++) q->T[at(r, R) + i] -= d * q->right[at(r, ld) + k];
    }
    for (int i = 0; i < n && j < 0; i++) {
        double v = q->kernel[at(-1 - j, n) + i];
        for (int r = 0; r < R && v != 0; r++) q->X[at(i, R) + r] += v * q->right[at(r, ld) + k];
    }
    if (j < 0) return;
    double unit = start_unit(w, j < n ? j : j - n);
    for (int r = 0; r < R; r++) q->X[at(j, R) + r] += unit * q->right[at(r, ld) + k];
}

/* X = J^-, from the last tier to the first; T = 1 - B X. */
static void backward(start_point *w, equations *q)
{
    int R = q->rows, met = 0;
    memset(q->X, 0, (size_t)q->columns * (size_t)R * sizeof *q->X);
    memset(q->T, 0, (size_t)R * (size_t)R * sizeof *q->T);
    for (int i = 0; i < R; i++) q->T[at(i, R + 1)] = 1;
    for (int tier = 0; tier < TIERS; tier++) met += q->met[tier];
    for (int tier = TIERS - 1; tier >= 0; tier--) {
        int rank = q->met[tier];
        if (rank == 0) continue;
        int c = tier_columns(w, q, tier, 1), ld = c; /* rank <= c */
        met -= rank;
        multiply(rank, R, c, q->Y + at(met, R), q->D, q->A);
        multiply(rank, R, R, q->Y + at(met, R), q->T, q->G);
        for (int r = 0; r < R; r++)
            memcpy(q->right + at(r, ld), q->G + at(r, rank), (size_t)rank * sizeof *q->G);
        least_norm(rank, c, R, q->A, q->right, q->work, q->room);
        for (int k = 0; k < c; k++) move_along(w, q, k, ld, met > 0);
    }
}

void tiers_factor(start_point *w, equations *q)
{
    assign_tiers(w, q);
    guessed_kernel(w, q);
    forward(w, q);
    backward(w, q);
}

/* A singular U^T J V, U and V null vectors of M^T and M [Griepentrog & Maerz 1986]. */
int tiers_undetermined(start_point *w, equations *q)
{
    int n = w->p->n, blocks = q->blocks, worst = 0;
    for (int j = 0; j < 2 * n; j++) q->tier[j] = j < n ? TIER_GUESS : TIER_DERIVATIVE;
    for (int j = 0; j < n; j++) q->list[j] = j;
    find_kernel(w, q, 0, n);
    q->blocks = 1; /* the residual alone */
    begin_rows(w, q);
    q->blocks = blocks;
    multiply(q->left, q->rows, tier_columns(w, q, TIER_DERIVATIVE, 0), q->Z, q->D, q->A);
    int rank = split(q, q->left, n, q->A,
                     equations_differenced(w) ? mass_differences : mass_tolerance, q->Q);
    pass_on(q, 0, rank);
    rescale(q, n, TIER_DERIVATIVE);
    int c = tier_columns(w, q, TIER_KERNEL, 0);
    multiply(q->left, q->rows, c, q->Z, q->D, q->A);
    rank = split(q, q->left, c, q->A, 0.1 * rank_tolerance, q->Q);
    if (rank == q->left || c == 0) return -1;
    const double *v = q->kernel + at(c > rank ? q->pivot[rank] - 1 : 0, n);
    for (int j = 1; j < n; j++)
        if (fabs(v[j]) > fabs(v[worst])) worst = j;
    return worst;
}
