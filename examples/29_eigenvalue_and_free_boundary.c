/* 29: numbers that are found together with a solution: an eigenvalue, and where a region ends.
 *
 * Eigenvalue, of Mathieu's equation:  y'' = (2 q cos 2t - a) y,  y'(0) = y'(pi/2) = 0,  y(0) = 1
 * a is unknown; the third condition is the scale, which eigenfunctions leave free.  For q = 0 they
 * are cos n t with a = n^2.  From there each is followed to q = 5, every solution being the guess
 * of the next; from q = 0 to 5 at once, Newton's method finds a_2 in the place of a_0.
 *
 * Free boundary: a slab, in which what diffuses is used up at rate 1, has a core without any.
 *   j' = 1,  0 = j - (1 + u) u',  u(0) = 1,  u(s) = 0,  j(s) = 0
 * With x = s r it is a problem on 0 < r < 1, of index 1, and s is unknown.  The integral of the
 * second equation is u + u^2/2 = (s-x)^2/2, so that s = sqrt(3).
 */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

/* The unknown one first; q of Mathieu's equation. */
enum { UNKNOWN, Q, PARAMETERS };

/* ---- Mathieu: (y, y') ------------------------------------------------------------------------ */

static int mathieu(double t, const double *y, double *f, void *context)
{
    const keel_frame *frame = context;
    f[0] = y[1];
    f[1] = (2 * frame->parameters[Q] * cos(2 * t) - frame->parameters[UNKNOWN]) * y[0];
    return 0;
}

static int even(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[1];
    b[1] = yb[1];
    b[2] = ya[0] - 1;
    return 0;
}

/* The solution for q = 0. */
static int cosine(double t, double *y, double *p, void *context)
{
    const double n = *(const double *)context;
    y[0] = cos(n * t);
    y[1] = -n * sin(n * t);
    p[0] = n * n;
    return 0;
}

/* ---- the slab: (u, j), u' -------------------------------------------------------------------- */

static int diffusion(double r, const double *y, const double *slope, double *f, void *context)
{
    const keel_frame *frame = context;
    (void)r, (void)y;
    f[0] = frame->parameters[UNKNOWN] * slope[0];
    f[1] = frame->parameters[UNKNOWN];
    return 0;
}

static int flux(double r, const double *y, const double *slope, double *g, void *context)
{
    (void)r, (void)context;
    g[0] = y[1] - (1 + y[0]) * slope[0];
    return 0;
}

static int core(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0] - 1;
    b[1] = yb[0];
    b[2] = yb[1];
    return 0;
}

static int straight(double r, double *y, double *p, void *context)
{
    (void)context;
    y[0] = 1 - r;
    y[1] = y[2] = -1;
    p[0] = 1;
    return 0;
}

/* ---- both ------------------------------------------------------------------------------------ */

/* The unknown parameter, for a problem whose creation returned rc and q = 0, 1, .. to; NAN if
 * there is none. */
static double solve(int rc, keel_problem *problem, keel_boundary_spec *spec, int to)
{
    keel_boundary *boundary = NULL;
    double parameters[PARAMETERS] = {0}, found = NAN;
    spec->problem = problem;
    spec->conditions = 3;
    spec->parameters = 1;
    if (!rc) rc = keel_boundary_create(&boundary, spec,
                                       &(keel_boundary_options){.rtol = 1e-10, .atol = 1e-10});
    for (int q = 0; q <= to && !rc; q++) {
        parameters[Q] = q;
        rc = keel_boundary_set_frame(boundary, parameters);
        if (!rc) rc = keel_boundary_solve(boundary);
        if (!rc) parameters[UNKNOWN] = keel_boundary_parameters(boundary)[0];
    }
    if (!rc) found = parameters[UNKNOWN];
    else printf("%s: %s%s\n", keel_status_name(rc), keel_problem_message(problem),
                keel_boundary_message(boundary));
    keel_boundary_free(boundary);
    keel_problem_free(problem);
    return found;
}

static double eigenvalue(double n)
{
    keel_problem *problem = NULL;
    const int rc = keel_ode(&problem, &(keel_ode_spec){
        .size = 2, .rhs = mathieu, .frame = {.parameters = PARAMETERS}});
    return solve(rc, problem, &(keel_boundary_spec){
        .to = pi / 2, .condition = even, .guess = cosine, .context = &n}, 5);
}

static double free_boundary(void)
{
    keel_problem *problem = NULL;
    const int rc = keel_semi_explicit(&problem, &(keel_semi_explicit_spec){
        .differential = 2, .algebraic = 1, .rhs = diffusion, .constraint = flux,
        .names = (const char *const[]){"u", "j", "slope"}, .frame = {.parameters = PARAMETERS}});
    return solve(rc, problem, &(keel_boundary_spec){
        .to = 1, .condition = core, .guess = straight}, 0);
}

int main(void)
{
    /* M. Abramowitz & I. A. Stegun, Handbook of Mathematical Functions, table 20.1. */
    static const double known[][2] = {{0, -5.80004602}, {2, 7.44910974}, {10, 100.12636922}};
    int right = 1;
    for (int i = 0; i < 3; i++) {
        const double a = eigenvalue(known[i][0]);
        printf("a_%g(5) = %.9f, tabulated %.8f\n", known[i][0], a, known[i][1]);
        right = right && fabs(a - known[i][1]) < 1e-8;
    }
    const double s = free_boundary();
    printf("the core begins at %.12f, error %.1e\n", s, s - sqrt(3));
    return right && fabs(s - sqrt(3)) < 1e-9 ? 0 : 1;
}
