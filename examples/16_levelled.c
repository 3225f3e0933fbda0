/* 16: index 4. Which force on the first of two carts makes the second follow a path?  A spring and a
 * damper between them: the path must be differentiated three times until the force appears.  All these
 * constraints are written out, and all of them are kept. */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

enum { X, V, A, X1, V1, Y };                     /* second cart: x, v, a; first cart: x1, v1 */
enum { J, F, Z };                                /* jerk of the second, force on the first */

static const double stiffness = 40, damping = 3;

/* Derivative k of the path p(t) = 1 - cos t. */
static double path(int k, double t) { return (k == 0) - cos(t + k * acos(0.0)); }

static double pull(const double *y)              /* of the spring, which hardens, and the damper */
{
    double e = y[X1] - y[X];
    return stiffness * (e + e * e * e) + damping * (y[V1] - y[V]);
}

/* Only what `next` does not tell. */
static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[A] = z[J];
    f[V1] = z[F] - pull(y);
    return 0;
}

/*           row 0, the path      row 1, Newton's law of the second cart
 *   h_3     x - p
 *   h_2     v - p'
 *   h_1     a - p''              a - pull
 *   g       j - p'''             j - d/dt pull                          */
static int level(double t, const double *y, const double *z, int k, double *h, void *context)
{
    double e = y[X1] - y[X], rates[Y];
    h[0] = (k == 3 ? y[X] : k == 2 ? y[V] : k == 1 ? y[A] : z[J]) - path(3 - k, t);
    if (k == 1) h[1] = y[A] - pull(y);
    if (k > 0) return 0;
    rate(t, y, z, rates, context);
    h[1] = z[J] - stiffness * (1 + 3 * e * e) * (y[V1] - y[V]) - damping * (rates[V1] - y[A]);
    return 0;
}

int main(void)
{
    static const int next[Y] = {[X] = V, [V] = A, [A] = -1, [X1] = V1, [V1] = -1}, chain[] = {3, 1};
    static const char *const rows[] = {"path", "second cart"};
    static const char *const names[] = {"x", "v", "a", "x1", "v1", "jerk", "force"};
    const double rest[Y + Z] = {0};
    keel_problem *carts = NULL;
    keel_solver *solver = NULL;
    int rc = keel_levelled(&carts, &(keel_levelled_spec){
        .differential = Y, .algebraic = Z, .next = next, .chain = chain, .rate = rate,
        .level = level, .names = names, .constraint_names = rows});
    if (!rc) rc = keel_solver_create(&solver, carts, &(keel_options){.rtol = 1e-8});
    if (!rc) rc = keel_start(solver, 0, rest);   /* finds a, v1, jerk and force */
    for (int i = 0; !rc && i < keel_moved_count(solver); i++) {
        keel_move move;
        keel_moved(solver, i, &move);
        printf("start: %s = %.6g\n", keel_variable_name(carts, move.variable), move.to);
    }
    if (!rc) rc = keel_advance_to(solver, 10);
    if (rc) return printf("%s: %s\n", keel_status_name(rc), keel_reason(rc, carts, solver)), 1;

    const double *y = keel_state(solver), *largest = keel_solver_stats(solver)->residual;
    const int levels = keel_problem_levels(carts);
    printf("index %d; force(10) = %.8f, x(10) - p(10) = %.1e\n", keel_problem_index(carts),
           y[Y + F], y[X] - path(0, 10));
    for (int k = 0; k < levels; k++) {           /* the deepest first, g last */
        printf("largest |h_%d| of all steps: %.1e\n", levels - 1 - k, largest[k]);
        if (!(largest[k] >= 0 && largest[k] < 1e-12)) rc = 1;
    }
    keel_solver_free(solver);
    keel_problem_free(carts);
    return rc;
}
