/* consistent_level.c -- one constraint level, met by the smallest change of what may move. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/norm.h"
#include "integrate/consistent.h"

enum { ITERATIONS = 50, NAMES = 4 };

static const double rank_tolerance = 1e-10;      /* of a row's norm that must remain */

static double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Among rows k.. the one of which the largest share is still independent. */
static int pick_row(int m, int k, const double *size, const double *left, const int *order,
                    double *share)
{
    int best = k;
    *share = -1;
    for (int i = k; i < m; i++) {
        double part = size[order[i]] > 0 ? sqrt(left[i]) / size[order[i]] : 0;
        if (part > *share) *share = part, best = i;
    }
    return best;
}

static void swap_rows(int n, double *a, double *b)
{
    for (int j = 0; j < n; j++) {
        double kept = a[j];
        a[j] = b[j];
        b[j] = kept;
    }
}

int orthogonalize_rows(int m, int n, const double *B, const unsigned char *mobile, double *basis,
                       double *lower, int *order)
{
    double *size = lower + m * m, *left = size + m;   /* [m] norms of the rows; squares left */
    memset(lower, 0, (size_t)(m * m) * sizeof *lower);
    for (int i = 0; i < m; i++) {
        order[i] = i;
        for (int j = 0; j < n; j++) basis[i * n + j] = mobile[j] ? B[i * n + j] : 0;
        size[i] = sqrt(dot(n, B + i * n, B + i * n));
        left[i] = dot(n, basis + i * n, basis + i * n);
    }
    for (int k = 0; k < m; k++) {
        double share;
        int best = pick_row(m, k, size, left, order, &share);
        if (share <= rank_tolerance) return k;
        int row = order[best];
        order[best] = order[k];
        order[k] = row;
        swap_rows(n, basis + k * n, basis + best * n);
        swap_rows(m, lower + k * m, lower + best * m);
        left[best] = left[k];
        double norm = sqrt(dot(n, basis + k * n, basis + k * n));
        lower[k * m + k] = norm;
        for (int j = 0; j < n; j++) basis[k * n + j] /= norm;
        for (int i = k + 1; i < m; i++) {
            for (int pass = 0; pass < 2; pass++) {
                double c = dot(n, basis + i * n, basis + k * n);
                lower[i * m + k] += c;
                for (int j = 0; j < n; j++) basis[i * n + j] -= c * basis[k * n + j];
            }
            left[i] = dot(n, basis + i * n, basis + i * n);
        }
    }
    return m;
}

int consistent_fault(keel_solver *s, int rc)
{
    char reason[256];
    fault_text(&s->eval, reason, sizeof reason);
    int status = rc < 0 || s->eval.fault.code ? KEEL_CALLBACK_FAILED : KEEL_NOT_FINITE;
    return fail(&s->message, status, "t = %.10g: %s, near the initial values", s->t, reason);
}

/* Names of the unknowns that a row depends on, restricted to fixed ones if asked for. */
static void list_names(keel_solver *s, const level_equations *level, const double *row,
                       int fixed_only, char *text, size_t size)
{
    double largest = norm_max(level->columns, row);
    size_t used = 0;
    int count = 0;
    text[0] = 0;
    for (int j = 0; j < level->columns && count < NAMES; j++) {
        if (fabs(row[j]) <= 1e-8 * largest) continue;
        if (fixed_only && s->marks[level->first + j] != KEEL_FIXED) continue;
        int wrote = snprintf(text + used, size - used, "%s%s", count ? ", " : "",
                             keel_variable_name(s->problem, level->first + j));
        if (wrote < 0 || (size_t)wrote >= size - used) return;
        used += (size_t)wrote;
        count++;
    }
    if (count == 0) snprintf(text, size, "no unknown");
}

static int conflict(keel_solver *s, consistent_work *w, const level_equations *level, int row)
{
    char names[160];
    list_names(s, level, w->rows + row * level->columns, 1, names, sizeof names);
    return fail(&s->message, KEEL_INCONSISTENT,
                "t = %.10g: %s %d is violated by %.3g and cannot be met because of fixed initial "
                "values: %s. Mark one of them as a guess or change it",
                s->t, level->name, row, w->value[row], names);
}

static int redundant(keel_solver *s, consistent_work *w, const level_equations *level, int rank)
{
    char names[160];
    int row = w->order[rank];
    list_names(s, level, w->rows + row * level->columns, 0, names, sizeof names);
    return fail(&s->message, KEEL_REDUNDANT,
                "t = %.10g: %s %d (in %s) depends on the others: the Jacobian of the constraints "
                "has rank %d, not %d. Remove redundant constraints",
                s->t, level->name, row, names, rank, level->rows);
}

/* Which unknowns may move: free ones, or guesses too. */
static int mobility(const keel_solver *s, const level_equations *level, int guesses,
                    unsigned char *mobile)
{
    int count = 0;
    for (int j = 0; j < level->columns; j++) {
        keel_mark mark = s->marks[level->first + j];
        mobile[j] = mark == KEEL_FREE || (guesses && mark == KEEL_GUESS);
        count += mobile[j];
    }
    return count;
}

/* step = -W B^T (B W B^T)^-1 value over the independent rows. */
static void smallest_step(consistent_work *w, int m, int n, int rank, double *step)
{
    double *x = w->trial;
    for (int k = 0; k < rank; k++) {
        double sum = -w->value[w->order[k]];
        for (int l = 0; l < k; l++) sum -= w->lower[k * m + l] * x[l];
        x[k] = sum / w->lower[k * m + k];
    }
    memset(step, 0, (size_t)n * sizeof *step);
    for (int k = 0; k < rank; k++)
        for (int j = 0; j < n; j++) step[j] += x[k] * w->basis[k * n + j];
}

/* x += damping step, halving the damping until the residual falls; its new norm, or -1. */
static double damped_step(keel_solver *s, consistent_work *w, const level_equations *level,
                          double norm, int *rc)
{
    double *before = w->trial;
    memcpy(before, level->x, (size_t)level->columns * sizeof *before);
    for (double damping = 1; damping > 1e-3; damping /= 2) {
        for (int j = 0; j < level->columns; j++) level->x[j] = before[j] + damping * w->step[j];
        *rc = level->residual(s, w, w->value);
        if (*rc < 0) return -1;
        double now = norm_max(level->rows, w->value);
        if (*rc == 0 && (now < norm || now <= 1e-14)) return now;
    }
    memcpy(level->x, before, (size_t)level->columns * sizeof *before);
    *rc = level->residual(s, w, w->value);
    return -1;
}

/* One tier of Gauss-Newton; 1 when converged, 0 when the movable unknowns do not suffice. */
static int iterate(keel_solver *s, consistent_work *w, const level_equations *level,
                   const unsigned char *mobile, int *rc, int *rank)
{
    int m = level->rows, n = level->columns;
    double size = INFINITY;
    *rc = level->residual(s, w, w->value);
    for (int k = 0; k < ITERATIONS && !*rc; k++) {
        *rc = level->jacobian(s, w, w->rows);
        if (*rc) return 0;
        *rank = orthogonalize_rows(m, n, w->rows, mobile, w->basis, w->lower, w->order);
        smallest_step(w, m, n, *rank, w->step);
        double norm = norm_max(m, w->value);
        size = norm_relative(n, w->step, level->x);
        if (*rank < m) {                         /* dependent rows must be satisfied by luck */
            double left = 0;
            for (int i = *rank; i < m; i++) left = fmax(left, fabs(w->value[w->order[i]]));
            if (left > 1e-10 * (1 + norm_max(m * n, w->rows)) && size <= 1e-8) return 0;
        }
        if (size <= 4 * DBL_EPSILON) return 1;
        double now = damped_step(s, w, level, norm, rc);
        if (*rc) return 0;
        if (now < 0) return size <= level->enough;   /* no further progress: noise, or stuck */
    }
    return !*rc && size <= level->enough;
}

/* A guess may happen to lie where the constraint does not depend on it to first order, such as u2 = 0
 * in u1^2 + u2^2 = 1: try once more from beside it. */
static int iterate_beside(keel_solver *s, consistent_work *w, const level_equations *level,
                          const unsigned char *mobile, int *rc, int *rank)
{
    int n = level->columns;
    double *x = level->x, *before = w->given;
    memcpy(before, x, (size_t)n * sizeof *before);
    for (int j = 0; j < n; j++)
        if (mobile[j]) x[j] += 0.1 * (1 + fabs(x[j]));
    int done = iterate(s, w, level, mobile, rc, rank);
    if (done || *rc < 0) return done;
    memcpy(x, before, (size_t)n * sizeof *x);
    *rc = level->residual(s, w, w->value);
    return 0;
}

int consistent_level(keel_solver *s, consistent_work *w, const level_equations *level)
{
    int m = level->rows, n = level->columns, rc = 0, rank = 0, done = 0;
    unsigned char *mobile = (unsigned char *)(w->order + m);
    if (m == 0) return KEEL_OK;
    for (int guesses = 0; guesses < 2 && !done; guesses++) {
        int movable = mobility(s, level, guesses, mobile);
        if (!guesses && movable == 0) continue;
        done = iterate(s, w, level, mobile, &rc, &rank);
        if (rc) return consistent_fault(s, rc);
    }
    if (!done && rank < m) done = iterate_beside(s, w, level, mobile, &rc, &rank);
    if (rc) return consistent_fault(s, rc);
    memset(mobile, 1, (size_t)n);
    rc = level->jacobian(s, w, w->rows);
    if (rc) return consistent_fault(s, rc);
    rank = orthogonalize_rows(m, n, w->rows, mobile, w->basis, w->lower, w->order);
    if (rank < m) return redundant(s, w, level, rank);
    if (done) return KEEL_OK;
    int worst = 0, fixed = 0;
    for (int i = 1; i < m; i++)
        if (fabs(w->value[i]) > fabs(w->value[worst])) worst = i;
    for (int j = 0; j < n; j++) fixed += s->marks[level->first + j] == KEEL_FIXED;
    if (fixed > 0) return conflict(s, w, level, worst);
    char names[160];
    list_names(s, level, w->rows + worst * n, 0, names, sizeof names);
    return fail(&s->message, KEEL_INCONSISTENT,
                "t = %.10g: no point with %s %d = 0 was found near the initial values: %.3g remains. "
                "It depends on %s: start nearer to a solution, or check the constraint",
                s->t, level->name, worst, w->value[worst], names);
}
