/* test_given.c -- wrong sizes, patterns and derivatives that the caller hands over: refused by name,
 * or the answer is right all the same.
 */
#include <limits.h>

#include "test/trust/trust.h"

static int decay(double t, const double *y, double *f, void *context)
{
    const int *n = context;
    (void)t;
    for (int i = 0; i < *n; i++) f[i] = -y[i];
    return 0;
}

/* ---- sizes ------------------------------------------------------------------------------------- */

static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)z, (void)f, (void)context;
    return 0;
}

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)f, (void)context;
    return 0;
}

static int row(double t, const double *q, double *g, void *context)
{
    (void)t, (void)q, (void)g, (void)context;
    return 0;
}

static int sized_ode(keel_problem **p, void *context)
{
    return keel_ode(p, &(keel_ode_spec){.size = *(int *)context, .rhs = decay, .context = context});
}

static int sized_index1(keel_problem **p, void *context)
{
    return keel_semi_explicit(p, &(keel_semi_explicit_spec){.differential = 1,
        .algebraic = *(int *)context, .rhs = rate, .constraint = rate});
}

static int sized_mechanism(keel_problem **p, void *context)
{
    return keel_mechanical(p, &(keel_mechanical_spec){.positions = *(int *)context, .constraints = 1,
        .force = force, .constraint = row});
}

static int sized_constraints(keel_problem **p, void *context)
{
    return keel_mechanical(p, &(keel_mechanical_spec){.positions = 2, .constraints = *(int *)context,
        .force = force, .constraint = row});
}

static void sizes(void **state)
{
    int none = 0, negative = -1, huge = INT_MAX, large = INT_MAX / 2;
    const trust_case cases[] = {
        {"no unknowns", sized_ode, &none, .status = {KEEL_BAD_ARGUMENT}, .culprit = {"size = 0"}},
        {"-1 unknowns", sized_ode, &negative, .status = {KEEL_BAD_ARGUMENT}, .culprit = {"size = -1"}},
        {"2^31 - 1 unknowns", sized_ode, &huge, .y = {0},
         .status = {KEEL_BAD_ARGUMENT, KEEL_NO_MEMORY}},
        {"-1 algebraic unknowns", sized_index1, &negative, .status = {KEEL_BAD_ARGUMENT},
         .culprit = {"algebraic = -1"}},
        {"too many unknowns together", sized_index1, &huge, .status = {KEEL_BAD_ARGUMENT, KEEL_NO_MEMORY}},
        {"no positions", sized_mechanism, &none, .status = {KEEL_BAD_ARGUMENT},
         .culprit = {"positions = 0"}},
        {"2^30 positions", sized_mechanism, &large, .status = {KEEL_BAD_ARGUMENT, KEEL_NO_MEMORY}},
        {"-1 constraints", sized_constraints, &negative, .status = {KEEL_BAD_ARGUMENT},
         .culprit = {"constraints = -1"}},
        {"2^31 - 1 constraints", sized_constraints, &huge,
         .status = {KEEL_BAD_ARGUMENT, KEEL_NO_MEMORY}},
    };
    (void)state;
    TRUST_ALL(cases);
}

/* ---- patterns: y_i' = y_(i-1) - 2 y_i + y_(i+1), of which a pattern may know too little ----------- */

typedef struct lattice { int lower, upper; const int *start, *row; int writes; } lattice;

static int diffusion(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < 4; i++) f[i] = (i ? y[i - 1] : 0) - 2 * y[i] + (i < 3 ? y[i + 1] : 0);
    return 0;
}

static int diffusion_jacobian(double t, const double *y, keel_matrix *J, void *context)
{
    (void)t, (void)y, (void)context;
    for (int i = 0; i < 4; i++) {
        if (i) keel_put(J, i, i - 1, 1);
        keel_put(J, i, i, -2);
        if (i < 3) keel_put(J, i, i + 1, 1);
    }
    return 0;
}

static int make_lattice(keel_problem **p, void *context)
{
    const lattice *l = context;
    keel_storage storage = l->start || l->row ? KEEL_SPARSE : KEEL_BAND;
    return keel_ode(p, &(keel_ode_spec){.size = 4, .rhs = diffusion,
        .jacobian = l->writes ? diffusion_jacobian : NULL,
        .pattern = {.storage = storage, .lower = l->lower, .upper = l->upper,
                    .column_start = l->start, .row_index = l->row}});
}

/* The symmetric mode: y = (a, b, b, a) decays along the two eigenvectors of that symmetry. */
static void diffused(double t, double *y)
{
    double golden = (1 + sqrt(5)) / 2, slow = exp((golden - 2) * t), fast = exp((1 - golden - 2) * t);
    double c = 1 / (golden + 1 / golden);            /* (1,1) = c1 (1, golden) + c2 (1, -1/golden) */
    double c1 = c * (1 + 1 / golden), c2 = c * (golden - 1);
    y[0] = y[3] = c1 * slow + c2 * fast;
    y[1] = y[2] = c1 * golden * slow - c2 / golden * fast;
}

static void patterns(void **state)
{
    static const int starts[] = {0, 2, 5, 8, 10}, rows[] = {0, 1, 0, 1, 2, 1, 2, 3, 2, 3};
    static const int unsorted[] = {1, 0, 0, 1, 2, 1, 2, 3, 2, 3};
    static const int outside[] = {0, 1, 0, 1, 2, 1, 2, 4, 2, 3};
    static const int negative[] = {-1, 1, 0, 1, 2, 1, 2, 3, 2, 3};
    static const int shrinking[] = {0, 5, 2, 8, 10}, shifted[] = {1, 2, 5, 8, 10};
    static const int few_starts[] = {0, 1, 2, 3, 4}, diagonal[] = {0, 1, 2, 3};
    lattice right = {.lower = 1, .upper = 1, .writes = 1}, sparse = {.start = starts, .row = rows, .writes = 1};
    lattice narrow = {.upper = 1}, narrow_written = {.upper = 1, .writes = 1};
    lattice wide = {.lower = 4, .upper = 1};
    lattice lost = {.start = few_starts, .row = diagonal};
    lattice lost_written = {.start = few_starts, .row = diagonal, .writes = 1};
    lattice mixed = {.start = starts, .row = unsorted}, beyond = {.start = starts, .row = outside};
    lattice below = {.start = starts, .row = negative}, falls = {.start = shrinking, .row = rows};
    lattice late = {.start = shifted, .row = rows};
    const char *methods = "radau-iia bdf dimsim gauss-3 esdirk-4";
    const trust_case cases[] = {
        {"a band that fits", make_lattice, &right, methods, .y = {1, 1, 1, 1}, .end = 1,
         .exact = diffused, .compared = 4, .allowed = 10},
        {"a pattern that fits", make_lattice, &sparse, methods, .y = {1, 1, 1, 1}, .end = 1,
         .exact = diffused, .compared = 4, .allowed = 10, .status = {KEEL_UNSUPPORTED}},
        {"a band that is too narrow", make_lattice, &narrow, methods, .y = {1, 1, 1, 1}, .end = 1,
         .exact = diffused, .compared = 4, .allowed = 10, .status = {KEEL_WRONG_DERIVATIVE},
         .culprit = {"pattern"}},
        {"an entry outside the band", make_lattice, &narrow_written, methods, .y = {1, 1, 1, 1},
         .end = 1, .status = {KEEL_CALLBACK_FAILED, KEEL_WRONG_DERIVATIVE}, .culprit = {"jacobian"}},
        {"a band wider than the matrix", make_lattice, &wide, methods,
         .status = {KEEL_BAD_ARGUMENT}, .culprit = {"lower = 4"}},
        {"a pattern with missing entries", make_lattice, &lost, methods, .y = {1, 1, 1, 1}, .end = 1,
         .exact = diffused, .compared = 4, .allowed = 10,
         .status = {KEEL_WRONG_DERIVATIVE, KEEL_UNSUPPORTED}, .culprit = {"pattern"}},
        {"an entry outside the pattern", make_lattice, &lost_written, methods, .y = {1, 1, 1, 1},
         .end = 1, .status = {KEEL_CALLBACK_FAILED, KEEL_WRONG_DERIVATIVE, KEEL_UNSUPPORTED},
         .culprit = {"jacobian"}},
        {"unsorted rows", make_lattice, &mixed, methods, .status = {KEEL_BAD_ARGUMENT},
         .culprit = {"column 0"}},
        {"a row beyond the last", make_lattice, &beyond, methods, .status = {KEEL_BAD_ARGUMENT},
         .culprit = {"column 2"}},
        {"a negative row", make_lattice, &below, methods, .status = {KEEL_BAD_ARGUMENT},
         .culprit = {"column 0"}},
        {"columns that end before they start", make_lattice, &falls, methods,
         .status = {KEEL_BAD_ARGUMENT}, .culprit = {"column_start[2]"}},
        {"columns that do not begin at 0", make_lattice, &late, methods,
         .status = {KEEL_BAD_ARGUMENT}, .culprit = {"from 0"}},
    };
    (void)state;
    TRUST_ALL(cases);
}

/* ---- derivatives that are wrong and not checked: the answer is right, or the run says no ---------- */

/* y1' = -a y1 + z, y2' = a y1 - y2, 0 = z - y1 y2; the derivative may be wrong in one way. */
typedef enum spoiled { SIGN, TRANSPOSED, ZERO, SCALED, ONE_ENTRY } spoiled;

static int reaction(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = -100 * y[0] + z[0];
    f[1] = 100 * y[0] - y[1];
    return 0;
}

static int product(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = z[0] - y[0] * y[1];
    return 0;
}

static int spoiled_jacobian(double t, const double *y, const double *z, keel_matrix *J, void *context)
{
    spoiled way = *(const spoiled *)context;
    const double right[3][3] = {{-100, 0, 1}, {100, -1, 0}, {-y[1], -y[0], 1}};
    const double factor[] = {-1, 1, 0, 20, 1};
    (void)t, (void)z;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            keel_put(J, i, j, factor[way] * (way == TRANSPOSED ? right[j][i] : right[i][j]));
    if (way == ONE_ENTRY) keel_put(J, 0, 0, 0);
    return 0;
}

static int make_spoiled(keel_problem **p, void *context)
{
    return keel_semi_explicit(p, &(keel_semi_explicit_spec){.differential = 2, .algebraic = 1,
        .rhs = reaction, .constraint = product, .jacobian = context ? spoiled_jacobian : NULL,
        .context = context});
}

/* The solution at t = 1 and tolerance 1e-10 without any Jacobian. */
static void reacted(double t, double *y)
{
    static double end[3];
    if (end[0] == 0) {
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        assert_int_equal(make_spoiled(&p, NULL), KEEL_OK);
        assert_int_equal(keel_solver_create(&s, p, &(keel_options){.method = "radau-iia",
            .rtol = 1e-10, .atol = 1e-10}), KEEL_OK);
        assert_int_equal(keel_start(s, 0, (double[]){1, 0, 0}), KEEL_OK);
        assert_int_equal(keel_advance_to(s, t), KEEL_OK);
        memcpy(end, keel_state(s), sizeof end);
        keel_solver_free(s);
        keel_problem_free(p);
    }
    memcpy(y, end, sizeof end);
}

static void derivatives_unchecked(void **state)
{
    static const char *const names[] = {"sign", "transposed", "zero", "scaled", "one entry"};
    (void)state;
    for (int k = 0; k < 5; k++) {
        spoiled way = (spoiled)k;
        const trust_case checked = {names[k], make_spoiled, &way,
            "auto radau-iia bdf dimsim gauss-3 esdirk-4 dopri5", .y = {1, 0, 0}, .end = 1,
            .status = {KEEL_WRONG_DERIVATIVE}, .culprit = {"jacobian", "row", "column"}};
        trust_case unchecked = checked;
        unchecked.options.check = KEEL_CHECK_NONE;
        unchecked.status[0] = KEEL_NOT_CONVERGED, unchecked.status[1] = KEEL_STEP_TOO_SMALL;
        unchecked.status[2] = KEEL_SINGULAR, unchecked.status[3] = KEEL_STEP_LIMIT;
        memset(unchecked.culprit, 0, sizeof unchecked.culprit);
        unchecked.exact = reacted, unchecked.compared = 3, unchecked.allowed = 10;
        assert_int_equal(trust(&checked) + trust(&unchecked), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes), cmocka_unit_test(patterns), cmocka_unit_test(derivatives_unchecked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
