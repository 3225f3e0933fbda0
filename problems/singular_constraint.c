/* singular_constraint.c -- an index that depends on the initial values.
 *
 *   y1' = y3,   0 = y2 (1 - y2),   0 = y1 y2 + y3 (1 - y2) - t
 *
 * With y2 = 0 this is y3 = t, of index 1: y1 = t^2 / 2.  With y2 = 1 it is y1 = t, of index 2: y3 =
 * 1.  In between, at y2 = 1/2, the second equation does not determine y2.
 * Bendtsen & Thomsen (eds.), IMM-REP-1999-8, 1.1.2.1.
 */
#include "problems/list.h"

static int mass(double t, const double *y, keel_matrix *M, void *context)
{
    (void)t, (void)y, (void)context;
    keel_put(M, 0, 0, 1);
    return 0;
}

static int rhs(double t, const double *y, double *f, void *context)
{
    (void)context;
    f[0] = y[2];
    f[1] = y[1] * (1 - y[1]);
    f[2] = y[0] * y[1] + y[2] * (1 - y[1]) - t;
    return 0;
}

static int jacobian(double t, const double *y, keel_matrix *f_y, void *context)
{
    (void)t, (void)context;
    keel_put(f_y, 0, 2, 1);
    keel_put(f_y, 1, 1, 1 - 2 * y[1]);
    keel_put(f_y, 2, 0, y[1]);
    keel_put(f_y, 2, 1, y[0] - y[2]);
    keel_put(f_y, 2, 2, 1 - y[1]);
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[] = {"y1", "y2", "y3"};
    const int variable_index[] = {1, 1, parameters[0] > 0.5 ? 2 : 1};
    return keel_quasilinear(problem, &(keel_quasilinear_spec){
        .size = 3, .mass = mass, .constant_mass = 1, .rhs = rhs, .jacobian = jacobian,
        .variable_index = variable_index, .names = names, .context = (void *)parameters});
}

static void exact(const double *parameters, double t, double *y)
{
    const int upper = parameters[0] > 0.5;
    y[0] = upper ? t : t * t / 2;
    y[1] = upper;
    y[2] = upper ? 1 : t;
}

static void start(const double *parameters, double *y)
{
    exact(parameters, 0, y);
    y[1] = parameters[0];
}

const keel_target problem_singular_constraint = {
    .name = "singular-constraint",
    .title = "An index that depends on the initial values",
    .source = "Bendtsen & Thomsen (eds.), IMM-REP-1999-8, 1.1.2.1",
    .remark = "  keel run singular-constraint --param y2=0       index 1\n"
              "  keel run singular-constraint --start y2=0.5     refused: y2 is 0 or 1\n",
    .index = 2, .size = 3, .t_start = 0, .t_end = 2,
    .parameter_count = 1,
    .parameters = (const keel_parameter[]){{"y2", 1, "y2 at the start: 1, of index 2, or 0"}},
    .bounds = (const double[][2]){{0, 1}},
    .create = create, .start = start, .exact = exact,
    .counts = (const unsigned char[]){1, 1, 1},
};
