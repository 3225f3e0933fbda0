/* test_start.c -- the consistent start: the same in every form and size, as marked, and
 * explained. */
#include "integrate/integrator.h"

#undef fail
#include <stdlib.h>
#include <time.h>

#include "problems/channel.h"
#include "problems/list.h"
#include "test/support/double_pendulum.h"
#include "test/support/index1.h"
#include "test/support/levelled.h"
#include "test/support/run.h"

static keel_solver *solver_of(const keel_problem *p)
{
    keel_solver *s = NULL;
    expect_ok(keel_solver_create(&s, p, NULL), s, "create");
    return s;
}

static void release(keel_solver *s, keel_problem *p)
{
    keel_solver_free(s);
    keel_problem_free(p);
}

/* ---- the same problem in three forms --------------------------------------------------------- */

/* Differential values stay, to the last bit; z and z' = 0 are what the equation asks for. */
static void one_point_for_three_forms(void **state)
{
    const index1_system *systems[] = {&index1_cubic, &index1_diode};
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int which = 0; which < INDEX1_FORMS; which++) {
            keel_problem *p = NULL;
            double exact[INDEX1_SIZE];
            assert_int_equal(index1_make(&p, systems[k], (index1_form)which), KEEL_OK);
            keel_solver *s = solver_of(p);
            expect_ok(keel_start(s, 0, systems[k]->start), s, systems[k]->name);
            memcpy(exact, systems[k]->start, sizeof exact);
            systems[k]->consistent(exact);
            int kept = systems[k]->differential;
            assert_memory_equal(keel_state(s), exact, (size_t)kept * sizeof *exact);
            for (int i = kept; i < INDEX1_SIZE; i++)
                if (!(fabs(keel_state(s)[i] - exact[i]) <= 1e-9 * fabs(exact[i])))
                    fail_msg("%s, form %d: %.15g instead of %.15g", systems[k]->name, which,
                             keel_state(s)[i], exact[i]);
            release(s, p);
        }
}

/* From 12 V at the diode each of some 430 steps of Newton's method gains V_T. */
static void diode_from_far_away(void **state)
{
    const double y[3] = {0, 12, 0};
    (void)state;
    for (int which = 0; which < INDEX1_FORMS; which++) {
        keel_problem *p = NULL;
        double exact[3] = {0};
        diode_consistent(exact);
        assert_int_equal(index1_make(&p, &index1_diode, (index1_form)which), KEEL_OK);
        keel_solver *s = solver_of(p);
        expect_ok(keel_start(s, 0, y), s, "12 V");
        assert_true(fabs(keel_state(s)[1] - exact[1]) < 1e-9);
        assert_true(fabs(keel_state(s)[2] - exact[2]) < 1e-9 * exact[2]);
        release(s, p);
    }
}

/* ---- marks ----------------------------------------------------------------------------------- */

/* A fixed derivative y1' = 2 of y1' = z: z^3 + z = y1 y2 = 10 then moves y1 and y2. */
static void fixed_derivative(void **state)
{
    const double yp[3] = {2};
    const keel_mark yp_marks[3] = {KEEL_FIXED, KEEL_FREE, KEEL_FREE};
    (void)state;
    for (int which = 0; which < INDEX1_FORMS; which++) {
        keel_problem *p = NULL;
        assert_int_equal(index1_make(&p, &index1_cubic, (index1_form)which), KEEL_OK);
        keel_solver *s = solver_of(p);
        expect_ok(keel_start_with(s, &(keel_start_spec){.y = index1_cubic.start, .yp = yp,
                                                        .yp_marks = yp_marks}), s, "start");
        const double *x = keel_state(s);
        assert_true(fabs(x[2] - 2) < 1e-9);
        assert_true(fabs(x[0] * x[1] - 10) < 1e-8);
        if (which != INDEX1_SEMI_EXPLICIT) assert_true(s->yp[0] == 2);
        release(s, p);
    }
}

/* l fixed: the positions and velocities become those to which it belongs. */
static void fixed_multiplier(void **state)
{
    static const int which[] = {FORM_HESS2, FORM_HESS3, FORM_SEPARATE};
    (void)state;
    for (int k = 0; k < 3; k++) {
        const form *f = &forms[which[k]];
        probe context = {0};
        double y[LARGEST_FORM], value[LARGEST_FORM];
        keel_mark marks[LARGEST_FORM] = {KEEL_GUESS};
        keel_problem *p = new_problem(f, GIVEN, &context);
        keel_solver *s = solver_of(p);
        f->exact(0, y);
        y[f->size - 1] *= 1.1;
        marks[f->size - 1] = KEEL_FIXED;
        expect_ok(keel_start_marked(s, 0, y, NULL, marks), s, f->name);
        for (int level = 0; level < p->levels; level++) {
            assert_int_equal(eval_level(&s->eval, level, 0, s->y, value), 0);
            if (!(fabs(value[0]) < 1e-6)) fail_msg("%s: level %d: %g", f->name, level, value[0]);
        }
        assert_true(distance(keel_state(s), y, 0, f->size - 1) > 1e-4);
        /* found at the start, before an integrator looks for others */
        assert_true(fabs(keel_state(s)[f->size - 1] - y[f->size - 1]) < 1e-7);
        release(s, p);
    }
}

/* Whatever the integrator knows about multipliers at its start: a fixed one is that of the user. */
static void fixed_multipliers_are_not_improved(void **state)
{
    static const char *const methods[] = {"auto", "dop853", "radau-iia", "radau-iia-3", "gauss-3",
                                          "esdirk-4", "bdf", "hem-5"};
    const form *f = &forms[FORM_SEPARATE];
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        probe context = {0};
        double y[LARGEST_FORM];
        keel_mark marks[LARGEST_FORM] = {KEEL_GUESS};
        keel_problem *p = new_problem(f, GIVEN, &context);
        keel_solver *s = NULL;
        expect_ok(keel_solver_create(&s, p, &(keel_options){.method = methods[k]}), s, methods[k]);
        f->exact(0, y);
        y[f->size - 1] *= 1.1;
        marks[f->size - 1] = KEEL_FIXED;
        expect_ok(keel_start_marked(s, 0, y, NULL, marks), s, methods[k]);
        if (!(keel_state(s)[f->size - 1] == y[f->size - 1]))
            fail_msg("%s: %.17g instead of %.17g", methods[k], keel_state(s)[f->size - 1],
                     y[f->size - 1]);
        release(s, p);
    }
}

/* ---- more equations -------------------------------------------------------------------------- */

/* v^2 / 2 - 1 / |q|, prescribed */
static int energy(double t, const double *y, const double *yp, double *value, void *context)
{
    (void)t, (void)yp;
    value[0] = 0.5 * (y[2] * y[2] + y[3] * y[3]) + 9.81 * y[1] - *(const double *)context;
    return 0;
}

static int sum_of_rates(double t, const double *y, const double *yp, double *value, void *context)
{
    (void)t, (void)y, (void)context;
    value[0] = yp[0] + yp[1] - 3;
    return 0;
}

static int never(double t, const double *y, const double *yp, double *value, void *context)
{
    (void)t, (void)yp, (void)context;
    value[0] = y[0] * y[0] + 1;
    return 0;
}

static const char *const energy_name[] = {"prescribed energy"};

/* A pendulum with a prescribed energy: on the circle, along it, and as fast as that takes. */
static void prescribed_energy(void **state)
{
    double wanted = 5, value;
    const levelled lp = levelled_pendulum_of(&pendulum_plain);
    const double y[5] = {1.1, 0.2, 0.1, 1, 0};
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_levelled(&p, &(keel_levelled_spec){.differential = 4, .algebraic = 1,
        .next = lp.next, .chain = lp.chain, .rate = lp.rate, .level = lp.level,
        .jacobian = lp.jacobian, .context = lp.context}), KEEL_OK);
    keel_solver *s = solver_of(p);
    expect_ok(keel_start_with(s, &(keel_start_spec){.y = y, .equations = 1, .equation = energy,
        .equation_names = energy_name, .context = &wanted}), s, "energy");
    const double *x = keel_state(s);
    energy(0, x, x, &value, &wanted);
    assert_true(fabs(value) < 1e-10);
    assert_true(fabs(hypot(x[0], x[1]) - 1) < 1e-12);
    assert_true(fabs(x[0] * x[2] + x[1] * x[3]) < 1e-10);
    /* positions are still those nearest to the ones given: speed is what moves */
    double length = hypot(y[0], y[1]);
    assert_true(fabs(x[0] - y[0] / length) + fabs(x[1] - y[1] / length) < 1e-10);
    wanted = -20;                                          /* below the lowest point */
    int rc = keel_start_with(s, &(keel_start_spec){.y = y, .equations = 1, .equation = energy,
        .equation_names = energy_name, .context = &wanted});
    expect_status(rc, KEEL_INCONSISTENT, s, "too low");
    release(s, p);
}

/* y1' + y2' = 3 with y1' = z, y2' = -y1, in all forms. */
static void prescribed_rates(void **state)
{
    (void)state;
    for (int which = 0; which < INDEX1_FORMS; which++) {
        keel_problem *p = NULL;
        assert_int_equal(index1_make(&p, &index1_cubic, (index1_form)which), KEEL_OK);
        keel_solver *s = solver_of(p);
        expect_ok(keel_start_with(s, &(keel_start_spec){.y = index1_cubic.start, .equations = 1,
                                                        .equation = sum_of_rates}), s, "start");
        const double *x = keel_state(s);
        assert_true(fabs(x[2] - x[0] - 3) < 1e-9);
        assert_true(fabs(x[2] * x[2] * x[2] + x[2] - x[0] * x[1]) < 1e-9);
        release(s, p);
    }
}

/* ---- attached rows --------------------------------------------------------------------------- */

static int rotate(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = -y[1];
    f[1] = y[0];
    return 0;
}

static int circle(double t, const double *y, double *h, void *context)
{
    (void)t, (void)context;
    h[0] = y[0] * y[0] + y[1] * y[1] - 1;
    return 0;
}

static int two_circles(double t, const double *y, double *h, void *context)
{
    circle(t, y, h, context);
    h[1] = 2 * h[0];
    return 0;
}

/* The nearest point of the circle; where the row is kept, the point itself. */
static void attached_rows(void **state)
{
    const double y[2] = {0.6, 0.9};
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        keel_problem *p = NULL;
        assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = rotate,
            .attached = {.rows = 1, .value = circle, .kept = (int[]){kept}}}), KEEL_OK);
        keel_solver *s = solver_of(p);
        expect_ok(keel_start(s, 0, y), s, "start");
        double scale = kept ? 1 : hypot(y[0], y[1]), *x = s->y, now;
        assert_true(fabs(x[0] - y[0] / scale) + fabs(x[1] - y[1] / scale) < 1e-12);
        assert_int_equal(eval_level(&s->eval, 0, 0, x, &now), 0);
        assert_true(fabs(now) < 1e-14);                    /* relative to what is kept */
        expect_ok(keel_advance_to(s, 3), s, "advance");
        double off = hypot(x[0], x[1]) - (kept ? hypot(y[0], y[1]) : 1);
        if (!(fabs(off) < 1e-13)) fail_msg("kept %d: %g", kept, off);
        release(s, p);
    }
}

/* The same row twice is accepted, with a remark that names both. */
static void dependent_attached_rows(void **state)
{
    static const char *const names[] = {"circle", "again"};
    const double y[2] = {0.6, 0.9};
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = rotate,
        .attached = {.rows = 2, .value = two_circles, .names = names}}), KEEL_OK);
    keel_solver *s = solver_of(p);
    expect_ok(keel_start(s, 0, y), s, "start");
    assert_true(fabs(hypot(keel_state(s)[0], keel_state(s)[1]) - 1) < 1e-12);
    expect_text(keel_message(s), "circle");
    expect_text(keel_message(s), "again");
    expect_text(keel_message(s), "rank 1");
    release(s, p);
}

/* ---- levelled -------------------------------------------------------------------------------- */

/* Indices 2, 3, 4 from off the manifold: on all levels, and z with them; back at the solution the
 * solution itself. */
static void levels_of_any_depth(void **state)
{
    levelled problems[] = {levelled_index2(), levelled_index3(), levelled_index4()};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int off = 0; off < 2; off++) {
            const levelled *l = &problems[k];
            double y[LEVELLED_MAX], value[LEVELLED_MAX], t = 0.4;
            keel_problem *p = NULL;
            int n = l->differential + l->algebraic;
            assert_int_equal(keel_levelled(&p, &(keel_levelled_spec){
                .differential = l->differential, .algebraic = l->algebraic, .next = l->next,
                .chain = l->chain, .rate = l->rate, .level = l->level, .jacobian = l->jacobian,
                .context = l->context}), KEEL_OK);
            assert_int_equal(p->levels, k + 2);
            keel_solver *s = solver_of(p);
            assert_int_equal(levelled_reference(l, t, y), KEEL_OK);
            double exact[LEVELLED_MAX];
            memcpy(exact, y, sizeof y);
            for (int i = 0; i < n; i++) y[i] += off ? 0.1 * cos(3.0 * i) : i == n - 1 ? 0.3 : 0;
            expect_ok(keel_start(s, t, y), s, l->name);
            for (int level = 0; level < p->levels; level++) {
                assert_int_equal(eval_level(&s->eval, level, t, s->y, value), 0);
                if (!(fabs(value[0]) < 1e-12))
                    fail_msg("%s: level %d: %g", l->name, level, value[0]);
            }
            assert_true(distance(keel_state(s), exact, 0, n) < (off ? 1 : 1e-12));
            release(s, p);
        }
}

/* ---- mechanical ------------------------------------------------------------------------------ */

static void rods(void **state)
{
    static const char *const names[] = {"upper rod", "lower rod", "lower rod again"};
    const double_pendulum *kinds[] = {&two_rods, &rod_twice, &rods_that_contradict};
    const int expected[] = {KEEL_OK, KEEL_OK, KEEL_INCONSISTENT};
    (void)state;
    for (int k = 0; k < 3; k++) {
        double y[DOUBLE_PENDULUM_MAX];
        keel_problem *p = NULL;
        keel_mechanical_spec spec = double_pendulum_spec(kinds[k]);
        spec.constraint_names = names;
        assert_int_equal(keel_mechanical(&p, &spec), KEEL_OK);
        keel_solver *s = solver_of(p);
        double_pendulum_start(kinds[k], y);
        y[0] += 0.05;
        expect_status(keel_start(s, 0, y), expected[k], s, "rods");
        for (int r = 1; r < 3 && k > 0; r++) expect_text(keel_message(s), names[r]);
        if (k > 0) {
            expect_text(keel_message(s), "rank");
            expect_text(keel_message(s), "t = 0");
        }
        if (k == 2) expect_text(keel_message(s), "contradict");
        release(s, p);
    }
}

/* ---- what is said ---------------------------------------------------------------------------- */

/* No z for y: named as what it is, without blaming fixed values; and the caller's values stay. */
static void no_convergence(void **state)
{
    const double y[3] = {1, 0.5, 0.25};
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(index1_make(&p, &index1_cubic, INDEX1_QUASILINEAR), KEEL_OK);
    keel_solver *s = solver_of(p);
    keel_start_spec spec = {.y = y, .equations = 1, .equation = never,
                            .equation_names = energy_name};
    expect_status(keel_start_with(s, &spec), KEEL_INCONSISTENT, s, "no root");
    expect_text(keel_message(s), "Newton's method does not converge");
    expect_text(keel_message(s), "prescribed energy");
    expect_text(keel_message(s), "residual");
    expect_text(keel_message(s), "y[0]");
    assert_null(strstr(keel_message(s), "fixed"));
    assert_memory_equal(s->y, y, sizeof y);
    spec.marks = (keel_mark[]){KEEL_FIXED, KEEL_FIXED, KEEL_FREE};
    expect_status(keel_start_with(s, &spec), KEEL_INCONSISTENT, s, "fixed");
    expect_text(keel_message(s), "fixed initial values: y[0]");
    assert_memory_equal(s->y, y, sizeof y);
    release(s, p);
}

/* A callback that is defined in a part of space alone: steps are shortened until they are in it. */
static int root_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)z, (void)context;
    f[0] = 1;
    return 0;
}

static int root_constraint(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    if (z[0] <= 0) return 1;
    g[0] = log(z[0]) - y[0];
    return 0;
}

static void domain_is_respected(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){.differential = 1,
        .algebraic = 1, .rhs = root_rate, .constraint = root_constraint}), KEEL_OK);
    keel_solver *s = solver_of(p);
    expect_ok(keel_start(s, 0, (double[]){-3, 20}), s, "log z = -3");
    assert_true(keel_state(s)[0] == -3 && fabs(keel_state(s)[1] - exp(-3)) < 1e-12);
    release(s, p);
}

/* ---- large ----------------------------------------------------------------------------------- */

/* Work of the start, counted in evaluations, does not depend on the size. */
static void large_flow(void **state)
{
    static const int sides[] = {10, 29, 82};               /* 290, 2494, 20090 unknowns */
    long first = 0;
    (void)state;
    if (!has_sparse()) return;
    for (int k = 0; k < 3; k++) {
        const double parameters[] = {sides[k], 0.01};
        const channel c = channel_of(parameters);
        keel_problem *p = NULL;
        size_t n = (size_t)c.size;
        double *y = malloc(n * sizeof *y), *value = malloc(n * sizeof *value);
        keel_mark *marks = calloc(n, sizeof *marks);
        assert_int_equal(problem_channel.create(&p, parameters), KEEL_OK);
        keel_solver *s = NULL;
        expect_ok(keel_solver_create(&s, p, &(keel_options){.method = "radau-iia-3"}), s, "create");
        channel_start(parameters, 1, y);                           /* at rest: off the manifold */
        y[3] = 0.125;
        for (int i = c.velocities; i < c.size; i++) marks[i] = KEEL_FREE;
        marks[3] = KEEL_FIXED;
        clock_t begin = clock();
        expect_ok(keel_start_marked(s, 0, y, NULL, marks), s, "start");
        print_message("%d unknowns: %.3g us each\n", c.size,
                      1e6 * (double)(clock() - begin) / CLOCKS_PER_SEC / c.size);
        const keel_stats *counts = keel_solver_stats(s);
        long work = counts->rhs + counts->rhs_for_jacobian + counts->jacobian + counts->constraint;
        if (k == 0) first = work;
        assert_true(work <= first + 4);
        assert_true(keel_state(s)[3] == 0.125);
        for (int level = 0; level < 2; level++) {
            assert_int_equal(eval_level(&s->eval, level, 0, s->y, value), 0);
            double worst = 0;
            for (int i = 0; i < c.pressures; i++) worst = fmax(worst, fabs(value[i]));
            if (!(worst < 1e-7)) fail_msg("%d: level %d: %g", c.size, level, worst);
        }
        memcpy(y, keel_state(s), n * sizeof *y);
        marks[n - 1] = KEEL_FIXED;                         /* right, then wrong */
        expect_ok(keel_start_marked(s, 0, y, NULL, marks), s, "again");
        y[n - 1] += 1;
        expect_status(keel_start_marked(s, 0, y, NULL, marks), KEEL_INCONSISTENT, s, "fixed");
        expect_text(keel_message(s), keel_variable_name(p, c.size - 1));
        release(s, p);
        free(marks);
        free(value);
        free(y);
    }
}

/* y_2i' = -z_i, y_2i+1' = y_2i - z_i, 0 = y_2i + y_2i+1^2 + y_2i+2 / 10 - 1 */
enum { PAIRS = 100000 };

static int pairs_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < PAIRS; i++) {
        f[2 * i] = -z[i];
        f[2 * i + 1] = y[2 * i] - z[i];
    }
    return 0;
}

static int pairs_constraint(double t, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < PAIRS; i++)
        g[i] = y[2 * i] + y[2 * i + 1] * y[2 * i + 1] + (i + 1 < PAIRS ? y[2 * i + 2] / 10 : 0) - 1;
    return 0;
}

/* 300,000 unknowns, nonlinear, by differences: a dense Jacobian of g would take 160 GB. */
static void no_dense_array(void **state)
{
    enum { N = 3 * PAIRS };
    int *begin = malloc((N + 1) * sizeof *begin), *row = malloc(5 * N * sizeof *row), count = 0;
    double *y = malloc(N * sizeof *y), *value = malloc(PAIRS * sizeof *value);
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    (void)state;
    if (has_sparse()) {
        for (int j = 0; j < N; j++) {
            int pair = j < 2 * PAIRS ? j / 2 : j - 2 * PAIRS;
            begin[j] = count;
            if (j >= 2 * PAIRS) row[count++] = 2 * pair;
            if (j >= 2 * PAIRS || j % 2 == 0) row[count++] = 2 * pair + 1;
            if (j < 2 * PAIRS && j % 2 == 0 && pair > 0) row[count++] = 2 * PAIRS + pair - 1;
            if (j < 2 * PAIRS) row[count++] = 2 * PAIRS + pair;
            y[j] = j < 2 * PAIRS ? 0.6 + 0.1 * sin(j) : 0;
        }
        begin[N] = count;
        assert_int_equal(keel_hessenberg2(&p, &(keel_hessenberg2_spec){
            .differential = 2 * PAIRS, .multipliers = PAIRS, .rhs = pairs_rate,
            .constraint = pairs_constraint,
            .pattern = {.storage = KEEL_SPARSE, .column_start = begin, .row_index = row}}),
            KEEL_OK);
        expect_ok(keel_solver_create(&s, p, &(keel_options){.method = "bdf"}), s, "create");
        expect_ok(keel_start(s, 0, y), s, "start");
        for (int level = 0; level < 2; level++) {
            assert_int_equal(eval_level(&s->eval, level, 0, s->y, value), 0);
            for (int i = 0; i < PAIRS; i++) assert_true(fabs(value[i]) < (level ? 1e-7 : 1e-13));
        }
        release(s, p);
    }
    free(value);
    free(y);
    free(row);
    free(begin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_point_for_three_forms), cmocka_unit_test(diode_from_far_away),
        cmocka_unit_test(fixed_derivative), cmocka_unit_test(fixed_multiplier),
        cmocka_unit_test(fixed_multipliers_are_not_improved),
        cmocka_unit_test(prescribed_energy), cmocka_unit_test(prescribed_rates),
        cmocka_unit_test(attached_rows), cmocka_unit_test(dependent_attached_rows),
        cmocka_unit_test(levels_of_any_depth), cmocka_unit_test(rods),
        cmocka_unit_test(no_convergence), cmocka_unit_test(domain_is_respected),
        cmocka_unit_test(large_flow), cmocka_unit_test(no_dense_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
