/* claims.c -- the derivatives that forms other than the mechanical one can be given.
 *
 *   jacobian               [f_y f_z; g_y g_z] of (f, g);  quasilinear f_y;  implicit F_y and F_y',
 *                          from two shifts;  proper (A w + b)_x
 *   mass_jacobian          - (M(t,y) w)_y
 *   constraint_jacobian    g_y, with constraint_time g_t as one more column
 *   level_jacobian         (h_k)_y
 *   leading_term_jacobian  d_x
 *   attached.jacobian      h_y
 */
#include "problem/claims.h"

#include <string.h>

#include "linear/columns.h"
#include "problem/forms.h"

/* F_y' = (J(shift) - J(0)) / shift; not 1, which would hide a wrong power of the shift. */
static const double trial_shift = 2;

void claim_take_rows(const claim *c, const double *array, keel_matrix *A)
{
    for (int j = 0; j < c->columns; j++)
        for (int i = 0; i < c->rows; i++) A->values[j * c->rows + i] = array[i * c->columns + j];
}

/* ---- f and g ------------------------------------------------------------------------------- */

/* Which level is g itself: the last of a levelled problem. */
static int constraint_of(const keel_problem *p)
{
    return p->ops == &levelled_form ? p->levels - 1 : 0;
}

static int rates_and_constraint(const claim_point *x, double *value)
{
    const keel_problem *p = x->e->problem;
    int rc = p->ops->rate(x->e, x->t, x->y, value);
    if (rc || p->constraints == 0) return rc;
    return p->ops->level(x->e, constraint_of(p), x->t, x->y, value + p->n - p->constraints);
}

static int whole_jacobian(const claim_point *x, keel_matrix *A, double *rate)
{
    (void)rate;
    return x->e->problem->ops->jacobian(x->e, x->t, x->y, x->yp, A);
}

/* With a jacobian, or with a pattern that can be wrong; returns how many. */
static int whole_claim(const keel_problem *p, int is_given, claim *list)
{
    if (!is_given && p->pattern.storage == KEEL_DENSE) return 0;
    *list = (claim){.callback = is_given ? "jacobian" : "pattern",
                    .function = p->constraints ? "the rates and the constraint" : "rhs",
                    .row_names = ROWS_RATES, .rows = p->n, .columns = p->n, .replaceable = 1,
                    .pattern = p->pattern, .value = rates_and_constraint,
                    .given = is_given ? whole_jacobian : NULL};
    return 1;
}

int ode_claims(const keel_problem *p, claim *list)
{
    return whole_claim(p, p->spec.ode.jacobian != NULL, list);
}

int semi_explicit_claims(const keel_problem *p, claim *list)
{
    return whole_claim(p, p->spec.semi_explicit.jacobian != NULL, list);
}

/* ---- constraints of Hessenberg forms --------------------------------------------------------- */

typedef int constraint_derivative(double t, const double *y, double *value, void *context);

static constraint_derivative *gradient_of(const keel_problem *p)
{
    return p->ops == &hessenberg2_form ? p->spec.hessenberg2.constraint_jacobian
                                       : p->spec.hessenberg3.constraint_jacobian;
}

static constraint_derivative *rate_of(const keel_problem *p)
{
    return p->ops == &hessenberg2_form ? p->spec.hessenberg2.constraint_time
                                       : p->spec.hessenberg3.constraint_time;
}

static int constraint_value(const claim_point *x, double *value)
{
    return x->e->problem->ops->level(x->e, 0, x->t, x->y, value);
}

static int constraint_gradient(const claim_point *x, keel_matrix *A, double *rate)
{
    const claim *c = x->claim;
    evaluator *e = x->e;
    int rc = 0;
    if (c->columns) {
        int code = gradient_of(e->problem)(x->t, x->y, x->scratch, e->context);
        rc = eval_check(e, c->callback, x->t, code, c->scratch, x->scratch);
        claim_take_rows(c, x->scratch, A);
    }
    if (!rc && rate)
        rc = eval_check(e, c->rate_callback, x->t,
                        rate_of(e->problem)(x->t, x->y, rate, e->context), c->rows, rate);
    return rc;
}

/* Sparse problems take g_y out of their jacobian. */
static int constraint_claim(const keel_problem *p, claim *list)
{
    int columns = gradient_of(p) && !problem_is_sparse(p) ? p->group[0] : 0;
    if (!columns && !rate_of(p)) return 0;
    *list = (claim){.callback = "constraint_jacobian", .function = "constraint",
                    .rate_callback = rate_of(p) ? "constraint_time" : NULL,
                    .row_names = ROWS_CONSTRAINTS, .rows = p->constraints, .columns = columns,
                    .scratch = p->constraints * columns, .value = constraint_value,
                    .given = constraint_gradient};
    return 1;
}

int hessenberg2_claims(const keel_problem *p, claim *list)
{
    int count = constraint_claim(p, list);
    return count + whole_claim(p, p->spec.hessenberg2.jacobian != NULL, list + count);
}

int hessenberg3_claims(const keel_problem *p, claim *list)
{
    int count = constraint_claim(p, list);
    return count + whole_claim(p, p->spec.hessenberg3.jacobian != NULL, list + count);
}

/* ---- M(t,y) y' = f(t,y) ---------------------------------------------------------------------- */

static int rhs(const claim_point *x, double *value)
{
    evaluator *e = x->e;
    const keel_quasilinear_spec *s = &e->problem->spec.quasilinear;
    return eval_check(e, "rhs", x->t, s->rhs(x->t, x->y, value, e->context), s->size, value);
}

static int rhs_jacobian(const claim_point *x, keel_matrix *A, double *rate)
{
    evaluator *e = x->e;
    (void)rate;
    int code = e->problem->spec.quasilinear.jacobian(x->t, x->y, A, e->context);
    return eval_check_matrix(e, "jacobian", x->t, code, A);
}

/* value -= M w */
static int subtract_momentum(const claim_point *x, double *value)
{
    evaluator *e = x->e;
    matrix_zero(x->other);
    int code = e->problem->spec.quasilinear.mass(x->t, x->y, x->other, e->context);
    int rc = eval_check_matrix(e, "mass", x->t, code, x->other);
    if (!rc) matrix_multiply_add(x->other, -1, x->yp, value);
    return rc;
}

static int momentum(const claim_point *x, double *value)
{
    memset(value, 0, (size_t)x->claim->rows * sizeof *value);
    return subtract_momentum(x, value);
}

static int momentum_jacobian(const claim_point *x, keel_matrix *A, double *rate)
{
    evaluator *e = x->e;
    (void)rate;
    int code = e->problem->spec.quasilinear.mass_jacobian(x->t, x->y, x->yp, A, e->context);
    return eval_check_matrix(e, "mass_jacobian", x->t, code, A);
}

static int rhs_and_momentum(const claim_point *x, double *value)
{
    int rc = rhs(x, value);
    return rc ? rc : subtract_momentum(x, value);
}

int quasilinear_claims(const keel_problem *p, claim *list)
{
    const keel_quasilinear_spec *s = &p->spec.quasilinear;
    int given = s->jacobian != NULL, count = 0;
    claim whole = {.callback = given ? "jacobian" : "pattern", .rows = p->n, .columns = p->n,
                   .function = given ? "rhs" : "rhs - M w", .replaceable = 1,
                   .pattern = p->pattern, .value = given ? rhs : rhs_and_momentum,
                   .given = given ? rhs_jacobian : NULL};
    if (given || p->pattern.storage != KEEL_DENSE) list[count++] = whole;
    if (s->mass_jacobian && !s->constant_mass) {
        whole.callback = "mass_jacobian";
        whole.function = "-M w";
        whole.value = momentum;
        whole.given = momentum_jacobian;
        list[count++] = whole;
    }
    return count;
}

/* ---- F(t,y,y') = 0 --------------------------------------------------------------------------- */

static int residual(const claim_point *x, double *value)
{
    evaluator *e = x->e;
    const keel_implicit_spec *s = &e->problem->spec.implicit;
    int code = s->residual(x->t, x->y, x->yp, value, e->context);
    return eval_check(e, "residual", x->t, code, s->size, value);
}

static int shifted_jacobian(const claim_point *x, double shift, keel_matrix *A)
{
    evaluator *e = x->e;
    const keel_implicit_spec *s = &e->problem->spec.implicit;
    return eval_check_matrix(e, "jacobian", x->t,
                             s->jacobian(x->t, x->y, x->yp, shift, A, e->context), A);
}

static int residual_jacobian(const claim_point *x, keel_matrix *A, double *rate)
{
    (void)rate;
    return shifted_jacobian(x, 0, A);
}

static int derivative_jacobian(const claim_point *x, keel_matrix *A, double *rate)
{
    size_t entries = matrix_storage(A->rows, A->columns, &A->pattern);
    (void)rate;
    matrix_zero(x->other);
    int rc = shifted_jacobian(x, trial_shift, A);
    if (!rc) rc = shifted_jacobian(x, 0, x->other);
    for (size_t k = 0; k < entries; k++)
        A->values[k] = (A->values[k] - x->other->values[k]) / trial_shift;
    return rc;
}

int implicit_claims(const keel_problem *p, claim *list)
{
    int given = p->spec.implicit.jacobian != NULL;
    if (!given && p->pattern.storage == KEEL_DENSE) return 0;
    list[0] = (claim){.callback = given ? "jacobian" : "pattern", .function = "residual",
                      .rows = p->n, .columns = p->n, .replaceable = 1, .pattern = p->pattern,
                      .value = residual, .given = given ? residual_jacobian : NULL};
    list[1] = list[0];
    list[1].argument = ALONG_DERIVATIVES;
    list[1].given = given ? derivative_jacobian : NULL;
    return 2;
}

/* ---- A(t,x) d(t,x)' + b(t,x) = 0 ------------------------------------------------------------- */

static int leading_term(const claim_point *x, double *value)
{
    return eval_leading_term(x->e, x->t, x->y, value);
}

static int leading_gradient(const claim_point *x, keel_matrix *A, double *rate)
{
    int rc = eval_leading_jacobian(x->e, x->t, x->y, x->scratch);
    (void)rate;
    claim_take_rows(x->claim, x->scratch, A);
    return rc;
}

/* A w + b with w = u' */
static int whole_leading(const claim_point *x, double *value)
{
    const keel_proper_spec *s = &x->e->problem->spec.proper;
    const double *w = x->yp + s->size;
    int rc = eval_leading_matrix(x->e, x->t, x->y, x->scratch);
    if (!rc) rc = eval_rest(x->e, x->t, x->y, value);
    for (int i = 0; i < s->size && !rc; i++)
        for (int k = 0; k < s->leading; k++) value[i] += x->scratch[i * s->leading + k] * w[k];
    return rc;
}

static int whole_leading_jacobian(const claim_point *x, keel_matrix *A, double *rate)
{
    evaluator *e = x->e;
    const keel_proper_spec *s = &e->problem->spec.proper;
    (void)rate;
    int code = s->jacobian(x->t, x->y, x->yp + s->size, A, e->context);
    return eval_check_matrix(e, "jacobian", x->t, code, A);
}

int proper_claims(const keel_problem *p, claim *list)
{
    const keel_proper_spec *s = &p->spec.proper;
    int n = s->size, m = s->leading, count = 0;
    if (s->leading_term_jacobian)
        list[count++] = (claim){.callback = "leading_term_jacobian", .function = "leading_term",
                                .rows = m, .columns = n, .replaceable = 1, .scratch = m * n,
                                .value = leading_term, .given = leading_gradient};
    if (s->jacobian)
        list[count++] = (claim){.callback = "jacobian", .function = "A w + b", .rows = n,
                                .columns = n, .replaceable = 1, .scratch = m * n,
                                .value = whole_leading, .given = whole_leading_jacobian};
    return count;
}

/* ---- levelled -------------------------------------------------------------------------------- */

static int level_value(const claim_point *x, double *value)
{
    const keel_problem *p = x->e->problem;
    memset(value, 0, (size_t)p->n * sizeof *value);
    return p->ops->level(x->e, p->levels - 1 - x->claim->level, x->t, x->y,
                         value + p->group[0]);
}

/* What is written into rows that nobody reads does not count. */
static int level_gradient(const claim_point *x, keel_matrix *A, double *rate)
{
    evaluator *e = x->e;
    const keel_problem *p = e->problem;
    int n = p->group[0], k = x->claim->level;
    const int *chain = p->links;
    (void)rate;
    int code = p->spec.levelled.level_jacobian(x->t, x->y, k, A, e->context);
    int rc = eval_check_matrix(e, "level_jacobian", x->t, code, A);
    for (int j = 0; j < p->n; j++) {
        column c = matrix_column(A, j);
        for (int i = 0; i < c.count; i++) {
            int row = column_row(&c, i) - n;
            if (row < 0 || chain[row] < k || j >= n) c.values[i] = 0;
        }
    }
    return rc;
}

static const char *const level_name[KEEL_LEVELS_MOST] = {
    "g", "h_1", "h_2", "h_3", "h_4", "h_5", "h_6", "h_7", "h_8", "h_9", "h_10", "h_11", "h_12",
    "h_13", "h_14", "h_15"};

int levelled_claims(const keel_problem *p, claim *list)
{
    int count = whole_claim(p, p->spec.levelled.jacobian != NULL, list);
    int deepest = p->spec.levelled.level_jacobian ? levelled_depth(p) : 0;
    for (int k = 1; k <= deepest; k++)
        list[count++] = (claim){.callback = "level_jacobian", .function = level_name[k], .level = k,
                                .row_names = ROWS_RATES, .rows = p->n, .columns = p->n,
                                .replaceable = 1, .pattern = p->pattern, .value = level_value,
                                .given = level_gradient};
    return count;
}

/* ---- attached rows --------------------------------------------------------------------------- */

static int attached_value(const claim_point *x, double *value)
{
    evaluator *e = x->e;
    const keel_attached *h = &e->problem->attached;
    return eval_check(e, x->claim->function, x->t, h->value(x->t, x->y, value, e->context),
                      h->rows, value);
}

static int attached_gradient(const claim_point *x, keel_matrix *A, double *rate)
{
    (void)rate;
    int rc = eval_attached_jacobian(x->e, x->t, x->y, x->scratch);
    claim_take_rows(x->claim, x->scratch, A);
    return rc;
}

static int attached_claim(const keel_problem *p, claim *list)
{
    int invariants = p->ops == &ode_form && p->spec.ode.invariants > 0;
    if (!p->attached.rows || !p->attached.jacobian) return 0;
    *list = (claim){.callback = invariants ? "invariant_jacobian" : "attached.jacobian",
                    .function = invariants ? "invariant" : "attached.value",
                    .row_names = ROWS_ATTACHED, .rows = p->attached.rows, .columns = p->n,
                    .replaceable = 1, .scratch = p->attached.rows * p->n,
                    .value = attached_value, .given = attached_gradient};
    return 1;
}

int problem_claims(const keel_problem *p, claim list[CLAIMS_MOST])
{
    int count = p->ops->claims(p, list);
    return count + attached_claim(p, list + count);
}
