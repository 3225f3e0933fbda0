/* minimum_time.c -- from rest to rest in the least time: a right-hand side that jumps, nobody knows when.
 *
 *   x' = T v,  v' = T (1 before the switch, -1 after it),   x(0) = v(0) = v(1) = 0,  x(1) = 1
 *
 * in the time t/T.  T and the switch, a break at an unknown time, are unknown: T = 2, switch 1/2.
 * A. E. Bryson & Y.-C. Ho, Applied Optimal Control, 1975, section 3.9 (bang-bang control).
 */
#include "problems/boundary.h"

enum { SWITCH, TIME, SIZE = 2 };

static const double start[] = {0.3, 1};

static int rhs(double t, const double *y, double *f, void *context)
{
    const double *p = ((const keel_frame *)context)->parameters;
    f[0] = p[TIME] * y[1];
    f[1] = t < p[SWITCH] ? p[TIME] : -p[TIME];
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_ode(problem, &(keel_ode_spec){
        .size = SIZE, .rhs = rhs, .names = (const char *const[]){"x", "v"},
        .frame = {.parameters = 2, .parameter_start = start,
                  .parameter_names = (const char *const[]){"switch", "T"}}});
}

static int condition(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0];
    b[1] = ya[1];
    b[2] = yb[0] - 1;
    b[3] = yb[1];
    return 0;
}

static int guess(double t, double *y, double *p, void *context)
{
    (void)context;
    y[0] = t;
    y[1] = 0.5;
    p[SWITCH] = start[SWITCH];
    p[TIME] = start[TIME];
    return 0;
}

static void exact(const double *parameters, double t, double *y)
{
    (void)parameters;
    y[0] = t < 0.5 ? 2 * t * t : 1 - 2 * (1 - t) * (1 - t);
    y[1] = t < 0.5 ? 2 * t : 2 * (1 - t);
}

static void exact_times(const double *parameters, double *p)
{
    (void)parameters;
    p[SWITCH] = 0.5;
    p[TIME] = 2;
}

const keel_target problem_minimum_time = {
    .name = "minimum-time",
    .title = "from rest to rest in least time, with an unknown switch",
    .source = "Bryson & Ho, Applied Optimal Control, 1975, section 3.9",
    .index = 0, .size = SIZE, .t_start = 0, .t_end = 1,
    .create = create, .exact = exact, .counts = (const unsigned char[SIZE]){1, 1},
    .boundary = &(const keel_boundary_target){&(const keel_boundary_spec){
        .conditions = 4, .condition = condition, .parameters = 2, .guess = guess, .breaks = 1,
        .break_at = start, .break_parameter = (const int[]){SWITCH},
        .condition_names = (const char *const[]){"x(0) = 0", "v(0) = 0", "x(1) = 1", "v(1) = 0"}},
        exact_times},
};
