/* test_runs.c -- solutions that end, jump, chatter, leave the domain, or are hard: a run ends where
 * the solution does, with the culprit named, or is right.
 */
#include "test/trust/trust.h"

#define EVERY "auto radau-iia bdf dimsim gauss-3 esdirk-4 dopri5"
#define IMPLICIT "auto radau-iia bdf dimsim gauss-3 esdirk-4"

typedef int (*right_side)(double t, const double *y, double *f, void *context);

typedef struct scalar_ode {
    right_side rhs;
    int size;
    void *context;
} scalar_ode;

static int make_ode(keel_problem **p, void *context)
{
    const scalar_ode *o = context;
    static const char *const names[] = {"level", "speed"};
    return keel_ode(p, &(keel_ode_spec){.size = o->size, .rhs = o->rhs, .names = names,
                                        .context = o->context});
}

/* ---- solutions that end ------------------------------------------------------------------------ */

static int square(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[0] * y[0];
    return 0;
}

static int exponential(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = exp(y[0]);
    return 0;
}

/* sqrt(1 - y) ends in y = 1 at t = 2 with a bounded slope; beyond it nothing is defined. */
static int edge(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = 1 / sqrt(1 - y[0]);
    return 0;
}

/* y' = z, 0 = z - y^2: the same blow-up behind an algebraic equation */
static int z_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = z[0];
    return 0;
}

static int z_is_square(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = z[0] - y[0] * y[0];
    return 0;
}

static int hidden_blow_up(keel_problem **p, void *context)
{
    (void)context;
    return keel_semi_explicit(p, &(keel_semi_explicit_spec){.differential = 1, .algebraic = 1,
        .rhs = z_rate, .constraint = z_is_square, .names = (const char *[]){"level", "rate"}});
}

static void solutions_end(void **state)
{
    scalar_ode pole = {square, 1, NULL}, logarithm = {exponential, 1, NULL}, wall = {edge, 1, NULL};
    const trust_case cases[] = {
        {"a pole", make_ode, &pole, EVERY, .y = {1}, .end = 2, .when = 1, .within = 1e-3,
         .status = {KEEL_STEP_TOO_SMALL, KEEL_NOT_FINITE}, .culprit = {"level"}},
        {"a logarithm", make_ode, &logarithm, EVERY, .y = {0}, .end = 2, .when = 1, .within = 1e-3,
         .status = {KEEL_STEP_TOO_SMALL, KEEL_NOT_FINITE}, .culprit = {"t = "}},
        {"the edge of the domain", make_ode, &wall, EVERY, .y = {0}, .end = 2, .when = 2. / 3,
         .within = 1e-3, .status = {KEEL_STEP_TOO_SMALL, KEEL_NOT_FINITE}, .culprit = {"t = "}},
        {"a pole behind z", hidden_blow_up, NULL, EVERY, .y = {1, 1}, .end = 2, .when = 1,
         .within = 1e-3, .status = {KEEL_STEP_TOO_SMALL, KEEL_NOT_FINITE}, .culprit = {"t = "}},
    };
    (void)state;
    TRUST_ALL(cases);
}

/* ---- impasse points ------------------------------------------------------------------------------ */

/* y' = -z, 0 = y - z^2 from (1, 1): z = 1 - t/2 until z = 0 at t = 2, and no further. */
static int fold_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = -1 + 0 * z[0];
    return 0;
}

static int fold(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = y[0] - z[0] * z[0];
    return 0;
}

static int fold_semi_explicit(keel_problem **p, void *context)
{
    (void)context;
    return keel_semi_explicit(p, &(keel_semi_explicit_spec){.differential = 1, .algebraic = 1,
        .rhs = fold_rate, .constraint = fold, .names = (const char *[]){"load", "deflection"}});
}

static int fold_mass(double t, const double *y, keel_matrix *M, void *context)
{
    (void)t, (void)y, (void)context;
    keel_put(M, 0, 0, 1);
    return 0;
}

static int fold_f(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = -1;
    f[1] = y[0] - y[1] * y[1];
    return 0;
}

static int fold_quasilinear(keel_problem **p, void *context)
{
    (void)context;
    return keel_quasilinear(p, &(keel_quasilinear_spec){.size = 2, .mass = fold_mass,
        .constant_mass = 1, .rhs = fold_f, .names = (const char *[]){"load", "deflection"}});
}

static int fold_F(double t, const double *y, const double *yp, double *F, void *context)
{
    (void)t, (void)context;
    F[0] = yp[0] + 1;
    F[1] = y[0] - y[1] * y[1];
    return 0;
}

static int fold_implicit(keel_problem **p, void *context)
{
    (void)context;
    return keel_implicit(p, &(keel_implicit_spec){.size = 2, .residual = fold_F,
        .names = (const char *[]){"load", "deflection"}});
}

static void impasse_points(void **state)
{
    const trust_case cases[] = {
        {"an impasse point, semi-explicit", fold_semi_explicit, NULL, EVERY, .y = {1, 1}, .end = 3,
         .when = 1, .within = 1e-3, .status = {KEEL_SINGULAR},
         .culprit = {"lose rank in", "deflection"}},
        {"an impasse point, quasilinear", fold_quasilinear, NULL, IMPLICIT, .y = {1, 1}, .end = 3,
         .when = 1, .within = 1e-3, .status = {KEEL_SINGULAR, KEEL_STEP_TOO_SMALL},
         .culprit = {"deflection"}},
        {"an impasse point, implicit", fold_implicit, NULL, IMPLICIT, .y = {1, 1}, .end = 3,
         .when = 1, .within = 1e-3, .status = {KEEL_SINGULAR, KEEL_STEP_TOO_SMALL},
         .culprit = {"deflection"}},
    };
    (void)state;
    TRUST_ALL(cases);
}

/* ---- right-hand sides that are not smooth ------------------------------------------------------ */

static int jump(double t, const double *y, double *f, void *context)
{
    (void)y, (void)context;
    f[0] = t < 0.7 ? 1 : -50;
    return 0;
}

static void jumped(double t, double *y)
{
    y[0] = t < 0.7 ? t : 0.7 - 50 * (t - 0.7);
}

static int sliding(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[0] > 0 ? -1 : 1;
    return 0;
}

static void slid(double t, double *y)
{
    y[0] = t < 1 ? 1 - t : 0;
}

/* The number of the call decides about the last digits: a measurement instead of a function. */
typedef struct noise { double size; unsigned long calls; } noise;

static int noisy(double t, const double *y, double *f, void *context)
{
    noise *n = context;
    (void)t;
    n->calls = n->calls * 6364136223846793005UL + 1442695040888963407UL;
    f[0] = -y[0] + n->size * ((double)(n->calls >> 11) / 9007199254740992.0 - 0.5);
    return 0;
}

static void decayed(double t, double *y)
{
    y[0] = exp(-t);
}

static void not_smooth(void **state)
{
    noise loud = {.size = 1e-3}, faint = {.size = 1e-13};
    scalar_ode jumps = {jump, 1, NULL}, slides = {sliding, 1, NULL};
    scalar_ode shouts = {noisy, 1, &loud}, whispers = {noisy, 1, &faint};
    const trust_case cases[] = {
        {"a jump", make_ode, &jumps, EVERY, .y = {0}, .end = 2, .exact = jumped, .compared = 1,
         .allowed = 100, .status = {KEEL_STEP_TOO_SMALL}, .culprit = {"level"}, .when = 0.7,
         .within = 1e-6},
        {"chattering", make_ode, &slides, EVERY, .y = {1}, .end = 3, .exact = slid, .compared = 1,
         .allowed = 100, .status = {KEEL_STEP_TOO_SMALL, KEEL_STEP_LIMIT}, .culprit = {"level"}},
        {"noise above the tolerance", make_ode, &shouts, EVERY, .y = {1}, .end = 5, .tolerance = 1e-8,
         .exact = decayed, .compared = 1, .allowed = 1e5, .culprit = {"level"},
         .status = {KEEL_STEP_TOO_SMALL, KEEL_STEP_LIMIT}},
        {"noise below the tolerance", make_ode, &whispers, EVERY, .y = {1}, .end = 5,
         .tolerance = 1e-8, .exact = decayed, .compared = 1, .allowed = 10},
    };
    (void)state;
    TRUST_ALL(cases);
}

/* ---- callbacks that give up, and stiffness ------------------------------------------------------ */

typedef struct refusal { int code; double after; } refusal;

static int refusing(double t, const double *y, double *f, void *context)
{
    const refusal *r = context;
    f[0] = -y[0];
    return t > r->after ? r->code : 0;
}

static int stiff(double t, const double *y, double *f, void *context)
{
    (void)context;
    f[0] = -1e4 * (y[0] - cos(t)) - sin(t);
    return 0;
}

static void cosine(double t, double *y)
{
    y[0] = cos(t);
}

static int overflow(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = 1e308 * y[0];
    return 0;
}

static int at_rest(double t, const double *y, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = 0;
    return 0;
}

static void rested(double t, double *y)
{
    (void)t;
    y[0] = 0;
}

/* The relative tolerance alone counts. */
static int decaying(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = -y[0];
    return 0;
}

static void large_decay(double t, double *y)
{
    y[0] = 1e150 * exp(-t);
}

static void extremes(void **state)
{
    refusal stop = {-1, 0.5}, domain = {1, 0.5};
    scalar_ode stops = {refusing, 1, &stop}, leaves = {refusing, 1, &domain};
    scalar_ode is_stiff = {stiff, 1, NULL}, explodes = {overflow, 1, NULL}, rests = {at_rest, 1, NULL};
    scalar_ode large = {decaying, 1, NULL};
    const trust_case cases[] = {
        {"a callback that stops", make_ode, &stops, EVERY, .y = {1}, .end = 1,
         .status = {KEEL_CALLBACK_FAILED}, .culprit = {"rhs"}},
        {"a callback beyond its domain", make_ode, &leaves, EVERY, .y = {1}, .end = 1,
         .status = {KEEL_CALLBACK_FAILED}, .culprit = {"rhs"}, .when = 0.5, .within = 1e-6},
        {"stiff", make_ode, &is_stiff, EVERY, .y = {1}, .end = 1, .exact = cosine, .compared = 1,
         .allowed = 10},
        {"overflow", make_ode, &explodes, EVERY, .y = {1}, .end = 1,
         .status = {KEEL_STEP_TOO_SMALL, KEEL_NOT_FINITE}, .culprit = {"t = "}},
        {"nothing happens", make_ode, &rests, EVERY, .y = {0}, .end = 1e6, .exact = rested,
         .compared = 1, .allowed = 1e-9},
        {"large values", make_ode, &large, EVERY, .y = {1e150}, .end = 3, .exact = large_decay,
         .compared = 1, .allowed = 10},
    };
    (void)state;
    TRUST_ALL(cases);
}

/* ---- two solvers, one problem; ten thousand stop times; the same call twice --------------------- */

static int oscillator(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[1];
    f[1] = -y[0];
    return 0;
}

static void two_solvers(void **state)
{
    scalar_ode turns = {oscillator, 2, NULL};
    keel_problem *p = NULL;
    const char *const methods[] = {"auto", "radau-iia", "bdf", "dimsim", "gauss-3", "esdirk-4", "dopri5"};
    (void)state;
    assert_int_equal(make_ode(&p, &turns), KEEL_OK);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        keel_solver *alone = NULL, *first = NULL, *second = NULL;
        keel_options o = {.method = methods[k], .rtol = 1e-7, .atol = 1e-7};
        assert_int_equal(keel_solver_create(&alone, p, &o), KEEL_OK);
        assert_int_equal(keel_solver_create(&first, p, &o), KEEL_OK);
        assert_int_equal(keel_solver_create(&second, p, &o), KEEL_OK);
        assert_int_equal(keel_start(alone, 0, (double[]){1, 0}), KEEL_OK);
        assert_int_equal(keel_start(first, 0, (double[]){1, 0}), KEEL_OK);
        assert_int_equal(keel_start(second, 0, (double[]){0, 3}), KEEL_OK);
        while (keel_time(alone) < 4) assert_int_equal(keel_step(alone), KEEL_OK);
        while (keel_time(first) < 4) {
            assert_int_equal(keel_step(first), KEEL_OK);
            assert_int_equal(keel_step(second), KEEL_OK);
        }
        assert_memory_equal(keel_state(first), keel_state(alone), 2 * sizeof(double));
        keel_solver_free(alone);
        keel_solver_free(first);
        keel_solver_free(second);
    }
    keel_problem_free(p);
}

static void many_stops(void **state)
{
    scalar_ode turns = {oscillator, 2, NULL};
    const char *const methods[] = {"auto", "radau-iia", "bdf", "dimsim", "gauss-3", "esdirk-4", "dopri5"};
    keel_problem *p = NULL;
    int wrong = 0;
    (void)state;
    assert_int_equal(make_ode(&p, &turns), KEEL_OK);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        keel_solver *s = NULL;
        int rc = keel_solver_create(&s, p, &(keel_options){.method = methods[k], .rtol = 1e-6,
                                                           .atol = 1e-6});
        if (!rc) rc = keel_start(s, 0, (double[]){1, 0});
        for (int i = 1; i <= 10000 && !rc; i++) rc = keel_advance_to(s, 1e-3 * i);
        double error = rc ? 0 : fabs(keel_state(s)[0] - cos(10.0));
        if (rc || !(error <= 1e-5)) {
            print_error("%s: %s, error %.3g\n", methods[k], keel_status_name(rc), error);
            wrong++;
        }
        keel_solver_free(s);
    }
    keel_problem_free(p);
    assert_int_equal(wrong, 0);
}

static void times_asked_for(void **state)
{
    scalar_ode turns = {oscillator, 2, NULL};
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    (void)state;
    assert_int_equal(make_ode(&p, &turns), KEEL_OK);
    assert_int_equal(keel_solver_create(&s, p, NULL), KEEL_OK);
    assert_int_equal(keel_step(s), KEEL_BAD_ARGUMENT);               /* not started */
    assert_int_equal(keel_start(s, 0, (double[]){1, 0}), KEEL_OK);
    assert_int_equal(keel_advance_to(s, INFINITY), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_advance_to(s, NAN), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_advance_to(s, 0), KEEL_OK);
    assert_int_equal(keel_advance_to(s, 1), KEEL_OK);
    assert_int_equal(keel_advance_to(s, 1), KEEL_OK);
    assert_int_equal(keel_advance_to(s, 0.5), KEEL_BAD_ARGUMENT);    /* behind */
    assert_true(keel_time(s) == 1);
    assert_true(fabs(keel_state(s)[0] - cos(1.0)) < 1e-5);
    keel_solver_free(s);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_end), cmocka_unit_test(impasse_points),
        cmocka_unit_test(not_smooth), cmocka_unit_test(extremes), cmocka_unit_test(two_solvers),
        cmocka_unit_test(many_stops), cmocka_unit_test(times_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
