/* 28: parameters from noisy measurements, with confidence intervals.
 *
 * A pendulum stands upside down, q'' = (0, -gravity) - damping q' - q lambda, |q| = 1, and its
 * position q1 is measured at 40 times.  Wanted are gravity, damping and the angles at both ends.
 * From its start it can hardly be followed: errors there are 100 000 times as large at the end.
 * With the angles at both ends given, as a boundary value problem, they do not grow.
 * [H. G. Bock, Recent advances in parameter identification techniques for ODE, 1983]
 *
 *   least squares   S(theta) = sum (q1(t_i; theta) - measured_i)^2
 *   Gauss-Newton    theta += C J^T r,  C = (J^T J)^-1,  J by differences of boundary value problems
 *   variance        s^2 = S / (measurements - parameters)
 *   interval        theta_j +- t s sqrt(C_jj),  t the 0.975-quantile of Student's distribution
 *   region          |J (theta - true)|^2 <= parameters s^2 F,  F the 0.95-quantile of Fisher's
 *
 * keel_boundary_set_frame changes gravity and damping, and every solution is the guess of the next.
 * Angles at the ends are no part of the equations: conditions find them by their context.
 *
 * Is 95 % true?  100 fits to noise from seeds 1 to 100: the number of regions, and of intervals for
 * each parameter, with the true values in them is binomial and between 89 and 99 with 99 %
 * probability.  The argument, if there is one, names a file for time, measurement, fit, its
 * interval and the truth of seed 1.
 */
#include <keel/keel.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { GRAVITY, DAMPING, LEFT, RIGHT, PARAMETERS };
enum { MEASUREMENTS = 40, SIZE = 5 };

static const char *const names[] = {"gravity", "damping", "left angle", "right angle"};
static const double truth[PARAMETERS] = {9.81, 0.5, 0.5, 0.4};
static const double length = 4, deviation = 0.005;
static const double student = 2.0281, fisher = 2.6335;     /* 36; 4 and 36 degrees of freedom */
static const double pi = 3.14159265358979323846;

/* ---- the model ------------------------------------------------------------------------------- */

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    const keel_frame *frame = context;
    (void)t, (void)q;
    f[0] = -frame->parameters[DAMPING] * v[0];
    f[1] = -frame->parameters[DAMPING] * v[1] - frame->parameters[GRAVITY];
    return 0;
}

static int rod(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    return 0;
}

static int ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    const double *theta = context;
    (void)p;
    b[0] = ya[0] - sin(theta[LEFT]);
    b[1] = yb[0] - sin(theta[RIGHT]);
    return 0;
}

/* Upright, and near the ends as a linear pendulum leaves and comes. */
static int guess(double t, double *y, double *p, void *context)
{
    const double *theta = context, rate = sqrt(theta[GRAVITY]);
    const double leaves = theta[LEFT] * exp(-rate * t);
    const double comes = theta[RIGHT] * exp(-rate * (length - t)), angle = leaves + comes;
    (void)p;
    y[0] = sin(angle);
    y[1] = cos(angle);
    y[2] = rate * (comes - leaves) * cos(angle);
    y[3] = -rate * (comes - leaves) * sin(angle);
    y[4] = -theta[GRAVITY];
    return 0;
}

static double time_of(int i) { return length * i / (MEASUREMENTS - 1); }

/* `theta` is the context of `boundary`, too. */
static int predict(keel_boundary *boundary, const double *theta, double *q1)
{
    double y[SIZE];
    int rc = keel_boundary_set_frame(boundary, theta);
    if (!rc) rc = keel_boundary_solve(boundary);
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_boundary_message(boundary));
    for (int i = 0; i < MEASUREMENTS && !rc; i++) {
        rc = keel_solution_at(keel_boundary_solution(boundary), time_of(i), y);
        q1[i] = y[0];
    }
    return rc;
}

/* ---- noise: splitmix64, and the method of Box and Muller ------------------------------------- */

static double uniform(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
    const double radius = sqrt(-2 * log(uniform(state)));
    return radius * cos(2 * pi * uniform(state));
}

/* ---- the fit --------------------------------------------------------------------------------- */

typedef struct fit {
    double q1[MEASUREMENTS], J[MEASUREMENTS][PARAMETERS];
    double C[PARAMETERS][PARAMETERS];            /* (J^T J)^-1 */
    double theta[PARAMETERS], s;
} fit;

/* A^-1 in the place of A, symmetric and positive definite, by Gauss and Jordan. */
static void invert(double A[PARAMETERS][PARAMETERS])
{
    for (int k = 0; k < PARAMETERS; k++) {
        const double pivot = 1 / A[k][k];
        A[k][k] = 1;
        for (int j = 0; j < PARAMETERS; j++) A[k][j] *= pivot;
        for (int i = 0; i < PARAMETERS; i++) {
            const double factor = A[i][k];
            if (i == k) continue;
            A[i][k] = 0;
            for (int j = 0; j < PARAMETERS; j++) A[i][j] -= factor * A[k][j];
        }
    }
}

/* Where `theta` is: predictions, their derivatives, and C.  Increments of 1e-3 make an error of as
 * much in J, and so does the tolerance, 1e-6: more would be lost in the noise. */
static int linearize(keel_boundary *boundary, double *theta, fit *f)
{
    double moved[MEASUREMENTS];
    int rc = predict(boundary, theta, f->q1);
    for (int j = 0; j < PARAMETERS && !rc; j++) {
        const double before = theta[j], increment = 1e-3 * (0.1 + fabs(before));
        theta[j] += increment;
        rc = predict(boundary, theta, moved);
        theta[j] = before;
        for (int i = 0; i < MEASUREMENTS; i++) f->J[i][j] = (moved[i] - f->q1[i]) / increment;
    }
    for (int k = 0; k < PARAMETERS; k++)
        for (int j = 0; j < PARAMETERS; j++) {
            f->C[k][j] = 0;
            for (int i = 0; i < MEASUREMENTS; i++) f->C[k][j] += f->J[i][k] * f->J[i][j];
        }
    invert(f->C);
    return rc;
}

/* One step of Gauss and Newton from there; how long it is, in standard errors. */
static double improve(const double *measured, double *theta, fit *f)
{
    double right[PARAMETERS] = {0}, squares = 0, longest = 0;
    for (int i = 0; i < MEASUREMENTS; i++) {
        const double r = measured[i] - f->q1[i];
        squares += r * r;
        for (int j = 0; j < PARAMETERS; j++) right[j] += f->J[i][j] * r;
    }
    f->s = sqrt(squares / (MEASUREMENTS - PARAMETERS));
    for (int j = 0; j < PARAMETERS; j++) {
        double step = 0;
        for (int k = 0; k < PARAMETERS; k++) step += f->C[j][k] * right[k];
        theta[j] += step;
        f->theta[j] = theta[j];
        longest = fmax(longest, fabs(step) / (f->s * sqrt(f->C[j][j])));
    }
    return longest;
}

/* From values that are off by a tenth until steps are a thousandth of what is uncertain anyway. */
static int estimate(keel_boundary *boundary, const double *measured, double *theta, fit *f)
{
    double step = 1;
    int rc = 0;
    for (int j = 0; j < PARAMETERS; j++) theta[j] = 1.1 * truth[j];
    for (int i = 0; i < 20 && !rc && step > 1e-3; i++) {
        rc = linearize(boundary, theta, f);
        if (!rc) step = improve(measured, theta, f);
    }
    if (!rc && step > 1e-3) printf("no minimum found\n");
    return rc ? rc : step > 1e-3;
}

/* ---- intervals and regions ------------------------------------------------------------------- */

static double half_width(const fit *f, int j) { return student * f->s * sqrt(f->C[j][j]); }

static int in_region(const fit *f)
{
    double sum = 0;
    for (int i = 0; i < MEASUREMENTS; i++) {
        double moved = 0;
        for (int j = 0; j < PARAMETERS; j++) moved += f->J[i][j] * (f->theta[j] - truth[j]);
        sum += moved * moved;
    }
    return sum <= PARAMETERS * f->s * f->s * fisher;
}

static void count(const fit *f, int *inside)
{
    for (int j = 0; j < PARAMETERS; j++)
        inside[j] += fabs(f->theta[j] - truth[j]) <= half_width(f, j);
    inside[PARAMETERS] += in_region(f);
}

static void show(const fit *f, const double *measured, const double *exact, FILE *file)
{
    for (int j = 0; j < PARAMETERS; j++)
        printf("%-11s %8.4f +- %.4f, true %g\n", names[j], f->theta[j], half_width(f, j), truth[j]);
    printf("deviation of the noise %.5f, true %g\n", f->s, deviation);
    for (int i = 0; i < MEASUREMENTS && file; i++) {
        double variance = 0;
        for (int j = 0; j < PARAMETERS; j++)
            for (int k = 0; k < PARAMETERS; k++) variance += f->J[i][j] * f->C[j][k] * f->J[i][k];
        fprintf(file, "%g %g %g %g %g\n", time_of(i), measured[i], f->q1[i],
                student * f->s * sqrt(variance), exact[i]);
    }
}

/* ---- many fits ------------------------------------------------------------------------------- */

static int repeat(keel_boundary *boundary, double *theta, int *inside, FILE *file)
{
    enum { SEEDS = 100 };
    double exact[MEASUREMENTS], measured[MEASUREMENTS];
    fit f = {0};
    int rc = predict(boundary, theta, exact);
    for (int seed = 1; seed <= SEEDS && !rc; seed++) {
        uint64_t state = (uint64_t)seed << 32;
        for (int i = 0; i < MEASUREMENTS; i++) measured[i] = exact[i] + deviation * normal(&state);
        rc = estimate(boundary, measured, theta, &f);
        if (!rc) count(&f, inside);
        if (!rc && seed == 1) show(&f, measured, exact, file);
    }
    return rc;
}

int main(int count_of_arguments, char **argument)
{
    double theta[PARAMETERS];
    int inside[PARAMETERS + 1] = {0}, right = 1;
    keel_problem *pendulum = NULL;
    keel_boundary *boundary = NULL;
    FILE *file = count_of_arguments > 1 ? fopen(argument[1], "w") : NULL;
    if (count_of_arguments > 1 && !file) return perror(argument[1]), 1;
    for (int j = 0; j < PARAMETERS; j++) theta[j] = truth[j];
    int rc = keel_mechanical(&pendulum, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .force = force, .constraint = rod,
        .frame = {.parameters = LEFT, .parameter_names = names}});
    if (!rc) rc = keel_boundary_create(&boundary, &(keel_boundary_spec){
        .problem = pendulum, .to = length, .conditions = 2, .condition = ends, .guess = guess,
        .context = theta}, &(keel_boundary_options){.rtol = 1e-6, .atol = 1e-6});
    if (rc) printf("%s: %s%s\n", keel_status_name(rc), keel_problem_message(pendulum),
                   keel_boundary_message(boundary));
    if (!rc) rc = repeat(boundary, theta, inside, file);
    if (file) fclose(file);
    keel_boundary_free(boundary);
    keel_problem_free(pendulum);
    if (rc) return 1;
    for (int j = 0; j <= PARAMETERS; j++) {
        const int one = j < PARAMETERS;
        printf("%3d of 100 in the %s%s\n", inside[j], one ? "interval of the " : "region",
               one ? names[j] : "");
        right = right && inside[j] >= 89 && inside[j] <= 99;
    }
    return right ? 0 : 1;
}
