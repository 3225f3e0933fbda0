/* steam_attemperator.c -- steam cooled by injected water under PI control that saturates.
 *
 *   S e' = m_s h(T_i) + m h_w - (m_s + m) h(T),   h(T) = 3475 + 2.6 (T - 540)   energy, kW
 *   T = T_SP + e,   m_p = K_p e,   m_I' = K_I e,   z_a = m_p + m_I               (10.13a-d)
 *   z_c = z_a between 0 and 1, else the nearer of them,   m = C z_c sqrt(dp / v)  (10.13b,f)
 *   switches z_s = 1 - (m_p + m_I), and m_p + m_I                                (10.13e)
 *
 * Bendtsen & Thomsen (eds.), IMM-REP-1999-8, section 10.2.3, which gives neither parameters nor
 * balances.  Those here are plausible for a boiler of 50 kg/s at 100 bar, and chosen so that z_a
 * is 1 at t = 216.836, where its slope is 3.7e-4 as in table 10.1 and the proportional part alone
 * would be far above 1 (45 K and 14 K of proportional band).  The valve saturates, T stays 9.4 K
 * too high, and the integral winds up.  Temperatures in degrees Celsius, enthalpies in kJ/kg.  The
 * error e, not T, is integrated: rounding T would be 50 times as much.
 */
#include "problems/framed.h"

#include <math.h>

enum { T_INLET, SET_POINT, K_P, K_I };
enum { E, M_I, DIFFERENTIAL };                    /* y */
enum { T, M_P, Z_A, Z_C, M, ALGEBRAIC };         /* z */
enum { SIZE = DIFFERENTIAL + ALGEBRAIC };
enum { CONTROLS = 0, OPEN = 1, CLOSED = -1 };

static const double steam = 50;                  /* m_s, kg/s                             */
static const double water = 852;                 /* h_w: water of 200 degrees             */
static const double storage = 1200;              /* S: steam and walls, kJ/K              */
static const double area = 4.3e-5;               /* C, m^2                                */
static const double pressure = 2e6;              /* dp over the valve, Pa                 */
static const double volume = 1.15e-3;            /* v of the water, m^3/kg                */
static const double capacity = 2.6;              /* of steam, kJ/(kg K)                   */

static double enthalpy(double temperature) { return 3475 + capacity * (temperature - 540); }

static int rhs(double t, const double *y, const double *z, double *f, void *context)
{
    const double *p = parameters_of(context), m = z[M];
    (void)t;
    f[E] = (steam * enthalpy(p[T_INLET]) + m * water - (steam + m) * enthalpy(z[T])) / storage;
    f[M_I] = p[K_I] * y[E];
    return 0;
}

static int constraint(double t, const double *y, const double *z, double *g, void *context)
{
    const double *p = parameters_of(context);
    const int mode = mode_of(context);
    (void)t;
    g[T] = z[T] - (p[SET_POINT] + y[E]);
    g[M_P] = z[M_P] - p[K_P] * y[E];
    g[Z_A] = z[Z_A] - (z[M_P] + y[M_I]);
    g[Z_C] = z[Z_C] - (mode == CONTROLS ? z[Z_A] : mode == OPEN ? 1 : 0);
    g[M] = z[M] - area * z[Z_C] * sqrt(pressure / volume);
    return 0;
}

static int jacobian(double t, const double *y, const double *z, keel_matrix *J, void *context)
{
    const double *p = parameters_of(context);
    enum { Z = DIFFERENTIAL };
    (void)t, (void)y;
    keel_put(J, E, Z + T, -(steam + z[M]) * capacity / storage);
    keel_put(J, E, Z + M, (water - enthalpy(z[T])) / storage);
    keel_put(J, M_I, E, p[K_I]);
    for (int i = 0; i < ALGEBRAIC; i++) keel_put(J, Z + i, Z + i, 1);
    keel_put(J, Z + T, E, -1);
    keel_put(J, Z + M_P, E, -p[K_P]);
    keel_put(J, Z + Z_A, Z + M_P, -1);
    keel_put(J, Z + Z_A, M_I, -1);
    if (mode_of(context) == CONTROLS) keel_put(J, Z + Z_C, Z + Z_A, -1);
    keel_put(J, Z + M, Z + Z_C, -area * sqrt(pressure / volume));
    return 0;
}

static int value(double t, const double *y, const double *yp, double *s, void *context)
{
    const double demand = parameters_of(context)[K_P] * y[E] + y[M_I];
    (void)t, (void)yp;
    s[0] = 1 - demand;
    s[1] = demand;
    return 0;
}

static int action(keel_event *event, void *context)
{
    (void)context;
    event->modes[0] = !event->positive[0] ? OPEN : !event->positive[1] ? CLOSED : CONTROLS;
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[] = {"e", "m_I", "T", "m_p", "z_a", "z_c", "m"};
    static const char *const rows[] = {"temperature", "proportional", "demand", "signal", "valve"};
    static const char *const modes[] = {"valve"}, *const switches[] = {"open", "closed"};
    int rc = keel_semi_explicit(problem, &(keel_semi_explicit_spec){
        .differential = DIFFERENTIAL, .algebraic = ALGEBRAIC, .rhs = rhs, .constraint = constraint,
        .jacobian = jacobian, .names = names, .constraint_names = rows,
        .context = (void *)parameters, .frame = {.modes = 1, .mode_names = modes}});
    if (rc) return rc;
    return keel_switching(problem, *problem, &(keel_switching_spec){
        .switches = 2, .value = value, .names = switches, .action = action});
}

/* The temperature is right until hotter steam comes. */
static void start(const double *parameters, double *y)
{
    double *z = y + DIFFERENTIAL;
    y[E] = z[M_P] = 0;
    y[M_I] = z[Z_A] = z[Z_C] = 0.02;
    z[T] = parameters[SET_POINT];
    z[M] = area * z[Z_C] * sqrt(pressure / volume);
}

static const keel_reference references[] = {
    {500, (const double[]){9.37851452266351, 0.6907284996841061, 524.37851452266351,
                           0.6564960165864457, 1.3472245162705518, 1, 1.793223960890843}, 15,
     "Taylor series, 30 digits; exponentials after the switch"},
};

const keel_target problem_steam_attemperator = {
    .name = "steam-attemperator",
    .title = "Steam cooled by injected water, PI control that saturates",
    .source = "Bendtsen & Thomsen (eds.), IMM-REP-1999-8, section 10.2.3; parameters: Keel's",
    .remark = "  keel run steam-attemperator --method bdf --plot signals.svg "
              "--plot-variables z_a,z_c,m_I\n",
    .index = 1, .size = SIZE, .t_start = 0, .t_end = 500,
    .parameter_count = 4,
    .parameters = (const keel_parameter[]){
        {"inlet", 560, "temperature of the steam at the inlet"},
        {"set-point", 515, "temperature wanted at the outlet"},
        {"gain", 0.07, "K_p, proportional, 1/K"},
        {"integral", 1.33718e-4, "K_I, 1/(K s)"}},
    .create = create, .start = start,
    .counts = (const unsigned char[]){1, 1, 0, 0, 1, 0, 0},
    .reference_count = 1, .references = references,
};
