/* krylov.c -- the engine of keel/krylov.h: GMRES with the program's functions, with J of the problem, or
 * with differences of its residual.
 *
 *   shift M - J             P: the program's, or ILU(0)
 *   (a M - J) + i b M       [a M - J, -b M; b M, a M - J] of twice the size; with H = (a + b) M - J
 *                           P: H w = p + q,  H x = p + b M w,  (x, w - x)
 *   [I -f_z; -g_y 0]        ILU(0)
 */
#include "keel/krylov.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "core/sized.h"
#include "linear/gmres.h"
#include "linear/ilu.h"
#include "problem/directions.h"
#include "problem/problem.h"

enum { RESTART_LEAST = 30, RESTART_MOST = 100, CYCLES = 10, SLOTS = 8, ROUNDS = 4 };
static const double room = 25e6;                 /* numbers in the vectors of GMRES, where that is enough */

/* One of the systems: its shift, and the factors of what preconditions it. */
typedef struct krylov_slot {
    double re, im;
    double *lu;                  /* [entries], allocated when it is first prepared         */
} krylov_slot;

typedef struct krylov {
    keel_krylov_spec spec;
    keel_engine *engine;
    keel_krylov_stats done;
    evaluator e;
    keel_stats counted;          /* by e                                                   */
    int n, formed;               /* formed: J is, in the pattern of the problem            */
    int diagonal;                /* M is one,                                              */
    double *mass;                /* [n] this                                               */
    coloring colors;
    keel_matrix J, M, saddle;    /* saddle: J where the saddle matrix is                   */
    keel_matrix times;           /* ... and where g_y is wanted                            */
    row_pattern rows;
    krylov_slot real[SLOTS], pair[SLOTS];
    double *saddle_lu;           /* [entries]                                              */
    gmres single, twice;         /* of n unknowns, and of 2 n for pairs,                   */
    double *both;                /* [2 n] one of these                                     */
    void *block, *twice_block;
    double t, *y, *yp, *r;       /* [n] where J is, and r there                            */
    double *size;                /* [n] of unknowns there, by their tolerances             */
    double *plain;               /* [2 n] an argument of a product,                        */
    double *moved, *rate;        /* [n] scratch of products,                               */
    double *w, *v;               /* [n] ... and of preconditioners                         */
    int current;                 /* J of this point is what the last set-up was for, with  */
    double set_shift;            /* this shift                                             */
    const krylov_slot *slot;     /* of the solve under way                                 */
    double tolerance;
    long prepared, proven_at;    /* matrices so far, and with which `precondition` is looked at next */
} krylov;

/* ---- creation -------------------------------------------------------------------------------- */

static void layout(arena *a, krylov *k)
{
    const keel_problem *p = k->spec.problem;
    int linked = p->levels > 1;
    evaluator_layout(a, &k->e, p);
    double **vectors[] = {&k->mass, &k->y, &k->yp, &k->r, &k->moved, &k->rate, &k->w, &k->v,
                          &k->size};
    for (int i = 0; i < 9; i++) *vectors[i] = ARENA(a, double, p->n);
    k->plain = ARENA(a, double, 2 * (size_t)p->n);
    gmres_layout(a, &k->single, p->n, k->spec.restart, k->spec.limit);
    if (!k->formed) return;
    coloring_layout(a, &k->colors, p);
    problem_matrix_layout(a, &k->J, p);
    if (p->ops->mass) problem_matrix_layout(a, &k->M, p);
    if (linked) problem_matrix_layout(a, &k->saddle, p);
    if (linked) problem_matrix_layout(a, &k->times, p);
    row_pattern_layout(a, &k->rows, &p->pattern, p->n);
    k->saddle_lu = ARENA(a, double, linked ? k->rows.entries : 0);
}

static int check(krylov *k, message *m)
{
    const keel_problem *p = k->spec.problem;
    if (!p || !p->names) return fail(m, KEEL_BAD_ARGUMENT, "there is no problem, or its creation failed");
    if (k->spec.restart < 0 || k->spec.limit < 0)
        return fail(m, KEEL_BAD_ARGUMENT, "restart = %d and limit = %d must not be negative", k->spec.restart,
                    k->spec.limit);
    k->formed = p->pattern.storage != KEEL_DENSE;
    if (k->formed || p->ops == &ode_form || p->ops == &semi_explicit_form) return KEEL_OK;
    return fail(m, KEEL_UNSUPPORTED, "without a pattern GMRES is for ODEs and semi-explicit problems: declare "
                "the pattern of this one");
}

static int allocate(krylov *k)
{
    const keel_problem *p = k->spec.problem;
    arena a = {0};
    k->n = p->n;
    if (k->spec.restart == 0) k->spec.restart = (int)fmax(RESTART_LEAST, fmin(RESTART_MOST, room / p->n));
    if (k->spec.limit == 0) k->spec.limit = CYCLES * k->spec.restart;
    k->e.stats = &k->counted;
    k->e.engine = k->formed ? NULL : k->engine;
    layout(&a, k);
    k->block = arena_block(a.used);
    if (!k->block) return KEEL_NO_MEMORY;
    a = (arena){.base = k->block};
    layout(&a, k);
    k->e.reducer = &k->engine->reducer;          /* tells the solver what failed */
    k->diagonal = problem_mass_diagonal(p, k->mass);
    if (!k->formed) return KEEL_OK;
    coloring_build(&k->colors, p);
    row_pattern_build(&k->rows, &p->pattern);
    return KEEL_OK;
}

static void release(void *context)
{
    krylov *k = context;
    for (int i = 0; i < SLOTS; i++) {
        free(k->real[i].lu);
        free(k->pair[i].lu);
    }
    arena_block_free(k->twice_block);
    arena_block_free(k->block);
    free(k);
}

/* ---- J, M and products ----------------------------------------------------------------------- */

/* What the evaluator counted is the solver's, and so is what it says of a failure. */
static int count(krylov *k, int rc)
{
    rank_failure *f = &k->engine->reducer.here;
    if (rc && !f->severity && k->e.fault.callback) {
        *f = (rank_failure){.severity = rc < 0 ? 2 : 1, .code = k->e.fault.code, .t = k->e.fault.t};
        fault_text(&k->e, f->text, sizeof f->text);
    }
    keel_stats *stats = k->engine->stats;
    if (stats) stats->rhs_for_jacobian += k->counted.rhs + k->counted.rhs_for_jacobian;
    k->counted = (keel_stats){0};
    return rc;
}

/* A code of one of the program's functions, and its name, for the message. */
static int told(krylov *k, const char *function, int rc)
{
    rank_failure *f = &k->engine->reducer.here;
    if (rc == 0 || f->severity) return rc;
    *f = (rank_failure){.severity = rc < 0 ? 2 : 1, .code = rc, .t = k->t};
    number_print(f->text, sizeof f->text, "the function `%s` returned %d at t = %.10g", function, rc, k->t);
    return rc;
}

/* Unknowns are measured by what is tolerated of them, in units of the largest rtol: those in Pascal beside
 * others in metres would else be all that GMRES and differences see. */
static void measure(krylov *k)
{
    const double *rtol = k->engine->rtol, *atol = k->engine->atol;
    double most = 0;
    for (int i = 0; i < k->n && rtol; i++) most = fmax(most, rtol[i]);
    for (int i = 0; i < k->n; i++) {
        double tolerated = rtol ? (rtol[i] * fabs(k->y[i]) + atol[i]) / (most > 0 ? most : 1) : 1;
        k->size[i] = tolerated > 0 && isfinite(tolerated) ? tolerated : 1;
    }
}

static int linearize(void *context, double t, const double *y, const double *yp)
{
    krylov *k = context;
    size_t bytes = (size_t)k->n * sizeof *y;
    int rc = 0;
    k->t = t;
    memcpy(k->y, y, bytes);
    memcpy(k->yp, yp, bytes);
    measure(k);
    k->current = 0;
    if (k->formed && !(k->spec.times && k->spec.precondition))
        rc = eval_jacobian(&k->e, &k->colors, t, y, yp, &k->J);
    if (!rc && !k->diagonal) rc = eval_mass(&k->e, &k->colors, t, y, yp, &k->M);
    if (!rc && !k->formed && !k->spec.times) rc = eval_residual(&k->e, t, y, yp, k->r);
    return count(k, rc);
}

static int multiply_mass(void *context, double alpha, const double *x, double *y)
{
    krylov *k = context;
    if (k->diagonal) for (int i = 0; i < k->n; i++) y[i] += alpha * k->mass[i] * x[i];
    else matrix_multiply_add(&k->e.mass, alpha, x, y);
    return 0;
}

static int mass_known(void *context, double alpha, const double *x, double *y)
{
    krylov *k = context;
    int rc = k->diagonal || k->e.mass_known ? 0 : eval_quasilinear_mass(&k->e, k->t, k->y);
    return rc ? rc : multiply_mass(context, alpha, x, y);
}

/* -(r(t, y + d v, y' + d shift v) - r) / d, d such that y / size moves by sqrt(eps) of what it is. */
static int differenced(krylov *k, double shift, const double *v, double *Av)
{
    double size = 0, length = 0;
    for (int i = 0; i < k->n; i++) {
        double own = k->y[i] / k->size[i], moves = v[i] / k->size[i];
        size += own * own;
        length += moves * moves;
    }
    if (length == 0) {
        memset(Av, 0, (size_t)k->n * sizeof *Av);
        return 0;
    }
    double d = sqrt(DBL_EPSILON * (k->n + size) / length);
    for (int i = 0; i < k->n; i++) {
        k->moved[i] = k->y[i] + d * v[i];
        k->rate[i] = k->yp[i] + d * shift * v[i];
    }
    int rc = eval_residual(&k->e, k->t, k->moved, k->rate, Av);
    for (int i = 0; i < k->n; i++) Av[i] = (k->r[i] - Av[i]) / d;
    return count(k, rc);
}

/* Av := (shift M - J) v */
static int product(krylov *k, double shift, const double *v, double *Av)
{
    if (k->spec.times)
        return told(k, "times", k->spec.times(k->t, k->y, k->yp, v, Av, shift, k->spec.context));
    if (!k->formed) return differenced(k, shift, v, Av);
    memset(Av, 0, (size_t)k->n * sizeof *Av);
    matrix_multiply_add(&k->J, -1, v, Av);
    return shift == 0 ? 0 : multiply_mass(k, shift, v, Av);
}

/* ---- preconditioners ------------------------------------------------------------------------- */

static void fill(const krylov *k, double shift, double *a)
{
    const row_pattern *p = &k->rows;
    for (int i = 0; i < p->n; i++)
        for (int q = p->start[i]; q < p->start[i + 1]; q++) {
            int from = p->source[q];
            double J = from < 0 ? 0 : k->J.values[from];
            double M = k->diagonal ? (q == p->diagonal[i] ? k->mass[i] : 0) : from < 0 ? 0 : k->M.values[from];
            a[q] = shift * M - J;
        }
}

static double shift_of(const krylov_slot *s) { return s->re + s->im; }

/* Its own set-up serves one shift: it is made again when another one's turn has come. */
static int set_up(krylov *k, const krylov_slot *s)
{
    double shift = shift_of(s);
    if (!k->spec.precondition_setup || (k->current && k->set_shift == shift)) return 0;
    k->done.setups++;
    int rc = k->spec.precondition_setup(k->t, k->y, k->yp, shift, k->spec.context);
    k->current = rc == 0;
    k->set_shift = shift;
    return told(k, "precondition_setup", rc);
}

static int precondition(krylov *k, const double *r, double *z)
{
    if (k->spec.precondition)
        return told(k, "precondition", k->spec.precondition(k->t, k->y, k->yp, r, z, shift_of(k->slot),
                                                            k->tolerance, k->spec.context));
    if (k->formed) ilu_solve(&k->rows, k->slot->lu, r, z);
    else memcpy(z, r, (size_t)k->n * sizeof *z);
    return 0;
}

static void twice_layout(arena *a, krylov *k)
{
    gmres_layout(a, &k->twice, 2 * k->n, k->spec.restart, k->spec.limit);
    k->both = ARENA(a, double, 2 * (size_t)k->n);
}

/* Allocated when the first pair is prepared. */
static int twice_as_many(krylov *k)
{
    if (k->twice_block) return 0;
    arena a = {0};
    twice_layout(&a, k);
    k->twice_block = arena_block(a.used);
    a = (arena){.base = k->twice_block};
    if (k->twice_block) twice_layout(&a, k);
    return k->twice_block ? 0 : -1;
}

static int prepare(void *context, int slot, double re, double im)
{
    krylov *k = context;
    krylov_slot *s = slot < SLOTS ? (im == 0 ? &k->real[slot] : &k->pair[slot]) : NULL;
    if (!s || (im != 0 && twice_as_many(k))) return -1;
    s->re = re;
    s->im = im;
    k->prepared++;
    if (k->spec.precondition) return 0;          /* which is set up where it is first asked for */
    if (!k->formed) return 0;
    if (!s->lu) s->lu = malloc((size_t)k->rows.entries * sizeof *s->lu);
    if (!s->lu) return -1;
    k->done.setups++;
    fill(k, shift_of(s), s->lu);
    ilu_factor(&k->rows, s->lu);
    return 0;
}

/* ---- systems --------------------------------------------------------------------------------- */

/* GMRES has x / size: products with x, ... */
static const double *plain(krylov *k, int parts, const double *x)
{
    for (int i = 0; i < parts * k->n; i++) k->plain[i] = k->size[i < k->n ? i : i - k->n] * x[i];
    return k->plain;
}

/* ... and z / size of what preconditioners give. */
static int measured(const krylov *k, int rc, double *z)
{
    for (int i = 0; i < k->n && !rc; i++) z[i] /= k->size[i];
    return rc;
}

static int real_product(void *context, const double *x, double *y)
{
    krylov *k = context;
    return product(k, k->slot->re, plain(k, 1, x), y);
}

static int real_inverse(void *context, const double *r, double *z)
{
    return measured(context, precondition(context, r, z), z);
}

static int pair_product(void *context, const double *given, double *y)
{
    krylov *k = context;
    const krylov_slot *s = k->slot;
    const double *x = plain(k, 2, given);
    int n = k->n, rc = product(k, s->re, x, y);
    if (!rc) rc = product(k, s->re, x + n, y + n);
    if (!rc) rc = mass_known(k, -s->im, x + n, y);
    return rc ? rc : mass_known(k, s->im, x, y + n);
}

static int pair_inverse(void *context, const double *r, double *z)
{
    krylov *k = context;
    int n = k->n;
    for (int i = 0; i < n; i++) k->v[i] = r[i] + r[n + i];
    int rc = precondition(k, k->v, k->w);
    memcpy(k->v, r, (size_t)n * sizeof *r);
    if (!rc) rc = mass_known(k, k->slot->im, k->w, k->v);
    if (!rc) rc = precondition(k, k->v, z);
    for (int i = 0; i < n; i++) z[n + i] = k->w[i] - z[i];
    return measured(k, measured(k, rc, z), z + n);
}

static int conclude(krylov *k, int rc)
{
    rank_failure *f = &k->engine->reducer.here;
    k->done.systems++;
    k->done.failures += rc == GMRES_NOT_REACHED;
    if (f->severity || (rc != GMRES_NOT_REACHED && rc != GMRES_NOT_FINITE)) return rc;   /* a callback failed */
    *f = (rank_failure){.severity = 1, .code = rc, .t = k->t};
    if (rc == GMRES_NOT_FINITE)
        number_print(f->text, sizeof f->text, "GMRES meets values that are not finite at t = %.10g, from "
                     "`times`, `precondition` or the equations", k->t);
    else
        number_print(f->text, sizeof f->text, "GMRES does not reach its tolerance in %d iterations at t = %.10g "
                     "(a better preconditioner would help)", k->spec.limit, k->t);
    return rc;
}

typedef struct krylov_system {
    gmres *by;
    gmres_operator *product, *inverse;
} krylov_system;

static double length(const krylov_system *q, const double *x) { return cblas_dnrm2(q->by->n, x, 1); }

/* GMRES sees P r alone: what a singular P maps to zero it leaves, however often it is solved for, and x would
 * be wrong.  Of a regular P solutions for what is left make that less, but for rounding errors of products. */
static int prove(krylov *k, const krylov_system *q, const double *x, double *left, double *next)
{
    const size_t bytes = (size_t)q->by->n * sizeof *x;
    const double whole = length(q, left), noise = k->formed || k->spec.times ? 1e-12 : 1e-6;
    double before = 0, now = 0, largest = 0;
    memcpy(next, x, bytes);
    for (int round = 0; round <= ROUNDS; round++, before = now) {
        if (round > 0) memcpy(next, left, bytes);
        int rc = round > 0 ? gmres_solve(q->by, q->product, q->inverse, k, 1e-3, next, &k->done.iterations) : 0;
        double size = length(q, next);
        if (!rc) rc = q->product(k, next, q->by->r);
        if (rc) return rc == GMRES_NOT_REACHED ? 0 : rc;
        if (size > 0) largest = fmax(largest, length(q, q->by->r) / size);
        cblas_daxpy(q->by->n, -1, q->by->r, 1, left, 1);
        now = length(q, left);
        if ((round > 0 && now <= 0.5 * before) || now <= noise * fmax(whole, largest * length(q, x))) return 0;
    }
    rank_failure *f = &k->engine->reducer.here;
    *f = (rank_failure){.severity = 2, .code = -1, .t = k->t};
    number_print(f->text, sizeof f->text, "`precondition` is singular, or nearly so, at t = %.10g: with it %.2g "
                 "of the right-hand side stays whatever is solved%s", k->t, now / whole,
                 k->formed || k->spec.times ? "" : " (or differences are too coarse: give `times`)");
    return -1;
}

/* Preconditioners of the program are looked at after 1, 2, 4, ... set-ups. */
static int solve_one(krylov *k, const krylov_system *q, double tolerance, double *b)
{
    const size_t n = (size_t)q->by->n;
    const int looks = k->spec.precondition && k->prepared >= k->proven_at && length(q, b) > 0;
    double *kept = looks ? malloc(2 * n * sizeof *kept) : NULL;
    if (looks && !kept) return -1;
    if (kept) memcpy(kept, b, n * sizeof *b);
    int rc = gmres_solve(q->by, q->product, q->inverse, k, tolerance, b, &k->done.iterations);
    if (!rc && kept) {
        k->proven_at = 2 * k->prepared;
        rc = prove(k, q, b, kept, kept + n);
    }
    free(kept);
    for (int i = 0; i < q->by->n && !rc; i++) b[i] *= k->size[i < k->n ? i : i - k->n];
    return conclude(k, rc);
}

static int solve(void *context, int slot, double tolerance, double *b_re, double *b_im)
{
    krylov *k = context;
    size_t bytes = (size_t)k->n * sizeof *b_re;
    k->slot = b_im ? &k->pair[slot] : &k->real[slot];
    k->tolerance = tolerance;
    int rc = set_up(k, k->slot);
    if (rc) return rc;
    if (!b_im) return solve_one(k, &(krylov_system){&k->single, real_product, real_inverse}, tolerance, b_re);
    double *b = k->both;
    memcpy(b, b_re, bytes);
    memcpy(b + k->n, b_im, bytes);
    rc = solve_one(k, &(krylov_system){&k->twice, pair_product, pair_inverse}, tolerance, b);
    memcpy(b_re, b, bytes);
    memcpy(b_im, b + k->n, bytes);
    return rc;
}

/* ---- the saddle matrix ----------------------------------------------------------------------- */

static int prepare_saddle(void *context, double t, const double *y)
{
    krylov *k = context;
    const row_pattern *p = &k->rows;
    memset(k->w, 0, (size_t)k->n * sizeof *k->w);
    int rc = eval_jacobian(&k->e, &k->colors, t, y, k->w, &k->saddle);
    for (int i = 0; i < p->n && !rc; i++)
        for (int q = p->start[i]; q < p->start[i + 1]; q++) {
            int from = p->source[q], block = saddle_has(k->spec.problem, i, p->column[q]);
            if (from >= 0 && !block) k->saddle.values[from] = 0;
            k->saddle_lu[q] = block && from >= 0 ? -k->saddle.values[from]
                            : q == p->diagonal[i] ? k->mass[i] : 0;
        }
    if (!rc) ilu_factor(&k->rows, k->saddle_lu);
    return count(k, rc);
}

static int saddle_product(void *context, const double *x, double *y)
{
    krylov *k = context;
    for (int i = 0; i < k->n; i++) y[i] = k->mass[i] * x[i];
    matrix_multiply_add(&k->saddle, -1, x, y);
    return 0;
}

static int saddle_inverse(void *context, const double *r, double *z)
{
    krylov *k = context;
    ilu_solve(&k->rows, k->saddle_lu, r, z);
    return 0;
}

static int solve_saddle(void *context, double tolerance, double *y, double *z)
{
    krylov *k = context;
    size_t m = (size_t)k->spec.problem->constraints, N = (size_t)k->n - m;
    memcpy(k->moved, y, N * sizeof *y);
    memcpy(k->moved + N, z, m * sizeof *z);
    int rc = gmres_solve(&k->single, saddle_product, saddle_inverse, k, tolerance, k->moved,
                         &k->done.iterations);
    memcpy(y, k->moved, N * sizeof *y);
    memcpy(z, k->moved + N, m * sizeof *z);
    return conclude(k, rc);
}

static int constraint_times(void *context, double t, const double *y, const double *v, double *w)
{
    krylov *k = context;
    size_t m = (size_t)k->spec.problem->constraints, N = (size_t)k->n - m;
    memset(k->w, 0, (size_t)k->n * sizeof *k->w);
    int rc = eval_jacobian(&k->e, &k->colors, t, y, k->w, &k->times);
    memset(k->w, 0, (size_t)k->n * sizeof *k->w);
    memset(k->v, 0, (size_t)k->n * sizeof *k->v);
    memcpy(k->v, v, N * sizeof *v);
    matrix_multiply_add(&k->times, 1, k->v, k->w);
    memcpy(w, k->w + N, m * sizeof *w);
    return count(k, rc);
}

/* ---- entries --------------------------------------------------------------------------------- */

static const sized spec_size = {"keel_krylov_spec", sizeof(keel_krylov_spec),
                                FIELD_END(keel_krylov_spec, limit), FIELD_END(keel_krylov_spec, limit)};

static int fill_in(keel_engine *e, krylov *k, const keel_krylov_spec *given, size_t size)
{
    int rc = given ? sized_copy(&e->message, spec_size, &k->spec, given, size)
                   : fail(&e->message, KEEL_BAD_ARGUMENT, "there is no description of the engine");
    k->engine = e;
    if (!rc) rc = check(k, &e->message);
    if (!rc) rc = allocate(k);
    if (rc == KEEL_NO_MEMORY) fail(&e->message, rc, "no memory for GMRES with %d unknowns", k->n);
    return rc;
}

int keel_krylov_engine_sized(keel_engine **engine, const keel_krylov_spec *given, size_t size)
{
    krylov *k = calloc(1, sizeof *k);
    keel_engine_spec spec = {
        .context = k, .linearize = linearize, .multiply_mass = mass_known, .prepare = prepare, .solve = solve,
        .prepare_saddle = prepare_saddle, .solve_saddle = solve_saddle, .constraint_times = constraint_times,
        .release = release, .saddle_index = 3};
    int rc = k ? keel_engine_create(engine, &spec) : KEEL_NO_MEMORY;
    if (rc) {
        free(k);
        return rc;
    }
    rc = fill_in(*engine, k, given, size);
    (*engine)->krylov = &k->done;
    (*engine)->served = k->spec.problem;
    if (rc) {
        release(k);
        (*engine)->ready = 0;
        (*engine)->krylov = NULL;
    }
    return rc;
}

int keel_krylov_stats_of_sized(const keel_engine *e, keel_krylov_stats *stats, size_t size)
{
    if (!e || !e->krylov || !stats) return KEEL_BAD_ARGUMENT;
    sized_answer(stats, size, e->krylov, sizeof *e->krylov);
    return KEEL_OK;
}
