/* minimum_effort.c -- an arm moves its hand along a wall, with least effort.
 *
 *   q' = v,  v' = -b - k(q) - G^T lambda,  a' = -H_q,  b' = -a - G^T eta,  0 = G v,  0 = G b
 *
 * are the necessary conditions for least 1/2 int u.u dt, u = -b, of two links of length 1 with angles q
 * from the wall and a weight at the elbow, k = (weight cos q1, 0), whose hand stays on the wall,
 * 0 = sin q1 + sin q2 (examples/30_minimum_effort.c derives them); from rest at q1 = 1.2 to rest at 0.3 in
 * time 1.  Without weight
 *   q1 = 1.2 - 0.9 (3 t^2 - 2 t^3),  b1 = -q1'',  a1 - a2 = 2 q1''' = 21.6,  a1 + a2 = 21.6 cos q1/cos 0.3
 * and q2 = -q1, b2 = -b1, lambda = 0, eta = -21.6/(2 cos 0.3).
 * A. E. Bryson & Y.-C. Ho, Applied Optimal Control, 1975, chapter 3 (equality constraints).
 */
#include <math.h>

#include "problems/boundary.h"

enum { ANGLE = 0, V = 2, A = 4, B = 6, DIFFERENTIAL = 8, SIZE = 10 };

static const double from = 1.2, to = 0.3;                /* q1 */

static int rates(double t, const double *y, const double *z, double *f, void *context)
{
    const double weight = framed_parameter(context), lambda = z[0], eta = z[1];
    (void)t;
    for (int i = 0; i < 2; i++) {
        const double angle = y[ANGLE + i], load = i == 0 ? weight : 0;
        f[ANGLE + i] = y[V + i];
        f[V + i] = -y[B + i] - (load + lambda) * cos(angle);
        f[A + i] = sin(angle) * (eta * y[V + i] - (load + lambda) * y[B + i]);
        f[B + i] = -y[A + i] - eta * cos(angle);
    }
    return 0;
}

static int wall(double t, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = cos(y[ANGLE]) * y[V] + cos(y[ANGLE + 1]) * y[V + 1];
    g[1] = cos(y[ANGLE]) * y[B] + cos(y[ANGLE + 1]) * y[B + 1];
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    return keel_hessenberg2(problem, &(keel_hessenberg2_spec){
        .differential = DIFFERENTIAL, .multipliers = 2, .rhs = rates, .constraint = wall,
        .names = (const char *const[]){"q1", "q2", "v1", "v2", "a1", "a2", "b1", "b2", "lambda",
                                       "eta"},
        .constraint_names = (const char *const[]){"G v", "G b"},
        .frame = {.parameters = 1, .parameter_start = parameters,
                  .parameter_names = (const char *const[]){"weight"}}});
}

static int condition(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[ANGLE] - from;
    b[1] = ya[ANGLE + 1] + from;
    b[2] = ya[V];
    b[3] = yb[ANGLE] - to;
    b[4] = yb[V];
    b[5] = yb[A + 1];
    return 0;
}

static int guess(double t, double *y, double *p, void *context)
{
    (void)p, (void)context;
    for (int i = 0; i < SIZE; i++) y[i] = 0;
    y[ANGLE] = from + (to - from) * t;
    y[ANGLE + 1] = -y[ANGLE];
    return 0;
}

/* Known without weight only. */
static void exact(const double *parameters, double t, double *y)
{
    const double way = to - from, third = -12 * way;
    if (parameters[0] != 0) {
        for (int i = 0; i < SIZE; i++) y[i] = NAN;
        return;
    }
    y[ANGLE] = from + way * (3 - 2 * t) * t * t;
    y[V] = way * 6 * t * (1 - t);
    y[B] = -way * 6 * (1 - 2 * t);
    const double left = -way * (1 - t) * (1 - t) * (1 + 2 * t);        /* q1 - to */
    for (int i = ANGLE; i <= B; i += 2) y[i + 1] = -y[i];
    y[A + 1] = -2 * third * sin((y[ANGLE] + to) / 2) * sin(left / 2) / cos(to);
    y[A] = y[A + 1] + 2 * third;
    y[DIFFERENTIAL] = 0;
    y[DIFFERENTIAL + 1] = -third / cos(to);
}

const keel_target problem_minimum_effort = {
    .name = "minimum-effort",
    .title = "an arm that slides along a wall, with least effort",
    .source = "Bryson & Ho, Applied Optimal Control, 1975, chapter 3",
    .remark = "  keel bvp minimum-effort --param weight=20\n",
    .index = 2, .size = SIZE, .t_start = 0, .t_end = 1,
    .parameter_count = 1,
    .parameters = (const keel_parameter[]){{"weight", 0, "at the elbow"}},
    .create = create, .exact = exact,
    .counts = (const unsigned char[SIZE]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    .boundary = &(const keel_boundary_target){&(const keel_boundary_spec){
        .conditions = 6, .condition = condition, .guess = guess,
        .condition_names = (const char *const[]){"q1(0) = 1.2", "q2(0) = -1.2", "v1(0) = 0",
                                                 "q1(1) = 0.3", "v1(1) = 0", "a2(1) = 0"}}, NULL},
};
