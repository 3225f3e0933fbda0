/* fit.c -- keel_fit: parameters from measurements, with intervals of confidence.
 *
 *   J delta = r in the least-squares sense, J = Q R:   R delta = Q^T r
 *   C = R^-1 R^-T,   s^2 = S/(rows - count),   theta_j +- q s sqrt(C_jj)
 *
 * [H. G. Bock, Recent advances in parameter identification techniques for ODE, 1983; N. R. Draper &
 * H. Smith, Applied Regression Analysis, 3rd ed. 1998, chapter 24.]  A step that makes S larger, or that
 * no solution follows, is halved.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boundary/fit.h"
#include "boundary/modes.h"
#include "core/sized.h"

/* Steps end where they are this part of what is uncertain anyway. */
static const double enough = 1e-3;
/* A parameter whose effect is, up to this part, that of others. */
static const double indistinct = 1e-7;

/* ---- life ---------------------------------------------------------------------------------- */

static void layout(arena *a, keel_fit *f)
{
    size_t rows = (size_t)f->rows, count = (size_t)f->count;
    double **of_count[] = {&f->theta, &f->trial, &f->step, &f->value, &f->deviation, &f->half_width};
    for (size_t i = 0; i < sizeof of_count / sizeof *of_count; i++)
        *of_count[i] = ARENA(a, double, count);
    f->which = ARENA(a, int, (size_t)f->np + count);
    f->measured = ARENA(a, keel_measurement, rows);
    f->residual = ARENA(a, double, rows);
    f->predicted = ARENA(a, double, rows);
    f->sensitivity = ARENA(a, double, rows * count);
    f->Q = ARENA(a, double, rows * count);
    f->R = ARENA(a, double, count * count);
    f->covariance = ARENA(a, double, count * count);
    f->y = ARENA(a, double, f->n);
}

static int check_how(keel_fit *f)
{
    keel_fit_options *o = &f->how;
    if (o->parameters < 1 || o->measurements <= o->parameters || !o->measurement)
        return fail(&f->message, KEEL_BAD_ARGUMENT, "keel_fit_create: %d measurements for %d parameters: "
                    "at least one parameter, and more measurements than these", o->measurements,
                    o->parameters);
    if (!(o->confidence >= 0 && o->confidence < 1) || o->most < 0)
        return fail(&f->message, KEEL_BAD_ARGUMENT, "keel_fit_create: confidence = %.3g is not between 0 "
                    "and 1, or most = %d negative", o->confidence, o->most);
    if (!(o->confidence > 0)) o->confidence = 0.95;
    if (!o->most) o->most = 50;
    if (f->spec.break_parameter)
        return fail(&f->message, KEEL_UNSUPPORTED, "keel_fit_create: breaks at unknown times");
    return KEEL_OK;
}

static int take_measurements(keel_fit *f)
{
    const keel_boundary_spec *s = &f->spec;
    for (int i = 0; i < f->rows; i++) {
        keel_measurement m = f->how.measurement[i];
        double part = (m.t - s->from) / (s->to - s->from);
        if (!(part >= 0 && part <= 1) || m.unknown < 0 || m.unknown >= f->n || !isfinite(m.value) ||
            !(m.weight >= 0) || !isfinite(m.weight))
            return fail(&f->message, KEEL_BAD_ARGUMENT, "keel_fit_create: measurement [%d], of unknown %d "
                        "at t = %.10g, with value %.10g and weight %.3g: not in the interval, no unknown, "
                        "or not finite", i, m.unknown, m.t, m.value, m.weight);
        if (m.weight == 0) m.weight = 1;
        f->measured[i] = m;
    }
    return KEEL_OK;
}

static int create(keel_fit *f, const keel_boundary_options *options, size_t options_size)
{
    const keel_problem *p = f->spec.problem;
    arena measure = {0};
    if (!p || !p->names || f->spec.parameters < 0 || f->spec.conditions < 0)
        return fail(&f->message, KEEL_BAD_ARGUMENT, "keel_fit_create: no problem, or one that was not "
                    "created successfully, or a negative number of conditions or parameters");
    int rc = check_how(f);
    if (rc) return rc;
    f->n = p->n;
    f->np = f->spec.parameters;
    f->count = f->how.parameters;
    f->rows = f->how.measurements;
    layout(&measure, f);
    f->block = arena_block(measure.used);
    if (!f->block) return fail(&f->message, KEEL_NO_MEMORY, "no memory for the fit");
    layout(&(arena){.base = f->block}, f);
    rc = take_measurements(f);
    if (!rc) rc = fit_problem(f, options, options_size);
    f->how.parameter = NULL;
    f->how.measurement = NULL;
    f->created = !rc;
    return rc;
}

int keel_fit_create_sized(keel_fit **fit, const keel_boundary_spec *spec, size_t spec_size,
                          const keel_boundary_options *options, size_t options_size,
                          const keel_fit_options *how, size_t how_size)
{
    if (!fit) return KEEL_BAD_ARGUMENT;
    keel_fit *f = *fit = calloc(1, sizeof *f);
    if (!f) return KEEL_NO_MEMORY;
    if (!spec || !how)
        return fail(&f->message, KEEL_BAD_ARGUMENT, "keel_fit_create: spec or how is NULL");
    int rc = sized_copy(&f->message, SIZED(keel_boundary_spec, break_parameter, break_parameter),
                        &f->spec, spec, spec_size);
    if (!rc)
        rc = sized_copy(&f->message, SIZED(keel_fit_options, most, most), &f->how, how, how_size);
    return rc ? rc : create(f, options, options_size);
}

void keel_fit_free(keel_fit *f)
{
    if (!f) return;
    keel_boundary_free(f->boundary);
    arena_block_free(f->block);
    free(f);
}

keel_boundary *keel_fit_boundary(keel_fit *f) { return f ? f->boundary : NULL; }
const char *keel_fit_message(const keel_fit *f) { return f ? f->message.text : ""; }

const keel_fit_result *keel_fit_result_of(const keel_fit *f)
{
    return f && f->found ? &f->result : NULL;
}

static int entered(keel_fit *f, const char *call)
{
    if (!f) return KEEL_BAD_ARGUMENT;
    f->message.text[0] = 0;
    if (f->created) return KEEL_OK;
    return fail(&f->message, KEEL_BAD_ARGUMENT, "%s: the fit was not created successfully", call);
}

int keel_fit_measure(keel_fit *f, const double *values)
{
    int rc = entered(f, "keel_fit_measure");
    if (rc) return rc;
    for (int i = 0; values && i < f->rows; i++)
        if (!isfinite(values[i])) values = NULL;
    if (!values)
        return fail(&f->message, KEEL_BAD_ARGUMENT, "keel_fit_measure: no values, or one is not finite");
    for (int i = 0; i < f->rows; i++) f->measured[i].value = values[i];
    f->found = 0;
    return KEEL_OK;
}

/* ---- the linear model ---------------------------------------------------------------------- */

/* J = Q R, weighted; 0, or 1 + the first parameter that has no effect of its own. */
static int factor(keel_fit *f)
{
    int count = f->count;
    for (int i = 0; i < f->rows; i++)
        for (int j = 0; j < count; j++)
            f->Q[(ptrdiff_t)i * count + j] =
                f->sensitivity[(ptrdiff_t)i * count + j] / f->measured[i].weight;
    modes_orthonormal(f->rows, count, f->Q, f->R);
    for (int j = 0; j < count; j++) {
        double length = 0;
        for (int i = 0; i <= j; i++) length = hypot(length, f->R[(ptrdiff_t)i * count + j]);
        if (!(fabs(f->R[(ptrdiff_t)j * count + j]) > indistinct * length)) return 1 + j;
    }
    return 0;
}

/* x := R^-1 x */
static void back(const keel_fit *f, double *x)
{
    for (int i = f->count - 1; i >= 0; i--) {
        for (int j = i + 1; j < f->count; j++) x[i] -= f->R[(ptrdiff_t)i * f->count + j] * x[j];
        x[i] /= f->R[(ptrdiff_t)i * f->count + i];
    }
}

/* f->step from the residuals. */
static void gauss_newton(keel_fit *f)
{
    for (int j = 0; j < f->count; j++) {
        f->step[j] = 0;
        for (int i = 0; i < f->rows; i++) f->step[j] += f->Q[(ptrdiff_t)i * f->count + j] * f->residual[i];
    }
    back(f, f->step);
}

/* The inverse of R by columns, then its square; f->trial is scratch. */
static void fill_covariance(keel_fit *f, double variance)
{
    int count = f->count;
    double *C = f->covariance, *column = f->half_width;
    memset(C, 0, (size_t)count * (size_t)count * sizeof *C);
    for (int j = 0; j < count; j++) {
        memset(column, 0, (size_t)count * sizeof *column);
        column[j] = 1;
        back(f, column);
        for (int i = 0; i < count; i++)
            for (int l = 0; l < count; l++)
                C[(ptrdiff_t)i * count + l] += variance * column[i] * column[l];
    }
    for (int j = 0; j < count; j++) f->deviation[j] = sqrt(C[(ptrdiff_t)j * count + j]);
}

/* ---- steps --------------------------------------------------------------------------------- */

static int no_model(keel_fit *f, int column)
{
    return fail(&f->message, KEEL_SINGULAR, "the measurements do not determine the parameter %s: what it "
                "changes is nothing, or what others change as well",
                keel_parameter_name(f->spec.problem, f->which[f->np + column]));
}

/* The model at f->theta, whose solution is there. */
static int linearise(keel_fit *f)
{
    int rc = fit_sensitivity(f);
    if (rc) return fail(&f->message, rc, "%s", keel_boundary_message(f->boundary));
    int missing = factor(f);
    if (missing) return no_model(f, missing - 1);
    fill_covariance(f, f->squares / (f->rows - f->count));
    gauss_newton(f);
    return KEEL_OK;
}

/* How long a step is beside what is uncertain, and what the boundary value problem is solved to. */
static double length_of(const keel_fit *f)
{
    double longest = 0;
    for (int j = 0; j < f->count; j++) {
        double least = f->boundary->tolerance * (1 + fabs(f->theta[j]));
        longest = fmax(longest, fabs(f->step[j]) / fmax(f->deviation[j], 10 / enough * least));
    }
    return longest;
}

/* f->theta += part of f->step, so that S does not grow; 0, or why there is none. */
static int take_step(keel_fit *f)
{
    enum { HALVINGS = 12 };
    double part = 1, squares = 0;
    int rc = KEEL_NOT_CONVERGED;
    for (int i = 0; i < HALVINGS; i++, part /= 2) {
        for (int j = 0; j < f->count; j++) f->trial[j] = f->theta[j] + part * f->step[j];
        rc = fit_solve(f, &squares);
        if (rc == KEEL_NO_MEMORY) break;
        if (!rc && squares <= f->squares * (1 + 1e-6)) {
            memcpy(f->theta, f->trial, (size_t)f->count * sizeof *f->theta);
            f->squares = squares;
            return KEEL_OK;
        }
    }
    if (rc) return fail(&f->message, rc, "no step succeeds: %s", keel_boundary_message(f->boundary));
    return fail(&f->message, KEEL_NOT_CONVERGED, "no step makes the sum of squares, %.6g, smaller: "
                "tolerances may be too large beside the noise", f->squares);
}

static void report(keel_fit *f, int steps)
{
    double q = student_quantile(f->how.confidence, f->rows - f->count);
    memcpy(f->value, f->theta, (size_t)f->count * sizeof *f->value);
    for (int j = 0; j < f->count; j++) f->half_width[j] = q * f->deviation[j];
    f->result = (keel_fit_result){
        .parameters = f->count, .measurements = f->rows, .freedom = f->rows - f->count, .steps = steps,
        .value = f->value, .deviation = f->deviation, .half_width = f->half_width,
        .covariance = f->covariance, .predicted = f->predicted, .sensitivity = f->sensitivity,
        .noise = sqrt(f->squares / (f->rows - f->count))};
    f->found = 1;
}

int keel_fit_run(keel_fit *f, const double *start)
{
    int rc = entered(f, "keel_fit_run");
    if (rc) return rc;
    f->found = 0;
    for (int j = 0; j < f->count; j++) {
        f->trial[j] = f->theta[j] = start ? start[j] : f->boundary->flow.parameters[f->which[f->np + j]];
        if (!isfinite(f->theta[j]))
            return fail(&f->message, KEEL_BAD_ARGUMENT, "keel_fit_run: the start is not finite");
    }
    rc = fit_solve(f, &f->squares);
    if (rc)
        return fail(&f->message, rc, "no solution to begin with: %s", keel_boundary_message(f->boundary));
    for (int steps = 0; steps < f->how.most; steps++) {
        rc = linearise(f);
        if (rc) return rc;
        if (length_of(f) <= enough) return report(f, steps), KEEL_OK;
        rc = take_step(f);
        if (rc) return rc;
    }
    return fail(&f->message, KEEL_NOT_CONVERGED, "no minimum after %d steps: begin nearer to it, or raise "
                "`most`", f->how.most);
}
