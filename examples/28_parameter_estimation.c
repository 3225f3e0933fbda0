/* 28: parameters from noisy measurements, with confidence intervals.
 *
 * A pendulum stands upside down, q'' = (0, -gravity) - damping q' - q lambda, |q| = 1, and its
 * position q1 is measured at 40 times.  Wanted are gravity, damping and the angles at both ends.
 * From its start it can hardly be followed: errors there are 100 000 times as large at the end.
 * With the angles at both ends given, as a boundary value problem, they do not grow.
 * [H. G. Bock, Recent advances in parameter identification techniques for ODE, 1983]
 *
 * keel_fit minimises the sum of squares; the angles, which are parameters of the frame although only
 * conditions depend on them, come to these in p, in the order in which they are looked for.
 *   interval        theta_j +- t s sqrt(C_jj),  t the 0.975-quantile of Student's distribution
 *   region          |J (theta - true)|^2 <= parameters s^2 F,  F the 0.95-quantile of Fisher's
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
static const double fisher = 2.6335;             /* 4 and 36 degrees of freedom */
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

static int ends(const double *ya, const double *yb, const double *theta, double *b, void *context)
{
    (void)context;
    b[0] = ya[0] - sin(theta[LEFT]);
    b[1] = yb[0] - sin(theta[RIGHT]);
    return 0;
}

/* Upright, and near the ends as a linear pendulum leaves and comes. */
static int guess(double t, double *y, double *theta, void *context)
{
    const double rate = sqrt(theta[GRAVITY]), leaves = theta[LEFT] * exp(-rate * t);
    const double comes = theta[RIGHT] * exp(-rate * (length - t)), angle = leaves + comes;
    (void)context;
    y[0] = sin(angle);
    y[1] = cos(angle);
    y[2] = rate * (comes - leaves) * cos(angle);
    y[3] = -rate * (comes - leaves) * sin(angle);
    y[4] = -theta[GRAVITY];
    return 0;
}

static double time_of(int i) { return length * i / (MEASUREMENTS - 1); }

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

/* ---- intervals and regions ------------------------------------------------------------------- */

static int in_region(const keel_fit_result *f)
{
    double sum = 0;
    for (int i = 0; i < MEASUREMENTS; i++) {
        double moved = 0;
        for (int j = 0; j < PARAMETERS; j++)
            moved += f->sensitivity[i * PARAMETERS + j] * (f->value[j] - truth[j]);
        sum += moved * moved;
    }
    return sum <= PARAMETERS * f->noise * f->noise * fisher;
}

static void count(const keel_fit_result *f, int *inside)
{
    for (int j = 0; j < PARAMETERS; j++)
        inside[j] += fabs(f->value[j] - truth[j]) <= f->half_width[j];
    inside[PARAMETERS] += in_region(f);
}

static void show(const keel_fit_result *f, const double *measured, const double *exact, FILE *file)
{
    const double student = f->half_width[0] / f->deviation[0];
    for (int j = 0; j < PARAMETERS; j++)
        printf("%-11s %8.4f +- %.4f, true %g\n", names[j], f->value[j], f->half_width[j], truth[j]);
    printf("deviation of the noise %.5f, true %g\n", f->noise, deviation);
    for (int i = 0; i < MEASUREMENTS && file; i++) {
        const double *J = f->sensitivity + i * PARAMETERS;
        double variance = 0;
        for (int j = 0; j < PARAMETERS; j++)
            for (int k = 0; k < PARAMETERS; k++)
                variance += J[j] * f->covariance[j * PARAMETERS + k] * J[k];
        fprintf(file, "%g %g %g %g %g\n", time_of(i), measured[i], f->predicted[i],
                student * sqrt(variance), exact[i]);
    }
}

/* ---- many fits ------------------------------------------------------------------------------- */

/* What would be measured without noise: the parameters are known, and conditions find them in p as
 * unknown ones that further conditions determine. */
static int known_ends(const double *ya, const double *yb, const double *theta, double *b, void *context)
{
    for (int j = 0; j < PARAMETERS; j++) b[2 + j] = theta[j] - truth[j];
    return ends(ya, yb, theta, b, context);
}

static int predict(const keel_problem *pendulum, double *exact)
{
    keel_boundary *boundary = NULL;
    double y[SIZE];
    int rc = keel_boundary_create(&boundary, &(keel_boundary_spec){
        .problem = pendulum, .to = length, .conditions = 2 + PARAMETERS, .condition = known_ends,
        .parameters = PARAMETERS, .guess = guess}, &(keel_boundary_options){.rtol = 1e-8, .atol = 1e-8});
    if (!rc) rc = keel_boundary_solve(boundary);
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_boundary_message(boundary));
    for (int i = 0; i < MEASUREMENTS && !rc; i++) {
        rc = keel_solution_at(keel_boundary_solution(boundary), time_of(i), y);
        exact[i] = y[0];
    }
    keel_boundary_free(boundary);
    return rc;
}

static int repeat(keel_fit *fit, const double *exact, int *inside, FILE *file)
{
    enum { SEEDS = 100 };
    double start[PARAMETERS], measured[MEASUREMENTS];
    int rc = 0;
    for (int j = 0; j < PARAMETERS; j++) start[j] = 1.1 * truth[j];
    for (int seed = 1; seed <= SEEDS && !rc; seed++) {
        uint64_t state = (uint64_t)seed << 32;
        for (int i = 0; i < MEASUREMENTS; i++) measured[i] = exact[i] + deviation * normal(&state);
        rc = keel_fit_measure(fit, measured);
        if (!rc) rc = keel_fit_run(fit, start);
        if (!rc) count(keel_fit_result_of(fit), inside);
        if (!rc && seed == 1) show(keel_fit_result_of(fit), measured, exact, file);
    }
    return rc;
}

static int fit_all(const keel_problem *pendulum, int *inside, FILE *file)
{
    double exact[MEASUREMENTS];
    keel_measurement measurement[MEASUREMENTS];
    keel_fit *fit = NULL;
    int rc = predict(pendulum, exact);
    for (int i = 0; i < MEASUREMENTS && !rc; i++)
        measurement[i] = (keel_measurement){.t = time_of(i), .unknown = 0, .value = exact[i]};
    if (!rc)
        rc = keel_fit_create(&fit, &(keel_boundary_spec){
            .problem = pendulum, .to = length, .conditions = 2, .condition = ends, .guess = guess},
            &(keel_boundary_options){.rtol = 1e-6, .atol = 1e-6},
            &(keel_fit_options){.parameters = PARAMETERS, .measurements = MEASUREMENTS,
                                .measurement = measurement});
    if (!rc) rc = repeat(fit, exact, inside, file);
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_fit_message(fit));
    keel_fit_free(fit);
    return rc;
}

int main(int count_of_arguments, char **argument)
{
    int inside[PARAMETERS + 1] = {0}, right = 1;
    keel_problem *pendulum = NULL;
    FILE *file = count_of_arguments > 1 ? fopen(argument[1], "w") : NULL;
    if (count_of_arguments > 1 && !file) return perror(argument[1]), 1;
    int rc = keel_mechanical(&pendulum, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .force = force, .constraint = rod,
        .frame = {.parameters = PARAMETERS, .parameter_start = truth, .parameter_names = names}});
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_problem_message(pendulum));
    if (!rc) rc = fit_all(pendulum, inside, file);
    if (file) fclose(file);
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
