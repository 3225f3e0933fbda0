/* test_pieces.c -- recordings taken apart and put together again, and evaluated beyond their ends. */
#include "keel/keel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

static int fall(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[1], f[1] = -9.81;
    return 0;
}

static int height(double t, const double *y, const double *yp, double *s, void *context)
{
    (void)t, (void)yp, (void)context;
    s[0] = y[0];
    return 0;
}

static int bounce(keel_event *event, void *context)
{
    (void)context;
    if (event->crossed[0]) event->y[1] *= -0.8;
    return 0;
}

typedef struct ball {
    keel_problem *problem;
    keel_solver *solver;
    keel_solution *solution;
} ball;

/* A bouncing ball, recorded from 0 to t. */
static ball record(double t)
{
    static const int falling[] = {KEEL_FALLING};
    ball b = {0};
    assert_int_equal(keel_ode(&b.problem, &(keel_ode_spec){.size = 2, .rhs = fall}), KEEL_OK);
    assert_int_equal(keel_switching(&b.problem, b.problem, &(keel_switching_spec){
        .switches = 1, .value = height, .directions = falling, .action = bounce}), KEEL_OK);
    assert_int_equal(keel_solver_create(&b.solver, b.problem, &(keel_options){.rtol = 1e-8}), KEEL_OK);
    assert_int_equal(keel_start(b.solver, 0, (double[]){1, 0}), KEEL_OK);
    assert_int_equal(keel_set_stop_time(b.solver, t), KEEL_OK);
    assert_int_equal(keel_solution_create(&b.solution, b.solver), KEEL_OK);
    while (keel_time(b.solver) < t) {
        assert_int_equal(keel_step(b.solver), KEEL_OK);
        assert_int_equal(keel_solution_append(b.solution, b.solver), KEEL_OK);
    }
    return b;
}

static void release(ball *b)
{
    keel_solution_free(b->solution);
    keel_solver_free(b->solver);
    keel_problem_free(b->problem);
}

static keel_solution *copy_of(const keel_solution *s)
{
    keel_solution *copy = NULL;
    keel_piece p;
    assert_int_equal(keel_solution_begin(&copy, 2, 0, (double[]){1, 0}), KEEL_OK);
    for (int i = 0; i < keel_solution_steps(s); i++) {
        assert_int_equal(keel_solution_piece(s, i, &p), KEEL_OK);
        assert_int_equal(keel_solution_join(copy, &p), KEEL_OK);
    }
    assert_int_equal(keel_solution_piece(s, keel_solution_steps(s), &p), KEEL_BAD_ARGUMENT);
    return copy;
}

/* The copy has the same bits everywhere, on both sides of events as well. */
static void copy_is_the_same(void **state)
{
    ball b = record(2);
    keel_solution *copy = copy_of(b.solution);
    double one[2], two[2];
    (void)state;
    assert_int_equal(keel_solution_unknowns(copy), 2);
    assert_int_equal(keel_solution_steps(copy), keel_solution_steps(b.solution));
    assert_true(keel_solution_events(b.solution) == 3 && keel_solution_events(copy) == 3);
    for (int k = 0; k <= 200; k++) {
        keel_solution_at(b.solution, k / 100.0, one);
        assert_int_equal(keel_solution_at(copy, k / 100.0, two), KEEL_OK);
        assert_memory_equal(one, two, sizeof one);
    }
    for (int i = 0; i < 3; i++) {
        const double t = keel_solution_event(b.solution, i);
        assert_true(keel_solution_event(copy, i) == t);
        keel_solution_at(copy, t, one);
        keel_solution_after(copy, t, two);
        assert_true(one[1] < 0 && two[1] > 0 && fabs(two[1] + 0.8 * one[1]) < 1e-12);
    }
    keel_solution_free(copy);
    release(&b);
}

/* A run that an event ends: what is behind it is kept. */
static void end_behind_an_event(void **state)
{
    ball b = record(2);
    const double t = keel_solution_event(b.solution, 2);
    double one[2], two[2];
    (void)state;
    release(&b);
    b = record(t);
    if (keel_solution_events(b.solution) == 3) {     /* the last one ends the run to rounding */
        keel_solution *copy = copy_of(b.solution);
        keel_solution_after(b.solution, t, one);
        keel_solution_after(copy, t, two);
        assert_memory_equal(one, two, sizeof one);
        assert_true(two[1] > 0);
        keel_solution_free(copy);
    }
    release(&b);
}

/* Falling is a parabola, which the polynomials are, too: the first and the last one go on. */
static void beyond_both_ends(void **state)
{
    ball b = record(0.4);
    double y[2];
    (void)state;
    assert_int_equal(keel_solution_beyond(b.solution, 0.42, y), KEEL_OK);
    assert_true(fabs(y[0] - (1 - 9.81 * 0.42 * 0.42 / 2)) < 1e-10);
    const double h = keel_solution_time(b.solution, 1);
    assert_int_equal(keel_solution_beyond(b.solution, -h, y), KEEL_OK);
    assert_true(fabs(y[0] - (1 - 9.81 * h * h / 2)) < 1e-10);
    assert_int_equal(keel_solution_beyond(b.solution, 0.2, y), KEEL_OK);
    assert_true(fabs(y[0] - (1 - 9.81 * 0.04 / 2)) < 1e-10);
    assert_int_equal(keel_solution_at(b.solution, 0.42, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_beyond(b.solution, NAN, y), KEEL_BAD_ARGUMENT);
    release(&b);
}

static void wrong_pieces(void **state)
{
    static const double nodes[] = {0, 1}, weights[] = {-1, 1}, values[] = {1, 0, 2, 0};
    keel_piece p = {.t0 = 0, .t1 = 1, .h = 1, .nodes = nodes, .weights = weights, .values = values,
                    .points = 2};
    keel_solution *s = NULL;
    double y[2];
    (void)state;
    assert_int_equal(keel_solution_begin(&s, 0, 0, values), KEEL_BAD_ARGUMENT);
    assert_null(s);
    assert_int_equal(keel_solution_begin(&s, 2, NAN, values), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_begin(NULL, 2, 0, values), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_begin(&s, 2, 0, values), KEEL_OK);
    assert_int_equal(keel_solution_beyond(s, 3, y), KEEL_OK);        /* nothing but the start */
    assert_true(y[0] == 1);
    p.t0 = 0.5;
    assert_int_equal(keel_solution_join(s, &p), KEEL_BAD_ARGUMENT);
    assert_non_null(strstr(keel_solution_message(s), "does not follow"));
    p.t0 = 0, p.h = -1;
    assert_int_equal(keel_solution_join(s, &p), KEEL_BAD_ARGUMENT);
    p.h = 1, p.points = 1;
    assert_int_equal(keel_solution_join(s, &p), KEEL_BAD_ARGUMENT);
    p.points = 1000;
    assert_int_equal(keel_solution_join(s, &p), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_join(s, NULL), KEEL_BAD_ARGUMENT);
    p.points = 2;
    assert_int_equal(keel_solution_join(s, &p), KEEL_OK);
    assert_int_equal(keel_solution_at(s, 0.5, y), KEEL_OK);
    assert_true(fabs(y[0] - 1.5) < 1e-15);
    keel_solution_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copy_is_the_same), cmocka_unit_test(end_behind_an_event),
        cmocka_unit_test(beyond_both_ends), cmocka_unit_test(wrong_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
