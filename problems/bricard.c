/* bricard.c -- Bricard's mechanism: five rods in a closed loop of six hinges, index 3.
 *
 *   M(q) q'' = f(q,q') - G(q)^T lambda,  0 = g(q),  q = (r_1, p_1, ..., r_5, p_5)
 *
 * with the centre r and the quaternion p = (p_0, e) of each rod.  A loop of six hinges is rigid in
 * general; the axes of this one make it move with one degree of freedom, so that one of the 35 rows
 * of g depends on the others: 5 norms and 6 hinges of 5 rows, with rank 34 of G all the way.
 *
 *   R(p) x = (p_0^2 - e.e) x + 2 e (e.x) + 2 p_0 e x x        rotation, quadratic in p
 *   omega  = 2 L(p) p',  L(p) p' = p_0 e' - p_0' e - e x e'   in the axes of the rod
 *   T      = r'.r' m/2 + 2 (L p')^T J (L p') + mu (p.p')^2 / 2
 *   f      = (0, -m g, 0;  8 L(p')^T J L(p') p - mu (p'.p') p)
 *   norm   g = (p.p - 1)/2
 *   hinge  g = r_a + R_a s_a - r_b - R_b s_b,  (R_a c_1).(R_b w),  (R_a c_2).(R_b w)
 *
 * for the axis w and two vectors c_i across it, all in the pose at t = 0, in which every p is 1.
 * 4 L^T J L has rank 3 in each rod; mu p p^T, mu = trace(J), makes M positive definite and changes
 * nothing but the multiplier of the norm, since p.p' = 0.
 *
 * Mechanism: R. Bricard, J. Math. Pures Appl. 3 (1897) 113; hinges and masses as in M. Gonzalez,
 * D. Dopico, U. Lugris, J. Cuadrado, Multibody Syst. Dyn. 16 (2006) 179.
 */
#include "problems/bricard.h"

#include <math.h>
#include <string.h>

#include "problems/list.h"

enum { BODIES = BRICARD_BODIES, HINGES = BODIES + 1, N = BRICARD_N, ROWS = BRICARD_ROWS };

static const double mass = 1, gravity = 9.81, along = 0.02 / 12, across = 1.01 / 12, mu = 0.17;

/* Hinge k joins rod k - 1 (0: the ground) and rod k (6: the ground); rod k leads to hinge k + 1. */
static const double hinge[HINGES][3] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                        {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
static const int hinge_axis[HINGES] = {1, 2, 0, 1, 2, 0};
static const int rod_axis[BODIES] = {0, 1, 2, 0, 1};

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double dot4(const double *a, const double *b)
{
    return a[0] * b[0] + dot(a + 1, b + 1);
}

/* The symmetric bilinear B(p,s) x with B(p,p) = R(p). */
static void rotate(const double *p, const double *s, const double *x, double *y)
{
    const double *e = p + 1, *h = s + 1, scale = p[0] * s[0] - dot(e, h);
    const double by_e = dot(h, x), by_h = dot(e, x);
    const double c[3] = {p[0] * h[0] + s[0] * e[0], p[0] * h[1] + s[0] * e[1],
                         p[0] * h[2] + s[0] * e[2]};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        y[i] = scale * x[i] + by_e * e[i] + by_h * h[i] + c[j] * x[k] - c[k] * x[j];
    }
}

/* L(p), 3 x 4 */
static void rate_matrix(const double *p, double L[3][4])
{
    const double rows[3][4] = {{-p[1], p[0], p[3], -p[2]},
                               {-p[2], -p[3], p[0], p[1]},
                               {-p[3], p[2], -p[1], p[0]}};
    memcpy(L, rows, sizeof rows);
}

static double inertia(int body, int axis) { return axis == rod_axis[body] ? along : across; }

/* sum += factor L(p)^T J L(s), 4 x 4 in rows of length N */
static void add_inertia(int body, double factor, const double *p, const double *s, double *sum)
{
    double left[3][4], right[3][4];
    rate_matrix(p, left);
    rate_matrix(s, right);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                sum[i * N + j] += factor * inertia(body, k) * (left[k][i] * right[k][j]);
}

/* ---- mass and forces ---------------------------------------------------------------------- */

static void fill_mass(const double *q, double *M)
{
    memset(M, 0, sizeof(double) * N * N);
    for (int b = 0; b < BODIES; b++) {
        const double *p = q + 7 * b + 3;
        double *block = M + 7 * b * (N + 1);
        for (int i = 0; i < 3; i++) block[i * (N + 1)] = mass;
        block += 3 * (N + 1);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) block[i * N + j] = mu * (p[i] * p[j]);
        add_inertia(b, 4, p, p, block);
    }
}

static void fill_force(const double *q, const double *v, double *f)
{
    for (int b = 0; b < BODIES; b++, q += 7, v += 7, f += 7) {
        const double *p = q + 3, *s = v + 3, square = dot4(s, s);
        double L[3][4];
        rate_matrix(s, L);
        f[0] = f[2] = 0;
        f[1] = -mass * gravity;
        for (int i = 0; i < 4; i++) f[3 + i] = -mu * square * p[i];
        for (int k = 0; k < 3; k++) {
            const double momentum = 8 * inertia(b, k) * dot4(L[k], p);
            for (int i = 0; i < 4; i++) f[3 + i] += momentum * L[k][i];
        }
    }
}

/* With f = 8 L(s)^T J L(s) p - mu (s.s) p, s = p', and L(s) p = -L(p) s:
 * f_p = 8 L(s)^T J L(s) - mu (s.s),  f_s = -8 L(s)^T J L(p) + 8 d(L(s)^T a)/ds - 2 mu p s^T,
 * where a = J L(s) p and L(s)^T a = s (0,a) is a product of quaternions. */
static int force_jacobian(double t, const double *q, const double *v, double *f_q, double *f_v,
                          void *context)
{
    (void)t, (void)context;
    memset(f_q, 0, sizeof(double) * N * N);
    memset(f_v, 0, sizeof(double) * N * N);
    for (int b = 0; b < BODIES; b++) {
        const int at = (7 * b + 3) * (N + 1);
        const double *p = q + 7 * b + 3, *s = v + 7 * b + 3, square = dot4(s, s);
        double L[3][4], a[3];
        rate_matrix(s, L);
        for (int k = 0; k < 3; k++) a[k] = 8 * inertia(b, k) * dot4(L[k], p);
        const double turned[4][4] = {{0, -a[0], -a[1], -a[2]},
                                     {a[0], 0, a[2], -a[1]},
                                     {a[1], -a[2], 0, a[0]},
                                     {a[2], a[1], -a[0], 0}};
        for (int i = 0; i < 4; i++) {
            f_q[at + i * (N + 1)] = -mu * square;
            for (int j = 0; j < 4; j++) f_v[at + i * N + j] = turned[i][j] - 2 * mu * p[i] * s[j];
        }
        add_inertia(b, 8, s, s, f_q + at);
        add_inertia(b, -8, s, p, f_v + at);
    }
    return 0;
}

double bricard_energy(const double *q, const double *v)
{
    double energy = 0;
    for (int b = 0; b < BODIES; b++, q += 7, v += 7) {
        double L[3][4];
        rate_matrix(q + 3, L);
        energy += mass * (dot(v, v) / 2 + gravity * q[1]);
        for (int k = 0; k < 3; k++) {
            const double half = dot4(L[k], v + 3);
            energy += 2 * inertia(b, k) * half * half;
        }
    }
    return energy;
}

/* ---- constraints -------------------------------------------------------------------------- */

/* A vector x fixed in a rod: R x, its velocity, its acceleration for p'' = 0, and (R x)_p. */
typedef struct turned { double value[3], rate[3], bend[3], gradient[4][3]; } turned;

static turned turn(const double *p, const double *s, const double *x)
{
    turned y;
    rotate(p, p, x, y.value);
    rotate(p, s, x, y.rate);
    rotate(s, s, x, y.bend);
    for (int i = 0; i < 4; i++) {
        const double unit[4] = {i == 0, i == 1, i == 2, i == 3};
        rotate(p, unit, x, y.gradient[i]);
        for (int k = 0; k < 3; k++) y.gradient[i][k] *= 2;
    }
    for (int k = 0; k < 3; k++) {
        y.rate[k] *= 2;
        y.bend[k] *= 2;
    }
    return y;
}

/* One side of a hinge: its rod (-1: the ground) and where to put the columns of that rod. */
typedef struct side { int body; double centre[3], sign, p[4], s[4], arm[3]; } side;

static side side_of(int body, int h, double sign, const double *q, const double *v)
{
    side a = {.body = body, .sign = sign, .p = {1}};
    memcpy(a.arm, hinge[h], sizeof a.arm);
    if (body < 0) return a;
    memcpy(a.centre, q + 7 * body, sizeof a.centre);
    memcpy(a.p, q + 7 * body + 3, sizeof a.p);
    memcpy(a.s, v + 7 * body + 3, sizeof a.s);
    for (int k = 0; k < 3; k++) a.arm[k] -= (hinge[body][k] + hinge[body + 1][k]) / 2;
    return a;
}

/* g, G and gamma; the rows of both have been cleared. */
typedef struct rows { double *g, *G, *gamma; } rows;

static void add_point(const side *a, int row, const rows *out)
{
    const turned x = turn(a->p, a->s, a->arm);
    for (int k = 0; k < 3; k++) {
        double *G = out->G + (row + k) * N + 7 * a->body;
        out->g[row + k] += a->sign * (a->centre[k] + x.value[k]);
        if (a->body < 0) continue;
        out->gamma[row + k] += a->sign * x.bend[k];
        G[k] = a->sign;
        for (int i = 0; i < 4; i++) G[3 + i] = a->sign * x.gradient[i][k];
    }
}

static void add_angle(const side *a, const double *c, const side *b, const double *w, int row,
                      const rows *out)
{
    const turned x = turn(a->p, a->s, c), y = turn(b->p, b->s, w);
    double *G = out->G + row * N;
    out->g[row] = dot(x.value, y.value);
    out->gamma[row] = dot(x.bend, y.value) + 2 * dot(x.rate, y.rate) + dot(x.value, y.bend);
    for (int i = 0; i < 4; i++) {
        if (a->body >= 0) G[7 * a->body + 3 + i] = dot(x.gradient[i], y.value);
        if (b->body >= 0) G[7 * b->body + 3 + i] = dot(x.value, y.gradient[i]);
    }
}

static void fill_rows(const double *q, const double *v, const rows *out)
{
    memset(out->g, 0, ROWS * sizeof(double));
    memset(out->gamma, 0, ROWS * sizeof(double));
    memset(out->G, 0, sizeof(double) * ROWS * N);
    for (int b = 0; b < BODIES; b++) {
        const double *p = q + 7 * b + 3, *s = v + 7 * b + 3;
        out->g[b] = (dot4(p, p) - 1) / 2;
        out->gamma[b] = dot4(s, s);
        memcpy(out->G + b * N + 7 * b + 3, p, 4 * sizeof *p);
    }
    for (int h = 0; h < HINGES; h++) {
        const side a = side_of(h - 1, h, 1, q, v);
        const side b = side_of(h < BODIES ? h : -1, h, -1, q, v);
        const int row = BODIES + 5 * h;
        double w[3] = {0};
        w[hinge_axis[h]] = 1;
        add_point(&a, row, out);
        add_point(&b, row, out);
        for (int i = 1; i <= 2; i++) {
            double c[3] = {0};
            c[(hinge_axis[h] + i) % 3] = 1;
            add_angle(&a, c, &b, w, row + 2 + i, out);
        }
    }
}

/* Copies the rows of an array, `width` numbers each, but for one of them (from 1; 0: none). */
static void copy_rows(double *to, const double *from, int width, int without)
{
    const size_t before = (size_t)((without > 0 ? without - 1 : ROWS) * width);
    memcpy(to, from, before * sizeof *to);
    if (without == 0) return;
    from += before + (size_t)width;
    memcpy(to + before, from, (size_t)((ROWS - without) * width) * sizeof *to);
}

/* The row that is left out, from 1, or 0. */
static int left_out(const double *parameters)
{
    return parameters[0] >= 1 && parameters[0] <= ROWS ? (int)parameters[0] : 0;
}

static int evaluate(double t, const double *q, const double *v, unsigned wanted,
                    const keel_mechanical_parts *parts, void *context)
{
    const int without = left_out(context);
    const unsigned of_rows = KEEL_CONSTRAINT | KEEL_CONSTRAINT_JACOBIAN | KEEL_CURVATURE;
    (void)t;
    if (wanted & KEEL_MASS) fill_mass(q, parts->mass);
    if (wanted & KEEL_FORCE) fill_force(q, v, parts->force);
    if (wanted & KEEL_CONSTRAINT_TIME)
        memset(parts->constraint_time, 0, (size_t)(ROWS - (without > 0)) * sizeof(double));
    if (wanted & of_rows) {
        const double rest[N] = {0};
        double g[ROWS], G[ROWS * N], gamma[ROWS];
        fill_rows(q, wanted & KEEL_CURVATURE ? v : rest, &(rows){g, G, gamma});
        if (wanted & KEEL_CONSTRAINT) copy_rows(parts->constraint, g, 1, without);
        if (wanted & KEEL_CONSTRAINT_JACOBIAN) copy_rows(parts->constraint_jacobian, G, N, without);
        if (wanted & KEEL_CURVATURE) copy_rows(parts->curvature, gamma, 1, without);
    }
    return 0;
}

/* ---- the problem -------------------------------------------------------------------------- */

keel_mechanical_spec problem_bricard_spec(const double *parameters)
{
    return (keel_mechanical_spec){
        .positions = N, .constraints = ROWS - (left_out(parameters) > 0),
        .evaluate = evaluate,
        .force_jacobian = force_jacobian,
        .context = (void *)parameters,
    };
}

static int create(keel_problem **problem, const double *parameters)
{
    keel_mechanical_spec spec = problem_bricard_spec(parameters);
    return keel_mechanical(problem, &spec);
}

static void start(const double *parameters, double *y)
{
    memset(y, 0, (size_t)(2 * N + ROWS - (left_out(parameters) > 0)) * sizeof *y);
    for (int b = 0; b < BODIES; b++) {
        for (int k = 0; k < 3; k++) y[7 * b + k] = (hinge[b][k] + hinge[b + 1][k]) / 2;
        y[7 * b + 3] = 1;
    }
}

/* Multipliers are not unique. */
#define SEVEN_UNKNOWN NAN, NAN, NAN, NAN, NAN, NAN, NAN
#define ALL_UNKNOWN SEVEN_UNKNOWN, SEVEN_UNKNOWN, SEVEN_UNKNOWN, SEVEN_UNKNOWN, SEVEN_UNKNOWN

static const double at_1[2 * N + ROWS] = {
    0.255250730594, 0, -0.429938442723, NAN, NAN, NAN, NAN,
    SEVEN_UNKNOWN, SEVEN_UNKNOWN, SEVEN_UNKNOWN, SEVEN_UNKNOWN, ALL_UNKNOWN, ALL_UNKNOWN,
};

/* dop853 and verner8 with rtol = 1e-13, with row 6 or 25 left out, agree to 14 digits,
 * radau-iia-7 to 12; the centre of the first rod is that of the other program to 12. */
static const double at_2[2 * N + ROWS] = {
    -0.484670172388826, 0, -0.122860994610112,
    0.12381368103394, 0, 0.992305483401571, 0,
    -0.873737858905471, -0.490176341721628, -0.221487329918697,
    0.123204028437611, -0.0983517325239023, 0.987419419040548, -0.0122717149542566,
    -0.873737858905471, -1.10079978919979, 0.278512670081303,
    0.112849307764584, 0.110078742955955, 0.110078742955955, -0.981341110132215,
    -0.484670172388826, -1.10079978919979, 0.778512670081303,
    0.123204028437611, 0.0122717149542565, 0.0983517325239023, -0.987419419040548,
    0, -0.490176341721628, 0.901373664691414,
    0.9950760482102, 0.0991143696865987, 0, 0,
    -0.125862614976781, 0, 0.496511162811995,
    -0.508274263093266, 0, 0.0634192882545256, 0,
    -0.537042250801717, -0.0643764917433633, 0.816464582118324,
    -0.501766479166702, 0.315973996126942, 0.0952056396979932, 0.090586843341767,
    -0.537042250801717, 0.342184347725346, 0.816464582118324,
    -0.432052323663124, -0.400980558926602, -0.400980558926602, -0.139641227684667,
    -0.125862614976781, 0.342184347725346, 0.816464582118324,
    -0.501766479166702, -0.0905868433417669, -0.315973996126942, -0.0952056396979932,
    0, -0.0643764917433632, 0.319953419306329,
    0.0323475235180037, -0.324758619496461, 0, 0,
    ALL_UNKNOWN,
};

static const char reference_source[] =
    "another program: rotation matrices, accelerations by least squares, DOP853 at 1e-12";

const keel_target problem_bricard = {
    .name = "bricard",
    .title = "Bricard's mechanism: a loop of six hinges, one constraint redundant",
    .source = "M. Gonzalez et al., Multibody System Dynamics 16 (2006) 179, problem A04",
    .remark = "  keel run bricard --param without=35     34 independent rows\n",
    .index = 3, .size = 2 * N + ROWS,
    .t_start = 0, .t_end = 2,
    .parameter_count = 1,
    .parameters = (const keel_parameter[]){{"without", 0, "row of g left out; 0: none"}},
    .create = create, .start = start,
    .counts = (const unsigned char[2 * N + ROWS]){1, 1, 1},
    .reference_count = 2,
    .references = (const keel_reference[]){
        {1, at_1, 12, reference_source},
        {2, at_2, 12, reference_source},
    },
};
