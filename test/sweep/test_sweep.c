/* test_sweep.c -- many runs: in order, the same for every number of workers, none lost to another's
 * failure. */
#include "test/support/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "keel/sweep.h"
#include "problems/pendulum.h"
#include "problems/problems.h"

enum { LARGEST = 64, ROWS = 40 };

/* ---- cases of a bundled problem whose parameter p[0] is swept ------------------------------- */

typedef struct subject {
    const keel_target *target;
    double t_end;
    long next;                   /* row that is expected                       */
    long stop_at;                /* row after which no more are wanted; -1     */
    double y[ROWS][LARGEST];
    int status[ROWS];
    char message[ROWS][200];
    long steps[ROWS];
    double bad;                  /* a parameter for which there is no problem  */
} subject;

typedef struct opened {
    double parameters[16], y[LARGEST];
    keel_problem *problem;
} opened;

static void fill_in(keel_sweep_case *c, const subject *s, double parameter)
{
    opened *o = c->own;
    o->parameters[0] = parameter;
    s->target->start(o->parameters, o->y);
    c->problem = o->problem;
    c->start = (keel_start_spec){.t = s->target->t_start, .y = o->y};
    c->t_end = s->t_end;
}

static int open_case(keel_sweep_case *c, const double *p, char *message, size_t room, void *context)
{
    const subject *s = context;
    opened *o = c->own = calloc(1, sizeof *o);
    if (p[0] == s->bad) {
        snprintf(message, room, "no problem for %g", p[0]);
        return KEEL_BAD_ARGUMENT;
    }
    for (int i = 0; i < s->target->parameter_count; i++)
        o->parameters[i] = s->target->parameters[i].value;
    o->parameters[0] = p[0];
    const int status = s->target->create(&o->problem, o->parameters);
    if (status == KEEL_OK) fill_in(c, s, p[0]);
    return status;
}

static int change_case(keel_sweep_case *c, const double *p, char *message, size_t room, void *context)
{
    const subject *s = context;
    if (p[0] == s->bad) {
        snprintf(message, room, "no problem for %g", p[0]);
        return KEEL_BAD_ARGUMENT;
    }
    fill_in(c, context, p[0]);
    return KEEL_OK;
}

static void close_case(keel_sweep_case *c, void *context)
{
    opened *o = c->own;
    (void)context;
    keel_problem_free(o->problem);
    free(o);
}

static int take_row(const keel_sweep_row *row, void *context)
{
    subject *s = context;
    assert_int_equal(row->row, s->next);
    s->next++;
    s->status[row->row] = row->status;
    s->steps[row->row] = row->stats->steps;
    snprintf(s->message[row->row], sizeof s->message[0], "%s", row->message);
    for (int i = 0; i < row->count && row->values; i++) s->y[row->row][i] = row->values[i];
    return row->row == s->stop_at;
}

static keel_sweep_spec spec_of(subject *s, const double *values, int jobs, int reuse)
{
    s->next = 0;
    return (keel_sweep_spec){.parameters = 1, .rows = ROWS, .values = values, .jobs = jobs,
                             .open = open_case, .close = close_case, .change = reuse ? change_case : NULL,
                             .row = take_row, .context = s};
}

static subject *subject_of(const keel_target *target, double t_end)
{
    subject *s = calloc(1, sizeof *s);
    s->target = target;
    s->t_end = t_end;
    s->stop_at = -1;
    s->bad = NAN;
    return s;
}

static void spread(double *values, double from, double to)
{
    keel_sweep_grid(&(keel_sweep_axis){from, to, ROWS, NULL}, 1, values);
}

static void assert_same(const subject *a, const subject *b)
{
    assert_int_equal(a->next, b->next);
    for (long k = 0; k < a->next; k++) {
        assert_int_equal(a->status[k], b->status[k]);
        assert_string_equal(a->message[k], b->message[k]);
        assert_int_equal(a->steps[k], b->steps[k]);
        assert_memory_equal(a->y[k], b->y[k], sizeof a->y[k]);
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* With one problem and solver for all rows of a worker, and anew for each row, by 1 and 3 workers:
 * the same doubles.  For every bundled problem that says its parameters are live. */
static void workers_agree(void **state)
{
    int count, tried = 0;
    const bundled_problem *const *all = bundled_problems(&count);
    (void)state;
    for (int k = 0; k < count; k++) {
        const keel_target *t = all[k];
        if (!t->live_parameters || t->size > LARGEST) continue;
        const double base = t->parameters[0].value, low = t->bounds ? t->bounds[0][0] : 0.9 * base;
        const double high = t->bounds ? fmin(t->bounds[0][1], 1.1 * base) : 1.1 * base;
        double values[ROWS];
        spread(values, fmax(low, 0.9 * base), high);
        subject *fresh = subject_of(t, t->t_start + 0.02 * (t->t_end - t->t_start));
        subject *kept = subject_of(t, fresh->t_end), *many = subject_of(t, fresh->t_end);
        keel_sweep_spec a = spec_of(fresh, values, 1, 0), b = spec_of(kept, values, 1, 1);
        keel_sweep_spec c = spec_of(many, values, 3, 1);
        assert_int_equal(keel_sweep(&a, NULL, NULL, 0), KEEL_OK);
        assert_int_equal(keel_sweep(&b, NULL, NULL, 0), KEEL_OK);
        assert_int_equal(keel_sweep(&c, NULL, NULL, 0), KEEL_OK);
        assert_int_equal(fresh->next, ROWS);
        assert_same(fresh, kept);
        assert_same(fresh, many);
        tried++;
        free(fresh), free(kept), free(many);
    }
    assert_true(tried >= 8);
}

/* The pendulum of gravity g at time T is that of gravity 1 at sqrt(g) T. */
static void ends_where_a_run_ends(void **state)
{
    double values[ROWS], y[LARGEST];
    const double one = 1;
    const keel_target *t = bundled_problem_find("pendulum");
    subject *s = subject_of(t, 1);
    keel_problem *p = NULL;
    keel_solver *solver = NULL;
    (void)state;
    spread(values, 1, 2);
    keel_sweep_spec spec = spec_of(s, values, 2, 1);
    const keel_options options = {.rtol = 1e-10, .atol = 1e-10};
    assert_int_equal(keel_sweep(&spec, &options, NULL, 0), KEEL_OK);
    assert_int_equal(t->create(&p, &one), KEEL_OK);
    assert_int_equal(keel_solver_create(&solver, p, &options), KEEL_OK);
    for (int k = 0; k < ROWS; k++) {
        t->start(&one, y);
        assert_int_equal(keel_start(solver, 0, y), KEEL_OK);
        assert_int_equal(keel_set_stop_time(solver, sqrt(values[k])), KEEL_OK);
        assert_int_equal(keel_advance(solver, sqrt(values[k])), KEEL_OK);
        assert_true(fabs(keel_state(solver)[0] - s->y[k][0]) < 1e-8);
        assert_true(fabs(keel_state(solver)[4] * values[k] - s->y[k][4]) < 1e-7);
    }
    keel_solver_free(solver);
    keel_problem_free(p);
    free(s);
}

/* Without a problem, and with a start that nothing makes consistent: rows like the others. */
static void failures_are_rows(void **state)
{
    double values[ROWS];
    (void)state;
    for (int reuse = 0; reuse < 2; reuse++) {
        subject *s = subject_of(bundled_problem_find("pendulum"), 1);
        spread(values, 1, 2);
        s->bad = values[7];
        values[11] = NAN;                        /* the force is not finite */
        keel_sweep_spec spec = spec_of(s, values, 2, reuse);
        assert_int_equal(keel_sweep(&spec, NULL, NULL, 0), KEEL_OK);
        assert_int_equal(s->next, ROWS);
        for (int k = 0; k < ROWS; k++)
            if (k != 7 && k != 11) assert_int_equal(s->status[k], KEEL_OK);
        assert_int_equal(s->status[7], KEEL_BAD_ARGUMENT);
        assert_non_null(strstr(s->message[7], "no problem for"));
        assert_true(s->status[11] < 0);
        assert_true(s->message[11][0] != 0);
        free(s);
    }
}

/* gamma = 2 |v|^2 but for large parameters. */
static int curvature(double t, const double *q, const double *v, double *gamma, void *context)
{
    const double *parameters = context;
    (void)t, (void)q;
    gamma[0] = (parameters[0] > 1.5 ? 2.02 : 2) * (v[0] * v[0] + v[1] * v[1]);
    return 0;
}

static int create_doubtful(keel_problem **problem, const double *parameters)
{
    keel_mechanical_spec spec = problem_pendulum_spec(parameters);
    spec.curvature = curvature;
    return keel_mechanical(problem, &spec);
}

/* A derivative that is wrong for some parameters is named in their rows, whatever was checked before. */
static void wrong_for_some(void **state)
{
    double values[ROWS];
    (void)state;
    keel_target doubtful = *bundled_problem_find("pendulum");
    doubtful.create = create_doubtful;
    subject *s = subject_of(&doubtful, 1);
    spread(values, 2, 1);
    values[5] = 1, values[ROWS - 1] = 2;
    keel_sweep_spec spec = spec_of(s, values, 1, 1);
    assert_int_equal(keel_sweep(&spec, NULL, NULL, 0), KEEL_OK);
    for (int k = 0; k < ROWS; k++) {
        const int wrong = values[k] > 1.5;
        assert_int_equal(s->status[k], wrong ? KEEL_WRONG_DERIVATIVE : KEEL_OK);
        assert_true(!wrong || strstr(s->message[k], "curvature"));
    }
    free(s);
}

static void stops_when_told(void **state)
{
    double values[ROWS];
    (void)state;
    spread(values, 1, 2);
    for (int jobs = 1; jobs < 4; jobs++) {
        subject *s = subject_of(bundled_problem_find("pendulum"), 1);
        s->stop_at = 5;
        keel_sweep_spec spec = spec_of(s, values, jobs, 1);
        assert_int_equal(keel_sweep(&spec, NULL, NULL, 0), KEEL_EVENT);
        assert_int_equal(s->next, 6);
        free(s);
    }
}

static int take_strided(const keel_sweep_row *row, void *context)
{
    subject *s = context;
    assert_int_equal(row->row, 3 + 4 * s->next);
    s->next++;
    return 0;
}

static void strides(void **state)
{
    double values[ROWS];
    (void)state;
    spread(values, 1, 2);
    subject *s = subject_of(bundled_problem_find("pendulum"), 0.1);
    keel_sweep_spec spec = spec_of(s, values, 2, 1);
    spec.first = 3, spec.stride = 4, spec.row = take_strided;
    assert_int_equal(keel_sweep(&spec, NULL, NULL, 0), KEEL_OK);
    assert_int_equal(s->next, 10);               /* 3, 7, ..., 39 */
    s->next = 0, spec.first = ROWS;
    assert_int_equal(keel_sweep(&spec, NULL, NULL, 0), KEEL_OK);
    assert_int_equal(s->next, 0);
    free(s);
}

static int radius(keel_solver *solver, const keel_sweep_case *c, double *values, void *context)
{
    (void)c, (void)context;
    values[0] = hypot(keel_state(solver)[0], keel_state(solver)[1]);
    return KEEL_OK;
}

static void outputs(void **state)
{
    double values[ROWS];
    (void)state;
    spread(values, 1, 2);
    subject *s = subject_of(bundled_problem_find("pendulum"), 1);
    keel_sweep_spec spec = spec_of(s, values, 2, 1);
    spec.output = radius, spec.outputs = 1;
    assert_int_equal(keel_sweep(&spec, NULL, NULL, 0), KEEL_OK);
    for (int k = 0; k < ROWS; k++) {
        assert_true(fabs(s->y[k][0] - 1) < 1e-14);
        assert_true(s->y[k][1] == 0);
    }
    free(s);
}

static void wrong_arguments(void **state)
{
    char text[200];
    double values[ROWS];
    (void)state;
    subject *s = subject_of(bundled_problem_find("pendulum"), 1);
    keel_sweep_spec spec = spec_of(s, NULL, 1, 1);
    assert_int_equal(keel_sweep(NULL, NULL, text, sizeof text), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_sweep(&spec, NULL, text, sizeof text), KEEL_BAD_ARGUMENT);
    assert_non_null(strstr(text, "values"));
    spec = spec_of(s, values, -1, 1);
    assert_int_equal(keel_sweep(&spec, NULL, text, sizeof text), KEEL_BAD_ARGUMENT);
    assert_non_null(strstr(text, "jobs"));
    spec = spec_of(s, values, 1, 1), spec.row = NULL;
    assert_int_equal(keel_sweep(&spec, NULL, text, sizeof text), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_sweep_sized(&spec, 8, NULL, 0, text, sizeof text), KEEL_BAD_ARGUMENT);
    free(s);
}

static void grids_and_samples(void **state)
{
    const double list[] = {5, 7, 11};
    const keel_sweep_axis axes[] = {{0, 1, 3, NULL}, {.count = 3, .values = list}};
    double grid[18], few[2 * 50], many[2 * 1000], mean = 0;
    (void)state;
    assert_int_equal(keel_sweep_grid_rows(axes, 2), 9);
    keel_sweep_grid(axes, 2, grid);
    const double expected[18] = {0, 5, 0, 7, 0, 11, 0.5, 5, 0.5, 7, 0.5, 11, 1, 5, 1, 7, 1, 11};
    assert_memory_equal(grid, expected, sizeof grid);
    assert_int_equal(keel_sweep_grid_rows(&(keel_sweep_axis){0, 1, 0, NULL}, 1), -1);
    const keel_sweep_axis huge = {0, 1, 4000000000, NULL}, three[] = {huge, huge, huge};
    assert_int_equal(keel_sweep_grid_rows(three, 3), -1);

    keel_sweep_samples(axes, 2, 50, 42, few);
    keel_sweep_samples(axes, 2, 1000, 42, many);
    assert_memory_equal(few, many, sizeof few);  /* row k does not depend on the number of rows */
    for (int k = 0; k < 1000; k++) {
        assert_true(many[2 * k] >= 0 && many[2 * k] < 1);
        assert_true(many[2 * k + 1] == 5 || many[2 * k + 1] == 7 || many[2 * k + 1] == 11);
        mean += many[2 * k] / 1000;
    }
    assert_true(fabs(mean - 0.5) < 5 * sqrt(1.0 / 12 / 1000));     /* five standard deviations */
    keel_sweep_samples(axes, 2, 50, 43, few);
    assert_true(few[0] != many[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_agree), cmocka_unit_test(ends_where_a_run_ends),
        cmocka_unit_test(failures_are_rows), cmocka_unit_test(wrong_for_some),
        cmocka_unit_test(stops_when_told),
        cmocka_unit_test(strides), cmocka_unit_test(outputs), cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(grids_and_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
