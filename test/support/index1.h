/* index1.h -- two systems of index 1 in three forms, whose algebraic unknowns are hard to guess.
 *
 *   diode   C v' = i,  0 = E - v - R i - d,  0 = i - I_s (exp(d/V_T) - 1)     unknowns (v; d, i)
 *           E = 12 V, R = 1 kOhm, C = 1 uF, I_s = 1e-14 A, V_T = 0.0259 V: a source that charges a
 *           capacitor through a resistor and a diode
 *   cubic   y1' = z,  y2' = -y1,  0 = z^3 + z - y1 y2                         unknowns (y1, y2; z)
 *
 * as y' = f, 0 = g; as M x' = f(x); and as F(x,x') = 0.  From d = i = 0 the first Newton step for
 * the diode ends near d = E, with a current of 1e187 A, and each of the next brings d back by V_T
 * only.  The consistent values follow from one equation of one unknown each:
 *
 *   R i + V_T log(1 + i/I_s) = E - v  by bisection,
 *   z = 2/sqrt(3) sinh(asinh(3 sqrt(3)/2 y1 y2)/3)
 */
#ifndef KEEL_TEST_SUPPORT_INDEX1_H
#define KEEL_TEST_SUPPORT_INDEX1_H

#include <math.h>

#include "keel/keel.h"

enum { INDEX1_SIZE = 3 };

/* What the three forms of a system are made of: x' = f in the first `differential` rows, 0 = f in
 * the others, with the Jacobian f_x by rows. */
typedef struct index1_system {
    const char *name;
    int differential;
    double start[INDEX1_SIZE];              /* differential unknowns, and 0 for the others    */
    double t_end;
    void (*rate)(const double *x, double *f);
    void (*jacobian)(const double *x, double f_x[INDEX1_SIZE][INDEX1_SIZE]);
    void (*consistent)(double *x);          /* algebraic unknowns that belong to the others   */
} index1_system;

/* ---- diode -------------------------------------------------------------------------------- */

static const double diode_source = 12, diode_resistor = 1000, diode_capacitor = 1e-6,
                    diode_saturation = 1e-14, diode_thermal = 0.0259;

static inline void diode_rate(const double *x, double *f)
{
    f[0] = x[2] / diode_capacitor;
    f[1] = diode_source - x[0] - diode_resistor * x[2] - x[1];
    f[2] = x[2] - diode_saturation * expm1(x[1] / diode_thermal);
}

static inline void diode_jacobian(const double *x, double f_x[INDEX1_SIZE][INDEX1_SIZE])
{
    f_x[0][2] = 1 / diode_capacitor;
    f_x[1][0] = f_x[1][1] = -1;
    f_x[1][2] = -diode_resistor;
    f_x[2][1] = -diode_saturation / diode_thermal * exp(x[1] / diode_thermal);
    f_x[2][2] = 1;
}

/* R i + V_T log(1 + i/I_s) grows with i from 0 at i = 0; here for v <= E. */
static inline void diode_consistent(double *x)
{
    const double rest = diode_source - x[0];
    double low = 0, high = rest / diode_resistor;
    for (int k = 0; k < 200; k++) {
        const double i = (low + high) / 2;
        const double drop = diode_resistor * i + diode_thermal * log1p(i / diode_saturation);
        *(drop < rest ? &low : &high) = i;
    }
    x[2] = (low + high) / 2;
    x[1] = diode_thermal * log1p(x[2] / diode_saturation);
}

/* ---- cubic -------------------------------------------------------------------------------- */

static inline void cubic_rate(const double *x, double *f)
{
    f[0] = x[2];
    f[1] = -x[0];
    f[2] = x[2] * x[2] * x[2] + x[2] - x[0] * x[1];
}

static inline void cubic_jacobian(const double *x, double f_x[INDEX1_SIZE][INDEX1_SIZE])
{
    f_x[0][2] = 1;
    f_x[1][0] = -1;
    f_x[2][0] = -x[1];
    f_x[2][1] = -x[0];
    f_x[2][2] = 3 * x[2] * x[2] + 1;
}

static inline void cubic_consistent(double *x)
{
    x[2] = 2 / sqrt(3) * sinh(asinh(1.5 * sqrt(3) * x[0] * x[1]) / 3);
}

static const index1_system index1_diode = {"diode", 1, {0}, 1e-3, diode_rate, diode_jacobian,
                                           diode_consistent};
static const index1_system index1_cubic = {"cubic", 2, {1, 0.5}, 1, cubic_rate, cubic_jacobian,
                                           cubic_consistent};

/* ---- the three forms ---------------------------------------------------------------------- */

static inline void index1_join(const index1_system *s, const double *y, const double *z, double *x)
{
    for (int i = 0; i < INDEX1_SIZE; i++)
        x[i] = i < s->differential ? y[i] : z[i - s->differential];
}

static inline int index1_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    const index1_system *s = context;
    double x[INDEX1_SIZE], all[INDEX1_SIZE];
    (void)t;
    index1_join(s, y, z, x);
    s->rate(x, all);
    for (int i = 0; i < s->differential; i++) f[i] = all[i];
    return 0;
}

static inline int index1_constraint(double t, const double *y, const double *z, double *g,
                                    void *context)
{
    const index1_system *s = context;
    double x[INDEX1_SIZE], all[INDEX1_SIZE];
    (void)t;
    index1_join(s, y, z, x);
    s->rate(x, all);
    for (int i = s->differential; i < INDEX1_SIZE; i++) g[i - s->differential] = all[i];
    return 0;
}

/* J = factor f_x + shift diag(1, ..., 1, 0, ..., 0) */
static inline int index1_matrix(const index1_system *s, const double *x, double factor,
                                double shift, keel_matrix *J)
{
    double f_x[INDEX1_SIZE][INDEX1_SIZE] = {{0}};
    s->jacobian(x, f_x);
    for (int i = 0; i < INDEX1_SIZE; i++)
        for (int j = 0; j < INDEX1_SIZE; j++)
            keel_put(J, i, j, factor * f_x[i][j] + (i == j && i < s->differential ? shift : 0));
    return 0;
}

static inline int index1_semi_explicit_jacobian(double t, const double *y, const double *z,
                                                keel_matrix *J, void *context)
{
    const index1_system *s = context;
    double x[INDEX1_SIZE];
    (void)t;
    index1_join(s, y, z, x);
    return index1_matrix(s, x, 1, 0, J);
}

static inline int index1_mass(double t, const double *x, keel_matrix *M, void *context)
{
    const index1_system *s = context;
    (void)t, (void)x;
    for (int i = 0; i < s->differential; i++) keel_put(M, i, i, 1);
    return 0;
}

static inline int index1_all_rates(double t, const double *x, double *f, void *context)
{
    const index1_system *s = context;
    (void)t;
    s->rate(x, f);
    return 0;
}

static inline int index1_quasilinear_jacobian(double t, const double *x, keel_matrix *J,
                                              void *context)
{
    (void)t;
    return index1_matrix(context, x, 1, 0, J);
}

static inline int index1_residual(double t, const double *x, const double *xp, double *F,
                                  void *context)
{
    const index1_system *s = context;
    (void)t;
    s->rate(x, F);
    for (int i = 0; i < INDEX1_SIZE; i++) F[i] = (i < s->differential ? xp[i] : 0) - F[i];
    return 0;
}

static inline int index1_implicit_jacobian(double t, const double *x, const double *xp,
                                           double shift, keel_matrix *J, void *context)
{
    (void)t, (void)xp;
    return index1_matrix(context, x, -1, shift, J);
}

typedef enum index1_form { INDEX1_SEMI_EXPLICIT, INDEX1_QUASILINEAR, INDEX1_IMPLICIT,
                           INDEX1_FORMS } index1_form;

static inline int index1_make(keel_problem **problem, const index1_system *s, index1_form form)
{
    if (form == INDEX1_SEMI_EXPLICIT)
        return keel_semi_explicit(problem, &(keel_semi_explicit_spec){
            .differential = s->differential, .algebraic = INDEX1_SIZE - s->differential,
            .rhs = index1_rhs, .constraint = index1_constraint,
            .jacobian = index1_semi_explicit_jacobian, .context = (void *)s});
    if (form == INDEX1_QUASILINEAR)
        return keel_quasilinear(problem, &(keel_quasilinear_spec){
            .size = INDEX1_SIZE, .mass = index1_mass, .constant_mass = 1, .rhs = index1_all_rates,
            .jacobian = index1_quasilinear_jacobian, .context = (void *)s});
    return keel_implicit(problem, &(keel_implicit_spec){
        .size = INDEX1_SIZE, .residual = index1_residual, .jacobian = index1_implicit_jacobian,
        .context = (void *)s});
}

#endif
