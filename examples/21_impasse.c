/* 21: an impasse point, three ways on: the van der Pol oscillator y' = -z, eps z' = y + z - z^3/3
 * in the limit eps = 0.
 *
 *   stop     the run ends where z = 1, and says why
 *   jump     z goes to the other branch: a relaxation oscillation of period 3 - 2 log 2
 *   follow   the curve (y, z, t) goes on through z = 1, and time runs back
 */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = -z[0];
    return 0;
}

static int constraint(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = y[0] + z[0] - z[0] * z[0] * z[0] / 3;
    return 0;
}

static const double start[] = {2.0 / 3, 2};

static int stop(const keel_problem *p)
{
    keel_solver *s = NULL;
    int rc = keel_solver_create(&s, p, NULL);
    if (rc == KEEL_OK) rc = keel_start(s, 0, start);
    if (rc == KEEL_OK) rc = keel_advance_to(s, 2);
    printf("stop: %s\n", keel_reason(rc, p, s));
    keel_solver_free(s);
    return rc == KEEL_SINGULAR ? 0 : 1;
}

static int jump(const keel_problem *p)
{
    keel_solver *s = NULL;
    keel_impasse first, last;
    keel_options o = {.rtol = 1e-10, .impasse = KEEL_IMPASSE_JUMP};
    int rc = keel_solver_create(&s, p, &o);
    if (rc == KEEL_OK) rc = keel_start(s, 0, start);
    if (rc == KEEL_OK) rc = keel_advance_to(s, 17);
    const int count = keel_impasse_count(s);
    double off = 1;
    if (rc == KEEL_OK && keel_impasse_at(s, 0, &first) == KEEL_OK &&
        keel_impasse_at(s, count - 1, &last) == KEEL_OK) {
        const double period = 2 * (last.t - first.t) / (count - 1);
        off = fabs(period - (3 - 2 * log(2)));
        printf("jump: %d times, z from %.6f to %.6f; the period is %.10f, off by %.1e\n", count,
               last.y[1], last.after[1], period, off);
    } else printf("jump: %s\n", keel_reason(rc, p, s));
    keel_solver_free(s);
    return off < 1e-8 ? 0 : 1;
}

static int follow(const keel_problem *p)
{
    keel_curve *c = NULL;
    keel_impasse met;
    int rc = keel_curve_create(&c, p, NULL);
    if (rc == KEEL_OK) rc = keel_curve_start(c, 0, start, 1);
    while (rc == KEEL_OK && keel_curve_state(c)[1] > 0.5) rc = keel_curve_step(c);
    if (rc == KEEL_OK) rc = keel_curve_impasse_at(c, 0, &met);
    if (rc == KEEL_OK)
        printf("follow: %s point at t = %.6f; at z = %.3f time is back at %.6f\n",
               keel_impasse_kind_name((int)met.kind), met.t, keel_curve_state(c)[1],
               keel_curve_time(c));
    else printf("follow: %s\n", keel_curve_message(c));
    keel_curve_free(c);
    return rc == KEEL_OK ? 0 : 1;
}

int main(void)
{
    keel_problem *p = NULL;
    keel_semi_explicit_spec spec = {.differential = 1, .algebraic = 1, .rhs = rate,
                                    .constraint = constraint};
    int failed = keel_semi_explicit(&p, &spec) != KEEL_OK;
    if (!failed) failed = stop(p) | jump(p) | follow(p);
    keel_problem_free(p);
    return failed;
}
