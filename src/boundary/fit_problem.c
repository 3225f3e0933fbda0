/* fit_problem.c -- the boundary value problem with the parameters looked for, and what they change.
 *
 *   J (dY/dtheta_j) = e_j,  e_j = 1 for the condition theta'_j - theta_j = 0, else 0
 *
 * and between mesh points as the stages have it:  dx(t) = dx_n + h sum_j (int L_j) dK_j.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boundary/fit.h"
#include "boundary/modes.h"
#include "step/interpolation.h"

/* ---- callbacks ----------------------------------------------------------------------------- */

static int condition(const double *ya, const double *yb, const double *p, double *value, void *context)
{
    keel_fit *f = context;
    int rows = f->spec.conditions;
    int rc = rows ? f->spec.condition(ya, yb, p, value, f->spec.context) : 0;
    for (int j = 0; j < f->count; j++) value[rows + j] = p[f->np + j] - f->trial[j];
    return rc;
}

static int inner_condition(int i, double t, const double *y, const double *p, double *value,
                           void *context)
{
    keel_fit *f = context;
    return f->spec.inner_condition(i, t, y, p, value, f->spec.context);
}

static int guess(double t, double *y, double *p, void *context)
{
    keel_fit *f = context;
    for (int j = 0; j < f->count; j++) p[f->np + j] = f->trial[j];
    return f->spec.guess ? f->spec.guess(t, y, p, f->spec.context) : 0;
}

/* ---- creation ------------------------------------------------------------------------------ */

static int choose_parameters(keel_fit *f)
{
    const keel_frame *frame = keel_problem_frame(f->spec.problem);
    int all = frame ? frame->parameter_count : 0;
    for (int i = 0; i < f->np; i++) f->which[i] = f->spec.parameter ? f->spec.parameter[i] : i;
    for (int j = 0; j < f->count; j++) {
        int which = f->how.parameter ? f->how.parameter[j] : f->np + j;
        if (which < 0 || which >= all)
            return fail(&f->message, KEEL_BAD_ARGUMENT, "keel_fit_create: parameter %d is to be found, "
                        "but the frame of the problem has %d", which, all);
        for (int i = 0; i < f->np + j; i++)
            if (f->which[i] == which)
                return fail(&f->message, KEEL_BAD_ARGUMENT, "keel_fit_create: the parameter %s is unknown "
                            "already, or named twice", keel_parameter_name(f->spec.problem, which));
        f->which[f->np + j] = which;
        f->trial[j] = f->theta[j] = frame->parameters[which];
    }
    return KEEL_OK;
}

/* The names of the user's conditions, with those of theta between those at ends and inside. */
static const char **all_names(const keel_fit *f)
{
    const keel_boundary_spec *s = &f->spec;
    int given = s->conditions + s->inner;
    const char **names = calloc((size_t)(given + f->count) + 1, sizeof *names);
    for (int i = 0; names && s->condition_names && i < given; i++)
        names[i + (i >= s->conditions ? f->count : 0)] = s->condition_names[i];
    return names;
}

int fit_problem(keel_fit *f, const keel_boundary_options *options, size_t options_size)
{
    keel_boundary_spec s = f->spec;
    int rc = choose_parameters(f);
    const char **names = rc ? NULL : all_names(f);
    if (!rc && !names) rc = fail(&f->message, KEEL_NO_MEMORY, "no memory for the fit");
    if (rc) return rc;
    s.conditions += f->count;
    s.condition = condition;
    s.condition_jacobian = NULL;                 /* it has no columns for theta */
    if (s.inner_condition) s.inner_condition = inner_condition;
    s.guess = guess;
    s.parameters += f->count;
    s.parameter = f->which;
    s.condition_names = names;
    s.context = f;
    rc = keel_boundary_create_sized(&f->boundary, &s, sizeof s, options, options_size);
    free(names);
    if (rc)
        return fail(&f->message, rc, "%s (%d conditions and parameters of these are those of the fit)",
                    keel_boundary_message(f->boundary), f->count);
    return KEEL_OK;
}

/* ---- solutions ----------------------------------------------------------------------------- */

int fit_solve(keel_fit *f, double *squares)
{
    keel_boundary *w = f->boundary;
    int rc = keel_boundary_solve(w);
    *squares = 0;
    for (int i = 0; i < f->rows && !rc; i++) {
        const keel_measurement *m = &f->measured[i];
        rc = keel_solution_at(w->solution, m->t, f->y);
        if (rc)
            return fail(&w->message, rc, "measurement [%d] at t = %.10g: %s", i, m->t,
                        keel_solution_message(w->solution));
        f->predicted[i] = f->y[m->unknown];
        f->residual[i] = (m->value - f->predicted[i]) / m->weight;
        *squares += f->residual[i] * f->residual[i];
    }
    return rc;
}

static int interval_of(const mesh *s, double t)
{
    double sign = s->t[s->N] > s->t[0] ? 1 : -1;
    int low = 0, high = s->N - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if ((t - s->t[middle + 1]) * sign <= 0) high = middle;
        else low = middle + 1;
    }
    return low;
}

/* One component of a step at t. */
static double step_at(const keel_boundary *w, const mesh *s, const unknowns *d, double t, int unknown)
{
    int i = interval_of(s, t), k = s->table.k, nx = w->flow.nx, m = w->flow.m;
    double h = s->t[i + 1] - s->t[i], at = (t - s->t[i]) / h, weight[STAGES_MOST];
    double barycentric[STAGES_MOST], sum = 0;
    barycentric_weights(k, s->table.c, barycentric);
    if (unknown < nx) {
        table_integrals(k, s->table.c, barycentric, at, weight);
        for (int c = 0; c < k; c++) sum += weight[c] * d->K[((ptrdiff_t)i * k + c) * nx + unknown];
        return d->x[(ptrdiff_t)i * nx + unknown] + h * sum;
    }
    lagrange_at(k, s->table.c, barycentric, at, weight);
    for (int c = 0; c < k; c++) sum += weight[c] * d->z[((ptrdiff_t)i * k + c) * m + unknown - nx];
    return sum;
}

int fit_sensitivity(keel_fit *f)
{
    keel_boundary *w = f->boundary;
    mesh *s = NULL;
    int rc = solution_linear(w, &s);
    if (!rc && blocks_factor(w, s)) rc = boundary_failure(w, s, BOUNDARY_SINGULAR_ENDS);
    for (int j = 0; j < f->count && !rc; j++) {
        unknowns *r = &s->residual;
        memset(r->x, 0, s->count * sizeof *r->x);
        memset(r->condition, 0, (size_t)(w->rows + w->spec.inner) * sizeof *r->condition);
        r->condition[f->spec.conditions + j] = -1;
        collocation_solve(w, s, r, &s->step);
        for (int i = 0; i < f->rows; i++)
            f->sensitivity[(ptrdiff_t)i * f->count + j] =
                step_at(w, s, &s->step, f->measured[i].t, f->measured[i].unknown);
    }
    mesh_free(s);
    return rc;
}
