/* resolution.c -- are algebraic unknowns resolved by a step?
 *
 * They follow from the others at each node, so that no error estimate of a Runge-Kutta method has them: z
 * may be the voltage of a source, of which a step passes over whole periods without any error, or a current
 * that a single stage meets by chance.  Roughly they have to be resolved, for only then do values at the
 * nodes tell what happens between them:
 *
 *   stages      the polynomial through s stages, three where there are so many, taken back to t_n, is off
 *               z_n by sum_i (w_i / w_0) Z_i, with the barycentric weights w of the nodes 0, c_1, ..., c_s.
 *               Of the largest |z| of the step that part is allowed which a sine is off if its phase moves
 *               by `phase` from node to node,  (c_1 ... c_s / s!) (phase / gap)^s.  That is 3 % for Radau
 *               IIA, far above what Newton's method leaves; of more stages it would not be
 *   prediction  for Rosenbrock methods, whose stages are no approximations: the parabola through z_(n-1)
 *               and z_n with the slope z'_n, taken on to t_(n+1), may be off by the largest |z|
 *
 *   forecast    for multistep and general linear methods of order q: the polynomial that they carry, taken on
 *               to t_(n+1), may be off by the part phase^(q+1) of the largest |z|, which a sine is off by if
 *               its phase moves by `phase` in a step
 *
 * Errors below the absolute tolerance do not count.  Tuned on a rectifier with an exponential diode and the
 * voltage of its source as an unknown; judged by others of its kind (test/integrate/test_resolution.c), and
 * for their work by chemical-akzo-nobel, robertson, steam-attemperator, van-der-pol-dae and impasse-circuit,
 * whose digits at equal work stay as they are.
 */
#include <math.h>

#include "core/norm.h"
#include "integrate/iteration.h"
#include "integrate/integrator.h"

enum { NODES = 3 };              /* behind t_n, at most */

static const double
    phase = 0.6,
    near_by = 0.15;              /* last h / h below which a parabola would amplify rounding */

static int is_algebraic(const keel_solver *s, const iteration *matrix, int k)
{
    return matrix->local.mass_diagonal[k] == 0 && s->eval.variable_index[k] <= 1;
}

static void compare(roughness *r, int k, double off, double allowed)
{
    if (fabs(off) > r->most * allowed) *r = (roughness){fabs(off) / allowed, k};
}

static double raised(double x, int times) { return times > 0 ? x * raised(x, times - 1) : 1; }

void resolution_raise(keel_solver *s, const roughness *r, double most, double power, int own)
{
    if (!(raised(most, (int)lrint(power)) > raised(s->report.error, own))) return;
    s->report.error = pow(most, power / own);
    s->report.variable = r->variable;
    s->report.share = r->most;
}

/* The stage, of those not taken, whose node is next to c; the last of them. */
static int nearest(int stages, const double *nodes, const double *taken, double c)
{
    int near = -1;
    for (int i = 0; i < stages; i++) {
        int free = nodes[i] > 1e-10 && taken[i] == 0;
        for (int k = 0; k < stages && free; k++) free = taken[k] == 0 || fabs(nodes[k] - nodes[i]) > 1e-10;
        if (free && (near < 0 || fabs(nodes[i] - c) <= fabs(nodes[near] - c))) near = i;
    }
    return near;
}

void resolution_weights(int stages, const double *nodes, double *weights)
{
    double chosen[NODES + 1] = {0}, barycentric[NODES + 1];
    double gap = 0, share = 1, last = 0;
    int at[NODES + 1], count = 0, most = stages < NODES ? stages : NODES;
    for (int i = 0; i < stages; i++) weights[i] = 0;
    for (int k = 1; k <= most; k++) {
        int i = nearest(stages, nodes, weights, (double)k / most);
        if (i < 0) break;
        weights[i] = 1;
    }
    while (last < 1) {
        double next = 1;
        for (int i = 0; i < stages; i++)
            if (weights[i] != 0 && nodes[i] > last) next = fmin(next, nodes[i]);
        gap = fmax(gap, next - last);
        last = next;
    }
    for (int i = 0; i < stages; i++) {
        if (weights[i] == 0) continue;
        at[++count] = i;
        chosen[count] = nodes[i];
        share *= nodes[i] * phase / (gap * count);
    }
    barycentric_weights(count + 1, chosen, barycentric);
    for (int k = 1; k <= count; k++)             /* a line tells nothing of what it approximates */
        weights[at[k]] = count < 2 ? 0 : barycentric[k] / barycentric[0] / share;
}

/* Unknown k, whose value at stage i is origin + Z[i stride]. */
static void at_stages(roughness *r, const keel_solver *s, int k, int stages, const double *weights,
                      const double *Z, int stride, double origin)
{
    double off = 0, unit = 0, z = s->y[k], size = fabs(z);
    for (int i = 0; i < stages; i++) {
        if (weights[i] == 0) continue;
        double value = origin + Z[i * stride];
        off += weights[i] * (value - z);
        unit -= weights[i];                      /* 1 / (the part that is allowed) */
        size = fmax(size, fabs(value));
    }
    compare(r, k, off, size + unit * s->atol[k]);
}

void resolution_of_increments(keel_solver *s, const iteration *matrix, int stages, const double *weights,
                              const double *Z, double power)
{
    roughness r = {0};
    if (!matrix->local.diagonal || (s->eval.engine && s->problem->index != 1)) return;
    for (int k = 0; k < s->n; k++)
        if (is_algebraic(s, matrix, k)) at_stages(&r, s, k, stages, weights, Z + k, s->n, s->y[k]);
    resolution_raise(s, &r, norm_most(s->eval.reducer, r.most), power, stages < NODES ? stages : NODES);
}

void resolution_of_values(keel_solver *s, int count, int stages, const double *weights, const double *Z,
                          double power)
{
    roughness r = {0};
    for (int k = 0; k < count; k++)
        at_stages(&r, s, s->n - count + k, stages, weights, Z + k, count, 0);
    resolution_raise(s, &r, r.most, power, stages < NODES ? stages : NODES);
}

roughness resolution_of_forecast(const keel_solver *s, const iteration *matrix, int power,
                                 const double *forecast, const double *y_new)
{
    roughness r = {0};
    double part = pow(phase, power);
    for (int k = 0; k < s->n && matrix->local.diagonal; k++)
        if (is_algebraic(s, matrix, k))
            compare(&r, k, y_new[k] - forecast[k], part * fmax(fabs(s->y[k]), fabs(y_new[k])) + s->atol[k]);
    return r;
}

roughness resolution_of_prediction(const keel_solver *s, const iteration *matrix, double h, double per_slope,
                                   const double *slope, const double *y_new)
{
    roughness r = {0};
    const interpolant *last = &s->dense;
    double reach = last->points > 0 ? last->h / h : 0;
    if (!matrix->local.diagonal) return r;
    for (int k = 0; k < s->n; k++) {
        if (!is_algebraic(s, matrix, k)) continue;
        double z = s->y[k], before = last->points > 0 ? last->values[k] : z, move = per_slope * slope[k];
        double bend = reach > near_by ? (before - z + move * reach) / (reach * reach) : 0;
        double size = fmax(fabs(z), fmax(fabs(y_new[k]), fabs(before)));
        compare(&r, k, y_new[k] - z - move - bend, size + s->atol[k]);
    }
    return r;
}
