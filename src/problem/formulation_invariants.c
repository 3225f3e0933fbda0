/* formulation_invariants.c -- problems of every form with their invariants 0 = phi(t,y): as
 * constraints with multipliers mu, which vanish in the solution, or as what attracts it.
 *
 *   invariants     0 = r(t, y, y' + D mu),   0 = phi                                index 2
 *   stabilised     0 = r(t, y, y' + gamma delta)                            index as before
 *
 * D and delta = D (phi_y D)^-1 phi are tangential to what the form demands (invariant_field.h).
 * These are problems of the forms
 *
 *   of               invariants                              stabilised
 *   ODE              Hessenberg 2: y' = f - D mu             ODE
 *   Hessenberg 2     Hessenberg 2: 0 = g, 0 = phi            Hessenberg 2
 *   index 3          Hessenberg 2: ggl with 0 = phi          Hessenberg 3: u' = f - gamma delta_u
 *   semi-explicit    quasilinear: (y, z, mu)                 semi-explicit
 *   levelled         the same of 0 = g, all h_k in phi       semi-explicit
 *   quasilinear, implicit, proper    implicit: (y, mu)       implicit
 *
 * gamma = alpha or, by default, in proportion to the rate at which the solution changes,
 *
 *   gamma = 2 |y'| / |y|     (implicit: |M y'| / |M y|; index 3: |u'| / |u|),
 *
 * which is steep where steps are short and keeps the order of a method: with gamma ~ 1/h it would
 * be lost, since inner stages leave phi = 0 by O(h^2).
 * [Gear, SIAM J. Sci. Stat. Comput. 7 (1986) 734; Weiss 2007, 1.2; Bendtsen & Thomsen 1999, (8.4),
 * (8.5)]
 */
#include "problem/invariant_field.h"

#include <math.h>
#include <string.h>

/* Chosen on kepler (e = 0.5, 0.9) and pendulum-energy, judged on three-body: see
 * docs/formulations.md. */
static const double attraction = 2;

static double length(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* gamma of x that changes at this rate. */
static double gamma_of(const formulation_state *s, int n, const double *rate, const double *x)
{
    if (s->how->alpha > 0) return s->how->alpha;
    double size = length(n, x);
    return size > 0 ? attraction * length(n, rate) / size : 0;
}

/* ---- explicit rates ------------------------------------------------------------------------ */

/* (x, l) as the original has them; l NULL: not asked for. */
static const double *joined(formulation_state *s, const double *x, const double *l)
{
    double *y = s->field->y;
    memcpy(y, x, (size_t)s->nx * sizeof *y);
    if (l) memcpy(y + s->nx, l, (size_t)(s->n - s->nx) * sizeof *y);
    else memset(y + s->nx, 0, (size_t)(s->n - s->nx) * sizeof *y);
    return y;
}

/* x' = F(t,x,l) */
static int rate_of(formulation_state *s, double t, const double *x, const double *l, double *f)
{
    if (s->reduction) return s->reduction->rate(s, t, x, l, f);
    return eval_rate(s->inner, t, joined(s, x, l), f);
}

/* delta at (t,x,l). */
static int attraction_at(formulation_state *s, double t, const double *x, const double *l)
{
    const double *y = joined(s, x, l);
    int rc = field_directions(s, t, y, NULL);
    if (!rc) rc = field_values(s, t, y);
    return rc ? rc : field_delta(s, t);
}

static void subtract(int n, double factor, const double *x, double *f)
{
    for (int j = 0; j < n; j++) f[j] -= factor * x[j];
}

static int attracted(double t, const double *x, const double *l, double *f, void *context)
{
    formulation_state *s = formulation_enter(context);
    int rc = rate_of(s, t, x, l, f);
    double gamma = rc ? 0 : gamma_of(s, s->nx, f, x);
    if (!rc) rc = attraction_at(s, t, x, l);
    if (!rc) subtract(s->nx, gamma, s->field->delta, f);
    return formulation_leave(s, rc);
}

static int attracted_ode(double t, const double *y, double *f, void *context)
{
    return attracted(t, y, NULL, f, context);
}

/* ---- stabilised, index 3 ------------------------------------------------------------------- */

/* delta and gamma, for which u' is in `rate`: v' depends on l. */
static int attracted_parts(formulation_state *s, double t, const double *u, const double *v,
                           double *gamma)
{
    int N = s->inner->problem->group[0], rc = 0;
    double *x = s->field->y, *rate = s->field->rate;
    memcpy(x, u, (size_t)N * sizeof *x);
    memcpy(x + N, v, (size_t)(s->nx - N) * sizeof *x);
    memset(x + s->nx, 0, (size_t)(s->n - s->nx) * sizeof *x);
    if (s->inner->problem->ops == &mechanical_form) memcpy(rate, v, (size_t)N * sizeof *rate);
    else rc = eval_position_rate(s->inner, t, x, rate);
    *gamma = rc ? 0 : gamma_of(s, N, rate, u);
    if (!rc) rc = field_directions(s, t, x, NULL);
    if (!rc) rc = field_values(s, t, x);
    return rc ? rc : field_delta(s, t);
}

static int position_rate(double t, const double *u, const double *v, double *f, void *context)
{
    formulation_state *s = formulation_enter(context);
    int N = s->inner->problem->group[0];
    double gamma;
    int rc = attracted_parts(s, t, u, v, &gamma);
    memcpy(f, s->field->rate, (size_t)N * sizeof *f);
    if (!rc) subtract(N, gamma, s->field->delta, f);
    return formulation_leave(s, rc);
}

static int velocity_rate(double t, const double *u, const double *v, const double *l, double *k,
                         void *context)
{
    formulation_state *s = formulation_enter(context);
    int N = s->inner->problem->group[0], M = s->nx - N;
    double gamma;
    int rc = attracted_parts(s, t, u, v, &gamma);
    if (!rc) rc = s->reduction->rate(s, t, s->field->y, l, s->field->rate);
    memcpy(k, s->field->rate + N, (size_t)M * sizeof *k);
    if (!rc) subtract(M, gamma, s->field->delta + N, k);
    return formulation_leave(s, rc);
}

/* ---- constraints --------------------------------------------------------------------------- */

/* g of the original's last level: semi-explicit and levelled. */
static int algebraic(double t, const double *y, const double *z, double *g, void *context)
{
    formulation_state *s = formulation_enter(context);
    return formulation_leave(s, eval_level(s->inner, s->lower, t, joined(s, y, z), g));
}

static int constraint(double t, const double *x, double *g, void *context)
{
    formulation_state *s = formulation_enter(context);
    return formulation_leave(s, lower_level(s, 0, t, x, g));
}

static int constraint_jacobian(double t, const double *x, double *G, void *context)
{
    formulation_state *s = formulation_enter(context);
    return formulation_leave(s, eval_constraint_jacobian(s->inner, t, x, G));
}

static int constraint_time(double t, const double *x, double *g_t, void *context)
{
    formulation_state *s = formulation_enter(context);
    return formulation_leave(s, eval_constraint_time(s->inner, t, x, g_t));
}

static int row_values(double t, const double *y, double *phi, void *context)
{
    formulation_state *s = formulation_enter(context);
    return formulation_leave(s, attached_level(s->inner, t, y, phi));
}

static int row_gradients(double t, const double *y, double *phi_y, void *context)
{
    formulation_state *s = formulation_enter(context);
    return formulation_leave(s, eval_attached_jacobian(s->inner, t, y, phi_y));
}

/* ---- invariants as constraints: Hessenberg 2 ----------------------------------------------- */

/* Levels that stay constraints: all below the hidden one. */
static int kept_levels(const formulation_state *s)
{
    return s->inner->problem->ops == &ode_form ? 0 : s->lower;
}

/* z = (l, mu), index 3: (l, mu of ggl, mu) */
static int normal_rate(double t, const double *x, const double *z, double *f, void *context)
{
    formulation_state *s = formulation_enter(context);
    int m = s->n - s->nx, doubled = s->reduction && s->reduction->stabilise && m > 0;
    double *moved = s->field->delta;
    int rc = rate_of(s, t, x, z, f);
    if (!rc && doubled) rc = s->reduction->stabilise(s, t, x, z + m, f);
    if (!rc) rc = field_directions(s, t, joined(s, x, z), NULL);
    memset(moved, 0, (size_t)s->n * sizeof *moved);
    if (!rc) field_move(s, 1, z + (doubled ? 2 : 1) * m, moved);
    if (!rc) subtract(s->nx, 1, moved, f);
    return formulation_leave(s, rc);
}

static int all_levels(double t, const double *x, double *g, void *context)
{
    formulation_state *s = formulation_enter(context);
    int rc = 0, levels = kept_levels(s);
    for (int k = 0; k < levels && !rc; k++, g += s->m) rc = lower_level(s, k, t, x, g);
    if (!rc) rc = attached_level(s->inner, t, joined(s, x, NULL), g);
    return formulation_leave(s, rc);
}

static int all_gradients(double t, const double *x, double *J, void *context)
{
    formulation_state *s = formulation_enter(context);
    invariant_field *f = s->field;
    int rc = 0, levels = kept_levels(s);
    for (int k = 0; k < levels && !rc; k++, J += s->m * s->nx)
        rc = s->reduction->level_jacobian(s, k, t, x, J);
    if (!rc) rc = eval_attached_jacobian(s->inner, t, joined(s, x, NULL), f->gradient);
    for (int i = 0; i < f->rows && !rc; i++)
        memcpy(J + i * s->nx, f->gradient + i * s->n, (size_t)s->nx * sizeof *J);
    return formulation_leave(s, rc);
}

/* ---- invariants as constraints: quasilinear ------------------------------------------------ */

static int unit_rows(double t, const double *y, keel_matrix *M, void *context)
{
    const formulation_state *s = context;
    (void)t, (void)y;
    for (int i = 0; i < s->nx; i++) keel_put(M, i, i, 1);
    return 0;
}

/* (f - D mu, g, c) of (y, z, mu) */
static int normal_parts(double t, const double *y, double *f, void *context)
{
    formulation_state *s = formulation_enter(context);
    const double *mu = y + s->n;
    double *moved = s->field->delta;
    int rc = eval_rate(s->inner, t, y, f);
    if (!rc && s->n > s->nx) rc = eval_level(s->inner, s->lower, t, y, f + s->nx);
    if (!rc) rc = field_directions(s, t, y, NULL);
    if (!rc) rc = field_values(s, t, y);
    memset(moved, 0, (size_t)s->n * sizeof *moved);
    if (!rc) field_move(s, 1, mu, moved);
    if (!rc) subtract(s->nx, 1, moved, f);
    if (!rc) field_rows_with(s, mu, f + s->n);
    return formulation_leave(s, rc);
}

/* ---- implicit ------------------------------------------------------------------------------ */

/* (-r(t, y, y' + D mu), c) of (y, mu) */
static int normal_residual(double t, const double *y, const double *yp, double *F, void *context)
{
    formulation_state *s = formulation_enter(context);
    double *moved = s->field->rate;
    const double *mu = y + s->n;
    int rc = field_directions(s, t, y, yp);
    if (!rc) rc = field_values(s, t, y);
    memcpy(moved, yp, (size_t)s->n * sizeof *moved);
    if (!rc) field_move(s, 1, mu, moved);
    if (!rc) rc = eval_residual(s->inner, t, y, moved, F);
    for (int i = 0; i < s->n; i++) F[i] = -F[i];
    if (!rc) field_rows_with(s, mu, F + s->n);
    return formulation_leave(s, rc);
}

/* |M y'| and |M y| take the place of |y'| and |y|: M knows which of them there are. */
static double implicit_gamma(formulation_state *s, const double *y, const double *yp)
{
    double *rate = s->field->rate, *x = s->field->weighted;
    memset(rate, 0, (size_t)s->n * sizeof *rate);
    memset(x, 0, (size_t)s->n * sizeof *x);
    matrix_multiply_add(&s->field->M, 1, yp, rate);
    matrix_multiply_add(&s->field->M, 1, y, x);
    return gamma_of(s, s->n, rate, x);
}

static int attracted_residual(double t, const double *y, const double *yp, double *F, void *context)
{
    formulation_state *s = formulation_enter(context);
    double *moved = s->field->rate;
    int rc = field_directions(s, t, y, yp);
    if (!rc) rc = field_values(s, t, y);
    if (!rc) rc = field_delta(s, t);
    double gamma = rc ? 0 : implicit_gamma(s, y, yp);
    memcpy(moved, yp, (size_t)s->n * sizeof *moved);
    if (!rc) subtract(s->n, -gamma, s->field->delta, moved);
    if (!rc) rc = eval_residual(s->inner, t, y, moved, F);
    for (int i = 0; i < s->n; i++) F[i] = -F[i];
    return formulation_leave(s, rc);
}

/* F_y + shift F_y' of the original, from M and J that field_directions left. */
static void put_original(const formulation_state *s, double shift, keel_matrix *K)
{
    const invariant_field *f = s->field;
    for (int j = 0; j < s->n; j++)
        for (int i = 0; i < s->n; i++)
            keel_put(K, i, j, shift * matrix_get(&f->M, i, j) - matrix_get(&f->J, i, j));
}

/* Exact where mu = 0: [shift M - J, M D; (1 - N N^T) phi_y, N N^T] */
static int normal_jacobian(double t, const double *y, const double *yp, double shift, keel_matrix *K,
                           void *context)
{
    formulation_state *s = formulation_enter(context);
    invariant_field *f = s->field;
    int n = s->n, rows = f->rows, rc = field_directions(s, t, y, yp);
    if (rc) return formulation_leave(s, rc);
    put_original(s, shift, K);
    for (int k = 0; k < rows; k++) {
        memset(f->rate, 0, (size_t)n * sizeof *f->rate);
        matrix_multiply_add(&f->M, 1, f->D + k * n, f->rate);
        for (int i = 0; i < n; i++) keel_put(K, i, n + k, f->rate[i]);
        for (int i = 0; i < rows; i++) f->weight[i] = i == k;
        field_restrict(s, f->weight);
        for (int i = 0; i < rows && f->count > 0; i++)
            keel_put(K, n + i, n + k, (i == k) - f->weight[i]);
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < rows; i++) f->weight[i] = f->gradient[i * n + j];
        field_restrict(s, f->weight);
        for (int i = 0; i < rows; i++) keel_put(K, n + i, j, f->weight[i]);
    }
    return formulation_leave(s, 0);
}

/* Exact where phi = 0: shift M - J + gamma M D S^-1 (1 - N N^T) phi_y */
static int attracted_jacobian(double t, const double *y, const double *yp, double shift,
                              keel_matrix *K, void *context)
{
    formulation_state *s = formulation_enter(context);
    invariant_field *f = s->field;
    int n = s->n, rows = f->rows, rc = field_directions(s, t, y, yp);
    if (!rc) rc = field_values(s, t, y);
    if (!rc) rc = field_delta(s, t);
    if (rc) return formulation_leave(s, rc);
    double gamma = implicit_gamma(s, y, yp);
    put_original(s, shift, K);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < rows; i++) f->weight[i] = f->gradient[i * n + j];
        field_restrict(s, f->weight);
        dense_solve(rows, f->S, f->pivot, f->weight);
        memset(f->delta, 0, (size_t)n * sizeof *f->delta);
        field_move(s, gamma, f->weight, f->delta);
        memset(f->rate, 0, (size_t)n * sizeof *f->rate);
        matrix_multiply_add(&f->M, 1, f->delta, f->rate);
        for (int i = 0; i < n; i++) keel_add(K, i, j, f->rate[i]);
    }
    return formulation_leave(s, 0);
}

/* ---- problems ------------------------------------------------------------------------------ */

/* Those of the original, and 2 for mu; but 3 where the original has 3: rows with velocities, which are
 * one derivative away from the constraint, are no smoother than these. */
static const int *indices(const keel_problem *original, int rows, int *index)
{
    int levelled = original->ops == &levelled_form, highest = levelled ? 1 : original->index;
    for (int i = 0; i < original->n + rows; i++)
        index[i] = i >= original->n ? (highest > 2 ? 3 : 2)
                 : levelled ? 1 : original->variable_index[i];
    return index;
}

int create_invariants(keel_problem **problem, const keel_problem *original, const formulation *how,
                      const char *const *names)
{
    int rows = field_rows(original), size = original->n + rows;
    if (field_is_pencil(original))
        return keel_implicit(problem, &(keel_implicit_spec){
            .size = size, .residual = normal_residual, .jacobian = normal_jacobian,
            .variable_index = indices(original, rows, how->source + size), .names = names});
    if (original->ops == &semi_explicit_form || original->ops == &levelled_form)
        return keel_quasilinear(problem, &(keel_quasilinear_spec){
            .size = size, .mass = unit_rows, .constant_mass = 1, .rhs = normal_parts,
            .variable_index = indices(original, rows, how->source + size), .names = names});
    int lower = original->levels > 0 ? original->levels - 1 : 0;
    return create_hessenberg2(problem, &(keel_hessenberg2_spec){
        .differential = differential_unknowns(original),
        .multipliers = lower * original->constraints + rows, .rhs = normal_rate,
        .constraint = all_levels, .constraint_jacobian = all_gradients, .names = names},
        sizeof(keel_hessenberg2_spec), 1);
}

int create_stabilised(keel_problem **problem, const keel_problem *original, const formulation *how,
                      const char *const *names)
{
    int nx = differential_unknowns(original), m = original->constraints;
    if (field_is_pencil(original))
        return keel_implicit(problem, &(keel_implicit_spec){
            .size = original->n, .residual = attracted_residual, .jacobian = attracted_jacobian,
            .variable_index = indices(original, 0, how->source + original->n), .names = names});
    if (m == 0)
        return keel_ode(problem, &(keel_ode_spec){
            .size = nx, .rhs = attracted_ode, .invariants = original->attached.rows,
            .invariant = row_values, .invariant_jacobian = row_gradients, .names = names});
    if (original->ops == &semi_explicit_form || original->ops == &levelled_form)
        return keel_semi_explicit(problem, &(keel_semi_explicit_spec){
            .differential = nx, .algebraic = m, .rhs = attracted, .constraint = algebraic,
            .names = names});
    if (original->ops == &hessenberg2_form)
        return keel_hessenberg2(problem, &(keel_hessenberg2_spec){
            .differential = nx, .multipliers = m, .rhs = attracted, .constraint = constraint,
            .constraint_jacobian = constraint_jacobian, .constraint_time = constraint_time,
            .names = names});
    return keel_hessenberg3(problem, &(keel_hessenberg3_spec){
        .positions = original->group[0], .velocities = original->group[1], .multipliers = m,
        .position_rate = position_rate, .velocity_rate = velocity_rate, .constraint = constraint,
        .constraint_jacobian = constraint_jacobian, .constraint_time = constraint_time,
        .names = names});
}
