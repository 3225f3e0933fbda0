/* 30: the motion of an arm that needs least effort, while its hand slides along a wall.
 *
 * Two links of length 1, angles q from the wall, motors whose inertia, 1, is that of the arm, a
 * weight at the elbow, k = (weight cos q1, 0):
 *   q' = v,  v' = u - k(q) - G(q)^T lambda,  0 = sin q1 + sin q2
 * Which torques u bring it from rest at q1 = 1.2 to rest at q1 = 0.3 in time 1, with least
 * 1/2 int u.u dt?  With the constraint as 0 = G v, and the Hamiltonian
 *   H = u.u/2 + a.v + b.(u - k - G^T lambda) + eta G v
 * the derivatives of H with respect to u, lambda, q and v give  u = -b  and
 *   q' = v,  v' = -b - k - G^T lambda,  a' = -H_q,  b' = -a - G^T eta,  0 = G v,  0 = G b
 * of index 2 with the multipliers lambda and eta.  Conditions: q(0), v1(0), q1(1), v1(1), and
 * a2(1) = 0 because nothing is asked of q2(1): the wall sees to it.  v2(0) and b2(0) follow from
 * the constraints, which Keel imposes.  Checked by
 *   without weight  q1 = 1.2 - 0.9 (3 t^2 - 2 t^3), u2 = -u1, effort 12 0.9^2
 *   with weight     H is constant, the hand stays on the wall, the effort is less than that of the
 *                   cubic motion, and its derivative with respect to q1(1) is -a1(1)
 * The argument, if there is one, names a file for t, q1, u1, u2 and the weight.
 */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

enum { Q = 0, V = 2, A = 4, B = 6, Y = 8, LAMBDA = 8, ETA = 9, SIZE = 10 };

static const double from = 1.2, to = 0.3;               /* q1 */

/* ---- necessary conditions ------------------------------------------------------------------- */

static int rates(double t, const double *y, const double *z, double *f, void *context)
{
    const keel_frame *frame = context;
    const double weight = frame->parameters[0], lambda = z[0], eta = z[1];
    (void)t;
    for (int i = 0; i < 2; i++) {
        const double angle = y[Q + i], load = i == 0 ? weight : 0;
        f[Q + i] = y[V + i];
        f[V + i] = -y[B + i] - (load + lambda) * cos(angle);
        f[A + i] = sin(angle) * (eta * y[V + i] - (load + lambda) * y[B + i]);
        f[B + i] = -y[A + i] - eta * cos(angle);
    }
    return 0;
}

static int wall(double t, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = cos(y[Q]) * y[V] + cos(y[Q + 1]) * y[V + 1];
    g[1] = cos(y[Q]) * y[B] + cos(y[Q + 1]) * y[B + 1];
    return 0;
}

static int ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    const double *end = context;
    (void)p;
    b[0] = ya[Q] - from;
    b[1] = ya[Q + 1] + from;
    b[2] = ya[V];
    b[3] = yb[Q] - *end;
    b[4] = yb[V];
    b[5] = yb[A + 1];
    return 0;
}

static int straight(double t, double *y, double *p, void *context)
{
    (void)p, (void)context;
    for (int i = 0; i < SIZE; i++) y[i] = 0;
    y[Q] = from + (to - from) * t;
    y[Q + 1] = -y[Q];
    return 0;
}

/* ---- what is checked ------------------------------------------------------------------------- */

static double cubic(double t) { return from + (to - from) * (3 - 2 * t) * t * t; }

static double hamiltonian(const double *y, double weight)
{
    double H = 0;
    for (int i = 0; i < 2; i++) {
        const double load = i == 0 ? weight : 0, c = cos(y[Q + i]);
        H += -y[B + i] * y[B + i] / 2 + y[A + i] * y[V + i]
             - y[B + i] * (load + y[LAMBDA]) * c + y[ETA] * c * y[V + i];
    }
    return H;
}

typedef struct motion {
    double effort, largest_height, from_cubic, end_adjoint, H[2];   /* H: smallest and largest */
} motion;

/* The effort by Simpson's rule: an error of about 1e-9. */
static int look(keel_solution *solution, double weight, motion *m, FILE *file)
{
    enum { POINTS = 200 };
    double y[SIZE];
    *m = (motion){.H = {INFINITY, -INFINITY}};
    for (int i = 0; i <= POINTS; i++) {
        const double t = i / (double)POINTS, part = i % POINTS == 0 ? 1 : i % 2 ? 4 : 2;
        const int rc = keel_solution_at(solution, t, y);
        if (rc) return rc;
        m->effort += part * (y[B] * y[B] + y[B + 1] * y[B + 1]) / (6 * POINTS);
        m->largest_height = fmax(m->largest_height, fabs(sin(y[Q]) + sin(y[Q + 1])));
        m->from_cubic = fmax(m->from_cubic, fabs(y[Q] - cubic(t)));
        m->H[0] = fmin(m->H[0], hamiltonian(y, weight));
        m->H[1] = fmax(m->H[1], hamiltonian(y, weight));
        if (file) fprintf(file, "%g %g %g %g %g\n", t, y[Q], -y[B], -y[B + 1], weight);
    }
    m->end_adjoint = y[A];
    if (file) fprintf(file, "\n\n");
    return 0;
}

/* Of the cubic motion, with the least torques that make it: q2 = -q1, and as much force of the wall
 * as helps most. */
static double effort_of_cubic(double weight)
{
    enum { POINTS = 200 };
    double sum = 0;
    for (int i = 0; i <= POINTS; i++) {
        const double t = i / (double)POINTS, part = i % POINTS == 0 ? 1 : i % 2 ? 4 : 2;
        const double along = 2 * (to - from) * (6 - 12 * t) + weight * cos(cubic(t)); /* u1 - u2 */
        sum += part * along * along / (12 * POINTS);
    }
    return sum;
}

/* ---- motions --------------------------------------------------------------------------------- */

/* The solution for one weight and end is the guess of the next. */
static int move(keel_boundary *boundary, double weight, motion *m, FILE *file)
{
    int rc = keel_boundary_set_frame(boundary, &weight);
    if (!rc) rc = keel_boundary_solve(boundary);
    if (!rc) rc = look(keel_boundary_solution(boundary), weight, m, file);
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_boundary_message(boundary));
    return rc;
}

static void report(const char *name, const motion *m)
{
    printf("%s: effort %.8f, H = %.6f +- %.1e, hand off the wall by %.1e, %.1e from the cubic\n",
           name, m->effort, m->H[0], (m->H[1] - m->H[0]) / 2, m->largest_height, m->from_cubic);
}

static int without_weight(keel_boundary *boundary, FILE *file)
{
    motion m;
    if (move(boundary, 0, &m, file)) return 0;
    report("without weight", &m);
    return m.from_cubic < 1e-8 && fabs(m.effort - 12 * 0.9 * 0.9) < 1e-7;
}

static int with_weight(keel_boundary *boundary, double *end, FILE *file)
{
    const double weight = 20, increment = 1e-4;
    motion m, plus, minus;
    if (move(boundary, weight, &m, file)) return 0;
    *end = to + increment;
    if (move(boundary, weight, &plus, NULL)) return 0;
    *end = to - increment;
    if (move(boundary, weight, &minus, NULL)) return 0;
    const double slope = (plus.effort - minus.effort) / (2 * increment);
    report("with weight", &m);
    printf("  the cubic motion needs %.8f; d effort/d q1(1) = %.6f, -a1(1) = %.6f\n",
           effort_of_cubic(weight), slope, -m.end_adjoint);
    return m.H[1] - m.H[0] < 1e-6 && m.largest_height < 1e-8 && fabs(slope + m.end_adjoint) < 1e-4
           && m.effort < effort_of_cubic(weight) - 1e-3;
}

int main(int count, char **argument)
{
    double end = to;
    keel_problem *arm = NULL;
    keel_boundary *boundary = NULL;
    FILE *file = count > 1 ? fopen(argument[1], "w") : NULL;
    if (count > 1 && !file) return perror(argument[1]), 1;
    int rc = keel_hessenberg2(&arm, &(keel_hessenberg2_spec){
        .differential = Y, .multipliers = 2, .rhs = rates, .constraint = wall,
        .names = (const char *const[]){"q1", "q2", "v1", "v2", "a1", "a2", "b1", "b2", "lambda",
                                       "eta"},
        .constraint_names = (const char *const[]){"G v", "G b"},
        .frame = {.parameters = 1, .parameter_names = (const char *const[]){"weight"}}});
    if (!rc) rc = keel_boundary_create(&boundary, &(keel_boundary_spec){
        .problem = arm, .to = 1, .conditions = 6, .condition = ends, .guess = straight,
        .context = &end}, &(keel_boundary_options){.rtol = 1e-9, .atol = 1e-9});
    if (rc) printf("%s: %s%s\n", keel_status_name(rc), keel_problem_message(arm),
                   keel_boundary_message(boundary));
    int right = !rc && without_weight(boundary, file);
    right = right && with_weight(boundary, &end, file);
    if (file) fclose(file);
    keel_boundary_free(boundary);
    keel_problem_free(arm);
    return right ? 0 : 1;
}
