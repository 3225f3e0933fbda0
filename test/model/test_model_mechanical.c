/* test_model_mechanical.c -- mechanical models are recognised whatever way they are written, and are the same
 * problem as the levelled form. */
#include "model.h"

/* A pendulum with two of its equations divided by the mass, and the constraint doubled and turned round. */
static const char divided[] =
    "model P parameter Real m = 3, L = 2, g = 9.81; Real x(start = 2, fixed = true), y(start = 0), vx, vy, F;\n"
    "equation der(x) = vx; der(y) = vy; der(vx) = -F*x/m; der(vy) = -F*y/m - g; 4*L^2 = 4*(x^2 + y^2);\n"
    "initial equation vy = -1; end P;";

/* Two bodies and two rods: equations in another order than unknowns, some divided by the mass, multipliers
 * in another order than constraints, with other signs. */
static const char two_bodies[] =
    "model T parameter Real m1 = 1, m2 = 2.5, g = 9.81;\n"
    "  Real x1(start = 1, fixed = true), y1(start = 0), x2(start = 1, fixed = true), y2(start = -1), s2, s1;\n"
    "equation\n"
    "  m2*der(der(y2)) = -m2*g + (y2 - y1)*s2;\n"
    "  der(der(x1)) = -x1*s1/m1 - (x2 - x1)*s2/m1;\n"
    "  0 = m2*der(der(x2)) - (x2 - x1)*s2;\n"
    "  m1*der(der(y1)) = -y1*s1 - (y2 - y1)*s2 - m1*g;\n"
    "  x1^2 + y1^2 = 1;\n"
    "  1 = (x2 - x1)^2 + (y2 - y1)^2;\n"
    "initial equation der(x1) = 0; der(x2) = 0; end T;";

/* A double pendulum in angles, driven so that its end moves on a line: M is full and depends on q, its two
 * equations come in the wrong order, and accelerations are asked for. */
static const char coupled[] =
    "model C Real a(start = 0.5, fixed = true), b(start = -0.5), u, w(start = 0.2, fixed = true), acceleration, F;\n"
    "equation der(a) = u; der(b) = w; acceleration = der(u);\n"
    "  der(u)*cos(a - b) + der(w) = u^2*sin(a - b) - 9.81*sin(b) - F*cos(b);\n"
    "  2*der(u) + der(w)*cos(a - b) = -w^2*sin(a - b) - 2*9.81*sin(a) - F*cos(a);\n"
    "  sin(a) + sin(b) = 0.1*time; end C;";

/* As above without the line: a joint given by forces, and a length that is prescribed. */
static const char moving[] =
    "model M Real x(start = 1, fixed = true), y(start = 0), F;\n"
    "equation der(der(x)) = -F*x - 0.1*der(x); der(der(y)) = -F*y - 9.81;\n"
    "  x^2 + y^2 = (1 + 0.1*sin(time))^2; initial equation der(y) = 0; end M;";

static const struct { const char *text; const char *variable[4]; } all[] = {
    {divided, {"x", "vy", "F", "y"}},
    {two_bodies, {"x2", "y1", "s1", "s2"}},
    {coupled, {"a", "w", "F", "acceleration"}},
    {moving, {"x", "y", "F", "x"}},
};

static model_run run_levelled(const char *text, double t, double tolerance)
{
    model_run r = open_model(text);
    keel_start_spec start;
    assert_int_equal(keel_model_levelled(r.model, 1), KEEL_OK);
    const keel_problem *problem = keel_model_problem(r.model);
    if (!problem) fail_msg("%s", keel_model_message(r.model));
    assert_int_equal(keel_model_start(r.model, &start), KEEL_OK);
    const keel_options options = {.rtol = tolerance, .atol = tolerance};
    assert_int_equal(keel_solver_create(&r.solver, problem, &options), KEEL_OK);
    assert_int_equal(keel_start_with(r.solver, &start), KEEL_OK);
    assert_int_equal(keel_advance_to(r.solver, t), KEEL_OK);
    return r;
}

/* Two forms of one problem at 1e-11: their solutions differ by what that leaves, amplified by 1000 at most. */
static void forms_agree(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        model_run mechanical = run_model(all[k].text, 1, 1e-11), levelled = run_levelled(all[k].text, 1, 1e-11);
        if (strcmp(structure_of(&mechanical).form, "mechanical") != 0)
            fail_msg("%s: %s", all[k].text, structure_of(&mechanical).reason);
        assert_string_equal(structure_of(&levelled).form, "levelled");
        for (int v = 0; v < 4; v++)
            check_value(&mechanical, all[k].variable[v], value_of(&levelled, all[k].variable[v]), 1e-8);
        close_run(&mechanical);
        close_run(&levelled);
    }
}

/* Derivatives that were made for the mechanical form, against differences. */
static void derivatives_are_right(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        model_run r = run_model(all[k].text, 0.3, 1e-8);
        keel_check_report *report = NULL;
        const int status = keel_check(keel_model_problem(r.model), 0.3, keel_state(r.solver), NULL, &report);
        if (status != KEEL_OK) fail_msg("%s: %s", all[k].text, keel_check_finding(report, 0)->text);
        keel_check_free(report);
        close_run(&r);
    }
}

/* What is not mechanical stays levelled, and the reason names what is in the way. */
static void others_are_not(void **state)
{
    static const struct { const char *text, *reason; } no[] = {
        {"model A Real x(start = 1), y, F; equation der(der(x)) = -F*x; der(der(y)) = -F*y - F^2;\n"
         "  x^2 + y^2 = 1; end A;", "is not linear"},
        {"model B Real x(start = 1), y, F; equation der(der(x)) = -F*x; der(der(y)) = F*y;\n"
         "  x^2 + y^2 = 1; end B;", "F does not act along the gradient"},
        {"model C Real x(start = 1), y, F, T(start = 1); equation der(der(x)) = -F*x; der(der(y)) = -F*y;\n"
         "  der(T) = -T; x^2 + y^2 = 1; end C;", "T has a first derivative only"},
        {"model D Real x(start = 1), y, F; equation (2 + der(x)^2)*der(der(x)) = -F*x; der(der(y)) = -F*y;\n"
         "  x^2 + y^2 = 1; end D;", "is not linear"},
        {"model E Real x(start = 1), y, F; equation der(der(x)) + der(der(y)) = -F*x; der(der(y)) = -F*y;\n"
         "  x^2 + y^2 = 1; end E;", "no symmetric positive mass matrix"},
        {"model G Real x(start = 1), y, F, D; equation der(der(x)) = -F*x - D; der(der(y)) = -F*y;\n"
         "  D + D^3 = der(x); x^2 + y^2 = 1; end G;", "more algebraic unknowns than there are constraints"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof no / sizeof *no; k++) {
        model_run r = open_model(no[k].text);
        if (!keel_model_problem(r.model)) fail_msg("%s", keel_model_message(r.model));
        assert_string_equal(structure_of(&r).form, "levelled");
        if (!strstr(structure_of(&r).reason, no[k].reason)) fail_msg("%s", structure_of(&r).reason);
        close_run(&r);
    }
}

/* An event that reads an acceleration, of which a mechanical problem has no unknown: the tension vanishes
 * when the acceleration along the rod does. */
static void events_know_accelerations(void **state)
{
    static const char text[] =
        "model C Real a(start = 0.5, fixed = true), b(start = -0.5), u, w(start = 0, fixed = true), F;\n"
        "  discrete Real seen(start = 0), at(start = -1);\n"
        "equation der(a) = u; der(b) = w;\n"
        "  2*der(u) + der(w)*cos(a - b) = -w^2*sin(a - b) - 2*9.81*sin(a) - F*cos(a);\n"
        "  der(u)*cos(a - b) + der(w) = u^2*sin(a - b) - 9.81*sin(b) - F*cos(b);\n"
        "  sin(a) + sin(b) = 0;\n"
        "  when der(u) > 0 then seen = pre(seen) + 1; at = a; end when; end C;";
    (void)state;
    model_run one = run_model(text, 0.9, 1e-10), other = run_levelled(text, 0.9, 1e-10);
    assert_string_equal(structure_of(&one).form, "mechanical");
    check_value(&one, "seen", 1, 0);
    check_value(&one, "at", value_of(&other, "at"), 1e-8);
    close_run(&one);
    close_run(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_agree), cmocka_unit_test(derivatives_are_right), cmocka_unit_test(others_are_not),
        cmocka_unit_test(events_know_accelerations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
