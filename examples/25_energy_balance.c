/* 20: a pendulum in air with a motor.  Its energy is not constant, but what it gains or loses is known:
 * the power of drag and motor, integrated as one more unknown w.  The balance E - w is an invariant,
 * and the solver keeps it. */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

enum { ANGLE, SPEED, WORK, SIZE };

static const double gravity = 9.81, drag = 0.2, torque = 1.5;

static double power(double t, double speed)
{
    return (torque * cos(2 * t) - drag * speed * fabs(speed)) * speed;
}

static int rhs(double t, const double *y, double *f, void *context)
{
    (void)context;
    f[ANGLE] = y[SPEED];
    f[SPEED] = -gravity * sin(y[ANGLE]) + torque * cos(2 * t) - drag * y[SPEED] * fabs(y[SPEED]);
    f[WORK] = power(t, y[SPEED]);
    return 0;
}

static int balance(double t, const double *y, double *h, void *context)
{
    (void)t, (void)context;
    h[0] = y[SPEED] * y[SPEED] / 2 - gravity * cos(y[ANGLE]) - y[WORK];
    return 0;
}

/* To t = 100; how far the balance is off, at most. */
static int run(keel_projection projection, keel_invariant *found, double *work)
{
    static const int kept[] = {1};
    static const char *const names[] = {"energy balance"};
    const double start[SIZE] = {[ANGLE] = 2};
    keel_problem *pendulum = NULL;
    keel_solver *solver = NULL;
    int rc = keel_ode(&pendulum, &(keel_ode_spec){
        .size = SIZE, .rhs = rhs,
        .attached = {.rows = 1, .value = balance, .kept = kept, .names = names}});
    if (!rc) rc = keel_solver_create(&solver, pendulum, &(keel_options){
        .method = "dopri5", .rtol = 1e-6, .projection = projection});
    if (!rc) rc = keel_start(solver, 0, start);
    if (!rc) rc = keel_advance_to(solver, 100);
    if (!rc) rc = keel_invariant_at(solver, 0, found);
    if (!rc) *work = keel_state(solver)[WORK];
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_reason(rc, pendulum, solver));
    found->name = "energy balance";              /* that of the problem ends with it */
    keel_solver_free(solver);
    keel_problem_free(pendulum);
    return rc;
}

int main(void)
{
    keel_invariant without = {0}, with = {0};
    double work = 0;
    int rc = run(KEEL_PROJECT_NONE, &without, &work);
    if (!rc) rc = run(KEEL_PROJECT_OBLIQUE, &with, &work);
    if (rc) return 1;
    printf("work of drag and motor %.4f\n%s: off by %.1e, projected %.1e\n", work, with.name,
           without.largest, with.largest);
    return with.largest < 1e-12 && without.largest > 1e-7 && fabs(work) > 1 ? 0 : 1;
}
