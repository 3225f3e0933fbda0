/* Models of higher index, structurally regular but singular ones, and such that are singular at one
 * point: each with velocities as separate unknowns, too.  References are exact solutions, elliptic
 * functions' ODE in minimal coordinates, or the model without the redundancy. */
#include "test/model/model.h"

/* The pendulum from the horizontal, at rest: phi'' = -g sin phi by Dormand-Prince at 1e-13. */
static int swing(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[1];
    f[1] = -9.81 * sin(y[0]);
    return 0;
}

static void swing_to(double t, double *x, double *y)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    const double start[2] = {2 * atan(1), 0};
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = swing}), KEEL_OK);
    assert_int_equal(keel_solver_create(&s, p, &(keel_options){.method = "dop853", .rtol = 1e-13,
                                                               .atol = 1e-13}), KEEL_OK);
    assert_int_equal(keel_start(s, 0, start), KEEL_OK);
    assert_int_equal(keel_advance_to(s, t), KEEL_OK);
    *x = sin(keel_state(s)[0]);
    *y = -cos(keel_state(s)[0]);
    keel_solver_free(s);
    keel_problem_free(p);
}

static const char pendulum[] =
    "model P parameter Real g = 9.81; Real x(start = 1, fixed = true), y, lambda; Real vx, vy;\n"
    "equation der(x) = vx; der(y) = vy; der(vx) = -lambda*x; der(vy) = -lambda*y - g;\n"
    "x^2 + y^2 = 1; end P;";

static const char pendulum_nested[] =
    "model P parameter Real g = 9.81; Real x(start = 1, fixed = true), y, lambda;\n"
    "equation der(der(x)) = -lambda*x; der(der(y)) = -lambda*y - g; x^2 + y^2 = 1; end P;";

static const char pendulum_velocities[] =       /* v is no alias: it is twice the derivative */
    "model P parameter Real g = 9.81; Real x(start = 1, fixed = true), y, lambda, wx, wy;\n"
    "equation 2*der(x) = wx; 2*der(y) = wy; der(wx) = -2*lambda*x; der(wy) = -2*lambda*y - 2*g;\n"
    "x^2 + y^2 = 1; end P;";

static void check_pendulum(const char *text, int differential)
{
    model_run r = run_model(text, 3, 1e-10);
    double x, y;
    swing_to(3, &x, &y);
    const keel_model_structure s = structure_of(&r);
    assert_int_equal(s.index, 3);
    assert_int_equal(s.freedom, 2);
    assert_int_equal(keel_problem_size(keel_model_problem(r.model)), differential + 1);
    check_value(&r, "x", x, 1e-8);
    check_value(&r, "y", y, 1e-8);
    for (int k = 0; k < 2; k++) assert_true(keel_level_residual(r.solver, k) < 1e-12);
    close_run(&r);
}

static void pendulum_has_four_differential_unknowns(void **state)
{
    (void)state;
    check_pendulum(pendulum, 4);
    check_pendulum(pendulum_nested, 4);
}

static void pendulum_with_other_velocities(void **state)
{
    (void)state;
    model_run r = run_model(pendulum_velocities, 3, 1e-10);
    double x, y;
    swing_to(3, &x, &y);
    assert_int_equal(structure_of(&r).freedom, 2);
    check_value(&r, "x", x, 1e-8);
    check_value(&r, "y", y, 1e-8);
    close_run(&r);
}

/* u1 = u2 = sin t: i_k = C_k cos t. */
static void capacitor_loop(void **state)
{
    (void)state;
    model_run r = run_model("model C parameter Real C1 = 1, C2 = 2, R = 4; Real u, u1, u2, i1, i2, i0;\n"
                            "equation u = sin(time); C1*der(u1) = i1; C2*der(u2) = i2; u1 = u; u2 = u1;\n"
                            "i0 = i1 + i2 + u1/R; end C;", 1, 1e-10);
    assert_int_equal(structure_of(&r).index, 2);
    assert_int_equal(structure_of(&r).freedom, 0);
    check_value(&r, "i0", 3 * cos(1) + sin(1) / 4, 1e-9);
    check_value(&r, "i2", 2 * cos(1), 1e-9);
    close_run(&r);
}

/* 2 i1' = v - i1, 3 i2' = v - 2 i2, i1 + i2 = 0: 5 i1' = -3 i1 from i1 = 1. */
static void inductor_cut_set(void **state)
{
    (void)state;
    model_run r = run_model("model I Real i1(start = 1, fixed = true), i2, u1, u2, v;\n"
                            "equation 2*der(i1) = u1; 3*der(i2) = u2; i1 + i2 = 0;\n"
                            "u1 = v - i1; u2 = v - 2*i2; end I;", 1, 1e-10);
    check_value(&r, "i1", exp(-0.6), 1e-9);
    check_value(&r, "i2", -exp(-0.6), 1e-9);
    close_run(&r);
    r = run_model("model I Real i1(start = 1, fixed = true), i2, u1, u2, v;\n"
                  "equation 2*der(i1) = u1; 3*der(i2) = u2; i1 + i2 + 0.1*sin(i1) = 0.5*sin(time);\n"
                  "u1 = v - i1; u2 = v - 2*i2; end I;", 1, 1e-10);
    assert_int_equal(structure_of(&r).index, 2);
    assert_true(keel_level_residual(r.solver, 0) < 1e-13);
    close_run(&r);
}

/* (J1 + J2/r^2) w1' = 1 - w1/r^2: four initial equations for two freedoms, which agree. */
static void rigid_gear(void **state)
{
    (void)state;
    static const char text[] =
        "model G parameter Real J1 = 1, J2 = 2, r = 3; Real phi1, w1, phi2, w2, tau1, tau2;\n"
        "initial equation phi1 = 0; w1 = 0; phi2 = 0; w2 = 0;\n"
        "equation der(phi1) = w1; der(phi2) = w2; J1*der(w1) = 1 + tau1; J2*der(w2) = tau2 - w2;\n"
        "phi1 = r*phi2; tau2 = -r*tau1; end G;";
    model_run r = run_model(text, 1, 1e-10);
    const double J = 1 + 2.0 / 9, rate = 1.0 / 9 / J;
    check_value(&r, "w1", 9 * (1 - exp(-rate)), 1e-9);
    check_value(&r, "phi2", (9 - 9 * (1 - exp(-rate)) / rate) / 3, 1e-9);
    assert_int_equal(structure_of(&r).freedom, 2);
    assert_non_null(strstr(keel_model_plan_remark(r.model), "4 conditions for a freedom of 2"));
    close_run(&r);
    r = run_model("model G parameter Real J1 = 1, J2 = 2, r = 3; Real phi1, phi2, tau1, tau2;\n"
                  "initial equation phi1 = 0; der(phi1) = 0; phi2 = 0; der(phi2) = 0;\n"
                  "equation J1*der(der(phi1)) = 1 + tau1; J2*der(der(phi2)) = tau2 - der(phi2);\n"
                  "phi1 = r*phi2; tau2 = -r*tau1; end G;", 1, 1e-10);
    check_value(&r, "phi2", (9 - 9 * (1 - exp(-rate)) / rate) / 3, 1e-9);
    close_run(&r);
}

/* x' + 2 y' = -x, 2 x' + 4 y' = y: so -2 x = y, and 3 x' = x. */
static void derivative_parts_are_multiples(void **state)
{
    (void)state;
    model_run r = run_model("model M Real x(start = 1, fixed = true), y;\n"
                            "equation der(x) + 2*der(y) = -x; 2*der(x) + 4*der(y) = y; end M;", 1, 1e-10);
    assert_int_equal(structure_of(&r).freedom, 1);
    assert_non_null(strstr(structure_of(&r).remarks, "derivative parts depend on each other"));
    check_value(&r, "x", exp(1.0 / 3), 1e-9);
    check_value(&r, "y", -2 * exp(1.0 / 3), 1e-9);
    close_run(&r);
    r = run_model("model M Real x(start = 1, fixed = true), y, vx, vy;\n"
                  "equation der(x) = vx; der(y) = vy; vx + 2*vy = -x; 2*vx + 4*vy = y; end M;", 1, 1e-10);
    check_value(&r, "x", exp(1.0 / 3), 1e-9);
    close_run(&r);
}

static void chain_of_index_4(void **state)
{
    (void)state;
    model_run r = run_model("model C Real x1, x2, x3, u, w(start = 1, fixed = true);\n"
                            "equation der(x1) = x2; der(x2) = x3; der(x3) = u + w; der(w) = -w + x1*u;\n"
                            "x1 = sin(time); end C;", 1, 1e-10);
    assert_int_equal(structure_of(&r).index, 4);
    assert_int_equal(structure_of(&r).freedom, 1);
    check_value(&r, "x3", -sin(1), 1e-10);
    /* w' = -w - sin t (cos t + w), found with x1''' put in by hand */
    model_run other = run_model("model W Real w(start = 1, fixed = true);\n"
                                "equation der(w) = -w - sin(time)*(cos(time) + w); end W;", 1, 1e-12);
    check_value(&r, "w", value_of(&other, "w"), 1e-8);
    close_run(&other);
    close_run(&r);
    r = run_model("model C Real x1, x2, x3, u; equation 2*der(x1) = x2; 3*der(x2) = x3; der(x3) = u;\n"
                  "x1 = sin(time); end C;", 1, 1e-10);
    assert_int_equal(structure_of(&r).index, 4);
    check_value(&r, "u", -6 * cos(1), 1e-9);
    close_run(&r);
}

/* A joint given twice moves as one given once; what is left open is shared out. */
static void joint_given_twice(void **state)
{
    (void)state;
    static const char *const second[] = {"2*x^2 + 2*y^2 = 2", "sqrt(x^2 + y^2) = 1"};
    double x, y;
    swing_to(1, &x, &y);
    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(text, sizeof text, "model T Real x(start = 1, fixed = true), y(start = 0), vx, vy, l1, l2;\n"
                 "equation der(x) = vx; der(y) = vy; der(vx) = -(l1 + l2)*x; der(vy) = -(l1 + l2)*y - 9.81;\n"
                 "x^2 + y^2 = 1; %s; end T;", second[k]);
        model_run r = run_model(text, 1, 1e-10);
        assert_non_null(strstr(structure_of(&r).remarks, "constraints depend on each other"));
        check_value(&r, "x", x, 1e-8);
        check_value(&r, "y", y, 1e-8);
        close_run(&r);
    }
}

/* time z = sin(time): z is sin(t)/t, which the equation does not say at t = 0 alone. */
static void singular_at_the_start_only(void **state)
{
    (void)state;
    model_run r = run_model("model S Real x(start = 0, fixed = true), z(start = 1);\n"
                            "equation der(x) = z - x; time*z = sin(time); end S;", 1, 1e-10);
    assert_non_null(strstr(structure_of(&r).remarks, "singular at the start values, but not near them"));
    check_value(&r, "z", sin(1), 1e-9);
    model_run plain = run_model("model S Real x(start = 0, fixed = true); equation\n"
                                "der(x) = (if noEvent(time < 1e-8) then 1 else sin(time)/time) - x; end S;", 1, 1e-11);
    check_value(&r, "x", value_of(&plain, "x"), 1e-6);
    close_run(&plain);
    close_run(&r);
    r = run_model("model S Real x(start = 0), y, z(start = 1);\n"
                  "equation der(x) = y; x = time^2/2; der(y) = 1 + time*z - time; end S;", 1, 1e-10);
    check_value(&r, "x", 0.5, 1e-12);
    check_value(&r, "y", 1, 1e-12);
    check_value(&r, "z", 1, 1e-8);
    close_run(&r);
}

/* All of them once more with rates as unknowns that are no aliases: w is a multiple of a derivative. */
static void rates_as_unknowns(void **state)
{
    (void)state;
    double x, y;
    model_run r = run_model("model C Real u, u1, u2, i1, i2, i0, w1, w2; equation u = sin(time);\n"
                            "w1 = 3*der(u1); w2 = 5*der(u2); w1 = 3*i1; 2*w2 = 5*i2; u1 = u; u2 = u1;\n"
                            "i0 = i1 + i2 + u1/4; end C;", 1, 1e-10);
    assert_int_equal(structure_of(&r).freedom, 0);
    check_value(&r, "i0", 3 * cos(1) + sin(1) / 4, 1e-9);
    check_value(&r, "w2", 5 * cos(1), 1e-9);
    close_run(&r);
    r = run_model("model I Real i1(start = 1, fixed = true), i2, v, w1, w2;\n"
                  "equation 2*der(i1) = w1; 3*der(i2) = w2; i1 + i2 = 0; w1 = v - i1; w2 = v - 2*i2; end I;", 1, 1e-10);
    check_value(&r, "i1", exp(-0.6), 1e-9);
    check_value(&r, "w1", -1.2 * exp(-0.6), 1e-9);
    close_run(&r);
    r = run_model("model G parameter Real r = 3; Real phi1, w1, phi2, w2, tau1, tau2;\n"
                  "initial equation phi1 = 0; w1 = 0; phi2 = 0; w2 = 0;\n"
                  "equation 2*der(phi1) = w1; 5*der(phi2) = w2; der(w1) = 2*(1 + tau1);\n"
                  "2*der(w2) = 5*tau2 - w2; phi1 = r*phi2; tau2 = -r*tau1; end G;", 1, 1e-10);
    const double J = 1 + 2.0 / 9, rate = 1.0 / 9 / J;
    check_value(&r, "w1", 18 * (1 - exp(-rate)), 1e-9);
    check_value(&r, "phi2", (9 - 9 * (1 - exp(-rate)) / rate) / 3, 1e-9);
    close_run(&r);
    r = run_model("model M Real x(start = 1, fixed = true), y, vx, vy;\n"
                  "equation der(x) = 2*vx; der(y) = 2*vy; 2*vx + 4*vy = -x; 4*vx + 8*vy = y; end M;",
                  1, 1e-10);
    assert_int_equal(structure_of(&r).freedom, 1);
    check_value(&r, "x", exp(1.0 / 3), 1e-9);
    check_value(&r, "vy", -exp(1.0 / 3) / 3, 1e-9);
    close_run(&r);
    r = run_model("model T Real x(start = 1, fixed = true), y(start = 0), wx, wy, l1, l2;\n"
                  "equation 2*der(x) = wx; 2*der(y) = wy; der(wx) = -2*(l1 + l2)*x;\n"
                  "der(wy) = -2*(l1 + l2)*y - 19.62; x^2 + y^2 = 1; 2*x^2 + 2*y^2 = 2; end T;", 1, 1e-10);
    swing_to(1, &x, &y);
    assert_non_null(strstr(structure_of(&r).remarks, "constraints depend on each other"));
    check_value(&r, "x", x, 1e-8);
    check_value(&r, "y", y, 1e-8);
    close_run(&r);
    r = run_model("model S Real x(start = 0), w, z(start = 1);\n"
                  "equation 2*der(x) = w; x = time^2/2; der(w) = 2*(1 + time*z - time); end S;", 1, 1e-10);
    check_value(&r, "x", 0.5, 1e-12);
    check_value(&r, "w", 2, 1e-12);
    check_value(&r, "z", 1, 1e-8);
    close_run(&r);
}

static void contradiction_is_named(void **state)
{
    (void)state;
    check_refused("model T Real x(start = 1), y, vx, vy, l1, l2;\n"
                  "equation der(x) = vx; der(y) = vy; der(vx) = -(l1 + l2)*x; der(vy) = -(l1 + l2)*y;\n"
                  "x^2 + y^2 = 1; 2*x^2 + 2*y^2 = 3; end T;", "contradict each other");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_has_four_differential_unknowns),
        cmocka_unit_test(pendulum_with_other_velocities),
        cmocka_unit_test(capacitor_loop),
        cmocka_unit_test(inductor_cut_set),
        cmocka_unit_test(rigid_gear),
        cmocka_unit_test(derivative_parts_are_multiples),
        cmocka_unit_test(chain_of_index_4),
        cmocka_unit_test(joint_given_twice),
        cmocka_unit_test(singular_at_the_start_only),
        cmocka_unit_test(rates_as_unknowns),
        cmocka_unit_test(contradiction_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
