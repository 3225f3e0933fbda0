/* test_model_diodes.c -- ideal diodes and friction as textbooks have them: nothing is missed or chatters. */
#include "model.h"

static const char *const methods[] = {NULL, "dopri5", "radau-iia", "bdf", "rodas-5p"};
enum { METHODS = sizeof methods / sizeof *methods };

/* ---- a rectifier in closed form ---------------------------------------------------------------------
 *
 * u = 10 sin(w t), a diode, a resistance r, a capacitor C with a load R.  Conducting:
 *   C uc' = (u - uc)/r - uc/R,  uc = A sin w t + B cos w t + (what decays with k = (1/r + 1/R)/C);
 * blocking: uc decays with 1/(R C).  It conducts where u > uc.
 */
static const double omega = 314.159265358979, load = 100, capacity = 1e-3;

static double forced(double t, double r)
{
    const double k = (1 / r + 1 / load) / capacity, g = 10 / (r * capacity), n = k * k + omega * omega;
    return g * (k * sin(omega * t) - omega * cos(omega * t)) / n;
}

static double later(int on, double r, double t0, double u0, double t)
{
    if (!on) return u0 * exp(-(t - t0) / (load * capacity));
    const double k = (1 / r + 1 / load) / capacity;
    return forced(t, r) + (u0 - forced(t0, r)) * exp(-k * (t - t0));
}

static double rectified(double r, double end)
{
    double t0 = 0, u0 = 0, step = 1e-6;
    int on = 1;
    for (double t = step; t < end; t += step) {
        if ((10 * sin(omega * t) > later(on, r, t0, u0, t)) == on) continue;
        double low = t - step, high = t;
        for (int k = 0; k < 60; k++) {
            const double middle = (low + high) / 2;
            if ((10 * sin(omega * middle) > later(on, r, t0, u0, middle)) == on) low = middle;
            else high = middle;
        }
        u0 = later(on, r, t0, u0, high);
        t0 = high;
        on = !on;
    }
    return later(on, r, t0, u0, end);
}

/* Steps of the blocking diode would be longer than a period: its voltage is an algebraic unknown. */
static void rectifier_with_a_parametric_diode(void **state)
{
    static const char text[] =
        "model R Real s, v, i, u, uc(start = 0, fixed = true); Boolean off(start = true);\n"
        "equation u = 10*sin(314.159265358979*time); off = s < 0;\n"
        "  v = if off then s else 0; i = if off then 0 else s;\n"
        "  u = i + v + uc; 1e-3*der(uc) = i - uc/100; end R;";
    (void)state;
    const double wanted = rectified(1, 0.1);
    for (int k = 0; k < METHODS; k++) {
        model_run r = run_method(text, methods[k], 0.1, 1e-8);
        check_value(&r, "uc", wanted, 1e-6);
        close_run(&r);
    }
}

/* Its current settles within a microsecond when it begins to conduct: not an event each time. */
static void stiff_diode_does_not_chatter(void **state)
{
    static const char text[] =
        "model S Real v, i, u, uc(start = 0, fixed = true);\n"
        "equation u = 10*sin(314.159265358979*time); i = if v > 0 then v/1e-3 else 0;\n"
        "  u = v + uc; 1e-3*der(uc) = i - uc/100; end S;";
    static const char *const stiff[] = {NULL, "radau-iia", "bdf", "rodas-5p"};
    (void)state;
    const double wanted = rectified(1e-3, 0.1);
    for (int k = 0; k < 4; k++) {
        model_run r = run_method(text, stiff[k], 0.1, 1e-8);
        check_value(&r, "uc", wanted, 1e-6);
        close_run(&r);
    }
}

#define DIODE(k) "  off" #k " = s" #k " < 0; v" #k " = s" #k "*(if off" #k " then 1 else 1e-5);" \
    " i" #k " = s" #k "*(if off" #k " then 1e-5 else 1);\n"

/* Both diodes are at 0 at the start, and only one of them goes on to conduct: the two capacitors, in series
 * then, share the voltage.  w = uc1 + uc2 follows u with tau = 5 us to its peak, where the current ends:
 * each has half of it, but for what flows through the load and the leaks, 2e-3 of it. */
static void charge_pump(void **state)
{
    static const char text[] =
        "model P Real s1, s2, v1, v2, i1, i2, u, uc1(start = 0, fixed = true), uc2(start = 0, fixed = true), vm;\n"
        "  Boolean off1, off2;\nequation u = 5*sin(6283.185307*time);\n" DIODE(1) DIODE(2)
        "  vm = u - 10*(i2 - i1) - uc1; v1 = -vm; v2 = vm - uc2;\n"
        "  1e-6*der(uc1) = i2 - i1; 1e-6*der(uc2) = i2 - uc2/1e5; end P;";
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        model_run r = run_method(text, methods[k], 3e-4, 1e-7);
        check_value(&r, "uc1", 2.5, 2e-3);
        check_value(&r, "uc2", 2.5, 2e-3);
        close_run(&r);
    }
}

/* Methods with different steps see the same events. */
static void bridge(void **state)
{
    static const char text[] =
        "model B Real s1, s2, s3, s4, v1, v2, v3, v4, i1, i2, i3, i4, u, is, uc(start = 0, fixed = true), va, vb;\n"
        "  Boolean off1, off2, off3, off4;\nequation u = 10*sin(314.159265358979*time);\n"
        DIODE(1) DIODE(2) DIODE(3) DIODE(4)
        "  va - vb = u - 0.5*is; v1 = va - uc; v2 = vb - uc; v3 = -va; v4 = -vb;\n"
        "  is = i1 - i3; 0 = is + i2 - i4; 1e-3*der(uc) = i1 + i2 - uc/50; end B;";
    (void)state;
    model_run one = run_method(text, "radau-iia", 0.1, 1e-9);
    for (int k = 0; k < METHODS; k++) {
        model_run r = run_method(text, methods[k], 0.1, 1e-8);
        check_value(&r, "uc", value_of(&one, "uc"), 1e-6);
        close_run(&r);
    }
    close_run(&one);
}

/* Relations between things that stay equal. */
static void equal_sides(void **state)
{
    static const char text[] =
        "model E Real x(start = 2, fixed = true), d; Boolean le, ge, lt, gt;\n"
        "equation der(x) = 0; d = x - 2; le = d <= 0; ge = d >= 0; lt = d < 0; gt = d > 0; end E;";
    (void)state;
    model_run r = run_model(text, 1, 1e-6);
    check_value(&r, "le", 1, 0);
    check_value(&r, "ge", 1, 0);
    check_value(&r, "lt", 0, 0);
    check_value(&r, "gt", 0, 0);
    close_run(&r);
}

/* ---- several diodes at once -------------------------------------------------------------------------
 *
 * Six of them between three sources V sin(w t + phase) and a load R, L: the load sees, from 30 to 90 degrees
 * and so on, the cosine of a line voltage around its peak,
 *   L i' + (R + 2 Ron) i = sqrt(3) V cos(w t - k pi/3),  |w t - k pi/3| <= pi/6.
 * Hand-overs take some 1e-9 s, and what leaks moves the rails by Goff V Ron.
 */
static double six_pulses(double end)
{
    const double r = 10 + 2e-5, l = 0.05, w = 100 * acos(-1), third = acos(-1) / 3, u = 100 * sqrt(3);
    double t = 0, i = 0;
    for (int k = 0; t < end; k++) {
        const double until = fmin(end, (k + 0.5) * third / w), n = r * r + w * w * l * l;
        const double from = w * t - k * third, to = w * until - k * third;
        const double first = u * (r * cos(from) + w * l * sin(from)) / n;
        i = u * (r * cos(to) + w * l * sin(to)) / n + (i - first) * exp(-r / l * (until - t));
        t = until;
    }
    return i;
}

static void six_pulse_bridge(void **state)
{
    static const char text[] =
        "model S constant Real p = 2.0943951023931953; Real u[3], up[3], lo[3], top, bottom;\n"
        "  Real i(start = 0, fixed = true); Boolean up_off[3], lo_off[3];\nequation for k in 1:3 loop\n"
        "    u[k] = 100*sin(314.15926535897932*time - (k - 1)*p);\n"
        "    up_off[k] = up[k] < 0; u[k] - top = up[k]*(if up_off[k] then 1 else 1e-5);\n"
        "    lo_off[k] = lo[k] < 0; bottom - u[k] = lo[k]*(if lo_off[k] then 1 else 1e-5);\n"
        "  end for;\n  i = sum(up[k]*(if up_off[k] then 1e-5 else 1) for k in 1:3);\n"
        "  i = sum(lo[k]*(if lo_off[k] then 1e-5 else 1) for k in 1:3);\n"
        "  0.05*der(i) = top - bottom - 10*i; end S;";
    static const char *const every[] = {NULL, "dopri5", "radau-iia", "bdf", "rodas-5p", "esdirk-4"};
    (void)state;
    const double wanted = six_pulses(0.04);
    for (int k = 0; k < 6; k++) {
        model_run r = run_method(text, every[k], 0.04, 1e-8);
        check_value(&r, "i", wanted, 1e-6);
        close_run(&r);
    }
}

/* Voltages settle within 2 ns when the diode begins to conduct, and are below the tolerances there: `auto`
 * must not end among events that mean nothing. */
static void boost_converter(void **state)
{
    static const char text[] =
        "model B Real q, s, w, u(start = 0, fixed = true), i(start = 0, fixed = true); Boolean on, off;\n"
        "equation on = mod(time, 1e-4) < 0.5e-4; off = s < 0; 1e-3*der(i) = 12 - w;\n"
        "  w = q*(if on then 1e-5 else 1); i = q*(if on then 1 else 1e-5) + s*(if off then 1e-5 else 1);\n"
        "  w - u = s*(if off then 1 else 1e-5); 1e-4*der(u) = s*(if off then 1e-5 else 1) - u/50; end B;";
    (void)state;
    model_run one = run_method(text, "radau-iia", 5e-3, 1e-9);
    for (int k = 0; k < 4; k++) {
        static const char *const stiff[] = {NULL, NULL, "radau-iia", "bdf"};
        model_run r = run_method(text, stiff[k], 5e-3, k == 0 ? 1e-6 : 1e-8);
        check_value(&r, "u", value_of(&one, "u"), k == 0 ? 1e-5 : 1e-6);
        close_run(&r);
    }
    close_run(&one);
}

/* Four stages: at 100 V a current through 1e-5 Ohm is known to 3e-9 A only, so its sign just behind a
 * crossing is rounding, and so is what corrections of it come to. */
static void voltage_multiplier(void **state)
{
    static const char text[] =
        "model M Real s[4], v[4], i[4], u, a, uc[4](each start = 0, each fixed = true), is; Boolean off[4];\n"
        "equation u = 100*sin(6283.18530717958*time); a = u - 10*is - uc[1];\n"
        "  for k in 1:4 loop off[k] = s[k] < 0; v[k] = s[k]*(if off[k] then 1 else 1e-5);\n"
        "    i[k] = s[k]*(if off[k] then 1e-5 else 1); end for;\n"
        "  v[1] = -a; v[2] = a - uc[2]; v[3] = uc[2] - a + uc[3]; v[4] = a - uc[3] - uc[2] - uc[4];\n"
        "  is = i[2] - i[1] + i[4] - i[3]; 1e-6*der(uc[1]) = is; 1e-6*der(uc[3]) = i[4] - i[3];\n"
        "  1e-6*der(uc[4]) = i[4] - (uc[2] + uc[4])/1e6;\n"
        "  1e-6*der(uc[2]) = i[2] - i[3] + i[4] - (uc[2] + uc[4])/1e6; end M;";
    static const char *const stiff[] = {NULL, "radau-iia", "bdf", "rodas-5p"};
    (void)state;
    model_run one = run_method(text, "rodas-5p", 6e-3, 1e-9);
    for (int k = 0; k < 8; k++) {
        const double tolerance = k < 4 ? 1e-8 : 1e-7;
        model_run r = run_method(text, stiff[k % 4], 6e-3, tolerance);
        check_value(&r, "uc[4]", value_of(&one, "uc[4]"), 1e4 * tolerance);        /* of 110 V */
        close_run(&r);
    }
    close_run(&one);
}

/* ---- friction ------------------------------------------------------------------------------------- */

/* v = 0 is neither positive nor negative: both relations are false at rest, and the one body does not wake
 * the other one. */
static void sign_comes_to_rest(void **state)
{
    static const char text[] =
        "model R Real v(start = 1, fixed = true), w(start = -2, fixed = true), x(start = 0, fixed = true);\n"
        "equation der(v) = -0.5*sign(v); der(w) = -0.7*sign(w); der(x) = v; end R;";
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        model_run r = run_method(text, methods[k], 5, 1e-8);
        check_value(&r, "v", 0, 1e-13);
        check_value(&r, "w", 0, 1e-13);
        check_value(&r, "x", 1, 1e-7);           /* v^2 / (2 0.5) */
        assert_int_equal(keel_solver_stats(r.solver)->events, 2);
        close_run(&r);
    }
}

/* Held by a spring it would have to stay at v = 0 with a force that no value of sign(v) has: said by name. */
static void sticking_is_named(void **state)
{
    static const char text[] =
        "model K Real x(start = 1.5, fixed = true), v(start = 0, fixed = true);\n"
        "equation der(x) = v; der(v) = -x - 0.4*sign(v); end K;";
    (void)state;
    model_run r = open_model(text);
    keel_start_spec start;
    const keel_options options = {.rtol = 1e-8, .atol = 1e-8};
    assert_non_null(keel_model_problem(r.model));
    assert_int_equal(keel_model_start(r.model, &start), KEEL_OK);
    assert_int_equal(keel_solver_create(&r.solver, keel_model_problem(r.model), &options), KEEL_OK);
    assert_int_equal(keel_start_with(r.solver, &start), KEEL_OK);
    assert_int_equal(keel_advance_to(r.solver, 20), KEEL_EVENT_CYCLE);
    const char *said = keel_message(r.solver);
    if (!strstr(said, "0 < v, v < 0") || !strstr(said, "No values of these relations")) fail_msg("%s", said);
    close_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rectifier_with_a_parametric_diode), cmocka_unit_test(stiff_diode_does_not_chatter),
        cmocka_unit_test(charge_pump), cmocka_unit_test(bridge), cmocka_unit_test(equal_sides),
        cmocka_unit_test(six_pulse_bridge), cmocka_unit_test(boost_converter),
        cmocka_unit_test(voltage_multiplier),
        cmocka_unit_test(sign_comes_to_rest), cmocka_unit_test(sticking_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
