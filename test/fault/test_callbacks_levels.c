/* test_callbacks_levels.c -- every callback fails at some of its calls, where a problem has
 * attached rows, chains of levels, constraints that depend on each other or a sparse pattern.
 *
 * A particle on the circle without forces, q'' = -l q, 0 = g = (|q|^2 - 1) / 2: q = (cos t, sin t),
 * l = 1.  The equation for l is g, g' or g''; g and g' are attached, or below it in its chain.
 */
#pragma GCC diagnostic ignored "-Wunused-function"     /* not all of it is needed */
#include "test/fault/faults.h"

enum { SIZE = 5 };

static void particle_exact(double t, double *y)
{
    const double exact[SIZE] = {cos(t), sin(t), -sin(t), cos(t), 1};
    memcpy(y, exact, sizeof exact);
}

/* d^k g / dt^k */
static double derivative(int k, const double *q, const double *v, double l)
{
    double square = q[0] * q[0] + q[1] * q[1];
    return k == 0 ? (square - 1) / 2 : k == 1 ? q[0] * v[0] + q[1] * v[1]
         : v[0] * v[0] + v[1] * v[1] - l * square;
}

static void accelerate(const double *y, double *f)
{
    const double right[4] = {y[2], y[3], -y[4] * y[0], -y[4] * y[1]};
    memcpy(f, right, sizeof right);
}

/* All entries, listed: what is sparse need not be empty. */
static keel_pattern listed(int n)
{
    static int start[9], row[64];
    for (int j = 0; j <= n; j++) start[j] = j * n;
    for (int k = 0; k < n * n; k++) row[k] = k % n;
    return (keel_pattern){.storage = KEEL_SPARSE, .column_start = start, .row_index = row};
}

/* ---- attached rows ------------------------------------------------------------------------- */

static int attached(double t, const double *y, double *h, void *context)
{
    h[0] = derivative(0, y, y + 2, y[4]);
    h[1] = derivative(1, y, y + 2, y[4]);
    return probed(context, ATTACHED_VALUE, t, h, 2);
}

static int attached_jacobian(double t, const double *y, double *H, void *context)
{
    const double rows[2][SIZE] = {{y[0], y[1], 0, 0, 0}, {y[2], y[3], y[0], y[1], 0}};
    memcpy(H, rows, sizeof rows);
    return probed(context, ATTACHED_JACOBIAN, t, H, 2 * SIZE);
}

static keel_attached attached_rows(derivatives d)
{
    return (keel_attached){.rows = 2, .value = attached,
                           .jacobian = d == GIVEN ? attached_jacobian : NULL};
}

static int mass_matrix(double t, const double *y, keel_matrix *M, void *context)
{
    (void)y;
    for (int i = 0; i < 4; i++) keel_put(M, i, i, 1);
    return probed_matrix(context, MASS, t, M);
}

static int attached_rhs(double t, const double *y, double *f, void *context)
{
    accelerate(y, f);
    f[4] = derivative(1, y, y + 2, y[4]);
    return probed(context, RHS, t, f, SIZE);
}

static int residual(double t, const double *y, const double *yp, double *F, void *context)
{
    accelerate(y, F);
    for (int i = 0; i < 4; i++) F[i] = yp[i] - F[i];
    F[4] = derivative(0, y, y + 2, y[4]);
    return probed(context, RESIDUAL, t, F, SIZE);
}

static const int index_of_2[SIZE] = {1, 1, 1, 1, 2}, index_of_3[SIZE] = {1, 1, 2, 2, 3};

static int quasilinear_make(keel_problem **p, derivatives d, probe *context)
{
    return keel_quasilinear(p, &(keel_quasilinear_spec){.size = SIZE, .mass = mass_matrix,
        .rhs = attached_rhs, .variable_index = index_of_2, .attached = attached_rows(d),
        .context = context});
}

static int implicit_make(keel_problem **p, derivatives d, probe *context)
{
    return keel_implicit(p, &(keel_implicit_spec){.size = SIZE, .residual = residual,
        .variable_index = index_of_3, .attached = attached_rows(d), .context = context});
}

static int sparse_make(keel_problem **p, derivatives d, probe *context)
{
    (void)d;
    return keel_quasilinear(p, &(keel_quasilinear_spec){.size = SIZE, .mass = mass_matrix,
        .rhs = attached_rhs, .variable_index = index_of_2, .pattern = listed(SIZE),
        .context = context});
}

/* ---- chains of levels ---------------------------------------------------------------------- */

static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    const double all[SIZE] = {y[0], y[1], y[2], y[3], z[0]};
    accelerate(all, f);
    return probed(context, RATE, t, f, 4);
}

static int level(double t, const double *y, const double *z, int k, double *h, void *context)
{
    h[0] = derivative(2 - k, y, y + 2, k == 0 ? z[0] : 0);
    return probed(context, LEVEL, t, h, 1);
}

static int levelled_of(keel_problem **p, probe *context, keel_pattern pattern)
{
    static const int next[4] = {2, 3, -1, -1}, chain[1] = {2};
    return keel_levelled(p, &(keel_levelled_spec){.differential = 4, .algebraic = 1, .next = next,
        .chain = chain, .rate = rate, .level = level, .pattern = pattern, .context = context});
}

static int levelled_make(keel_problem **p, derivatives d, probe *context)
{
    (void)d;
    return levelled_of(p, context, (keel_pattern){.storage = KEEL_DENSE});
}

static int levelled_sparse_make(keel_problem **p, derivatives d, probe *context)
{
    (void)d;
    return levelled_of(p, context, listed(SIZE));
}

/* ---- constraints that depend on each other --------------------------------------------------- */

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)q, (void)v;
    f[0] = f[1] = 0;
    return probed(context, FORCE, t, f, 2);
}

static int twice(double t, const double *q, double *g, void *context)
{
    g[0] = derivative(0, q, NULL, 0);
    g[1] = 2 * g[0];
    return probed(context, CONSTRAINT, t, g, 2);
}

static int twice_jacobian(double t, const double *q, double *G, void *context)
{
    for (int k = 0; k < 4; k++) G[k] = (1 + k / 2) * q[k % 2];
    return probed(context, CONSTRAINT_JACOBIAN, t, G, 4);
}

static int dependent_make(keel_problem **p, derivatives d, probe *context)
{
    return keel_mechanical(p, &(keel_mechanical_spec){.positions = 2, .constraints = 2,
        .force = force, .constraint = twice,
        .constraint_jacobian = d == GIVEN ? twice_jacobian : NULL, .context = context});
}

static void dependent_exact(double t, double *y)
{
    particle_exact(t, y);
    y[4] = 0.2, y[5] = 0.4;                      /* l1 + 2 l2 = 1, the smallest */
}

/* y' = J y + (l1 + 2 l2) y: l = 0 */
static int turn(double t, const double *y, const double *z, double *f, void *context)
{
    const double l = z[0] + 2 * z[1];
    f[0] = -y[1] + l * y[0];
    f[1] = y[0] + l * y[1];
    return probed(context, RHS, t, f, 2);
}

static int turn_jacobian(double t, const double *y, const double *z, keel_matrix *J, void *context)
{
    const double l = z[0] + 2 * z[1];
    const double all[4][4] = {{l, -1, y[0], 2 * y[0]}, {1, l, y[1], 2 * y[1]},
                              {y[0], y[1], 0, 0}, {2 * y[0], 2 * y[1], 0, 0}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) keel_put(J, i, j, all[i][j]);
    return probed_matrix(context, JACOBIAN, t, J);
}

static int gauge_make(keel_problem **p, derivatives d, probe *context)
{
    return keel_hessenberg2(p, &(keel_hessenberg2_spec){.differential = 2, .multipliers = 2,
        .rhs = turn, .constraint = twice, .constraint_jacobian = d == GIVEN ? twice_jacobian : NULL,
        .jacobian = d == GIVEN ? turn_jacobian : NULL, .context = context});
}

static void gauge_exact(double t, double *y)
{
    y[0] = cos(t), y[1] = sin(t), y[2] = y[3] = 0;
}

/* ---- many of them: sparse in earnest --------------------------------------------------------- */

enum { COPIES = 10 };

/* Entry (i,j) of a matrix of blocks COPIES x COPIES, all of them diagonal. */
static keel_pattern diagonals(int blocks)
{
    static int start[6 * COPIES + 1], row[6 * 6 * COPIES];
    int n = blocks * COPIES;
    for (int j = 0; j <= n; j++) start[j] = j * blocks;
    for (int k = 0; k < n * blocks; k++) row[k] = k / blocks % COPIES + k % blocks * COPIES;
    return (keel_pattern){.storage = KEEL_SPARSE, .column_start = start, .row_index = row};
}

/* y = (all first components, all second ones) */
static int turns(double t, const double *y, const double *z, double *f, void *context)
{
    for (int c = 0; c < COPIES; c++) {
        f[c] = -y[COPIES + c] + z[c] * y[c];
        f[COPIES + c] = y[c] + z[c] * y[COPIES + c];
    }
    return probed(context, RHS, t, f, 2 * COPIES);
}

static int circles(double t, const double *y, double *g, void *context)
{
    for (int c = 0; c < COPIES; c++)
        g[c] = (y[c] * y[c] + y[COPIES + c] * y[COPIES + c] - 1) / 2;
    return probed(context, CONSTRAINT, t, g, COPIES);
}

/* As a band where derivatives are not given. */
static int turns_make(keel_problem **p, derivatives d, probe *context)
{
    const keel_pattern band = {.storage = KEEL_BAND, .lower = 2 * COPIES, .upper = 2 * COPIES};
    return keel_hessenberg2(p, &(keel_hessenberg2_spec){.differential = 2 * COPIES,
        .multipliers = COPIES, .rhs = turns, .constraint = circles,
        .pattern = d == GIVEN ? diagonals(3) : band, .context = context});
}

static void turns_exact(double t, double *y)
{
    for (int c = 0; c < COPIES; c++) y[c] = cos(t), y[COPIES + c] = sin(t), y[2 * COPIES + c] = 0;
}

static int rates(double t, const double *y, const double *z, double *f, void *context)
{
    const int n = 2 * COPIES;
    for (int i = 0; i < n; i++) f[i] = y[n + i], f[n + i] = -z[i % COPIES] * y[i];
    return probed(context, RATE, t, f, 2 * n);
}

static int levels(double t, const double *y, const double *z, int k, double *h, void *context)
{
    for (int c = 0; c < COPIES; c++) {
        const double q[2] = {y[c], y[COPIES + c]}, v[2] = {y[2 * COPIES + c], y[3 * COPIES + c]};
        h[c] = derivative(2 - k, q, v, k == 0 ? z[c] : 0);
    }
    return probed(context, LEVEL, t, h, COPIES);
}

static int particles_make(keel_problem **p, derivatives d, probe *context)
{
    int next[4 * COPIES], chain[COPIES];
    (void)d;
    for (int i = 0; i < 4 * COPIES; i++) next[i] = i < 2 * COPIES ? i + 2 * COPIES : -1;
    for (int c = 0; c < COPIES; c++) chain[c] = 2;
    return keel_levelled(p, &(keel_levelled_spec){.differential = 4 * COPIES, .algebraic = COPIES,
        .next = next, .chain = chain, .rate = rates, .level = levels, .pattern = diagonals(5),
        .context = context});
}

static void particles_exact(double t, double *y)
{
    double one[SIZE];
    particle_exact(t, one);
    for (int i = 0; i < SIZE * COPIES; i++) y[i] = one[i / COPIES];
}

/* ---- faults ---------------------------------------------------------------------------------- */

static const form rows[] = {
    {"quasilinear with attached rows", SIZE, quasilinear_make, particle_exact},
    {"implicit with attached rows", SIZE, implicit_make, particle_exact},
    {"sparse quasilinear", SIZE, sparse_make, particle_exact},
    {"levelled", SIZE, levelled_make, particle_exact},
    {"sparse levelled", SIZE, levelled_sparse_make, particle_exact},
    {"dependent mechanical", 6, dependent_make, dependent_exact},
    {"dependent Hessenberg 2", 4, gauge_make, gauge_exact},
    {"many turns", 3 * COPIES, turns_make, turns_exact},
    {"many particles", SIZE * COPIES, particles_make, particles_exact}};
enum { QUASILINEAR, IMPLICIT, SPARSE, LEVELLED, LEVELLED_SPARSE, DEPENDENT, GAUGE, TURNS,
       PARTICLES };

/* One in `stride` of the calls of each callback, spoiled in every way: the run ends right or with a
 * sentence that names callback and time. */
static void some_calls(const form *f, derivatives d, const char *method, keel_projection projection)
{
    setting x = {.form = f, .derivatives = d, .options = loose};
    probe clean = {0};
    x.options.method = method;
    x.options.projection = projection;
    outcome r = run(&x, &clean);
    if (r.status || !(r.error <= error_allowed)) explain("fails without any fault", &x, &clean, &r);
    for (int c = 0; c < CALLBACKS; c++)
        for (long at = 1; at <= clean.calls[c]; at += 1 + at / 12)
            for (int k = 0; k < 8; k++) {
                probe p = {.armed = 1, .target = (callback)c, .kind = (spoiling)(k % 4), .at = at,
                           .persists = k / 4};
                r = run(&x, &p);
                if (p.spoiled == 0) continue;
                if (!p.persists) check_once(&x, &p, &r);
                else if (r.status < 0) check_failure(&x, &p, &r);
                else if (!(r.error <= error_allowed)) explain("wrong result", &x, &p, &r);
            }
}

#define LEVELS_TEST(name, which)                                                                 \
    static void name(void **state)                                                               \
    {                                                                                            \
        (void)state;                                                                             \
        if (which == TURNS && !has_sparse()) skip();                                             \
        some_calls(&rows[which], GIVEN, "radau-iia-3", KEEL_PROJECT_OBLIQUE);                    \
        some_calls(&rows[which], BY_DIFFERENCES, "bdf", KEEL_PROJECT_OBLIQUE);                   \
    }

LEVELS_TEST(quasilinear, QUASILINEAR)
LEVELS_TEST(implicit, IMPLICIT)
LEVELS_TEST(sparse, SPARSE)
LEVELS_TEST(levelled_chain, LEVELLED)
LEVELS_TEST(levelled_sparse, LEVELLED_SPARSE)
LEVELS_TEST(dependent, DEPENDENT)
LEVELS_TEST(gauge, GAUGE)
LEVELS_TEST(many_turns, TURNS)
LEVELS_TEST(many_particles, PARTICLES)

static void orthogonal(void **state)
{
    (void)state;
    some_calls(&rows[TURNS], GIVEN, "radau-iia-3", KEEL_PROJECT_ORTHOGONAL);
    some_calls(&rows[PARTICLES], GIVEN, "radau-iia-3", KEEL_PROJECT_ORTHOGONAL);
    some_calls(&rows[LEVELLED], GIVEN, "radau-iia-3", KEEL_PROJECT_ORTHOGONAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quasilinear), cmocka_unit_test(implicit), cmocka_unit_test(sparse),
        cmocka_unit_test(levelled_chain), cmocka_unit_test(levelled_sparse),
        cmocka_unit_test(dependent), cmocka_unit_test(gauge),
        cmocka_unit_test(many_turns), cmocka_unit_test(many_particles),
        cmocka_unit_test(orthogonal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
