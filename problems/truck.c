/* truck.c -- a planar truck of five bodies over a hump of the road, index 3.
 *
 *   rear wheel y1;  chassis y2, a2;  front wheel y3;  cab y4, a4;  load area x5, y5, a5
 *
 * (a: angles; the other horizontal places are fixed, the truck stands and the road moves below it
 * at 15 m/s).  A spring-damper between two points pulls along their line with k l + d l' + N, l its
 * length, a tyre vertically with l = y - u(t).  The load area hangs on the chassis by a revolute
 * joint,
 *
 *   0 = x_chassis + R(a2) (-3.07, 0.15) - x_load - R(a5) (-1.61, -0.75)
 *
 * whose multipliers are the force on the load area; with the parameter joint = 0 it rests on two
 * more spring-dampers instead.  The start is the equilibrium on the flat road u = 0, then
 *
 *   u(t) = hump s^6 exp(-s),   s = t - t0 > 0,   t0 = 2/15 s (front), 4.5/15 s later (rear)
 *
 * The truck of figure 9.2 in Bendtsen & Thomsen (eds.), IMM-REP-1999-8; data: E. Eich-Soellner & C.
 * Fuehrer, Numerical Methods in Multibody Dynamics, Teubner 1998.  Moments follow from the points.
 */
#include "problems/list.h"

#include <math.h>
#include <string.h>

enum { N = 9, JOINT = 2, SIZE = 2 * N + JOINT };
enum { Y1, Y2, A2, Y3, Y4, A4, X5, Y5, A5, NONE = -1 };
enum { REAR_WHEEL, CHASSIS, FRONT_WHEEL, CAB, LOAD, BODIES };

static const double gravity = 9.81;

/* Where a body has its coordinates; x is that of its centre where it is fixed. */
static const struct { int at_x, at_y, at_angle; double x, mass, inertia; } body[BODIES] = {
    [REAR_WHEEL] = {NONE, Y1, NONE, -2.06, 1450, 0},
    [CHASSIS] = {NONE, Y2, A2, 0, 3335, 14313},
    [FRONT_WHEEL] = {NONE, Y3, NONE, 2.44, 600, 0},
    [CAB] = {NONE, Y4, A4, 2.74, 1100, 948},
    [LOAD] = {X5, Y5, A5, 0, 11515, 33000},
};

/* Spring-dampers: points of two bodies in their axes, stiffness, damping, force at length 0. */
typedef struct element { int a; double ax, ay; int b; double bx, by, k, d, nominal; } element;

static const element elements[] = {
    {REAR_WHEEL, 0, 0, CHASSIS, -2.06, -1.34, 8.247e5, 21593, -246872.662},
    {FRONT_WHEEL, 0, 0, CHASSIS, 2.44, -1.34, 2.711e5, 38537, -84924.838},
    {CHASSIS, 1.94, 0, CAB, -0.8, 0, 1.357e5, 12218, -127842.88235294},
    {CHASSIS, 3.64, 0, CAB, 0.9, 0, 1.357e5, 12218, -127208.11764706},
    {CHASSIS, 0.98, 0, LOAD, 2.44, 0, 9e5, 38500, -854905.94111111},
};
/* In the place of the joint. */
static const element instead[] = {
    {CHASSIS, -3.07, 0, LOAD, -1.31, 0, 7.7e5, 33013, -766354.91099974},
    {CHASSIS, -3.07, 0, LOAD, -1.91, 0, 7.7e5, 33013, -766354.91099974},
};
static const struct { int at; double k, d, nominal, t0; } tyres[] = {
    {Y1, 44e5, 600, -2329145.162, 2.0 / 15 + 4.5 / 15},
    {Y3, 22e5, 300, -1147434.838, 2.0 / 15},
};

static int is_joined(const double *parameters) { return parameters[0] > 0.5; }

/* A point of a body: its arm from the centre, position and velocity. */
typedef struct place { int body; double rx, ry, x, y, vx, vy; } place;

static place place_of(const double *q, const double *v, int which, double x, double y)
{
    const int at_x = body[which].at_x, at_y = body[which].at_y, turn = body[which].at_angle;
    const double c = turn == NONE ? 1 : cos(q[turn]), s = turn == NONE ? 0 : sin(q[turn]);
    const double spin = turn == NONE ? 0 : v[turn];
    place p = {.body = which, .rx = c * x - s * y, .ry = s * x + c * y};
    p.x = p.rx + (at_x == NONE ? body[which].x : q[at_x]);
    p.y = p.ry + q[at_y];
    p.vx = -spin * p.ry + (at_x == NONE ? 0 : v[at_x]);
    p.vy = spin * p.rx + v[at_y];
    return p;
}

/* Adds what a force at a point does to its body. */
static void pull(const place *p, double fx, double fy, double *f)
{
    const int at_x = body[p->body].at_x, turn = body[p->body].at_angle;
    if (at_x != NONE) f[at_x] += fx;
    f[body[p->body].at_y] += fy;
    if (turn != NONE) f[turn] += p->rx * fy - p->ry * fx;
}

static void add_element(const element *e, const double *q, const double *v, double *f)
{
    const place a = place_of(q, v, e->a, e->ax, e->ay), b = place_of(q, v, e->b, e->bx, e->by);
    const double dx = b.x - a.x, dy = b.y - a.y, length = sqrt(dx * dx + dy * dy);
    const double rate = (dx * (b.vx - a.vx) + dy * (b.vy - a.vy)) / length;
    const double tension = (e->k * length + e->d * rate + e->nominal) / length;
    pull(&a, tension * dx, tension * dy, f);
    pull(&b, -tension * dx, -tension * dy, f);
}

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    const double *parameters = context;
    memset(f, 0, N * sizeof *f);
    for (int i = 0; i < BODIES; i++) f[body[i].at_y] = -body[i].mass * gravity;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        add_element(&elements[i], q, v, f);
    for (size_t i = 0; i < sizeof instead / sizeof *instead && !is_joined(parameters); i++)
        add_element(&instead[i], q, v, f);
    for (size_t i = 0; i < sizeof tyres / sizeof *tyres; i++) {
        const int at = tyres[i].at;
        const double s = fmax(t - tyres[i].t0, 0);
        const double slope = parameters[1] * pow(s, 5) * exp(-s), u = slope * s;
        const double rate = 6 * slope - u;
        f[at] -= tyres[i].k * (q[at] - u) + tyres[i].d * (v[at] - rate) + tyres[i].nominal;
    }
    return 0;
}

static int mass(double t, const double *q, double *M, void *context)
{
    (void)t, (void)q, (void)context;
    memset(M, 0, N * N * sizeof *M);
    for (int i = 0; i < BODIES; i++) {
        const int at_x = body[i].at_x, at_y = body[i].at_y, turn = body[i].at_angle;
        if (at_x != NONE) M[at_x * N + at_x] = body[i].mass;
        M[at_y * N + at_y] = body[i].mass;
        if (turn != NONE) M[turn * N + turn] = body[i].inertia;
    }
    return 0;
}

/* The joint as a point of both bodies. */
static place hinge(int which, const double *q, const double *v)
{
    return which == CHASSIS ? place_of(q, v, CHASSIS, -3.07, 0.15)
                            : place_of(q, v, LOAD, -1.61, -0.75);
}

static int constraint(double t, const double *q, double *g, void *context)
{
    const double still[N] = {0};
    const place a = hinge(CHASSIS, q, still), b = hinge(LOAD, q, still);
    (void)t, (void)context;
    g[0] = a.x - b.x;
    g[1] = a.y - b.y;
    return 0;
}

static int constraint_jacobian(double t, const double *q, double *G, void *context)
{
    const double still[N] = {0};
    const place a = hinge(CHASSIS, q, still), b = hinge(LOAD, q, still);
    (void)t, (void)context;
    memset(G, 0, JOINT * N * sizeof *G);
    pull(&a, 1, 0, G);
    pull(&b, -1, 0, G);
    pull(&a, 0, 1, G + N);
    pull(&b, 0, -1, G + N);
    return 0;
}

static int constraint_time(double t, const double *q, double *g_t, void *context)
{
    (void)t, (void)q, (void)context;
    g_t[0] = g_t[1] = 0;
    return 0;
}

static int curvature(double t, const double *q, const double *v, double *gamma, void *context)
{
    const place a = hinge(CHASSIS, q, v), b = hinge(LOAD, q, v);
    const double chassis = v[A2] * v[A2], load = v[A5] * v[A5];
    (void)t, (void)context;
    gamma[0] = load * b.rx - chassis * a.rx;
    gamma[1] = load * b.ry - chassis * a.ry;
    return 0;
}

keel_mechanical_spec problem_truck_spec(const double *parameters)
{
    static const char *const joined[] = {
        "y1", "y2", "a2", "y3", "y4", "a4", "x5", "y5", "a5",
        "y1'", "y2'", "a2'", "y3'", "y4'", "a4'", "x5'", "y5'", "a5'", "Fx", "Fy"};
    static const char *const rows[] = {"joint in x", "joint in y"};
    keel_mechanical_spec spec = {
        .positions = N, .mass = mass, .force = force, .constant_mass = 1, .names = joined,
        .context = (void *)parameters};
    if (!is_joined(parameters)) return spec;
    spec.constraints = JOINT;
    spec.constraint = constraint;
    spec.constraint_jacobian = constraint_jacobian;
    spec.constraint_time = constraint_time;
    spec.curvature = curvature;
    spec.constraint_names = rows;
    return spec;
}

static int create(keel_problem **problem, const double *parameters)
{
    keel_mechanical_spec spec = problem_truck_spec(parameters);
    return keel_mechanical(problem, &spec);
}

/* The joint carries what the spring of the load area does not. */
static void start(const double *parameters, double *y)
{
    static const double at_rest[N] = {0.5, 2, 0, 0.5, 2.9, 0, -1.46, 2.9, 0};
    memset(y, 0, 2 * N * sizeof *y);
    memcpy(y, at_rest, sizeof at_rest);
    if (!is_joined(parameters)) return;
    y[2 * N] = 0;
    y[2 * N + 1] = 68056.20888889;
}

/* Outline of a body: its points in its axes, one after the other. */
static int outline(const double *q, int which, int count, const double (*points)[2],
                   keel_shape *shapes, int room)
{
    const double still[N] = {0};
    for (int i = 0; i < count - 1 && i < room; i++) {
        const place a = place_of(q, still, which, points[i][0], points[i][1]);
        const place b = place_of(q, still, which, points[i + 1][0], points[i + 1][1]);
        shapes[i] = (keel_shape){a.x, a.y, b.x, b.y, 0};
    }
    return count - 1;
}

static int sketch(const double *parameters, double t, const double *y, keel_shape *shapes, int room)
{
    static const double frame[][2] = {{-2.06, -1.34}, {-2.06, 0}, {-3.07, 0}, {-3.07, 0.15},
                                      {-3.07, 0}, {4.2, 0}, {2.44, 0}, {2.44, -1.34}};
    static const double cab[][2] = {{-0.9, -0.6}, {1.2, -0.6}, {1.2, 0.7}, {0.8, 1.5}, {-0.9, 1.5},
                                    {-0.9, -0.6}};
    static const double load[][2] = {{-1.61, -0.75}, {2.6, -0.75}, {2.6, 0.8}, {-2.2, 0.8},
                                     {-2.2, -0.75}, {-1.61, -0.75}};
    int count = 2;
    (void)parameters, (void)t;
    if (room >= count) {
        shapes[0] = (keel_shape){body[REAR_WHEEL].x, y[Y1], 0, 0, 0.5};
        shapes[1] = (keel_shape){body[FRONT_WHEEL].x, y[Y3], 0, 0, 0.5};
    }
    count += outline(y, CHASSIS, 8, frame, shapes + count, room - count);
    count += outline(y, CAB, 6, cab, shapes + count, room - count);
    count += outline(y, LOAD, 6, load, shapes + count, room - count);
    return count;
}

static const double at_10[SIZE] = {
    0.55399417622005698, 2.0491685230494116, -0.0031125674025084246, 0.54719915194704955,
    2.9406191205868771, -0.0031127007852367882, -1.4571738542068827, 2.9536700504441798,
    -0.003136417305005588, -0.020084894981305583, -0.019132043193420384, 0.00062482511908070648,
    -0.018626190690459901, -0.017421465460691717, 0.00062694669963815363, -0.00056677666554493217,
    -0.020039012721412028, 0.00062700163856728778, -144.00605810221519, 68015.701546806813,
};
static const double at_20[SIZE] = {
    0.50018010546941542, 2.0001506675280648, -1.8845440976278381e-05, 0.50014075848778279,
    2.9000988186778981, -1.8789348194792005e-05, -1.459982891843939, 2.9001778661366175,
    -1.9041448844921773e-05, -0.00012484837256168939, -0.00010511120371963243,
    1.2656357135839666e-05, -9.8354457782377006e-05, -7.0291579694117572e-05,
    1.2621457422748886e-05, -1.148849576786304e-05, -0.00012338010823613088,
    1.278626925984342e-05, -0.7684109523051329, 68056.468148541772,
};
static const char reference_source[] =
    "seven coordinates without the joint, extrapolation in quad precision, two step sizes";

const keel_target problem_truck = {
    .name = "truck",
    .title = "Truck of five bodies over a hump of the road",
    .source = "E. Eich-Soellner & C. Fuehrer, Numerical Methods in Multibody Dynamics, Teubner "
              "1998; Bendtsen & Thomsen (eds.), IMM-REP-1999-8, figure 9.2",
    .remark = "  keel run truck --param joint=0       load area on springs, no constraint\n",
    .index = 3, .size = SIZE,
    .t_start = 0, .t_end = 10,
    .parameter_count = 2,
    .parameters = (const keel_parameter[]){
        {"joint", 1, "1: revolute joint of the load area; 0: spring-dampers instead"},
        {"hump", 0.001, "of the road: 0.001 is 0.116 m high"}},
    .bounds = (const double[][2]){{0, 1}, {-1, 1}},
    .create = create, .start = start,
    .counts = (const unsigned char[SIZE]){1, 1, 1, 1, 1, 1, 1, 1, 1},
    .reference_count = 2,
    .references = (const keel_reference[]){
        {10, at_10, 15, reference_source}, {20, at_20, 14, reference_source},
    },
    .sketch = sketch,
};
