/* 24: a controller that samples: a clock, values that are held, and a clock that only observes.
 *
 * A cart is to stand at x = 1.  Ten times a second the controller sees position and velocity and
 * sets a force, which is held until the next tick.  A second clock, a hundred times faster, keeps
 * the largest speed: nothing in the equations depends on that, so it costs no steps. */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

enum { FORCE, FASTEST, VALUES };
enum { CONTROLLER, MONITOR, CLOCKS };

static int cart(double t, const double *y, double *f, void *context)
{
    const keel_frame *frame = context;
    (void)t;
    f[0] = y[1];
    f[1] = frame->values[FORCE] - 0.1 * y[1];
    return 0;
}

static int tick(keel_event *event, void *context)
{
    (void)context;
    if (event->ticked[MONITOR])
        event->values[FASTEST] = fmax(event->values[FASTEST], fabs(event->y[1]));
    if (event->ticked[CONTROLLER]) event->values[FORCE] = 4 * (1 - event->y[0]) - 3 * event->y[1];
    else event->smooth = 1;                      /* no equation sees what has changed */
    return 0;
}

int main(void)
{
    static const char *const values[] = {"force", "fastest"};
    static const char *const clock_names[] = {"controller", "monitor"};
    const keel_clock clocks[CLOCKS] = {[CONTROLLER] = {.interval = 0.1},
                                       [MONITOR] = {.interval = 0.001, .observes = 1}};
    keel_problem *problem = NULL;
    keel_solver *solver = NULL;
    double start[2] = {0, 0};
    int rc = keel_ode(&problem, &(keel_ode_spec){
        .size = 2, .rhs = cart, .frame = {.values = VALUES, .value_names = values}});
    if (!rc) rc = keel_switching(&problem, problem, &(keel_switching_spec){
        .clocks = CLOCKS, .clock = clocks, .clock_names = clock_names, .action = tick});
    if (!rc) rc = keel_solver_create(&solver, problem, &(keel_options){.rtol = 1e-8});
    if (!rc) rc = keel_start(solver, 0, start);
    for (int k = 1; k <= 5 && !rc; k++) {
        rc = keel_advance_to(solver, k);
        const keel_frame *frame = keel_solver_frame(solver);
        if (!rc) printf("t = %d: x = %.8f, force %.6f, fastest so far %.6f\n", k,
                        keel_state(solver)[0], frame->values[FORCE], frame->values[FASTEST]);
    }
    if (!rc) printf("%ld ticks, %ld of them began a new step; %ld steps\n",
                    keel_event_count(solver), keel_solver_stats(solver)->restarts,
                    keel_solver_stats(solver)->accepted);
    else printf("%s: %s\n", keel_status_name(rc), keel_reason(rc, problem, solver));
    keel_solver_free(solver);
    keel_problem_free(problem);
    return rc != KEEL_OK;
}
