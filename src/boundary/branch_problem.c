/* branch_problem.c -- the boundary value problem in which the parameter l is unknown as well.
 *
 *   0 = b(y_a, y_b, p, l),   0 = sum_i normal_i (q_i - base_i) / scale_i - length
 *
 * The callbacks of the user get p with l at its end.  Derivatives by p that they give have no
 * column for l: that is a difference.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boundary/branch.h"
#include "problem/difference.h"

/* ---- callbacks ----------------------------------------------------------------------------- */

static double row_part(const keel_branch *b, int from, int count, const double *q)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += b->normal[from + i] * (q[i] - b->base[from + i]) / b->scale[from + i];
    return sum;
}

static int condition(const double *ya, const double *yb, const double *p, double *value,
                     void *context)
{
    keel_branch *b = context;
    int rc = b->spec.conditions ? b->spec.condition(ya, yb, p, value, b->spec.context) : 0;
    value[b->spec.conditions] = row_part(b, 0, b->nx, ya) + row_part(b, b->nx, b->nx, yb) +
                                row_part(b, 2 * b->nx, b->np + 1, p) - b->length;
    return rc;
}

/* The column of l, the last of b_p, by a central difference; value: scratch, two of each row. */
static int followed_column(keel_branch *b, const double *ya, const double *yb, const double *p,
                           double *value, double *b_p)
{
    int rows = b->spec.conditions, np = b->np;
    double delta = central_increment(1, 2, 1 + fabs(p[np]));
    memcpy(b->p, p, (size_t)(np + 1) * sizeof *p);
    b->p[np] = p[np] + delta;
    int rc = b->spec.condition(ya, yb, b->p, value, b->spec.context);
    b->p[np] = p[np] - delta;
    if (!rc) rc = b->spec.condition(ya, yb, b->p, value + rows, b->spec.context);
    for (int i = 0; i < rows && !rc; i++)
        b_p[(ptrdiff_t)i * (np + 1) + np] = (value[i] - value[rows + i]) / (2 * delta);
    return rc;
}

static int condition_jacobian(const double *ya, const double *yb, const double *p, double *b_a,
                              double *b_b, double *b_p, void *context)
{
    keel_branch *b = context;
    int rows = b->spec.conditions, np = b->np, nx = b->nx;
    double *given = b->b_p, *value = given + (ptrdiff_t)rows * np;
    memset(given, 0, (size_t)rows * (size_t)np * sizeof *given);
    int rc = b->spec.condition_jacobian(ya, yb, p, b_a, b_b, given, b->spec.context);
    for (int i = 0; i < rows; i++)
        memcpy(b_p + (ptrdiff_t)i * (np + 1), given + (ptrdiff_t)i * np, (size_t)np * sizeof *b_p);
    if (!rc && rows) rc = followed_column(b, ya, yb, p, value, b_p);
    for (int i = 0; i < nx; i++) {
        b_a[(ptrdiff_t)rows * b->n + i] = b->normal[i] / b->scale[i];
        b_b[(ptrdiff_t)rows * b->n + i] = b->normal[nx + i] / b->scale[nx + i];
    }
    for (int i = 0; i <= np; i++)
        b_p[(ptrdiff_t)rows * (np + 1) + i] = b->normal[2 * nx + i] / b->scale[2 * nx + i];
    return rc;
}

static int inner_condition(int i, double t, const double *y, const double *p, double *value,
                           void *context)
{
    keel_branch *b = context;
    return b->spec.inner_condition(i, t, y, p, value, b->spec.context);
}

static int guess(double t, double *y, double *p, void *context)
{
    keel_branch *b = context;
    int rc = b->spec.guess ? b->spec.guess(t, y, p, b->spec.context) : 0;
    p[b->np] = b->begin;
    return rc;
}

/* ---- creation ------------------------------------------------------------------------------ */

static int choose_parameters(keel_branch *b)
{
    const keel_frame *f = keel_problem_frame(b->spec.problem);
    int count = f ? f->parameter_count : 0, followed = b->how.parameter;
    if (followed < 0 || followed >= count)
        return fail(&b->message, KEEL_BAD_ARGUMENT, "keel_branch_create: parameter = %d is to be "
                    "followed, but the frame of the problem has %d", followed, count);
    for (int i = 0; i < b->np; i++) {
        b->which[i] = b->spec.parameter ? b->spec.parameter[i] : i;
        if (b->which[i] == followed)
            return fail(&b->message, KEEL_BAD_ARGUMENT, "keel_branch_create: the parameter %s is "
                        "unknown already and cannot be followed",
                        keel_parameter_name(b->spec.problem, followed));
    }
    b->which[b->np] = followed;
    return KEEL_OK;
}

/* The names of all conditions with that of the row among them; NULL without memory. */
static const char **all_names(const keel_branch *b)
{
    const keel_boundary_spec *s = &b->spec;
    const char **names = calloc((size_t)(s->conditions + s->inner) + 1, sizeof *names);
    for (int i = 0; names && s->condition_names && i < s->conditions + s->inner; i++)
        names[i + (i >= s->conditions)] = s->condition_names[i];
    if (names) names[s->conditions] = "(length of the step)";
    return names;
}

int branch_problem(keel_branch *b, const keel_boundary_options *options, size_t options_size)
{
    keel_boundary_spec s = b->spec;
    int rc = choose_parameters(b);
    if (rc) return rc;
    const char **names = all_names(b);
    if (!names) return fail(&b->message, KEEL_NO_MEMORY, "no memory for the branch");
    s.conditions++;
    s.condition = condition;
    if (s.condition_jacobian) s.condition_jacobian = condition_jacobian;
    if (s.inner_condition) s.inner_condition = inner_condition;
    s.guess = guess;
    s.parameters++;
    s.parameter = b->which;
    s.condition_names = names;
    s.context = b;
    rc = keel_boundary_create_sized(&b->boundary, &s, sizeof s, options, options_size);
    free(names);
    if (rc)
        return fail(&b->message, rc, "%s (of these, one condition and one parameter are those of "
                    "the branch)", keel_boundary_message(b->boundary));
    return KEEL_OK;
}
