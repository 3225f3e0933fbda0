/* stick_slip.c -- a block on a moving belt, held by a spring: dry friction.
 *
 *   stick:  x' = v,  v' = 0,  v = belt,                    while |x| <= hold
 *   slip:   x' = v,  v' = -x + direction drag,             while direction (belt - v) > 0
 *
 * with mass and stiffness 1, `hold` the largest force of static friction, `drag` that of sliding,
 * and direction = 1 where the block is slower than the belt, -1 where it is faster.  One mode:
 * direction, or 0 while it sticks.  A block that comes to the velocity of the belt sticks if
 * friction can hold it, else it slides on in the other direction.
 *
 * Exact, for drag < hold and belt > 0, from x = 0 sticking: it breaks loose at x = hold, then x =
 * drag + (hold - drag) cos s + belt sin s, sticks again after s = 2 pi - 2 atan((hold - drag)/belt)
 * at x = 2 drag - hold, and so on: period 2 (hold - drag) / belt + s.
 */
#include "problems/framed.h"

#include <math.h>

enum { BELT, HOLD, DRAG };

static int rhs(double t, const double *y, double *f, void *context)
{
    const int direction = mode_of(context);
    (void)t;
    f[0] = y[1];
    f[1] = direction == 0 ? 0 : direction * parameters_of(context)[DRAG] - y[0];
    return 0;
}

static int jacobian(double t, const double *y, keel_matrix *f_y, void *context)
{
    const int direction = mode_of(context);
    (void)t, (void)y;
    keel_put(f_y, 0, 1, 1);
    keel_put(f_y, 1, 0, direction == 0 ? 0 : -1);
    return 0;
}

/* What does not matter at present is on the side where it will be: friction holds when the block
 * begins to stick (if not, that is a crossing); there is no slip when it breaks loose. */
static int value(double t, const double *y, const double *yp, double *s, void *context)
{
    const int direction = mode_of(context);
    const double *p = parameters_of(context);
    (void)t, (void)yp;
    s[0] = direction == 0 ? p[HOLD] - fabs(y[0]) : 1;
    s[1] = direction == 0 ? -1 : direction * (p[BELT] - y[1]);
    return 0;
}

static int action(keel_event *event, void *context)
{
    const double *p = parameters_of(context);
    if (!event->positive[0]) event->modes[0] = event->y[0] > 0 ? 1 : -1;
    if (event->crossed[1]) {
        event->modes[0] = fabs(event->y[0]) < p[HOLD] ? 0 : -event->modes[0];
        event->y[1] = p[BELT];
    }
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[] = {"x", "v"}, *const modes[] = {"direction"};
    static const char *const switches[] = {"breaks loose", "sticks"};
    static const int falling[] = {KEEL_FALLING, KEEL_FALLING};
    int rc = keel_ode(problem, &(keel_ode_spec){
        .size = 2, .rhs = rhs, .jacobian = jacobian, .names = names, .context = (void *)parameters,
        .frame = {.modes = 1, .mode_names = modes}});
    if (rc) return rc;
    return keel_switching(problem, *problem, &(keel_switching_spec){
        .switches = 2, .value = value, .names = switches, .directions = falling,
        .action = action});
}

static void start(const double *parameters, double *y)
{
    y[0] = 0;
    y[1] = parameters[BELT];
}

static void exact(const double *parameters, double t, double *y)
{
    const double belt = parameters[BELT], drag = parameters[DRAG];
    const double excess = parameters[HOLD] - drag, stick = 2 * excess / belt;
    const double slip = 2 * acos(-1) - 2 * atan2(excess, belt);
    const double s = fmod(t - parameters[HOLD] / belt, stick + slip);
    const int sticks = s < 0 || s > slip;
    const double since = s < 0 ? t : s - slip, from = s < 0 ? 0 : drag - excess;
    y[0] = sticks ? from + belt * since : drag + excess * cos(s) + belt * sin(s);
    y[1] = sticks ? belt : belt * cos(s) - excess * sin(s);
}

/* The wall, the spring, the block, and the belt. */
static int sketch(const double *parameters, double t, const double *y, keel_shape *shapes, int room)
{
    const double x = y[0], b = 0.15;
    const keel_shape all[] = {
        {-2, 0, -2, 0.5, 0}, {-2, b, x - b, b, 0}, {-2, 0, 2, 0, 0},
        {x - b, 0, x + b, 0, 0}, {x + b, 0, x + b, 2 * b, 0}, {x + b, 2 * b, x - b, 2 * b, 0},
        {x - b, 2 * b, x - b, 0, 0}};
    (void)parameters, (void)t;
    for (int i = 0; i < 7 && i < room; i++) shapes[i] = all[i];
    return 7;
}

const keel_target problem_stick_slip = {
    .name = "stick-slip",
    .title = "Block on a moving belt with dry friction",
    .source = "J. P. Den Hartog, Mechanical Vibrations, 4th ed. (1956), section 7.5",
    .index = 0, .size = 2, .t_start = 0, .t_end = 50,
    .parameter_count = 3,
    .parameters = (const keel_parameter[]){
        {"belt", 0.2, "its velocity"},
        {"hold", 1, "largest force of static friction"},
        {"drag", 0.6, "force of sliding friction"}},
    .bounds = (const double[][2]){{1e-3, 1e3}, {1e-3, 1e3}, {0, 1e3}},
    .create = create, .start = start, .exact = exact,
    .counts = (const unsigned char[]){1, 1}, .sketch = sketch,
};
