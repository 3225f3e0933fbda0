/* test_declared.c -- problems that are not what they are declared to be: wrong index, dependent,
 * contradicting and missing equations, singular mass, wrong links between levels, wrong invariants.
 */
#include "test/trust/trust.h"

#define ALL "auto radau-iia bdf dimsim gauss-3 esdirk-4"

typedef struct pair { double a, b; } pair;

/* ---- index ----------------------------------------------------------------------------------- */

static int z_drives(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = z[0];
    return 0;
}

static int y_is_sine(double t, const double *y, const double *z, double *g, void *context)
{
    (void)z, (void)context;
    g[0] = y[0] - sin(t);
    return 0;
}

static int index2_as_index1(keel_problem **p, void *context)
{
    (void)context;
    return keel_semi_explicit(p, &(keel_semi_explicit_spec){.differential = 1, .algebraic = 1,
        .rhs = z_drives, .constraint = y_is_sine, .names = (const char *[]){"angle", "torque"}});
}

/* x' = u, u' = z, 0 = x - sin t: of index 3 */
static int integrator_chain(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[1];
    f[1] = z[0];
    return 0;
}

static int first_is_sine(double t, const double *y, double *g, void *context)
{
    (void)context;
    g[0] = y[0] - sin(t);
    return 0;
}

static int index3_as_index2(keel_problem **p, void *context)
{
    (void)context;
    return keel_hessenberg2(p, &(keel_hessenberg2_spec){.differential = 2, .multipliers = 1,
        .rhs = integrator_chain, .constraint = first_is_sine});
}

/* u = (x, w), v' = (l on w only), 0 = x - sin t: l never reaches x */
static int rates(double t, const double *u, const double *v, double *f, void *context)
{
    (void)t, (void)u, (void)context;
    f[0] = v[0];
    f[1] = v[1];
    return 0;
}

static int wrong_push(double t, const double *u, const double *v, const double *l, double *k,
                      void *context)
{
    (void)t, (void)u, (void)v, (void)context;
    k[0] = 1;
    k[1] = l[0];
    return 0;
}

static int multiplier_elsewhere(keel_problem **p, void *context)
{
    (void)context;
    return keel_hessenberg3(p, &(keel_hessenberg3_spec){.positions = 2, .velocities = 2,
        .multipliers = 1, .position_rate = rates, .velocity_rate = wrong_push,
        .constraint = first_is_sine});
}

static int first_mass(double t, const double *y, keel_matrix *M, void *context)
{
    (void)t, (void)y, (void)context;
    keel_put(M, 0, 0, 1);
    return 0;
}

static int sine_in_disguise(double t, const double *y, double *f, void *context)
{
    (void)context;
    f[0] = y[1];
    f[1] = y[0] - sin(t);
    return 0;
}

static int quasilinear_index2(keel_problem **p, void *context)
{
    (void)context;
    return keel_quasilinear(p, &(keel_quasilinear_spec){.size = 2, .mass = first_mass,
        .constant_mass = 1, .rhs = sine_in_disguise, .names = (const char *[]){"sine", "cosine"}});
}

static int implicit_sine(double t, const double *y, const double *yp, double *F, void *context)
{
    (void)context;
    F[0] = yp[0] - y[1];
    F[1] = y[0] - sin(t);
    return 0;
}

static int implicit_index2(keel_problem **p, void *context)
{
    (void)context;
    return keel_implicit(p, &(keel_implicit_spec){.size = 2, .residual = implicit_sine,
        .names = (const char *[]){"sine", "cosine"}});
}

static void index_is_wrong(void **state)
{
    const trust_case cases[] = {
        {"semi-explicit of index 2", index2_as_index1, .methods = ALL " dopri5", .y = {0, 1}, .end = 1,
         .status = {KEEL_WRONG_INDEX}, .culprit = {"g_z", "torque"}},
        {"Hessenberg 2 of index 3", index3_as_index2, .methods = ALL " hem-4", .y = {0, 1, 0}, .end = 1,
         .status = {KEEL_WRONG_INDEX}, .culprit = {"g_y f_z"}},
        {"Hessenberg 3 of no index", multiplier_elsewhere, .methods = ALL, .y = {0}, .end = 1,
         .status = {KEEL_WRONG_INDEX}, .culprit = {"g_u f_v k_l"}},
        {"quasilinear of index 2", quasilinear_index2, .methods = ALL, .y = {0, 1}, .end = 1,
         .status = {KEEL_WRONG_INDEX}, .culprit = {"cosine", "variable_index"}},
        {"implicit of index 2", implicit_index2, .methods = ALL, .y = {0, 1}, .end = 1,
         .status = {KEEL_WRONG_INDEX}, .culprit = {"cosine", "variable_index"}},
    };
    (void)state;
    TRUST_ALL(cases);
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* y1' = y2, y2' = z; h_2 = y1 - sin t, h_1 = y2 - cos t, g = z + sin t, of which one may be wrong. */
typedef enum level_fault { RIGHT, SIGN_OF_H1, WRONG_G, WRONG_LATER, SHORT_CHAIN, NO_NEXT } level_fault;

static int chain_level(double t, const double *y, const double *z, int k, double *h, void *context)
{
    const level_fault *fault = context;
    if (k == 2) h[0] = y[0] - sin(t);
    if (k == 1) h[0] = *fault == SIGN_OF_H1 ? y[1] + cos(t) : y[1] - cos(t);
    if (k == 0) h[0] = z[0] + sin(t) + (*fault == WRONG_G ? 0.5 : *fault == WRONG_LATER ? sin(t) : 0);
    if (k == 0 && *fault == SHORT_CHAIN) h[0] = y[1] - cos(t);
    return 0;
}

static int chain_of_levels(keel_problem **p, void *context)
{
    const level_fault *fault = context;
    static const int two[] = {2}, one[] = {1}, next[] = {1, -1};
    static const char *const rows[] = {"track"};
    return keel_levelled(p, &(keel_levelled_spec){.differential = 2, .algebraic = 1,
        .next = *fault == NO_NEXT ? NULL : next, .chain = *fault == SHORT_CHAIN ? one : two, .rate = integrator_chain, .level = chain_level,
        .constraint_names = rows, .context = context});
}

static void sine_and_cosine(double t, double *y)
{
    y[0] = sin(t);
    y[1] = cos(t);
    y[2] = -sin(t);
}

static void levels_do_not_fit(void **state)
{
    level_fault right = RIGHT, sign = SIGN_OF_H1, wrong_g = WRONG_G, later = WRONG_LATER;
    level_fault chain = SHORT_CHAIN, flat = NO_NEXT;
    const trust_case cases[] = {
        {"levels that fit", chain_of_levels, &right, ALL " dopri5", .y = {0, 1, 0}, .end = 2,
         .exact = sine_and_cosine, .compared = 3, .allowed = 10},
        {"h_1 of the wrong sign", chain_of_levels, &sign, ALL " dopri5", .y = {0, 1, 0}, .end = 2,
         .status = {KEEL_WRONG_DERIVATIVE}, .culprit = {"track", "level"}},
        {"g is not the derivative", chain_of_levels, &wrong_g, ALL " dopri5", .y = {0, 1, 0}, .end = 2,
         .status = {KEEL_WRONG_DERIVATIVE}, .culprit = {"track", "level"}},
        {"g is the derivative at the start only", chain_of_levels, &later, ALL " dopri5",
         .y = {0, 1, 0}, .end = 2, .status = {KEEL_WRONG_DERIVATIVE, KEEL_STEP_TOO_SMALL, KEEL_STEP_LIMIT},
         .culprit = {"track"}},
        {"a level that nothing keeps", chain_of_levels, &flat, .status = {KEEL_BAD_ARGUMENT},
         .culprit = {"h_2", "depth 2", "`next`"}},
        {"a chain that is too short", chain_of_levels, &chain, ALL " dopri5", .y = {0, 1, 0}, .end = 2,
         .status = {KEEL_WRONG_INDEX}, .culprit = {"g_z"}},
    };
    (void)state;
    TRUST_ALL(cases);
}

/* ---- dependent, contradicting and missing equations -------------------------------------------- */

static int falling(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = 0;
    f[1] = -10;
    return 0;
}

/* q1 = a, q1 = b */
static int two_walls(double t, const double *q, double *g, void *context)
{
    const pair *wall = context;
    (void)t;
    g[0] = q[0] - wall->a;
    g[1] = q[0] - wall->b;
    return 0;
}

static int between_walls(keel_problem **p, void *context)
{
    static const char *const rows[] = {"left wall", "right wall"};
    return keel_mechanical(p, &(keel_mechanical_spec){.positions = 2, .constraints = 2,
        .force = falling, .constraint = two_walls, .constraint_names = rows, .context = context});
}

static void fallen(double t, double *y)
{
    y[0] = 1;
    y[1] = -5 * t * t;
    y[2] = 0;
    y[3] = -10 * t;
}

/* y' = z with the same row twice, or with two that contradict each other */
static int two_drive(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = z[0];
    f[1] = z[1];
    return 0;
}

static int two_rows(double t, const double *y, double *g, void *context)
{
    const pair *wall = context;
    (void)t;
    g[0] = y[0] - wall->a;
    g[1] = y[0] - wall->b;
    return 0;
}

static int hessenberg_rows(keel_problem **p, void *context)
{
    static const char *const rows[] = {"left wall", "right wall"};
    return keel_hessenberg2(p, &(keel_hessenberg2_spec){.differential = 2, .multipliers = 2,
        .rhs = two_drive, .constraint = two_rows, .constraint_names = rows, .context = context});
}

/* F = (y1' - y2, y1' - y2): the same equation twice, nothing about y2 */
static int repeated(double t, const double *y, const double *yp, double *F, void *context)
{
    (void)t, (void)context;
    F[0] = F[1] = yp[0] - y[1];
    return 0;
}

static int implicit_repeated(keel_problem **p, void *context)
{
    (void)context;
    return keel_implicit(p, &(keel_implicit_spec){.size = 2, .residual = repeated,
        .names = (const char *[]){"known", "unknown"}});
}

/* y1' = -y1, 0 = 0: y2 appears nowhere */
static int decay_alone(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = -y[0];
    f[1] = 0;
    return 0;
}

static int missing_unknown(keel_problem **p, void *context)
{
    (void)context;
    return keel_quasilinear(p, &(keel_quasilinear_spec){.size = 2, .mass = first_mass,
        .constant_mass = 1, .rhs = decay_alone, .names = (const char *[]){"charge", "lost"}});
}

static void equations_do_not_fit(void **state)
{
    pair same = {1, 1}, apart = {1, 2};
    const trust_case cases[] = {
        {"the same wall twice", between_walls, &same, "auto radau-iia bdf", .y = {1, 0}, .end = 1,
         .exact = fallen, .compared = 4, .allowed = 10},
        {"two walls apart", between_walls, &apart, "auto radau-iia bdf dimsim hem-4", .y = {1, 0},
         .end = 1, .status = {KEEL_INCONSISTENT, KEEL_REDUNDANT}, .culprit = {"left wall", "right wall"}},
        {"two rows apart", hessenberg_rows, &apart, "auto radau-iia bdf dimsim hem-4", .y = {1, 0},
         .end = 1, .status = {KEEL_INCONSISTENT, KEEL_REDUNDANT}, .culprit = {"left wall", "right wall"}},
        {"an equation twice", implicit_repeated, .methods = ALL, .y = {1, 1}, .end = 1,
         .status = {KEEL_WRONG_INDEX, KEEL_SINGULAR}, .culprit = {"unknown"}},
        {"an unknown without equation", missing_unknown, .methods = ALL, .y = {1, 1}, .end = 1,
         .status = {KEEL_WRONG_INDEX, KEEL_SINGULAR}, .culprit = {"lost"}},
    };
    (void)state;
    TRUST_ALL(cases);
}

/* ---- mass ------------------------------------------------------------------------------------ */

static int diagonal_mass(double t, const double *q, double *M, void *context)
{
    const pair *mass = context;
    (void)t, (void)q;
    M[0] = mass->a, M[3] = mass->b, M[1] = M[2] = 0;
    return 0;
}

static int unsymmetric_mass(double t, const double *q, double *M, void *context)
{
    (void)t, (void)q, (void)context;
    M[0] = M[3] = 1, M[1] = 0.5, M[2] = 0;
    return 0;
}

static int growing_mass(double t, const double *q, double *M, void *context)
{
    (void)t, (void)context;
    M[0] = M[3] = 1 + q[0] * q[0] + q[1] * q[1], M[1] = M[2] = 0;
    return 0;
}

static int rod(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

static int first_wall(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = q[0] - 1;
    return 0;
}

static int heavy(keel_problem **p, void *context)
{
    return keel_mechanical(p, &(keel_mechanical_spec){.positions = 2, .constraints = 1,
        .mass = diagonal_mass, .force = falling, .constraint = first_wall, .context = context});
}

static int lopsided(keel_problem **p, void *context)
{
    (void)context;
    return keel_mechanical(p, &(keel_mechanical_spec){.positions = 2, .constraints = 1,
        .mass = unsymmetric_mass, .force = falling, .constraint = rod});
}

static int not_constant(keel_problem **p, void *context)
{
    (void)context;
    return keel_mechanical(p, &(keel_mechanical_spec){.positions = 2, .constraints = 1,
        .mass = growing_mass, .constant_mass = 1, .force = falling, .constraint = first_wall});
}

static void mass_is_wrong(void **state)
{
    pair massless = {1, 0};
    const trust_case cases[] = {
        {"a coordinate without mass", heavy, &massless, "auto radau-iia bdf dimsim hem-4",
         .y = {1, 0}, .end = 1, .status = {KEEL_SINGULAR}, .culprit = {"singular"}},
        {"a mass matrix that is not symmetric", lopsided, NULL, "auto radau-iia bdf dimsim hem-4",
         .y = {1, 0}, .end = 1, .status = {KEEL_WRONG_DERIVATIVE}, .culprit = {"mass", "symmetric"}},
        {"a mass that is not constant", not_constant, NULL, "auto radau-iia bdf dimsim hem-4",
         .y = {1, 0}, .end = 1, .status = {KEEL_WRONG_DERIVATIVE}, .culprit = {"mass", "constant"}},
    };
    (void)state;
    TRUST_ALL(cases);
}

/* ---- rows that are not kept, and points that do not exist --------------------------------------- */

static int turning(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[1];
    f[1] = -y[0];
    return 0;
}

/* y1^2 + y2^2 - 1 is kept; y1 - 1 is not. */
static int first_stays(double t, const double *y, double *h, void *context)
{
    (void)t, (void)context;
    h[0] = y[0] - 1;
    return 0;
}

static int false_invariant(keel_problem **p, void *context)
{
    static const char *const rows[] = {"height"};
    (void)context;
    return keel_ode(p, &(keel_ode_spec){.size = 2, .rhs = turning,
        .attached = {.rows = 1, .value = first_stays, .names = rows}});
}

static int circle_stays(double t, const double *y, double *h, void *context)
{
    (void)t, (void)context;
    h[0] = y[0] * y[0] + y[1] * y[1] + 1;
    return 0;
}

static int impossible_invariant(keel_problem **p, void *context)
{
    static const char *const rows[] = {"circle"};
    (void)context;
    return keel_ode(p, &(keel_ode_spec){.size = 2, .rhs = turning,
        .attached = {.rows = 1, .value = circle_stays, .names = rows}});
}

/* 0 = z^2 + y^2 + 1 */
static int no_root(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = z[0] * z[0] + y[0] * y[0] + 1;
    return 0;
}

/* 0 = z^2 - y from y = z = 0: g_z vanishes at the start */
static int square_root(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = z[0] * z[0] - y[0];
    return 0;
}

static int rootless(keel_problem **p, void *context)
{
    (void)context;
    return keel_semi_explicit(p, &(keel_semi_explicit_spec){.differential = 1, .algebraic = 1,
        .rhs = z_drives, .constraint = no_root, .names = (const char *[]){"y", "root"}});
}

static int at_the_fold(keel_problem **p, void *context)
{
    (void)context;
    return keel_semi_explicit(p, &(keel_semi_explicit_spec){.differential = 1, .algebraic = 1,
        .rhs = z_drives, .constraint = square_root, .names = (const char *[]){"y", "root"}});
}

static void points_do_not_exist(void **state)
{
    const trust_case cases[] = {
        {"an invariant that is none", false_invariant, .methods = ALL " dopri5", .y = {1, 0.5},
         .end = 3, .status = {KEEL_WRONG_DERIVATIVE}, .culprit = {"height"}},
        {"an invariant at the start only", false_invariant, .methods = ALL " dopri5", .y = {1, 0},
         .end = 3, .status = {KEEL_WRONG_DERIVATIVE, KEEL_STEP_TOO_SMALL, KEEL_STEP_LIMIT}, .culprit = {"height"}},
        {"an invariant without points", impossible_invariant, .methods = ALL " dopri5", .y = {1, 0},
         .end = 3, .status = {KEEL_INCONSISTENT, KEEL_REDUNDANT}, .culprit = {"circle"}},
        {"no z", rootless, .methods = ALL " dopri5", .y = {1, 0.5}, .end = 1,
         .status = {KEEL_INCONSISTENT}, .culprit = {"g[0]", "root"}},
        {"start at a fold", at_the_fold, .methods = ALL " dopri5", .y = {0, 0}, .end = 1,
         .status = {KEEL_WRONG_INDEX, KEEL_SINGULAR}, .culprit = {"g_z"}},
        {"start with NaN", at_the_fold, .methods = ALL " dopri5", .y = {NAN, 0}, .end = 1,
         .status = {KEEL_BAD_ARGUMENT}, .culprit = {"y"}},
        {"start with infinity", at_the_fold, .methods = ALL " dopri5", .y = {1, INFINITY}, .end = 1,
         .status = {KEEL_BAD_ARGUMENT}, .culprit = {"root"}},
    };
    (void)state;
    TRUST_ALL(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_is_wrong), cmocka_unit_test(levels_do_not_fit),
        cmocka_unit_test(equations_do_not_fit), cmocka_unit_test(mass_is_wrong),
        cmocka_unit_test(points_do_not_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
