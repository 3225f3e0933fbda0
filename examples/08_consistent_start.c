/* 08: initial values are made consistent, also with an equation of your own, or the message names the
 * values that conflict. */
#include <keel/keel.h>
#include <stdio.h>

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = 0, f[1] = -1;
    return 0;
}

static int circle(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

/* kinetic and potential energy, to be 1 */
static int energy(double t, const double *y, const double *yp, double *value, void *context)
{
    (void)t, (void)yp, (void)context;
    value[0] = 0.5 * (y[2] * y[2] + y[3] * y[3]) + y[1] - 1;
    return 0;
}

static void show(const keel_solver *solver, const char *what, int rc)
{
    printf("%s\n   ", what);
    for (int i = 0; i < 5 && !rc; i++)
        printf(" %s = %.4f", keel_variable_name(keel_solver_problem(solver), i),
               keel_state(solver)[i]);
    printf("%s\n", rc ? keel_message(solver) : "");
}

int main(void)
{
    static const char *const names[] = {"x", "y", "vx", "vy", "tension"};
    const double given[5] = {0.9, -0.6, 1, 1, 0};
    const keel_mark keep_x[5] = {KEEL_FIXED, KEEL_GUESS, KEEL_FIXED, KEEL_GUESS, KEEL_FREE};
    const keel_mark keep_both[5] = {KEEL_FIXED, KEEL_FIXED, KEEL_GUESS, KEEL_GUESS, KEEL_FREE};
    keel_problem *problem = NULL;
    keel_solver *solver = NULL;
    int conflict = 0, rc = keel_mechanical(&problem, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .force = force, .constraint = circle, .names = names});
    if (!rc) rc = keel_solver_create(&solver, problem, NULL);
    if (!rc) {
        rc = keel_start(solver, 0, given);
        show(solver, "nothing fixed: the nearest point", rc);
    }
    if (!rc) {
        rc = keel_start_marked(solver, 0, given, NULL, keep_x);
        show(solver, "x and vx fixed: y and vy move", rc);
    }
    if (!rc) {
        rc = keel_start_with(solver, &(keel_start_spec){.y = given, .equations = 1,
                                                        .equation = energy});
        show(solver, "nothing fixed, but the energy prescribed: the speed follows", rc);
    }
    if (!rc) {
        conflict = keel_start_marked(solver, 0, given, NULL, keep_both);
        show(solver, "x and y fixed: a conflict", conflict);
    }
    keel_solver_free(solver);
    keel_problem_free(problem);
    return rc != KEEL_OK || conflict != KEEL_INCONSISTENT;
}
