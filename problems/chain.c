/* chain.c -- a chain of N point masses linked by rods that hangs from the origin, in the plane.
 *
 *   m_i p_i'' = (0, -m_i g) - G^T lambda,   0 = (|p_i - p_(i-1)|^2 - l^2) / (2 l),   i = 1..N
 *
 * with p_0 = 0, g = 9.81, l = 1/N and m_i = 1/N, the last mass 1/2 + 1/N: a chain of length and
 * mass 1 with a load.  M is diagonal and a row of G has at most four nonzeros: from 30 links on the
 * problem has sparse patterns, so that thousands can be run.
 *
 * It starts at rest on a straight line below the horizontal.  Energy is constant.
 */
#include "problems/chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/list.h"

enum { SPARSE_FROM = 30 };

static const double gravity = 9.81, load = 0.5;

/* 0, which no problem is made with, for a number that makes no sense. */
static int links(const double *parameters)
{
    return parameters[0] >= 1 && parameters[0] <= 1e6 ? (int)parameters[0] : 0;
}

static double mass_of(int i, int n)
{
    return 1.0 / n + (i == n - 1 ? load : 0);
}

/* Rod i as a vector of length about 1: (p_i - p_(i-1)) / l. */
static void direction(const double *q, int i, int n, double e[2])
{
    for (int k = 0; k < 2; k++) e[k] = (q[2 * i + k] - (i > 0 ? q[2 * i - 2 + k] : 0)) * n;
}

/* ---- dense --------------------------------------------------------------------------------- */

static int mass(double t, const double *q, double *M, void *context)
{
    const int n = links(context);
    (void)t, (void)q;
    memset(M, 0, 4 * (size_t)n * (size_t)n * sizeof *M);
    for (int i = 0; i < 2 * n; i++) M[i * (2 * n + 1)] = mass_of(i / 2, n);
    return 0;
}

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    const int n = links(context);
    (void)t, (void)q, (void)v;
    for (int i = 0; i < n; i++) {
        f[2 * i] = 0;
        f[2 * i + 1] = -gravity * mass_of(i, n);
    }
    return 0;
}

static int force_jacobian(double t, const double *q, const double *v, double *f_q, double *f_v,
                          void *context)
{
    const size_t size = 2 * (size_t)links(context);
    (void)t, (void)q, (void)v;
    memset(f_q, 0, size * size * sizeof *f_q);
    memset(f_v, 0, size * size * sizeof *f_v);
    return 0;
}

static int constraint(double t, const double *q, double *g, void *context)
{
    const int n = links(context);
    (void)t;
    for (int i = 0; i < n; i++) {
        double e[2];
        direction(q, i, n, e);
        g[i] = (e[0] * e[0] + e[1] * e[1] - 1) / (2 * n);
    }
    return 0;
}

static int constraint_jacobian(double t, const double *q, double *G, void *context)
{
    const int n = links(context);
    (void)t;
    memset(G, 0, 2 * (size_t)n * (size_t)n * sizeof *G);
    for (int i = 0; i < n; i++) {
        double *row = G + 2 * i * n + 2 * i;
        direction(q, i, n, row);
        for (int k = 0; k < 2 && i > 0; k++) row[k - 2] = -row[k];
    }
    return 0;
}

static int constraint_time(double t, const double *q, double *g_t, void *context)
{
    (void)t, (void)q;
    memset(g_t, 0, (size_t)links(context) * sizeof *g_t);
    return 0;
}

static int curvature(double t, const double *q, const double *v, double *gamma, void *context)
{
    const int n = links(context);
    (void)t, (void)q;
    for (int i = 0; i < n; i++) {
        double rate[2];
        direction(v, i, n, rate);
        gamma[i] = (rate[0] * rate[0] + rate[1] * rate[1]) / n;
    }
    return 0;
}

/* ---- nonzeros ------------------------------------------------------------------------------ */

int chain_mass_pattern(const double *parameters, int *column_start, int *row_index)
{
    const int size = 2 * links(parameters);
    for (int j = 0; j <= size; j++) column_start[j] = j;
    for (int j = 0; j < size && row_index; j++) row_index[j] = j;
    return size;
}

int chain_mass_nonzeros(double t, const double *q, double *values, void *context)
{
    const int n = links(context);
    (void)t, (void)q;
    for (int i = 0; i < 2 * n; i++) values[i] = mass_of(i / 2, n);
    return 0;
}

/* p_i is an end of rod i and, but for the last, of rod i + 1. */
int chain_constraint_pattern(const double *parameters, int *column_start, int *row_index)
{
    const int n = links(parameters);
    int count = 0;
    for (int j = 0; j < 2 * n; j++) {
        column_start[j] = count;
        for (int row = j / 2; row <= j / 2 + 1 && row < n; row++, count++)
            if (row_index) row_index[count] = row;
    }
    return column_start[2 * n] = count;
}

int chain_constraint_nonzeros(double t, const double *q, double *values, void *context)
{
    const int n = links(context);
    double here[2], next[2] = {0};
    (void)t;
    direction(q, 0, n, here);
    for (int i = 0; i < n; i++) {
        if (i + 1 < n) direction(q, i + 1, n, next);
        for (int k = 0; k < 2; k++) {
            *values++ = here[k];
            if (i + 1 < n) *values++ = -next[k];
            here[k] = next[k];
        }
    }
    return 0;
}

double chain_energy(const double *parameters, const double *q, const double *v)
{
    const int n = links(parameters);
    double energy = 0;
    for (int i = 0; i < n; i++)
        energy += mass_of(i, n) * ((v[2 * i] * v[2 * i] + v[2 * i + 1] * v[2 * i + 1]) / 2
                                   + gravity * q[2 * i + 1]);
    return energy;
}

/* ---- the problem --------------------------------------------------------------------------- */

keel_mechanical_spec problem_chain_spec(const double *parameters)
{
    const int n = links(parameters);
    return (keel_mechanical_spec){
        .positions = 2 * n, .constraints = n,
        .mass = mass,
        .force = force,
        .constraint = constraint,
        .constraint_jacobian = constraint_jacobian,
        .constraint_time = constraint_time,
        .curvature = curvature,
        .force_jacobian = force_jacobian,
        .constant_mass = 1,
        .context = (void *)parameters,
    };
}

/* The force is constant: no entries. */
static int no_force_nonzeros(double t, const double *q, const double *v, double *f_q, double *f_v,
                             void *context)
{
    (void)t, (void)q, (void)v, (void)f_q, (void)f_v, (void)context;
    return 0;
}

int chain_create_sparse(keel_problem **problem, const double *parameters)
{
    const size_t columns = 2 * (size_t)links(parameters) + 1;
    keel_mechanical_spec spec = problem_chain_spec(parameters);
    int *block = calloc(6 * columns, sizeof *block);     /* G has less than 2 entries per column */
    if (!block) return KEEL_NO_MEMORY;
    int *mass_start = block, *mass_row = mass_start + columns, *start = mass_row + columns;
    int *row = start + columns, *none = row + 2 * columns;
    chain_mass_pattern(parameters, mass_start, mass_row);
    chain_constraint_pattern(parameters, start, row);
    spec.mass = chain_mass_nonzeros;
    spec.constraint_jacobian = chain_constraint_nonzeros;
    spec.force_jacobian = no_force_nonzeros;
    spec.mass_pattern = (keel_pattern){KEEL_SPARSE, 0, 0, mass_start, mass_row};
    spec.constraint_pattern = (keel_pattern){KEEL_SPARSE, 0, 0, start, row};
    spec.force_pattern = (keel_pattern){KEEL_SPARSE, 0, 0, none, none};
    int rc = keel_mechanical(problem, &spec);
    free(block);
    return rc;
}

static int create(keel_problem **problem, const double *parameters)
{
    if (links(parameters) >= SPARSE_FROM) return chain_create_sparse(problem, parameters);
    keel_mechanical_spec spec = problem_chain_spec(parameters);
    return keel_mechanical(problem, &spec);
}

/* On a straight line at rest every mass would slide down it with g sin(slope); the first rod holds
 * all of them back. */
static void start(const double *parameters, double *y)
{
    const int n = links(parameters);
    const double slope = parameters[1];
    double below = 1 + load;
    memset(y, 0, 5 * (size_t)n * sizeof *y);
    for (int i = 0; i < n; i++) {
        y[2 * i] = cos(slope) * (i + 1) / n;
        y[2 * i + 1] = -sin(slope) * (i + 1) / n;
        y[4 * n + i] = below * gravity * sin(slope);
        below -= mass_of(i, n);
    }
}

/* Positions and velocities in the angles of the rods, by extrapolation in 18-digit arithmetic with
 * two step sizes; verner8 and dop853 in Cartesian coordinates agree to 14 and 12 digits, and gave
 * the multipliers. */
static const double at_2[50] = {
    0.0795398183998048, -0.060608722878197, 0.156768251889593, -0.124136425974667,
    0.232674867738662, -0.189237775195263, 0.308647751543806, -0.254261777889115,
    0.387862075160737, -0.315295300922872, 0.472025139459615, -0.369300658136976,
    0.560686384398139, -0.415551967804389, 0.652807130881444, -0.454459140245453,
    0.748848545972757, -0.482316752979824, 0.84494475149079, -0.50998477215424,
    -0.064962645163231, -0.085253685503958, -0.13748699079801, -0.17341902645357,
    -0.31414962899441, -0.3794034365004, -0.57159239942308, -0.68019497307096,
    -0.86645124574313, -1.0628870234839, -0.97083963876409, -1.2255680515724,
    -0.95184919232858, -1.1891643986809, -0.84583512066945, -0.9381542428088,
    -0.65472494619866, -0.2792861707476, -0.37497217732359, 0.69234751949197,
    19.4000880918, 18.8070642498, 18.2183019263, 17.5598810881, 16.7668755181,
    15.8221321711, 14.9620847459, 14.2107515261, 13.5274538366, 12.4712238284,
};

const keel_target problem_chain = {
    .name = "chain",
    .title = "Chain of point masses linked by rods, with a load",
    .source = "ours: the N-fold pendulum with a load at its end",
    .remark = "  keel run chain --param links=2000 --t-end 1     10000 unknowns, sparse\n",
    .index = 3, .size = 50,
    .t_start = 0, .t_end = 2,
    .parameter_count = 2,
    .parameters = (const keel_parameter[]){
        {"links", 10, "number of rods and masses"},
        {"slope", 0.5, "angle below the horizontal at t = 0"}},
    .create = create, .start = start,
    .counts = (const unsigned char[50]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                        1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    .reference_count = 1,
    .references = (const keel_reference[]){
        {2, at_2, 13, "angles, extrapolation in 18-digit arithmetic; verner8 and dop853 at 1e-13"},
    },
};
