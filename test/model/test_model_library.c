/* The models that come with keel: each runs, and comes to what is known of it from elsewhere, or to the
 * same by two methods that have nothing in common. */
#include "test/model/model.h"

#include <stdlib.h>

static char *read_model(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/models/%s.mo", KEEL_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("no %s", path);
    char *text = calloc(1, 100000);
    assert_non_null(text);
    assert_true(fread(text, 1, 99999, file) > 0);
    fclose(file);
    return text;
}

static model_run run_file(const char *name, const char *method, double t, double tolerance)
{
    char *text = read_model(name);
    model_run r = run_method(text, method, t, tolerance);
    free(text);
    return r;
}

/* Reference: E. Hairer, G. Wanner, Solving ODEs II, section VII.7, in quadruple precision. */
static void andrews(void **state)
{
    (void)state;
    static const struct { const char *name; double value; } at_003[] = {
        {"beta", 15.810771195153707}, {"Theta", -15.756371058411839}, {"gamma", 0.0408222401196458},
        {"Phi", -0.5347301163420796}, {"delta", 0.524409965879954}, {"Omega", 0.5347301163420796},
        {"epsilon", 1.048080741041938}};
    model_run r = run_file("andrews", NULL, 0.03, 1e-10);
    for (int k = 0; k < 7; k++) check_value(&r, at_003[k].name, at_003[k].value, 1e-8);
    assert_int_equal(structure_of(&r).freedom, 2);
    close_run(&r);
}

/* Reference: F. Mazzia, C. Magherini, Test Set for IVP Solvers 2.4, car axis at t = 3. */
static void car_axis(void **state)
{
    (void)state;
    model_run r = run_file("car_axis", NULL, 3, 1e-10);
    check_value(&r, "xl", 0.0493455784275402954, 1e-7);
    check_value(&r, "yl", 0.496989460230171153, 1e-7);
    check_value(&r, "xr", 1.04174252488542151, 1e-7);
    check_value(&r, "yr", 0.373911027265361256, 1e-7);
    close_run(&r);
}

/* Test Set for IVP Solvers 2.4, its first transistor only: compared with another method. */
static void circuits(void **state)
{
    (void)state;
    model_run r = run_file("rc", NULL, 5e-3, 1e-10);
    check_value(&r, "u", 5 * (1 - exp(-5)), 1e-9);
    close_run(&r);
}

/* C. Moore's figure of eight closes after its period [Chenciner, Montgomery, Ann. Math. 152 (2000) 881];
 * start and period have 8 to 9 digits. */
static void three_body(void **state)
{
    (void)state;
    model_run r = run_file("three_body", NULL, 6.32591398, 1e-11);
    check_value(&r, "x[1,1]", -0.97000436, 1e-6);
    check_value(&r, "x[1,2]", 0.24308753, 1e-6);
    check_value(&r, "v[3,1]", -0.93240737, 1e-6);
    close_run(&r);
}

/* Speeds 0.7^k v0 until 0.7^k v0 < 0.01; the times are sums. */
static void bouncing_ball(void **state)
{
    (void)state;
    model_run r = run_file("bouncing_ball", NULL, 3, 1e-9);
    const double v0 = sqrt(2 * 9.81);
    int bounces = 1;
    for (double v = 0.7 * v0; v > 1e-2; v *= 0.7) bounces++;
    check_value(&r, "bounces", bounces, 0);
    check_value(&r, "flying", 0, 0);
    check_value(&r, "h", 0, 1e-8);
    close_run(&r);
}

/* J = rotor + load / ratio^2; at rest the current is 0 and the motor turns with V / k. */
static void dc_motor(void **state)
{
    (void)state;
    model_run r = run_file("dc_motor", NULL, 2, 1e-10);
    model_run plain = run_model("model M Real i(start = 0, fixed = true), w(start = 0, fixed = true);\n"
                                "equation 0.05*der(i) = 10 - 0.5*i - 0.8*w; (0.02 + 2/25)*der(w) = 0.8*i; end M;",
                                2, 1e-12);
    check_value(&r, "rotor.w", value_of(&plain, "w"), 1e-8);
    check_value(&r, "load.w", value_of(&plain, "w") / 5, 1e-8);
    check_value(&r, "L.i", value_of(&plain, "i"), 1e-7);
    close_run(&plain);
    close_run(&r);
}

static const struct { const char *name; double t; const char *variables[3]; double tolerance; } pairs[] = {
    {"pendulum", 2, {"x", "vy", "lambda"}, 1e-6},
    {"double_pendulum", 1, {"x2", "vy1", "s2"}, 1e-5},
    {"slider_crank", 1, {"phi", "x", "ly"}, 1e-5},
    {"four_bar", 1, {"phi", "psi", "lx"}, 1e-5},
    {"rectifier_bridge", 0.03, {"uc", "is", "va"}, 1e-4},
    {"transistor_amplifier", 0.02, {"u[1]", "u[3]", "u[5]"}, 1e-5},
    {"charge_pump", 0.0123, {"u1", "u2", "i1"}, 1e-5},
    {"thermal_rod", 5, {"T[1]", "T[25]", "q[30]"}, 1e-6},
    {"pipe", 0.5, {"p[5]", "m[1]", "m[11]"}, 1e-4},
    {"attemperator", 20, {"w", "Tm", "Ts"}, 1e-6},
    {"stick_slip", 5, {"x", "v", "F"}, 1e-5},
    {"controlled_tank", 30, {"h", "u", "qin"}, 1e-5},
    {"heat_exchanger", 50, {"Thout", "Tcout", "Q"}, 1e-6},
};

static void two_methods_agree(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        model_run one = run_file(pairs[k].name, "radau-iia", pairs[k].t, 1e-9);
        model_run other = run_file(pairs[k].name, NULL, pairs[k].t, 1e-9);
        for (int v = 0; v < 3; v++) {
            const char *name = pairs[k].variables[v];
            const double a = value_of(&one, name), b = value_of(&other, name);
            if (!(fabs(a - b) <= pairs[k].tolerance * (1 + fabs(b))))
                fail_msg("%s: %s is %.10g and %.10g", pairs[k].name, name, a, b);
        }
        close_run(&one);
        close_run(&other);
    }
}

/* Jacobians, levels and the links between them are what differences say. */
static void derivatives_are_right(void **state)
{
    (void)state;
    static const char *const all[] = {
        "andrews", "attemperator", "bouncing_ball", "car_axis", "charge_pump", "controlled_tank", "dc_motor",
        "double_pendulum", "four_bar", "heat_exchanger", "pendulum", "pipe", "rc", "rectifier_bridge",
        "slider_crank", "stick_slip", "thermal_rod", "three_body", "transistor_amplifier"};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        model_run r = run_file(all[k], NULL, 0, 1e-8);
        keel_check_report *report = NULL;
        const int status = keel_check(keel_model_problem(r.model), 0, keel_state(r.solver), NULL, &report);
        if (status != KEEL_OK)
            fail_msg("%s: %s: %s", all[k], keel_status_name(status),
                     keel_check_finding_count(report) ? keel_check_finding(report, 0)->text : "");
        keel_check_free(report);
        close_run(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(andrews), cmocka_unit_test(car_axis), cmocka_unit_test(circuits),
        cmocka_unit_test(three_body), cmocka_unit_test(bouncing_ball), cmocka_unit_test(dc_motor),
        cmocka_unit_test(two_methods_agree), cmocka_unit_test(derivatives_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
