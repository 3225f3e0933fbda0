/* explicit_dense.c -- dense output on demand: x(t_n + theta h) = x_n + h sum_i b_i(theta) k_i.
 *
 * Extra stages are evaluated only now, and the polynomial becomes its values at Chebyshev points,
 * the last of them the accepted one, so that the output is continuous.  Without such weights: the
 * polynomial through x and x' at both ends, for mechanical systems through q, q' and q'', with its
 * derivative for v [HNW93 II.6].  Multipliers and algebraic unknowns are solved for at every point.
 */
#include "integrate/explicit.h"

#include <math.h>
#include <string.h>

enum { QUINTIC_POINTS = 6 };

/* b_i(theta_j) for all i and j: when the first output asks for them. */
static void find_weights(const keel_tableau *t, explicit_state *e)
{
    for (int j = 0; j < e->points && !e->weights_known; j++)
        for (int i = 0; i < e->all; i++)
            e->at_node[j].weight[i] = tableau_dense_weight(t, i, e->nodes[j]);
    e->weights_known = 1;
}

void explicit_dense_layout(arena *a, keel_solver *s, explicit_state *e)
{
    static const double pi = 3.14159265358979323846;
    const keel_tableau *t = &s->method->tableau;
    int given = t->dense && t->dense_degree >= 2 && t->dense_degree <= STAGES_MAX;
    e->data = given && !e->doubling;             /* no weights for two halves */
    e->points = e->data ? t->dense_degree + 1 : e->mechanical ? QUINTIC_POINTS : HERMITE_POINTS;
    ARENA_VECTORS(a, e->points, &e->nodes, &e->barycentric);
    e->at_node = ARENA_OBJECT(a, weight_row, e->points);
    s->dense.values = ARENA(a, double, (size_t)e->points * (size_t)s->n);
    for (int j = 0; j < e->points; j++) {
        weight_row row = {.at = ARENA(a, int, e->all), .weight = ARENA(a, double, e->all), .count = e->all};
        if (!a->base) continue;
        e->nodes[j] = j == e->points - 1 ? 1 : (1 - cos(pi * j / (e->points - 1))) / 2;
        for (int i = 0; i < e->all; i++) row.at[i] = i * e->padded;
        e->at_node[j] = row;
    }
    if (a->base) barycentric_weights(e->points, e->nodes, e->barycentric);
}

/* x at theta by the values and slopes at both ends. */
static void cubic(const explicit_state *e, double h, double theta, double *x)
{
    for (int i = 0; i < e->d; i++)
        x[i] = hermite(theta, h, e->x_old[i], e->x[i], e->slope_old[i], e->slope[i]);
}

/* q and v = q' at theta: q = q_0 + h v_0 theta + h^2 a_0 theta^2 / 2 + theta^3 (A + B theta + C
 * theta^2) with q, v, a of the other end. */
static void quintic(const explicit_state *e, double h, double theta, double *x)
{
    int n = e->n;
    double square = theta * theta;
    for (int i = 0; i < n; i++) {
        double v = h * e->x_old[n + i], a = h * h * e->slope_old[n + i] / 2;
        double dq = e->x[i] - e->x_old[i] - v - a;
        double dv = h * e->x[n + i] - v - 2 * a, da = h * h * e->slope[n + i] / 2 - a;
        double A = 10 * dq - 4 * dv + da, B = -15 * dq + 7 * dv - 2 * da, C = 6 * dq - 3 * dv + da;
        x[i] = e->x_old[i] + theta * (v + theta * (a + theta * (A + theta * (B + theta * C))));
        x[n + i] = (v + 2 * a * theta + square * (3 * A + theta * (4 * B + theta * 5 * C))) / h;
    }
}

/* `fresh`: g_z is factored at each point, where that of the steps leads nowhere. */
static attempt_result extra_stages(keel_solver *s, int fresh)
{
    explicit_state *e = s->state;
    const keel_tableau *t = &s->method->tableau;
    attempt_result result = ATTEMPT_DONE;
    for (int i = e->stages; i < e->all && result == ATTEMPT_DONE; i++) {
        double theta = t->c_extra[i - e->stages], h = s->dense.h;
        if (fresh) e->algebraic.use->known = 0;
        weighted_sum(&e->row[i], e->padded, h, e->K_done, e->x_old, e->inside);
        for (int k = e->d; k < s->n; k++)
            e->inside[k] = e->x_old[k] + theta * (e->x[k] - e->x_old[k]);
        result = explicit_rate(s, s->dense.t0 + theta * h, e->inside, e->K_done + i * e->padded, 0);
    }
    return result;
}

/* All unknowns at node j, in e->inside. */
static attempt_result at_node(keel_solver *s, int j)
{
    explicit_state *e = s->state;
    double h = s->dense.h, theta = e->nodes[j], t = s->dense.t0 + theta * h, *x = e->inside;
    if (e->data) weighted_sum(&e->at_node[j], e->padded, h, e->K_done, e->x_old, x);
    else if (e->mechanical) quintic(e, h, theta, x);
    else cubic(e, h, theta, x);
    for (int i = e->d; i < s->n; i++) x[i] = e->x_old[i] + theta * (e->x[i] - e->x_old[i]);
    if (e->m == 0) return ATTEMPT_DONE;
    if (!e->mechanical) return explicit_algebraic(s, t, x, 0);
    int row = 0;
    const projection_plan multipliers = {.kind = KEEL_PROJECT_NONE, .multipliers = 1};
    return projection_attempt(s, mechanical_move(projection_of(s)->inquired, &s->eval,
                                                 &multipliers, t, x, &row), row);
}

/* Dense output begins with the factored g_z of the steps and leaves these as they are. */
static void borrow_factors(explicit_state *e)
{
    algebraic_solver *a = &e->algebraic;
    size_t m = (size_t)e->m;
    a->use = a->factors + 1;
    a->use->known = a->factors->known;
    memcpy(a->use->g_z, a->factors->g_z, m * m * sizeof *a->use->g_z);
    memcpy(a->use->pivot, a->factors->pivot, m * sizeof *a->use->pivot);
}

static attempt_result fill(keel_solver *s, int fresh)
{
    explicit_state *e = s->state;
    size_t n = (size_t)s->n;
    double *value = s->dense.values;
    if (e->data) find_weights(&s->method->tableau, e);
    attempt_result result = e->data ? extra_stages(s, fresh) : ATTEMPT_DONE;
    for (int j = 0; j < e->points && result == ATTEMPT_DONE; j++, value += n) {
        int inner = j > 0 && j < e->points - 1;
        if (fresh) e->algebraic.use->known = 0;
        if (inner) result = at_node(s, j);
        memcpy(value, inner ? e->inside : j ? e->x : e->x_old, n * sizeof *value);
    }
    return result;
}

attempt_result explicit_dense(keel_solver *s)
{
    explicit_state *e = s->state;
    if (e->algebraic.Z) borrow_factors(e);
    attempt_result result = fill(s, 0);
    if (result == ATTEMPT_NOT_CONVERGED && e->algebraic.Z) result = fill(s, 1);
    if (result == ATTEMPT_DONE && e->data) result = explicit_ask(s);
    e->algebraic.use = e->algebraic.factors;
    s->dense_due = result != ATTEMPT_DONE;
    return result;
}
