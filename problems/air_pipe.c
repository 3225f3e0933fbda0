/* air_pipe.c -- hot air through a pipe that is cold at first, index 2.
 *
 *   M'   = mi + mo                            mass of the air; flows are positive into the pipe
 *   U'   = mi h(Ti) + mo h(To) - Q            its internal energy
 *   Us'  = Q,  Us = C Ts                      energy of the wall
 *   0    = U - M (u(Ti) + u(To)) / 2
 *   0    = M - V rho(p, T)
 *   0    = T - (Ti + To) / 2                  mean of inlet and outlet
 *   0    = Q - k A (Ti - To) / ln((Ti - Ts) / (To - Ts))
 *
 * Bendtsen & Thomsen (eds.), IMM-REP-1999-8, (10.12), with an ideal gas, u = cv T, h = cp T,
 * rho = p / (R T); the data are ours.  At constant pressure the gas has U = p V cv / R, whatever
 * its temperature: that is hidden in the equations, and is attached.  Its derivative determines the
 * outflow mo, which has index 2.  The logarithm asks for Ts < To: elsewhere the equations cannot be
 * evaluated.
 */
#include "problems/list.h"

#include <math.h>

enum { SIZE = 7 };
enum { MASS, ENERGY, WALL, T_MEAN, T_OUT, OUTFLOW, HEAT };
enum { INLET, INFLOW, TRANSFER };

static const double R = 287, cp = 1004, cv = 1004 - 287, pressure = 1e5;
static const double volume = 0.0785, area = 3.14;        /* 10 m of 0.1 m */
static const double wall_capacity = 23000;               /* 50 kg of steel */
static const double cold = 300, ahead = 1;               /* the wall, and the air at the outlet */

static int mass(double t, const double *y, keel_matrix *M, void *context)
{
    (void)t, (void)y, (void)context;
    keel_put(M, MASS, MASS, 1);
    keel_put(M, ENERGY, ENERGY, 1);
    keel_put(M, WALL, WALL, wall_capacity);
    return 0;
}

static int rhs(double t, const double *y, double *f, void *context)
{
    const double *p = context, in = p[INLET] - y[WALL], out = y[T_OUT] - y[WALL];
    (void)t;
    if (!(in > 0 && out > 0 && y[T_MEAN] > 0 && in != out)) return 1;
    f[MASS] = p[INFLOW] + y[OUTFLOW];
    f[ENERGY] = p[INFLOW] * cp * p[INLET] + y[OUTFLOW] * cp * y[T_OUT] - y[HEAT];
    f[WALL] = y[HEAT];
    f[T_MEAN] = y[ENERGY] - y[MASS] * cv * (p[INLET] + y[T_OUT]) / 2;
    f[T_OUT] = y[MASS] - volume * pressure / (R * y[T_MEAN]);
    f[OUTFLOW] = y[T_MEAN] - (p[INLET] + y[T_OUT]) / 2;
    f[HEAT] = y[HEAT] - p[TRANSFER] * area * (in - out) / log(in / out);
    return 0;
}

static int hidden(double t, const double *y, double *h, void *context)
{
    (void)t, (void)context;
    h[0] = y[ENERGY] - pressure * volume * cv / R;
    return 0;
}

static int hidden_jacobian(double t, const double *y, double *h_y, void *context)
{
    (void)t, (void)y, (void)context;
    for (int j = 0; j < SIZE; j++) h_y[j] = j == ENERGY;
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[] = {"M", "U", "Ts", "T", "To", "mo", "Q"};
    static const char *const rows[] = {"energy of the air"};
    static const int variable_index[SIZE] = {1, 1, 1, 1, 1, 2, 1};
    return keel_quasilinear(problem, &(keel_quasilinear_spec){
        .size = SIZE, .mass = mass, .constant_mass = 1, .rhs = rhs,
        .variable_index = variable_index, .names = names, .context = (void *)parameters,
        .attached = {.rows = 1, .value = hidden, .jacobian = hidden_jacobian, .names = rows}});
}

static void start(const double *parameters, double *y)
{
    const double *p = parameters;
    y[WALL] = cold;
    y[T_OUT] = cold + ahead;
    y[T_MEAN] = (p[INLET] + y[T_OUT]) / 2;
    y[MASS] = volume * pressure / (R * y[T_MEAN]);
    y[ENERGY] = pressure * volume * cv / R;
    y[HEAT] = p[TRANSFER] * area * (p[INLET] - y[T_OUT]) / log((p[INLET] - cold) / ahead);
    y[OUTFLOW] = (y[HEAT] - p[INFLOW] * cp * p[INLET]) / (cp * y[T_OUT]);
}

static const double at_2000[SIZE] = {
    0.0549801274134087, 19611.3240418118, 493.646498501248, 497.487322476375, 494.97464495275,
    -0.0500004789388088, 252.034812554863,
};

const keel_target problem_air_pipe = {
    .name = "air-pipe",
    .title = "Hot air through a cold pipe, an outflow of index 2",
    .source = "Bendtsen & Thomsen (eds.), IMM-REP-1999-8, (10.12); data: ours",
    .index = 2, .size = SIZE, .t_start = 0, .t_end = 2000,
    .parameter_count = 3,
    .parameters = (const keel_parameter[]){
        {"Ti", 500, "temperature of the air at the inlet, K"},
        {"mi", 0.05, "mass flow at the inlet, kg/s"},
        {"k", 25, "heat transfer coefficient, W/(m^2 K)"}},
    .live_parameters = 1,
    .create = create, .start = start,
    .counts = (const unsigned char[SIZE]){1, 1, 1, 1, 1, 1, 1},
    .reference_count = 1,
    .references = (const keel_reference[]){
        {2000, at_2000, 13, "two unknowns, extrapolation in quad precision, two step sizes"},
    },
};
