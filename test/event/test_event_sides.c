/* One crossing, one event: switches that are 0 at the start or after an event, touches, plateaus,
 * double zeros, pairs of crossings in one step, directions, backward runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "keel/keel.h"

static const char *const methods[] = {"auto", "dopri5", "esdirk-4", "rodas-5p", "radau-iia", "bdf",
                                      "dimsim"};
enum { METHODS = sizeof methods / sizeof *methods, MOST = 64 };

/* y' = 1, so that y = t: switches are functions of time whose zeros are known. */
static int clock_rate(double t, const double *y, double *f, void *context)
{
    (void)t; (void)y; (void)context;
    f[0] = 1;
    return 0;
}

typedef double shape(double x);

static int shape_value(double t, const double *y, const double *yp, double *s, void *context)
{
    shape *const *f = context;
    (void)t; (void)yp;
    s[0] = (*f)(y[0]);
    return 0;
}

typedef struct wanted { shape *f; int direction; double from, to; int count; double at[8]; } wanted;

static void check_run(const wanted *w, const char *method, double look)
{
    keel_problem *smooth = NULL, *p = NULL;
    keel_solver *s = NULL;
    shape *f = w->f;
    assert_int_equal(keel_ode(&smooth, &(keel_ode_spec){.size = 1, .rhs = clock_rate,
                                                        .context = &f}), KEEL_OK);
    assert_int_equal(keel_switching(&p, smooth, &(keel_switching_spec){
        .switches = 1, .value = shape_value, .directions = &w->direction, .look = look}), KEEL_OK);
    assert_int_equal(keel_solver_create(&s, p, &(keel_options){.method = method, .rtol = 1e-9,
                                                               .atol = 1e-9}), KEEL_OK);
    assert_int_equal(keel_start(s, w->from, &w->from), KEEL_OK);
    assert_int_equal(keel_advance_to(s, w->to), KEEL_OK);
    if (keel_event_count(s) != w->count)
        print_error("%s: %ld events, not %d\n", method, keel_event_count(s), w->count);
    assert_int_equal(keel_event_count(s), w->count);
    for (int i = 0; i < w->count; i++) {
        keel_event_record r;
        assert_int_equal(keel_event_at(s, i, &r), KEEL_OK);
        assert_true(fabs(r.t - w->at[i]) <= 1e-8);       /* y = t to the tolerance */
    }
    assert_int_equal(keel_solver_stats(s)->restarts, 0); /* nothing was changed */
    keel_solver_free(s);
    keel_problem_free(p);
}

static void check_all(const wanted *w, double look)
{
    for (int k = 0; k < METHODS; k++) check_run(w, methods[k], look);
}

static double line(double x) { return x - 1; }
static double from_zero(double x) { return x * (2 - x); }
static double square(double x) { return (x - 1) * (x - 1); }
static double square_at_zero(double x) { return x * x * (x - 2); }
static double cube_at_zero(double x) { return x * x * x * (x - 2); }
static double plateau(double x) { return x < 1 ? 1 - x : x > 2 ? 2 - x : 0; }
static double touching_plateau(double x) { return x < 1 ? 1 - x : x > 2 ? x - 2 : 0; }
static double dip(double x) { return (x - 1.5) * (x - 1.5) - 0.01; }
static double waves(double x) { return sin(20 * x); }
static double far_line(double x) { return x * 1e-9 - 1e-9; }
static double large_line(double x) { return (x + 1e6) - 1000001; }

static void directions_count(void **state)
{
    (void)state;
    check_all(&(wanted){line, 0, 0, 3, 1, {1}}, 0);
    check_all(&(wanted){line, KEEL_RISING, 0, 3, 1, {1}}, 0);
    check_all(&(wanted){line, KEEL_FALLING, 0, 3, 0, {0}}, 0);
    /* Along the run: backwards the line falls. */
    check_all(&(wanted){line, KEEL_FALLING, 3, 0, 1, {1}}, 0);
    check_all(&(wanted){line, KEEL_RISING, 3, 0, 0, {0}}, 0);
}

static void zero_at_the_start(void **state)
{
    (void)state;
    check_all(&(wanted){from_zero, 0, 0, 3, 1, {2}}, 0.3);
    check_all(&(wanted){from_zero, KEEL_FALLING, 0, 3, 1, {2}}, 0.3);
    check_all(&(wanted){from_zero, KEEL_RISING, 0, 3, 1, {0}}, 0.3);     /* moves in its direction */
    check_all(&(wanted){square_at_zero, 0, 0, 3, 1, {2}}, 0.3);          /* a double zero */
    check_all(&(wanted){square_at_zero, KEEL_FALLING, 0, 1, 1, {0}}, 0.3);
    check_all(&(wanted){cube_at_zero, KEEL_RISING, 0, 3, 1, {2}}, 0.3);  /* a triple zero */
    check_all(&(wanted){plateau, KEEL_FALLING, 1.2, 3, 1, {2}}, 0.3);
    check_all(&(wanted){plateau, 0, 1.2, 3, 0, {0}}, 0.3);
}

static void touches_do_not_count(void **state)
{
    (void)state;
    check_all(&(wanted){square, 0, 0, 3, 0, {0}}, 0);
    check_all(&(wanted){touching_plateau, 0, 0, 3, 0, {0}}, 0.2);
    check_all(&(wanted){plateau, 0, 0, 3, 1, {2}}, 0.2);                 /* fires when it leaves */
}

static void pairs_are_found(void **state)
{
    (void)state;
    check_all(&(wanted){dip, 0, 0, 3, 2, {1.4, 1.6}}, 0);
    check_all(&(wanted){dip, KEEL_FALLING, 0, 3, 1, {1.4}}, 0);
    double at[8];
    for (int i = 0; i < 8; i++) at[i] = (i + 1) * acos(-1) / 20;
    wanted w = {waves, 0, 0.01, 8.5 * acos(-1) / 20, 8, {0}};
    memcpy(w.at, at, sizeof at);
    check_all(&w, 0.1);                          /* bounded time between looks */
}

static void any_scale(void **state)
{
    (void)state;
    check_all(&(wanted){far_line, 0, 0, 3, 1, {1}}, 0);
    check_all(&(wanted){large_line, 0, 0, 3, 1, {1}}, 0);
}

/* ---- after an event of its own ------------------------------------------------------------- */

static int falling_rate(double t, const double *y, double *f, void *context)
{
    const keel_frame *frame = context;
    (void)t; (void)y;
    f[0] = frame->modes[0] ? -0.5 : -1;
    return 0;
}

static int level(double t, const double *y, const double *yp, double *s, void *context)
{
    (void)t; (void)yp; (void)context;
    s[0] = y[0] - 1;
    return 0;
}

static int weaken(keel_event *e, void *context)
{
    (void)context;
    if (e->crossed[0]) e->modes[0]++;
    return 0;
}

/* A heater that is too weak: the temperature goes on falling through the level, which is one
 * crossing. */
static void one_crossing_one_event(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        keel_problem *smooth = NULL, *p = NULL;
        keel_solver *s = NULL;
        const int falling = KEEL_FALLING;
        assert_int_equal(keel_ode(&smooth, &(keel_ode_spec){.size = 1, .rhs = falling_rate,
                                                            .frame = {.modes = 1}}), KEEL_OK);
        assert_int_equal(keel_switching(&p, smooth, &(keel_switching_spec){
            .switches = 1, .value = level, .directions = &falling, .action = weaken}), KEEL_OK);
        assert_int_equal(keel_solver_create(&s, p, &(keel_options){.method = methods[k]}), KEEL_OK);
        assert_int_equal(keel_start(s, 0, (double[]){2}), KEEL_OK);
        assert_int_equal(keel_advance_to(s, 3), KEEL_OK);
        assert_int_equal(keel_event_count(s), 1);
        assert_int_equal(keel_solver_frame(s)->modes[0], 1);
        assert_true(fabs(keel_state(s)[0]) <= 1e-5);     /* 2 - 1 - 0.5 * 2 */
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* y = sin t: 0.9 is crossed at asin 0.9 and pi - asin 0.9, and so on.  Where dense output is coarse, the step
 * to the second of two events is made anew; the first one has happened. */
static int circle(double t, const double *y, double *f, void *context)
{
    (void)t; (void)context;
    f[0] = y[1], f[1] = -y[0];
    return 0;
}

static int levels(double t, const double *y, const double *yp, double *s, void *context)
{
    (void)t; (void)yp; (void)context;
    s[0] = y[0] - 0.9;
    s[1] = y[0] * y[0] - 1e-4;
    return 0;
}

static int crossings;

static int count_crossings(keel_event *e, void *context)
{
    (void)context;
    crossings += e->crossed[0] != 0;
    return 0;
}

static void two_events_in_a_step(void **state)
{
    static const char *const coarse[] = {"gauss-4", "radau-iia-5", "radau-iia", "esdirk-5",
                                         "rodas-5p", "auto"};
    (void)state;
    for (int k = 0; k < 6; k++)
        for (double tolerance = 1e-3; tolerance > 1e-9; tolerance *= 0.1) {
            keel_problem *smooth = NULL, *p = NULL;
            keel_solver *s = NULL;
            const double start[] = {0, 1};
            assert_int_equal(keel_ode(&smooth, &(keel_ode_spec){.size = 2, .rhs = circle}), KEEL_OK);
            assert_int_equal(keel_switching(&p, smooth, &(keel_switching_spec){
                .switches = 2, .value = levels, .action = count_crossings}), KEEL_OK);
            assert_int_equal(keel_solver_create(&s, p, &(keel_options){
                .method = coarse[k], .rtol = tolerance, .atol = tolerance}), KEEL_OK);
            crossings = 0;
            assert_int_equal(keel_start(s, 0, start), KEEL_OK);
            assert_int_equal(keel_advance_to(s, 19), KEEL_OK);
            if (crossings != 6) print_error("%s, %g: %d crossings\n", coarse[k], tolerance, crossings);
            assert_int_equal(crossings, 6);
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_events_in_a_step),
        cmocka_unit_test(directions_count), cmocka_unit_test(zero_at_the_start),
        cmocka_unit_test(touches_do_not_count), cmocka_unit_test(pairs_are_found),
        cmocka_unit_test(any_scale), cmocka_unit_test(one_crossing_one_event)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
