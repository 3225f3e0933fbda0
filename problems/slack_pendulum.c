/* slack_pendulum.c -- a ball on a string: tight, of index 3, or slack, without a constraint.
 *
 *   tight:  u'' = (0, -gravity) - 2 u lambda,   0 = |u|^2 - 1,     until lambda falls to 0
 *   slack:  u'' = (0, -gravity),                                   until |u|^2 - 1 rises to 0
 *
 * When the string becomes tight its velocity jumps along M^-1 G^T, so that G v = 0: an inelastic
 * impulse.  Two structures; unknowns go from one to the other by their names, and lambda does not
 * exist in the second.  The string leaves its circle with three derivatives in common: |u|^2 - 1 =
 * t^3 (a + b t), t counted from there, which is how the reference knows when it is tight again.
 */
#include "problems/framed.h"
#include "problems/pendulum.h"

#include <math.h>

enum { GRAVITY, SPEED };
enum { TIGHT, SLACK };

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v;
    f[0] = 0;
    f[1] = -parameters_of(context)[GRAVITY];
    return 0;
}

/* What does not matter at present is on the side where it will be when it does: a string that
 * becomes tight pulls (if not, that is a crossing); when it becomes slack its length is 1, but for
 * rounding, and must not count as rising to that. */
static int value(double t, const double *y, const double *yp, double *s, void *context)
{
    const int slack = mode_of(context) == SLACK;
    (void)t, (void)yp;
    s[0] = slack ? 1 : y[4];
    s[1] = slack ? y[0] * y[0] + y[1] * y[1] - 1 : 1;
    return 0;
}

static int action(keel_event *event, void *context)
{
    (void)context;
    if (!event->positive[0]) event->modes[0] = SLACK;
    if (event->crossed[1]) event->modes[0] = TIGHT;
    event->structure = event->modes[0];
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[] = {"u1", "u2", "v1", "v2", "lambda"};
    static const char *const rows[] = {"string"}, *const modes[] = {"slack"};
    static const char *const switches[] = {"tension", "length"};
    static const int directions[] = {KEEL_FALLING, KEEL_RISING};
    keel_mechanical_spec spec = {
        .force = force, .names = names, .constraint_names = rows, .context = (void *)parameters,
        .frame = {.modes = 1, .mode_names = modes}};
    keel_problem *slack = NULL;
    pendulum_rod(&spec);
    int rc = keel_mechanical(problem, &spec);
    if (rc) return rc;
    spec.constraints = 0;
    keel_mechanical(&slack, &spec);            /* keel_switching refuses it if that fails */
    return keel_switching(problem, *problem, &(keel_switching_spec){
        .switches = 2, .value = value, .names = switches, .directions = directions,
        .action = action, .others = 1, .other = &slack});
}

/* Below, moving to the right. */
static void start(const double *parameters, double *y)
{
    y[0] = 0, y[1] = -1;
    y[2] = parameters[SPEED], y[3] = 0;
    y[4] = (parameters[SPEED] * parameters[SPEED] + parameters[GRAVITY]) / 2;
}

/* The ball, and the string while it is tight. */
static int sketch(const double *parameters, double t, const double *y, keel_shape *shapes, int room)
{
    const int slack = isnan(y[4]);
    const keel_shape all[] = {{y[0], y[1], 0, 0, 0.04}, {0, 0, y[0], y[1], 0}};
    (void)parameters, (void)t;
    for (int i = 0; i < 2 - slack && i < room; i++) shapes[i] = all[i];
    return 2 - slack;
}

static const keel_reference references[] = {
    {5, (const double[]){-0.7186370965268771, -0.69538530578048594, 1.7099807381215385,
                         -1.7671578368790907, 6.4343053974482178}, 15.5,
     "Taylor series of the angle, 34 digits, and parabolas; three times slack"},
};

const keel_target problem_slack_pendulum = {
    .name = "slack-pendulum",
    .title = "Ball on a string that becomes slack and tight again",
    .source = "elementary mechanics",
    .remark = "  keel run slack-pendulum --param speed=8     # always tight\n",
    .index = 3, .size = 5, .t_start = 0, .t_end = 5,
    .parameter_count = 2,
    .parameters = (const keel_parameter[]){
        {"gravity", 9.81, "gravity over the length of the string"},
        {"speed", 6.8, "below, at the start"}},
    .bounds = (const double[][2]){{1e-3, 1e3}, {-100, 100}},
    .create = create, .start = start,
    .counts = (const unsigned char[]){1, 1, 1, 1, 0},
    .reference_count = 1, .references = references, .sketch = sketch,
};
