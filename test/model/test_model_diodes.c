/* test_model_diodes.c -- ideal diodes as textbooks have them: nothing is missed, nothing chatters. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rectifier_with_a_parametric_diode), cmocka_unit_test(stiff_diode_does_not_chatter),
        cmocka_unit_test(charge_pump), cmocka_unit_test(bridge), cmocka_unit_test(equal_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
