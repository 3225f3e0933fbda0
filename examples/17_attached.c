/* 17: a pendulum as F(t,y,y') = 0 of index 3.  The equations do not say what is hidden in them; attach
 * it, and an energy that is to stay as it is at the start: then the solver keeps both. */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

enum { X, Y, U, V, L, SIZE };                    /* position, velocity, force of the rod */

static const double gravity = 9.81;

static int residual(double t, const double *y, const double *yp, double *F, void *context)
{
    (void)t, (void)context;
    F[X] = yp[X] - y[U];
    F[Y] = yp[Y] - y[V];
    F[U] = yp[U] + y[X] * y[L];
    F[V] = yp[V] + y[Y] * y[L] + gravity;
    F[L] = y[X] * y[X] + y[Y] * y[Y] - 1;
    return 0;
}

/* The constraint, its first derivative, and the energy. */
static int hidden(double t, const double *y, double *h, void *context)
{
    (void)t, (void)context;
    h[0] = y[X] * y[X] + y[Y] * y[Y] - 1;
    h[1] = y[X] * y[U] + y[Y] * y[V];
    h[2] = (y[U] * y[U] + y[V] * y[V]) / 2 + gravity * y[Y];
    return 0;
}

/* Integrates to t = 50; largest |h| of all steps, the energy less that of the start. */
static int run(const keel_attached *attached, double largest[3])
{
    static const int variable_index[SIZE] = {1, 1, 2, 2, 3};
    const double start[SIZE] = {[X] = 1};
    keel_problem *pendulum = NULL;
    keel_solver *solver = NULL;
    int rc = keel_implicit(&pendulum, &(keel_implicit_spec){
        .size = SIZE, .residual = residual, .variable_index = variable_index,
        .attached = *attached});
    if (!rc) rc = keel_solver_create(&solver, pendulum, &(keel_options){
        .method = "radau-iia", .rtol = 1e-6});
    if (!rc) rc = keel_start(solver, 0, start);
    if (!rc) rc = keel_set_stop_time(solver, 50);
    while (!rc && keel_time(solver) < 50) {
        double h[3];
        rc = keel_step(solver);
        hidden(0, keel_state(solver), h, NULL);
        for (int i = 0; i < 3; i++) largest[i] = fmax(largest[i], fabs(h[i]));
    }
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_reason(rc, pendulum, solver));
    keel_solver_free(solver);
    keel_problem_free(pendulum);
    return rc;
}

int main(void)
{
    static const int kept[] = {0, 0, 1};         /* of the energy, what it is at the start: 0 */
    static const char *const names[] = {"position", "velocity", "energy"};
    double without[3] = {0}, with[3] = {0};
    int rc = run(&(keel_attached){0}, without);
    if (!rc) rc = run(&(keel_attached){.rows = 3, .value = hidden, .kept = kept, .names = names}, with);
    for (int i = 0; !rc && i < 3; i++) {
        printf("%-8s  drift %.1e, attached %.1e\n", names[i], without[i], with[i]);
        if (!(with[i] < 1e-13) || (i > 0 && !(without[i] > 1e-6))) return 1;
    }
    return rc;
}
