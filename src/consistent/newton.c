/* newton.c -- Newton's method for initial values, from far away, and what it says.
 *
 *   x := x + s dx,   s = 1, 1/2, ...:   |J^- c(x + s dx)| <= (1 - s/4) |dx|,
 *
 * the natural monotonicity test, which no scaling of the equations changes [Deuflhard, Newton
 * Methods for Nonlinear Problems, 2004, (3.22)].  A point that cannot be evaluated counts as too
 * far.
 */
#include "consistent/consistent.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/norm.h"

/* Iterations, of which one that had to be damped counts as many. */
enum { BUDGET = 2000, DAMPED = 20 };
static const double least_damping = 1e-10;
static const double good_contraction = 1e-2; /* that makes the next factorization unnecessary, ... */
static const double rounding = 1e-13;        /* as does a step that another one would not better */

double start_unit(const start_point *w, int j)
{
    int geometry = w->p->levels > 1 || w->p->ops == &ode_form;
    return geometry ? 1 : eval_typical(w->e, j) + fabs(w->y[j]);
}

typedef struct newton {
    double *before, *step, *next; /* [2 n] each; next: -J^- c at the new point   */
    double size;                  /* of step, relative to s_j + |x_j|            */
} newton;

static double relative(const start_point *w, const double *before, const double *step)
{
    double size = 0, poison = 0;
    for (int i = 0; i < 2 * w->p->n; i++) {
        double share = fabs(step[i]) / (eval_typical(w->e, i) + fabs(before[i]));
        size = fmax(size, share);
        poison += 0 * share;
    }
    size = norm_most(w->e->reducer, size + poison);
    return isnan(size) ? INFINITY : size;
}

static void move(start_point *w, const newton *it, double damping)
{
    int n = w->p->n;
    for (int i = 0; i < n; i++) {
        w->y[i] = it->before[i] + damping * it->step[i];
        w->yp[i] = it->before[n + i] + damping * it->step[n + i];
    }
}

/* One damped step; the damping, or 0: none helps.  *left: relative size of the next step. */
static double damped(start_point *w, const start_system *system, const newton *it, double first,
                     double *value, double *left, int *rc)
{
    double residual = system->length ? system->length(system->state, value) : 0;
    for (double damping = first; damping > least_damping; damping /= 2) {
        move(w, it, damping);
        *rc = system->residual(w, system->state, value);
        if (*rc < 0) return 0;
        if (*rc == 0) *rc = system->solve(w, system->state, value, it->next);
        if (*rc == 0) {
            *left = relative(w, it->before, it->next);
            *rc = eval_outcome(w->e);
        }
        if (*rc < 0) return 0;
        if (*rc == 0) {
            if (*left <= (1 - damping / 4) * it->size) return damping;
            if (system->length &&
                system->length(system->state, value) <= (1 - damping / 4) * residual)
                return damping;
            if (it->size <= system->enough) break;
        }
    }
    move(w, it, 0);
    *rc = system->residual(w, system->state, value);
    return 0;
}

/* The step at the point reached: the one at hand where J^- has served well, or with a new J^-. */
static int next_step(start_point *w, const start_system *system, newton *it, const double *value,
                     int again)
{
    size_t n = (size_t)w->p->n, bytes = n * sizeof *w->y;
    int rc = again ? 0 : system->factor(w, system->state);
    if (rc) return rc;
    if (again)
        memcpy(it->step, it->next, 2 * bytes);
    else
        rc = system->solve(w, system->state, value, it->step);
    if (rc) return rc;
    memcpy(it->before, w->y, bytes);
    memcpy(it->before + n, w->yp, bytes);
    it->size = relative(w, it->before, it->step);
    return eval_outcome(w->e);
}

static int iterate(start_point *w, const start_system *system, newton *it, double *value)
{
    double damping = 1, left = INFINITY;
    int again = 0, rc = system->residual(w, system->state, value);
    for (int spent = 0; spent < BUDGET && !rc; spent += damping < 1 ? DAMPED : 1) {
        rc = next_step(w, system, it, value, again);
        if (rc) return rc;
        if (it->size <= 4 * DBL_EPSILON) return START_DONE;
        damping = damped(w, system, it, fmin(1, 4 * damping), value, &left, &rc);
        if (rc) return rc;
        if (damping == 0 && it->size <= system->enough) return START_DONE;
        if (damping == 0 && !again) return START_NOT_CONVERGED;
        if (damping == 0)
            damping = 1, again = 0; /* once more, with a new J^- */
        else
            again = damping == 1 && left <= fmax(rounding, good_contraction * it->size);
    }
    return rc ? rc : START_NOT_CONVERGED;
}

int start_lacks(const start_point *w, int here)
{
    return norm_most(w->e->reducer, here) > 0;
}

int start_newton(start_point *w, const start_system *system, double *value)
{
    size_t n = 2 * (size_t)w->p->n;
    double *block = calloc(3 * n + 1, sizeof *block);
    newton it = {.before = block, .step = block + n, .next = block + 2 * n};
    int rc = start_lacks(w, !block) ? KEEL_NO_MEMORY : iterate(w, system, &it, value);
    free(block);
    return rc;
}

/* ---- messages ------------------------------------------------------------------------------ */

int start_fault(const start_point *w, int rc)
{
    char reason[REDUCE_TEXT];
    if (rc == KEEL_NO_MEMORY || (rc < 0 && w->e->fault.code == FAULT_NO_MEMORY))
        return start_no_memory(w);
    fault_text(w->e, reason, sizeof reason);
    int status = rc < 0 ? KEEL_CALLBACK_FAILED : fault_status(w->e);
    return fail(w->message, status, "t = %.10g: %s, near the initial values", w->t, reason);
}

int start_no_memory(const start_point *w)
{
    return fail(w->message, KEEL_NO_MEMORY, "no memory for the initial values");
}

int start_unready(const start_point *w, int rc)
{
    return fail(w->message, rc, "the linear algebra for the initial values failed: %s",
                keel_status_text(rc));
}

int start_agree(const start_point *w, int rc)
{
    return ranks_status(w->e->reducer, rc, w->message->text, sizeof w->message->text);
}

/* Over ranks the one with the largest residual has the word. */
int start_diverged(const start_point *w, const char *row, double residual, int unknown)
{
    char most[140] = "", rank[40] = "";
    if (unknown >= -1)
        snprintf(most, sizeof most, "It depends most on %s: ",
                 unknown < 0 ? "derivatives" : keel_variable_name(w->p, unknown));
    if (w->e->reducer) snprintf(rank, sizeof rank, " on rank %d", w->e->reducer->rank);
    int rc = fail(w->message, KEEL_INCONSISTENT,
                  "t = %.10g: Newton's method does not converge to consistent initial values: %s%s still has "
                  "the residual %.3g. %s%s nearer to a solution, or check the equation",
                  w->t, row, rank, residual, most, most[0] ? "start" : "Start");
    double size = fabs(residual) <= DBL_MAX ? DBL_MIN + fabs(residual) : DBL_MAX / 2;
    if (w->e->reducer) ranks_text(w->e->reducer, size, w->message->text, sizeof w->message->text);
    return rc;
}

int start_fixed(start_point *w)
{
    int n = w->p->n, rc = KEEL_OK;
    for (int k = 0; k < 2 * n && !rc; k++) {
        int i = k % n;
        double *x = k < n ? w->y + i : w->yp + i, change = fabs(*x - w->given[k]);
        keel_mark mark = k < n ? w->marks[i] : w->yp_marks ? w->yp_marks[i] : KEEL_FREE;
        if (mark != KEEL_FIXED) continue;
        char name[80];
        eval_variable(w->e, i, name, sizeof name);
        if (change > 1e-6 * (1 + fabs(*x)))
            rc = fail(w->message, KEEL_INCONSISTENT,
                      "t = %.10g: the initial value of %s%s is fixed at %.6g, but the equations ask for "
                      "%.6g. Free it, or mark it as a guess",
                      w->t, name, k < n ? "" : "'", w->given[k], *x);
        *x = w->given[k];
    }
    return start_agree(w, rc);
}

int start_redundant(const start_point *w, int level, int row)
{
    char name[80];
    start_row_name(w->p, level, row, name, sizeof name);
    return fail(
        w->message, KEEL_REDUNDANT,
        "t = %.10g: %s depends on the others: the Jacobian of the constraints has not the rank "
        "%d, which a sparse problem must have",
        w->t, name, w->p->constraints);
}

int start_worst(int n, const double *x)
{
    int worst = 0;
    for (int i = 1; i < n; i++)
        if (fabs(x[i]) > fabs(x[worst])) worst = i;
    return worst;
}

void start_row_name(const keel_problem *p, int level, int row, char *text, size_t size)
{
    static const char *const words[] = {"position ", "velocity ", "acceleration "};
    if (level >= p->levels)
        snprintf(text, size, "%s", p->row_names[p->constraints + row]);
    else if (p->ops == &levelled_form)
        snprintf(text, size, "%s (h_%d)", p->row_names[row], p->levels - 1 - level);
    else
        snprintf(text, size, "%s%s",
                 p->levels == 1                 ? ""
                 : level == 1 && p->levels == 2 ? "hidden "
                                                : words[level],
                 p->row_names[row]);
}

int start_dependence(start_point *w)
{
    if (!w->dependence) return KEEL_OK;
    int rc = dependence_find(w->dependence, w->e, w->t, w->y, w->message);
    return rc == KEEL_CALLBACK_FAILED ? start_fault(w, 1) : rc;
}

int start_wrong_index(const start_point *w, int multiplier)
{
    const keel_problem *p = w->p;
    int first = p->ops == &hessenberg2_form, third = p->levels == 3 && p->ops != &levelled_form;
    char column[100] = "";                       /* which an engine does not name */
    if (multiplier < p->constraints)
        snprintf(column, sizeof column, ", in the column of %s",
                 keel_variable_name(p, p->n - p->constraints + multiplier));
    return fail(
        w->message, KEEL_WRONG_INDEX,
        "t = %.10g: the problem is declared %s (index %d), but %s is singular at the "
        "initial values%s. %s",
        w->t, p->ops->name, p->index,
        first   ? "g_y f_z"
        : third ? "g_u f_v k_l"
                : "g_z",
        column,
        p->levels == 1
            ? "The index is higher: try the Hessenberg forms, or keel_quasilinear "
              "with variable_index; or equations repeat each other"
            : "The index is higher than declared, or a multiplier does not act on the constraint");
}
