/* Events of models: relations, when-clauses and their priority, sample, reinit, whole numbers, initial(),
 * assert, terminate.  All references are exact. */
#include "test/model/model.h"

/* Dropped from 1 with g = 2 and half the speed at each bounce: at t = 1, 2, 2.5, 2.75, ... */
static void ball_bounces(void **state)
{
    (void)state;
    model_run r = run_model("model B Real h(start = 1, fixed = true), v(start = 0, fixed = true); Integer n(start = 0);\n"
                            "equation der(h) = v; der(v) = -2;\n"
                            "when h <= 0 then reinit(v, -0.5*pre(v)); n = pre(n) + 1; end when; end B;", 2.25, 1e-9);
    check_value(&r, "h", 0.0625, 1e-9);
    check_value(&r, "v", 0, 1e-9);
    check_value(&r, "n", 2, 0);
    assert_int_equal((int)keel_event_count(r.solver), 2);
    close_run(&r);
}

/* The same with other speeds after a bounce: an end at t = (1 + e) / (1 - e).  Bounces below the tolerance, v^2 / 4,
 * would take v / (1 - e) more. */
static void bounces_accumulate(void **state)
{
    (void)state;
    for (int k = 1; k <= 8; k += k < 3 ? 1 : 2) {
        const double e = 0.1 * k, tolerance = 1e-9;
        char text[400];
        snprintf(text, sizeof text, "model B Real h(start = 1, fixed = true), v(start = 0, fixed = true);\n"
                 "equation der(h) = v; der(v) = -2; when h <= 0 then reinit(v, -%g*pre(v)); end when; end B;", e);
        model_run r = open_model(text);
        keel_start_spec start;
        keel_model_start(r.model, &start);
        assert_int_equal(keel_solver_create(&r.solver, keel_model_problem(r.model),
                                            &(keel_options){.rtol = tolerance, .atol = tolerance}), KEEL_OK);
        assert_int_equal(keel_start_with(r.solver, &start), KEEL_OK);
        assert_int_equal(keel_advance_to(r.solver, 20), KEEL_CHATTERING);
        assert_true(fabs(keel_time(r.solver) - (1 + e) / (1 - e)) < 3 * sqrt(4 * tolerance) / (1 - e));
        close_run(&r);
    }
}

/* u is a sum of samples of x' = u - x: u_k and x(k/10) by recursion. */
static void controller_samples(void **state)
{
    (void)state;
    model_run r = run_model("model S Real x(start = 0, fixed = true); discrete Real u(start = 0); Integer k(start = 0);\n"
                            "equation der(x) = u - x;\n"
                            "when sample(0, 0.1) then u = pre(u) + 0.5*(1 - x); k = pre(k) + 1; end when; end S;",
                            1.05, 1e-11);
    double x = 0, u = 0;
    for (int k = 0; k <= 10; k++) {
        u += 0.5 * (1 - x);
        const double h = k < 10 ? 0.1 : 0.05;
        x = u + (x - u) * exp(-h);
    }
    check_value(&r, "k", 11, 0);
    check_value(&r, "u", u, 1e-9);
    check_value(&r, "x", x, 1e-9);
    close_run(&r);
}

/* Of an elsewhen only the first branch that fires acts; both fire at t = 1. */
static void first_branch_wins(void **state)
{
    (void)state;
    model_run r = run_model("model W Integer a(start = 0), b(start = 0); Real x(start = 0, fixed = true);\n"
                            "equation der(x) = 1;\n"
                            "when x >= 1 then a = 1; elsewhen time >= 1 then a = 2; end when;\n"
                            "when {time > 0.5, time > 1.5} then b = pre(b) + 1; end when; end W;", 2, 1e-9);
    assert_true(value_of(&r, "a") == 1 || value_of(&r, "a") == 2);
    check_value(&r, "b", 2, 0);
    close_run(&r);
    r = run_model("model W Integer a(start = 0); Real x(start = 0, fixed = true);\n"
                  "equation der(x) = 1;\n"
                  "when time >= 1 then a = 1; elsewhen time > 1 then a = 2; end when; end W;", 2, 1e-9);
    check_value(&r, "a", 1, 0);
    close_run(&r);
}

/* x' = 1 up to t = 1, then -2: no order is lost at the corner. */
static void relations_are_hit(void **state)
{
    (void)state;
    model_run r = run_model("model R Real x(start = 0, fixed = true), y(start = 0, fixed = true);\n"
                            "equation der(x) = if time < 1 then 1 else -2; der(y) = if x > 0.5 then 1 else 0;\n"
                            "end R;", 2, 1e-8);
    check_value(&r, "x", -1, 1e-10);
    check_value(&r, "y", 0.75, 1e-9);            /* x > 0.5 from 0.5 to 1.25 */
    close_run(&r);
}

static void whole_numbers(void **state)
{
    (void)state;
    model_run r = run_model("model F Real x(start = 0, fixed = true), s; Real m(start = 0, fixed = true); Integer i;\n"
                            "equation der(x) = floor(2*time); s = div(5*time, 2); der(m) = mod(time, 1);\n"
                            "i = integer(3*time); end F;", 2.75, 1e-9);
    check_value(&r, "x", 0.5 * (0 + 1 + 2 + 3 + 4) + 0.25 * 5, 1e-9);
    check_value(&r, "s", 6, 0);
    check_value(&r, "m", 2 * 0.5 + 0.75 * 0.75 / 2, 1e-9);
    check_value(&r, "i", 8, 0);
    close_run(&r);
}

/* Booleans as equations, with memory; edge and change. */
static void hysteresis(void **state)
{
    (void)state;
    model_run r = run_model("model H Real T(start = 20, fixed = true); Boolean on(start = true, fixed = true); Integer n(start = 0), c(start = 0);\n"
                            "equation der(T) = if on then 1 else -1; on = T < 19 or pre(on) and T < 21;\n"
                            "when edge(on) then n = pre(n) + 1; end when;\n"
                            "when change(on) then c = pre(c) + 1; end when; end H;", 8, 1e-9);
    check_value(&r, "T", 20, 1e-9);              /* 20 -> 21 at 1, 19 at 3, 21 at 5, 19 at 7, 20 at 8 */
    check_value(&r, "n", 2, 0);
    check_value(&r, "c", 4, 0);
    close_run(&r);
}

static void initial_fires_once(void **state)
{
    (void)state;
    model_run r = run_model("model I Real x(start = 0, fixed = true); discrete Real a(start = 0); Integer n(start = 0);\n"
                            "equation der(x) = a; when {initial(), time >= 1} then a = time + 3; n = pre(n) + 1; end when;\n"
                            "end I;", 2, 1e-9);
    check_value(&r, "n", 2, 0);
    check_value(&r, "x", 3 + 4, 1e-9);
    close_run(&r);
}

static void termination_and_assertion(void **state)
{
    (void)state;
    model_run r = run_model("model T Real x(start = 0, fixed = true); equation der(x) = 2;\n"
                            "when x >= 1 then terminate(\"full\"); end when; end T;", 2, 1e-9);
    assert_int_equal(r.status, KEEL_EVENT);
    assert_true(fabs(keel_time(r.solver) - 0.5) < 1e-9);
    close_run(&r);
    r = open_model("model A Real x(start = 0, fixed = true); equation der(x) = 2; assert(x < 1, \"too far\"); end A;");
    keel_start_spec start;
    assert_non_null(keel_model_problem(r.model));
    keel_model_start(r.model, &start);
    assert_int_equal(keel_solver_create(&r.solver, keel_model_problem(r.model), NULL), KEEL_OK);
    assert_int_equal(keel_start_with(r.solver, &start), KEEL_OK);
    assert_int_equal(keel_advance_to(r.solver, 2), KEEL_ASSERTION);
    assert_non_null(strstr(keel_message(r.solver), "too far"));
    close_run(&r);
}

/* An ideal diode: its switch depends on the unknowns that it determines.  u = sin: mean of the rectified. */
static void ideal_diode(void **state)
{
    (void)state;
    model_run r = run_model("model D Real u, i, v, s(start = 0); Boolean off; Real q(start = 0, fixed = true);\n"
                            "equation u = sin(time); u = v + i; off = s < 0;\n"
                            "v = if off then s else 0; i = if off then 0 else s; der(q) = i; end D;",
                            4 * atan(1) * 2, 1e-9);
    check_value(&r, "q", 2, 1e-8);
    close_run(&r);
}

/* A pendulum whose velocity is set anew stays on its circle. */
static void reinit_is_consistent(void **state)
{
    (void)state;
    model_run r = run_model("model P Real x(start = 1, fixed = true), y(start = 0), vx, vy(start = 0, fixed = true), l;\n"
                            "equation der(x) = vx; der(y) = vy; der(vx) = -l*x; der(vy) = -l*y; x^2 + y^2 = 1;\n"
                            "when time >= 1 then reinit(vy, 2); end when; end P;", 1.5, 1e-10);
    check_value(&r, "x", cos(1), 1e-8);
    check_value(&r, "y", sin(1), 1e-8);
    close_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_bounces), cmocka_unit_test(bounces_accumulate), cmocka_unit_test(controller_samples),
        cmocka_unit_test(first_branch_wins), cmocka_unit_test(relations_are_hit),
        cmocka_unit_test(whole_numbers), cmocka_unit_test(hysteresis),
        cmocka_unit_test(initial_fires_once), cmocka_unit_test(termination_and_assertion),
        cmocka_unit_test(ideal_diode), cmocka_unit_test(reinit_is_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
