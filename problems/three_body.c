/* three_body.c -- the restricted three-body problem: a spaceship between earth and moon.
 *
 *   y1'' = y1 + 2 y2' - (1 - mu) (y1 + mu) / r1^3 - mu (y1 - 1 + mu) / r2^3
 *   y2'' = y2 - 2 y1' - (1 - mu) y2 / r1^3        - mu y2 / r2^3
 *
 * in the frame that turns with both, r1 and r2 the distances from earth (-mu, 0) and moon (1 - mu, 0),
 * keeps the Jacobi integral
 *
 *   J = (y1'^2 + y2'^2 - y1^2 - y2^2) / 2 - (1 - mu) / r1 - mu / r2.
 *
 * [Bendtsen & Thomsen (eds.), IMM-REP-1999-8, 8.3].  The four flights of that chapter begin at
 * (-mu/2, 0.1) with y2' = 4 and y1' = v = 0.5 (back to earth, which it meets), 1.1 (round about the
 * earth), 1.4 (to the moon) and 2.0 (to outer space).
 *
 * Neither mass has a surface here: with v = 0.5 the ship passes the centre of the earth at 1.3e-4,
 * where errors grow a millionfold and J changes by 1e-10 with the last digit of y1.  So the unknown is
 * x = y1 + mu, the position as seen from the earth, which has all its digits there.
 *
 * The solution is summed from its Taylor series (study/three_body.c does it in 34 digits).
 */
#include "problems/list.h"

#include <math.h>

enum { ORDER = 26 };

static int rhs(double t, const double *y, double *f, void *context)
{
    const double mu = ((const double *)context)[1], x = y[0], b = x - 1;
    const double s1 = x * x + y[1] * y[1], s2 = b * b + y[1] * y[1];
    const double earth = (1 - mu) / (s1 * sqrt(s1)), moon = mu / (s2 * sqrt(s2));
    (void)t;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = x - mu + 2 * y[3] - earth * x - moon * b;
    f[3] = y[1] - 2 * y[2] - (earth + moon) * y[1];
    return 0;
}

/* Near a mass two terms of some thousands cancel: longer numbers keep the digits of the rest. */
static int jacobi(double t, const double *y, double *J, void *context)
{
    const long double mu = ((const double *)context)[1], x = y[0], y2 = y[1], v1 = y[2], v2 = y[3];
    const long double r1 = sqrtl(x * x + y2 * y2), r2 = sqrtl((x - 1) * (x - 1) + y2 * y2);
    const long double turning = (x - mu) * (x - mu) + y2 * y2;
    (void)t;
    J[0] = (double)((v1 * v1 + v2 * v2 - turning) / 2 - (1 - mu) / r1 - mu / r2);
    return 0;
}

static int jacobi_gradient(double t, const double *y, double *J_y, void *context)
{
    const double mu = ((const double *)context)[1], x = y[0], b = x - 1;
    const double s1 = x * x + y[1] * y[1], s2 = b * b + y[1] * y[1];
    const double earth = (1 - mu) / (s1 * sqrt(s1)), moon = mu / (s2 * sqrt(s2));
    (void)t;
    J_y[0] = mu - x + earth * x + moon * b;
    J_y[1] = -y[1] + (earth + moon) * y[1];
    J_y[2] = y[2];
    J_y[3] = y[3];
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[] = {"x", "y2", "x'", "y2'"}, *const rows[] = {"Jacobi"};
    static const int kept[] = {1};
    return keel_ode(problem, &(keel_ode_spec){
        .size = 4, .rhs = rhs, .names = names, .context = (void *)parameters,
        .attached = {.rows = 1, .value = jacobi, .jacobian = jacobi_gradient, .kept = kept,
                     .names = rows}});
}

/* ---- the solution -------------------------------------------------------------------------- */

typedef struct taylor { long double y[4][ORDER + 1]; } taylor;

/* Coefficient k of a product. */
static long double product(const long double *a, const long double *b, int k)
{
    long double sum = 0;
    for (int j = 0; j <= k; j++) sum += a[j] * b[k - j];
    return sum;
}

/* That of w = s^(-3/2), from s w' = -3/2 s' w. */
static long double inverse_cube(const long double *s, const long double *w, int k)
{
    if (k == 0) return 1 / (s[0] * sqrtl(s[0]));
    long double sum = 0;
    for (int j = 0; j < k; j++) sum += (-1.5L * (k - j) - j) * s[k - j] * w[j];
    return sum / (k * s[0]);
}

/* All coefficients from y(t). */
static void expand(taylor *p, long double mu)
{
    long double a[2][ORDER + 1], s[2][ORDER + 1], w[2][ORDER + 1], *y2 = p->y[1];
    const long double mass[2] = {1 - mu, mu};
    for (int k = 0; k < ORDER; k++) {
        long double f[2] = {p->y[0][k] - (k ? 0 : mu) + 2 * p->y[3][k], y2[k] - 2 * p->y[2][k]};
        for (int i = 0; i < 2; i++) {
            a[i][k] = p->y[0][k] - (k ? 0 : i);
            s[i][k] = product(a[i], a[i], k) + product(y2, y2, k);
            w[i][k] = inverse_cube(s[i], w[i], k);
            f[0] -= mass[i] * product(a[i], w[i], k);
            f[1] -= mass[i] * product(y2, w[i], k);
        }
        p->y[0][k + 1] = p->y[2][k] / (k + 1);
        p->y[1][k + 1] = p->y[3][k] / (k + 1);
        p->y[2][k + 1] = f[0] / (k + 1);
        p->y[3][k + 1] = f[1] / (k + 1);
    }
}

/* The step with last terms of the size of rounding errors, at most `left`. */
static long double step_of(const taylor *p, long double left)
{
    const long double enough = 1e-19L;
    long double h = fabsl(left);
    for (int i = 0; i < 4; i++)
        for (int k = ORDER - 1; k <= ORDER; k++) {
            long double term = fabsl(p->y[i][k]) / (1 + fabsl(p->y[i][0]));
            if (term > 0) h = fminl(h, powl(enough / term, 1.0L / k));
        }
    return left < 0 ? -h : h;
}

static void start(const double *parameters, double *y)
{
    y[0] = parameters[1] / 2;
    y[1] = 0.1;
    y[2] = parameters[0];
    y[3] = 4;
}

static void exact(const double *parameters, double t, double *y)
{
    taylor p = {{{0}}};
    long double now = 0;
    start(parameters, y);
    for (int i = 0; i < 4; i++) p.y[i][0] = y[i];
    while (now != t) {
        expand(&p, parameters[1]);
        const long double h = step_of(&p, t - now), next = h == t - now ? t : now + h;
        if (!(next != now)) break;               /* at one of the centres, or not finite */
        for (int i = 0; i < 4; i++) {
            long double sum = p.y[i][ORDER];
            for (int k = ORDER - 1; k >= 0; k--) sum = sum * h + p.y[i][k];
            p.y[i][0] = sum;
        }
        now = next;
    }
    for (int i = 0; i < 4; i++) y[i] = now == t ? (double)p.y[i][0] : NAN;
}

const keel_target problem_three_body = {
    .name = "three-body",
    .title = "spaceship between earth and moon, with its Jacobi integral",
    .source = "Bendtsen & Thomsen (eds.), IMM-REP-1999-8, chapter 8",
    .remark = "  keel run three-body --param v=0.5 --method dop853 --rtol 1e-12\n"
              "  keel run three-body --param v=1.4 --projection none      # the integral drifts\n",
    .index = 0, .size = 4, .t_start = 0, .t_end = 4,
    .parameter_count = 2,
    .parameters = (const keel_parameter[]){
        {"v", 1.1, "y1' at the start: 0.5, 1.1, 1.4 and 2.0 are the flights of chapter 8"},
        {"mu", 0.01215, "mass of the moon in that of both"}},
    .create = create, .start = start, .exact = exact,
    .counts = (const unsigned char[]){1, 1, 1, 1},
};
