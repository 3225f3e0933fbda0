/* levelled_hessenberg.c -- the same index-2 problem as Hessenberg and as levelled problem.
 *
 *   q' = v,  v' = -l q - (0, 9.81),  0 = q . v          a pendulum by its velocity constraint
 *
 * usage: levelled_hessenberg [TOLERANCE ...]     prints steps, evaluations, |error| of x(20), CPU time and
 * its ratio, levelled / Hessenberg.  Instructions: valgrind --tool=callgrind
 * --toggle-collect=keel_advance_to levelled_hessenberg FORM METHOD TOLERANCE, one run. */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double gravity = 9.81, t_end = 20;

static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[2], f[1] = y[3];
    f[2] = -z[0] * y[0], f[3] = -z[0] * y[1] - gravity;
    return 0;
}

static void put_rate(const double *y, const double *z, keel_matrix *J)
{
    for (int i = 0; i < 2; i++) {
        keel_put(J, i, 2 + i, 1);
        keel_put(J, 2 + i, i, -z[0]);
        keel_put(J, 2 + i, 4, -y[i]);
    }
}

/* ---- Hessenberg ------------------------------------------------------------------------------- */

static int velocity(double t, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = y[0] * y[2] + y[1] * y[3];
    return 0;
}

static int velocity_jacobian(double t, const double *y, double *g_y, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < 4; i++) g_y[i] = y[(i + 2) % 4];
    return 0;
}

static int velocity_time(double t, const double *y, double *g_t, void *context)
{
    (void)t, (void)y, (void)context;
    g_t[0] = 0;
    return 0;
}

static int hessenberg_jacobian(double t, const double *y, const double *z, keel_matrix *J, void *context)
{
    (void)t, (void)context;
    put_rate(y, z, J);
    for (int i = 0; i < 4; i++) keel_put(J, 4, i, y[(i + 2) % 4]);
    return 0;
}

/* ---- levelled --------------------------------------------------------------------------------- */

static int level(double t, const double *y, const double *z, int k, double *h, void *context)
{
    if (k == 1) return velocity(t, y, h, context);
    h[0] = y[2] * y[2] + y[3] * y[3] - z[0] * (y[0] * y[0] + y[1] * y[1]) - gravity * y[1];
    return 0;
}

static int levelled_jacobian(double t, const double *y, const double *z, keel_matrix *J, void *context)
{
    (void)t, (void)context;
    put_rate(y, z, J);
    for (int i = 0; i < 2; i++) {
        keel_put(J, 4, i, -2 * z[0] * y[i] - (i == 1 ? gravity : 0));
        keel_put(J, 4, 2 + i, 2 * y[2 + i]);
    }
    keel_put(J, 4, 4, -(y[0] * y[0] + y[1] * y[1]));
    return 0;
}

static int level_jacobian(double t, const double *y, int k, keel_matrix *h_y, void *context)
{
    (void)t, (void)k, (void)context;
    for (int i = 0; i < 4; i++) keel_put(h_y, 4, i, y[(i + 2) % 4]);
    return 0;
}

/* ---- both ------------------------------------------------------------------------------------- */

static int create(keel_problem **p, int levelled)
{
    static const int chain[] = {1};
    if (levelled)
        return keel_levelled(p, &(keel_levelled_spec){
            .differential = 4, .algebraic = 1, .chain = chain, .rate = rate, .level = level,
            .jacobian = levelled_jacobian, .level_jacobian = level_jacobian});
    return keel_hessenberg2(p, &(keel_hessenberg2_spec){
        .differential = 4, .multipliers = 1, .rhs = rate, .constraint = velocity,
        .constraint_jacobian = velocity_jacobian, .constraint_time = velocity_time,
        .jacobian = hessenberg_jacobian});
}

/* CPU seconds; prints the rest. */
static double run(int levelled, const char *method, double tolerance)
{
    static const double reference = -0.9969071740;               /* radau-iia, 1e-12, both forms */
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    const double start[5] = {1};
    int rc = create(&p, levelled);
    const keel_options options = {.method = method, .rtol = tolerance, .atol = tolerance};
    if (!rc) rc = keel_solver_create(&s, p, &options);
    if (!rc) rc = keel_start(s, 0, start);
    const clock_t before = clock();
    if (!rc) rc = keel_advance_to(s, t_end);
    const double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    if (rc) fprintf(stderr, "%s\n", keel_reason(rc, p, s));
    if (rc) exit(1);
    const keel_stats *stats = keel_solver_stats(s);
    printf(" | %6ld %6ld  %7.1e", (long)stats->accepted, (long)stats->rhs,
           fabs(keel_state(s)[0] - reference));
    keel_solver_free(s);
    keel_problem_free(p);
    return seconds;
}

int main(int argc, char **argv)
{
    static const char *const methods[] = {"auto", "radau-iia", "bdf"};
    static const char *const tolerances[] = {"1e-4", "1e-6", "1e-8"};
    if (argc == 4 && strspn(argv[1], "hl")) {
        run(argv[1][0] == 'l', argv[2], atof(argv[3]));
        putchar('\n');
        return 0;
    }
    printf("%-10s %6s | %6s %6s  %7s | %6s %6s  %7s | time\n", "method", "tol", "steps", "rhs", "error",
           "steps", "rhs", "error");
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < (argc > 1 ? argc - 1 : 3); k++) {
            const char *tolerance = argc > 1 ? argv[k + 1] : tolerances[k];
            printf("%-10s %6s", methods[m], tolerance);
            const double hessenberg = run(0, methods[m], atof(tolerance));
            const double levelled = run(1, methods[m], atof(tolerance));
            printf(" | %.2f\n", levelled / hessenberg);
        }
    return 0;
}
