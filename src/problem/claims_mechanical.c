/* claims_mechanical.c -- the derivatives that mechanical problems can be given.
 *
 *   constraint_jacobian  G = g_q, with constraint_time g_t as one more column
 *   curvature            gamma = d2/de2 g(t + e, q + e v) at e = 0
 *   force_jacobian       [f_q f_v]; sparse: f_q and f_v, each in the pattern of the forces
 *
 * All of them separate or as parts of `evaluate`.
 */
#include "problem/claims.h"

#include <string.h>

#include "problem/derived.h"
#include "problem/forms.h"

static int parts_of(const claim_point *x, unsigned wanted, keel_mechanical_parts parts)
{
    return eval_mechanical_given(x->e, x->t, x->y, x->y + x->e->problem->group[0], wanted, &parts);
}

/* Small problems are checked at every start: their callbacks are called as directly as can be. */
static int constraint(const claim_point *x, double *g)
{
    const keel_mechanical_spec *s = &x->e->problem->spec.mechanical;
    if (s->evaluate) return parts_of(x, KEEL_CONSTRAINT, (keel_mechanical_parts){.constraint = g});
    return eval_check(x->e, "constraint", x->t, s->constraint(x->t, x->y, g, x->e->context),
                      s->constraints, g);
}

/* G and g_t, whichever is given. */
static int call_derivatives(const claim_point *x, double *G, double *rate)
{
    evaluator *e = x->e;
    const keel_mechanical_spec *s = &e->problem->spec.mechanical;
    int rc = 0, columns = x->claim->columns;
    if (s->evaluate) {
        unsigned wanted = (columns ? KEEL_CONSTRAINT_JACOBIAN : 0u) | (rate ? KEEL_CONSTRAINT_TIME : 0u);
        return parts_of(x, wanted, (keel_mechanical_parts){.constraint_jacobian = G,
                                                           .constraint_time = rate});
    }
    if (columns)
        rc = eval_check(e, "constraint_jacobian", x->t, s->constraint_jacobian(x->t, x->y, G, e->context),
                        e->problem->jacobian_entries, G);
    if (!rc && rate)
        rc = eval_check(e, "constraint_time", x->t, s->constraint_time(x->t, x->y, rate, e->context),
                        s->constraints, rate);
    return rc;
}

static int constraint_derivatives(const claim_point *x, keel_matrix *A, double *rate)
{
    const claim *c = x->claim;
    int by_rows = c->scratch > 0;
    int rc = call_derivatives(x, by_rows ? x->scratch : A->values, rate);
    if (by_rows) claim_take_rows(c, x->scratch, A);
    return rc;
}

static int curvature(const claim_point *x, keel_matrix *A, double *rate)
{
    evaluator *e = x->e;
    const keel_mechanical_spec *s = &e->problem->spec.mechanical;
    (void)rate;
    if (!s->evaluate)
        return eval_check(e, "curvature", x->t, s->curvature(x->t, x->y, x->yp, A->values, e->context),
                          s->constraints, A->values);
    return eval_mechanical_given(e, x->t, x->y, x->yp, KEEL_CURVATURE,
                                 &(keel_mechanical_parts){.curvature = A->values});
}

static int constraint_claims(const keel_problem *p, claim *list)
{
    int combined = p->spec.mechanical.evaluate != NULL, sparse = mechanical_is_sparse(p);
    int n = p->group[0], m = p->constraints, count = 0;
    int gradient = mechanical_gives(p, KEEL_CONSTRAINT_JACOBIAN);
    int rate = mechanical_gives(p, KEEL_CONSTRAINT_TIME);
    claim c = {.callback = combined ? "evaluate: constraint_jacobian" : "constraint_jacobian",
               .function = combined ? "evaluate: constraint" : "constraint",
               .row_names = ROWS_CONSTRAINTS, .rows = m, .columns = gradient ? n : 0,
               .scratch = gradient && !sparse && m > 1 ? m * n : 0, .whole = !sparse, .value = constraint,
               .given = constraint_derivatives};
    if (rate) c.rate_callback = combined ? "evaluate: constraint_time" : "constraint_time";
    if (sparse && gradient) c.pattern = p->jacobian_pattern;
    if (gradient || rate) list[count++] = c;
    if (sparse && !gradient)
        list[count++] = (claim){.callback = "constraint_pattern", .function = c.function,
                                .row_names = ROWS_CONSTRAINTS, .rows = m, .columns = n,
                                .pattern = p->jacobian_pattern, .value = constraint};
    if (mechanical_gives(p, KEEL_CURVATURE))
        list[count++] = (claim){.callback = combined ? "evaluate: curvature" : "curvature",
                                .function = c.function, .argument = ALONG_PATH,
                                .row_names = ROWS_CONSTRAINTS, .rows = m, .columns = 1, .whole = 1,
                                .value = constraint, .given = curvature};
    return count;
}

static int force(const claim_point *x, double *f)
{
    const keel_mechanical_spec *s = &x->e->problem->spec.mechanical;
    int n = s->positions;
    if (s->evaluate) return parts_of(x, KEEL_FORCE, (keel_mechanical_parts){.force = f});
    return eval_check(x->e, "force", x->t, s->force(x->t, x->y, x->y + n, f, x->e->context), n, f);
}

/* Both halves are asked for; a sparse claim takes one of them. */
static int force_derivatives(const claim_point *x, keel_matrix *A, double *rate)
{
    evaluator *e = x->e;
    const claim *c = x->claim;
    int n = e->problem->group[0], entries = c->scratch / 2;
    double *f_q = x->scratch, *f_v = f_q + entries;
    (void)rate;
    int code = e->problem->spec.mechanical.force_jacobian(x->t, x->y, x->y + n, f_q, f_v,
                                                          e->context);
    int rc = eval_check(e, "force_jacobian", x->t, code, c->scratch, f_q);
    if (c->columns == n) {
        memcpy(A->values, c->first ? f_v : f_q, (size_t)entries * sizeof *f_q);
        return rc;
    }
    double *a = A->values;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++, a++) {
            a[0] = f_q[i * n + j];
            a[n * n] = f_v[i * n + j];
        }
    return rc;
}

static int force_claims(const keel_problem *p, claim *list)
{
    const keel_mechanical_spec *s = &p->spec.mechanical;
    int n = p->group[0], given = s->force_jacobian != NULL, sparse = mechanical_is_sparse(p);
    int declared = sparse && p->force_pattern.column_start;
    if (!given && !declared) return 0;
    list[0] = (claim){.callback = given ? "force_jacobian" : "force_pattern",
                      .function = s->evaluate ? "evaluate: force" : "force",
                      .row_names = ROWS_FORCES, .rows = n, .columns = sparse ? n : 2 * n,
                      .scratch = sparse ? 2 * p->force_pattern.column_start[n] : 2 * n * n,
                      .replaceable = 1, .whole = !sparse, .value = force,
                      .given = given ? force_derivatives : NULL};
    if (!sparse) return 1;
    list[0].pattern = p->force_pattern;
    list[1] = list[0];
    list[1].first = n;
    return 2;
}

int mechanical_claims(const keel_problem *p, claim *list)
{
    int count = p->constraints > 0 ? constraint_claims(p, list) : 0;
    return count + force_claims(p, list + count);
}
