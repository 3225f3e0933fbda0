/* verdicts.c -- what is said of equations that are not met, or depend on each other: rows and
 * unknowns by their names. */
#include "consistent/equations.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAMES = 4 };

static void row_name(const start_point *w, const equations *q, int row, char *text, size_t size)
{
    const row_block *b = q->block;
    while (row >= b->first + b->rows) b++;
    int i = row - b->first, k = 0;
    const char *given =
        b->kind == BLOCK_EQUATION && w->spec->equation_names ? w->spec->equation_names[i] : NULL;
    if (b->kind == BLOCK_LEVEL)
        start_row_name(w->p, b->level, i, text, size);
    else if (b->kind == BLOCK_RATE) {
        while (w->yp_marks[k] != KEEL_FIXED || i-- > 0) k++;
        snprintf(text, size, "derivative of %s", keel_variable_name(w->p, k));
    } else if (given)
        snprintf(text, size, "%s", given);
    else
        snprintf(text, size, b->kind == BLOCK_EQUATION ? "initial equation[%d]" : "equation[%d]", i);
}

int verdict_worst(const equations *q, double *violation)
{
    int worst = -1;
    *violation = -1;
    for (int i = 0; i < q->left; i++) {
        double sum = 0;
        for (int r = 0; r < q->rows; r++) sum += q->Z[at(i, q->rows) + r] * q->value[r];
        if (fabs(sum) > *violation) *violation = fabs(sum), worst = i;
    }
    return worst;
}

/* Names in a list, separated, at most NAMES. */
typedef struct name_list {
    char text[200];
    size_t used;
    int count;
} name_list;

static void add_name(name_list *l, const char *name)
{
    if (l->count++ >= NAMES || l->used >= sizeof l->text) return;
    int wrote =
        snprintf(l->text + l->used, sizeof l->text - l->used, "%s%s", l->used ? ", " : "", name);
    if (wrote > 0) l->used += (size_t)wrote;
}

/* Unknowns in a combination z of rows: fixed ones, or all. */
static name_list unknowns_in(const start_point *w, equations *q, const double *z, int fixed_only)
{
    int n = w->p->n;
    double size = 0, *part = q->right;
    name_list names = {{0}, 0, 0};
    for (int j = 0; j < q->columns; j++) {
        part[j] = 0;
        for (int r = 0; r < q->rows; r++) part[j] += z[r] * *entry(q, r, j);
        if (j < n) size = fmax(size, fabs(part[j]));
    }
    for (int j = 0; j < q->columns; j++) {
        int fixed = q->tier[j] == -1 && q->which != EQUATIONS_DERIVATIVE;
        char text[80];
        if (fabs(part[j]) <= 1e-7 * (fixed_only ? fmax(size, 1e-2) : size) ||
            (fixed_only && !fixed))
            continue;
        snprintf(text, sizeof text, j < n ? "%s" : "%s'",
                 keel_variable_name(w->p, j < n ? j : j - n));
        if (fixed_only || j < n) add_name(&names, text);
    }
    return names;
}

/* The rows of a combination, and the one with the largest part. */
static name_list rows_in(const start_point *w, const equations *q, const double *z, int *main)
{
    double size = 0;
    name_list names = {{0}, 0, 0};
    for (int r = 0; r < q->rows; r++)
        if (fabs(z[r]) * q->scale[r] > size * (1 + 1e-9))
            size = fabs(z[r]) * q->scale[r], *main = r;
    for (int r = 0; r < q->rows; r++) {
        char text[80];
        if (fabs(z[r]) * q->scale[r] <= 1e-3 * size) continue;
        row_name(w, q, r, text, sizeof text);
        add_name(&names, text);
    }
    return names;
}

static int present(const start_point *w, const equations *q)
{
    int count = 0;
    for (int k = 0; k < q->blocks; k++)
        for (int i = 0; i < q->block[k].rows; i++)
            count += !equations_absent(w->p, &q->block[k], i);
    return count;
}

int verdict_unmet(start_point *w, equations *q)
{
    double violation;
    const double *z = q->Z + at(verdict_worst(q, &violation), q->rows);
    int row = 0;
    char name[80];
    name_list rows = rows_in(w, q, z, &row), fixed = unknowns_in(w, q, z, 1);
    row_name(w, q, row, name, sizeof name);
    if (fixed.count > 0)
        return fail(w->message, KEEL_INCONSISTENT,
                    "t = %.10g: %s is violated by %.3g and cannot be met because of fixed initial "
                    "values: %s. Mark one of them as a guess or change it",
                    w->t, rows.count > 1 ? rows.text : name, q->value[row], fixed.text);
    if (rows.count == 1)
        return fail(
            w->message, KEEL_INCONSISTENT,
            "t = %.10g: %s is violated by %.3g, and no unknown can change that to first order: "
            "start nearer to a solution, or check it",
            w->t, name, q->value[row]);
    return fail(
        w->message, KEEL_INCONSISTENT,
        "t = %.10g: %s contradict each other: what they ask for differs by %.3g where the rank "
        "is %d, not %d. Remove or correct one of them",
        w->t, rows.text, q->value[row], present(w, q) - q->left, present(w, q));
}

int verdict_divergence(start_point *w, equations *q)
{
    int worst = 0;
    char name[80];
    for (int r = 1; r < q->rows; r++)
        if (fabs(q->value[r]) / q->scale[r] > fabs(q->value[worst]) / q->scale[worst]) worst = r;
    row_name(w, q, worst, name, sizeof name);
    memset(q->tau, 0, (size_t)q->rows * sizeof *q->tau);
    q->tau[worst] = 1;
    name_list names = unknowns_in(w, q, q->tau, 0);
    return fail(
        w->message, KEEL_INCONSISTENT,
        "t = %.10g: Newton's method does not converge to consistent initial values: %s still has "
        "the residual %.3g. It depends on %s: start nearer to a solution, or check the equation",
        w->t, name, q->value[worst], names.count ? names.text : "no unknown");
}

/* Are attached rows of M y' = f or F = 0 among them, and equations?  They may repeat these, to be
 * kept. */
static int repeats(const start_point *w, const equations *q, const double *z)
{
    double attached = 0, others = 0;
    if (w->p->original || w->p->levels > 0) return 0;
    for (int k = 0; k < q->blocks; k++) {
        double *part = q->block[k].kind == BLOCK_LEVEL ? &attached : &others;
        for (int r = q->block[k].first; r < q->block[k].first + q->block[k].rows; r++)
            *part = fmax(*part, fabs(z[r]) * q->scale[r]);
    }
    return fmin(attached, others) > 1e-3 * fmax(attached, others);
}

/* Rows that hold but depend on each other: an integrator may not be able to go on. */
int verdict_dependent(start_point *w, equations *q)
{
    int linked = w->p->levels > 1;
    for (int i = 0; i < q->left; i++) {
        const double *z = q->Z + at(i, q->rows);
        int row = 0;
        name_list rows = rows_in(w, q, z, &row), in;
        if (unknowns_in(w, q, z, 1).count > 0 || rows.count < 2 || repeats(w, q, z)) continue;
        memset(q->tau, 0, (size_t)q->rows * sizeof *q->tau);
        q->tau[row] = 1;
        in = unknowns_in(w, q, q->tau, 0);
        int refused = linked && q->which >= 0 && !w->dependence && !w->gauge &&
                      !w->e->dependence;
        fail(w->message, KEEL_OK,
             "t = %.10g: %s (in %s) depend on each other: the Jacobian of the "
             "constraints has rank %d, not %d%s",
             w->t, rows.text, in.text, present(w, q) - q->left, present(w, q),
             refused ? ". With all of them problems with dense matrices can be integrated, as they "
                       "are or as index2, index1, ggl or baumgarte, this one with independent ones "
                       "only"
                     : "; they do not contradict");
        if (refused) return KEEL_REDUNDANT;
    }
    return KEEL_OK;
}

/* The first algebraic unknown that no equation is seen to depend on; -1: none. */
static int find_idle(const start_point *w, equations *q)
{
    for (int j = 0; j < w->p->n; j++) {
        int acts = q->tier[j] != TIER_FREE;
        for (int r = 0; r < q->rows; r++) acts |= fabs(*entry(q, r, j)) > RANK_TOLERANCE * q->scale[r];
        if (!acts) return j;
    }
    return -1;
}

int verdict_idle(start_point *w, equations *q)
{
    const keel_problem *p = w->p;
    int idle = p->ops == &semi_explicit_form && w->standard ? find_idle(w, q) : -1;
    for (int j = 0; j < p->n - p->constraints && idle >= 0; j++) {
        if (fabs(w->y[j] - q->kept[j]) <= 1e-6 * (1 + fabs(w->y[j]))) continue;
        return fail(w->message, KEEL_INCONSISTENT,
                    "t = %.10g: the constraints ask for %s = %.6g where %.6g was given, since %s = %.6g "
                    "is not seen to act: a change by 1 changes them by less than 1e-9 of what others do. "
                    "Write the equations with a larger unit for it, or start nearer to a solution",
                    w->t, keel_variable_name(p, j), w->y[j], q->kept[j], keel_variable_name(p, idle),
                    w->y[idle]);
    }
    return KEEL_OK;
}
