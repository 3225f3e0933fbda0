/* impasse.c -- see impasse.h.
 *
 * Between two points with d = det B and a distance h the law d^2 ~ T - t says
 *
 *   T - t = h / ((d_earlier / d_later)^2 - 1),
 *
 * whatever the units of equations and unknowns.  The null vectors of B at the later point say
 * which of them.
 */
#include "singular/impasse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Matrices up to these sizes: of g_z, and of M, whose null vectors have to be found. */
enum { BLOCK_MOST = 500, MASS_MOST = 150, NAMES = 4 };

static const double
    mass_rank = 1e-6,            /* M by differences: what is less is no rank              */
    concerned = 0.1;             /* part of the largest entry of a null vector             */

void impasse_layout(arena *a, impasse *w, const keel_problem *p)
{
    int general = p->ops->mass && !form_has(p, FORM_ACCELERATIONS);
    int index1 = p->ops == &semi_explicit_form && p->levels == 1;
    w->most = general && p->n <= MASS_MOST ? p->n
            : index1 && p->constraints <= BLOCK_MOST ? p->constraints : 0;
    if (!w->most) return;
    size_t k = (size_t)w->most, n = general ? k : 0;
    coloring_layout(a, &w->colors, p);
    problem_matrix_layout(a, &w->J, p);
    if (general) problem_matrix_layout(a, &w->M, p);
    double **square[] = {&w->dense, &w->left, &w->right};
    for (int i = 0; i < 3; i++) *square[i] = ARENA(a, double, n * n);
    w->block = ARENA(a, double, k * k);
    w->factors = ARENA(a, double, k * k);
    w->vector = ARENA(a, double, p->n);
    w->image = ARENA(a, double, p->n);
    w->pivot = ARENA(a, int, p->n);
    w->listed = ARENA(a, int, p->n);
    w->work = rank_layout(a, w->most, w->most);
}

void impasse_create(impasse *w, const keel_problem *p)
{
    if (w->most) coloring_build(&w->colors, p);
}

/* ---- B -------------------------------------------------------------------------------------- */

/* U and V, n x k; returns k, or -1. */
static int null_spaces(impasse *w, int n)
{
    int left, right;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) w->dense[i * n + j] = matrix_get(&w->M, i, j);
    left = null_rows(w->work, n, n, w->dense, mass_rank, -1, w->left);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) w->dense[i * n + j] = matrix_get(&w->M, j, i);
    right = null_rows(w->work, n, n, w->dense, mass_rank, -1, w->right);
    return left == right ? left : -1;
}

/* B = U^T J V */
static void restrict_jacobian(impasse *w, int n, int k)
{
    for (int c = 0; c < k; c++) {
        for (int i = 0; i < n; i++) w->vector[i] = w->right[i * k + c];
        memset(w->image, 0, (size_t)n * sizeof *w->image);
        matrix_multiply_add(&w->J, 1, w->vector, w->image);
        for (int r = 0; r < k; r++) {
            double sum = 0;
            for (int i = 0; i < n; i++) sum += w->left[i * k + r] * w->image[i];
            w->block[r * k + c] = sum;
        }
    }
}

/* Fills w->block; returns its size, or 0: there is none, or it cannot be evaluated. */
static int find_block(impasse *w, evaluator *e, run_point at)
{
    const keel_problem *p = e->problem;
    int n = p->n, m = p->constraints;
    if (problem_mass_constant(p)) {              /* J is f_y, and M y' for large y' but noise of differences */
        memset(w->vector, 0, (size_t)n * sizeof *w->vector);
        at.yp = w->vector;
    }
    if (eval_jacobian(e, &w->colors, at.t, at.y, at.yp, &w->J)) return 0;
    if (p->ops->mass) {
        if (eval_mass(e, &w->colors, at.t, at.y, at.yp, &w->M)) return 0;
        int k = null_spaces(w, n);
        if (k > 0) restrict_jacobian(w, n, k);
        return k > 0 ? k : 0;
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) w->block[i * m + j] = matrix_get(&w->J, n - m + i, n - m + j);
    return m;
}

/* log |det B|, -INFINITY where B is singular. */
static double logarithm(impasse *w, int k)
{
    memcpy(w->factors, w->block, (size_t)k * (size_t)k * sizeof *w->block);
    return dense_factor(k, w->factors, w->pivot) ? -INFINITY : dense_logarithm(k, w->factors);
}

/* ---- names ---------------------------------------------------------------------------------- */

/* w->vector := the null vector of the columns of B (`rows`: of its rows), in terms of all unknowns
 * or equations.  0 if there is no single one. */
static int null_vector(impasse *w, const keel_problem *p, int k, int rows)
{
    int n = p->n;
    double *x = w->image;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            w->factors[i * k + j] = rows ? w->block[i * k + j] : w->block[j * k + i];
    if (null_rows(w->work, k, k, w->factors, 0, 1, x) != 1) return 0;
    memset(w->vector, 0, (size_t)n * sizeof *w->vector);
    const double *basis = rows ? w->left : w->right;
    for (int i = 0; i < n && p->ops->mass; i++)
        for (int c = 0; c < k; c++) w->vector[i] += basis[i * k + c] * x[c];
    if (!p->ops->mass) memcpy(w->vector + n - k, x, (size_t)k * sizeof *x);
    return 1;
}

static void row_text(const keel_problem *p, int i, char *text, size_t size)
{
    int level_row = i - (p->n - p->constraints);
    const char *name = level_row >= 0 && p->levels ? keel_row_name(p, 0, level_row) : "";
    if (name && name[0]) snprintf(text, size, "%s", name);
    else snprintf(text, size, "equation %d", i);
}

/* The largest entries of w->vector, unknowns in proportion to their size. */
static void list_names(impasse *w, const keel_problem *p, const double *y, int rows, char *text,
                       size_t size)
{
    double largest = 0;
    size_t used = 0;
    int count = 0;
    for (int i = 0; i < p->n; i++) {
        w->vector[i] = fabs(w->vector[i]) / (rows ? 1 : 1 + fabs(y[i]));
        largest = fmax(largest, w->vector[i]);
    }
    for (int i = 0; i < p->n && used < size; i++) {
        char name[64];
        if (!(w->vector[i] > concerned * largest) || count++ >= NAMES) continue;
        if (rows) row_text(p, i, name, sizeof name);
        else snprintf(name, sizeof name, "%s", keel_variable_name(p, i));
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
    }
    if (count > NAMES && used < size) snprintf(text + used, size - used, ", ...");
}

/* ---- verdict -------------------------------------------------------------------------------- */

int impasse_names(impasse *w, evaluator *e, run_point at, char *unknowns, char *equations,
                  size_t size)
{
    const keel_problem *p = e->problem;
    int k = w->most ? find_block(w, e, at) : 0;
    if (!k) return 0;
    snprintf(unknowns, size, "the algebraic unknowns");
    snprintf(equations, size, "the algebraic equations");
    if (null_vector(w, p, k, 0)) list_names(w, p, at.y, 0, unknowns, size);
    if (null_vector(w, p, k, 1)) list_names(w, p, at.y, 1, equations, size);
    return 1;
}

double impasse_distance(impasse *w, evaluator *e, run_point earlier, run_point later)
{
    int before = w->most ? find_block(w, e, earlier) : 0;
    double d_earlier = before ? logarithm(w, before) : -INFINITY;
    if (d_earlier == -INFINITY) return INFINITY;         /* no index 1 in the first place */
    int k = find_block(w, e, later);
    double d_later = k == before ? logarithm(w, k) : INFINITY;
    if (!(d_later < d_earlier)) return INFINITY;
    return fabs(later.t - earlier.t) / expm1(2 * (d_earlier - d_later));
}
