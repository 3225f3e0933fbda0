/* 19: a wrong derivative is named: a pendulum whose support moves, and whose curvature forgets its
 * acceleration.
 *
 *   q'' = (0, -g) - G^T l,   0 = |q - s(t)|^2 - 1,   s = (sin 2t, 0)
 *   gamma = g_qq(v,v) + 2 g_qt v + g_tt = 2 |v - s'|^2 - 2 (q - s) s''
 *
 * keel_start refuses to begin; keel_check lists what is wrong, and what was compared.
 */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = 0;
    f[1] = -9.81;
    return 0;
}

static int constraint(double t, const double *q, double *g, void *context)
{
    const double x = q[0] - sin(2 * t);
    (void)context;
    g[0] = x * x + q[1] * q[1] - 1;
    return 0;
}

static int constraint_jacobian(double t, const double *q, double *G, void *context)
{
    (void)context;
    G[0] = 2 * (q[0] - sin(2 * t));
    G[1] = 2 * q[1];
    return 0;
}

static int constraint_time(double t, const double *q, double *g_t, void *context)
{
    (void)context;
    g_t[0] = -4 * cos(2 * t) * (q[0] - sin(2 * t));
    return 0;
}

/* The acceleration of the support is missing unless *context. */
static int curvature(double t, const double *q, const double *v, double *gamma, void *context)
{
    const int *right = context;
    const double u = v[0] - 2 * cos(2 * t), lost = 8 * sin(2 * t) * (q[0] - sin(2 * t));
    gamma[0] = 2 * (u * u + v[1] * v[1]) + (*right ? lost : 0);
    return 0;
}

static void print(const keel_check_report *report)
{
    for (int i = 0; i < keel_check_item_count(report); i++) {
        const keel_check_item *item = keel_check_item_at(report, i);
        printf("%-20s %ld entries, largest deviation %.0e: %s\n", item->callback, item->entries,
               item->deviation, item->outcome == KEEL_CHECK_WRONG ? "wrong" : "fits");
    }
    for (int i = 0; i < keel_check_finding_count(report); i++)
        printf("%s\n", keel_check_finding(report, i)->text);
}

int main(void)
{
    static const char *const names[] = {"x", "y", "u", "v", "tension"}, *const rows[] = {"rod"};
    const double start[5] = {1, 0, 2, 0, 0};
    int right = 0, refused, found, accepted = -1;
    keel_problem *pendulum = NULL;
    keel_solver *solver = NULL;
    keel_check_report *report = NULL;
    int rc = keel_mechanical(&pendulum, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .force = force, .constraint = constraint,
        .constraint_jacobian = constraint_jacobian, .constraint_time = constraint_time,
        .curvature = curvature, .names = names, .constraint_names = rows, .context = &right});
    if (!rc) rc = keel_solver_create(&solver, pendulum, NULL);
    if (rc) return 1;
    refused = keel_start(solver, 0, start);
    printf("keel_start: %s: %s\n\n", keel_status_name(refused), keel_message(solver));
    found = keel_check(pendulum, 0, start, NULL, &report);
    print(report);
    keel_check_free(report);

    right = 1;
    accepted = keel_start(solver, 0, start);
    if (!accepted) accepted = keel_advance_to(solver, 1);
    printf("\nwith the right one: %s, position residual %.0e\n", keel_status_name(accepted),
           keel_solver_stats(solver)->residual[0]);
    keel_solver_free(solver);
    keel_problem_free(pendulum);
    return refused != KEEL_WRONG_DERIVATIVE || found != KEEL_WRONG_DERIVATIVE || accepted;
}
