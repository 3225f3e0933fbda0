/* order_levelled.c -- a levelled problem of index 2, 3 or 4 with a chosen solution: x, x' and x'' of
 * two x, one w, one z, and the constraint on x^(4 - index); see levelled_tower.h.
 */
#include "problems/levelled_tower.h"
#include "problems/list.h"

enum { DERIVATIVES = 3, SIZE = 8, LEAST = 2, MOST = 4 };

static const tower towers[][MOST - LEAST + 1] = {
    {{DERIVATIVES, 2, 0}, {DERIVATIVES, 1, 0}, {DERIVATIVES, 0, 0}},
    {{DERIVATIVES, 2, 1}, {DERIVATIVES, 1, 1}, {DERIVATIVES, 0, 1}}};

/* Of another index there is none. */
static const tower *tower_of(const double *parameters)
{
    for (int index = LEAST; index <= MOST; index++)
        if (parameters[0] == index) return &towers[parameters[1] != 0][index - LEAST];
    return NULL;
}

keel_levelled_spec problem_order_levelled_spec(const double *parameters)
{
    static const char *const names[] = {"x1", "x2", "v1", "v2", "a1", "a2", "w", "z"};
    static const char *const constraint_names[] = {"Gamma"};
    const tower *p = tower_of(parameters);
    keel_levelled_spec spec = p ? tower_spec(p) : (keel_levelled_spec){0};
    spec.names = names;
    spec.constraint_names = constraint_names;
    return spec;
}

static int create(keel_problem **problem, const double *parameters)
{
    const keel_levelled_spec spec = problem_order_levelled_spec(parameters);
    return keel_levelled(problem, &spec);
}

static void exact(const double *parameters, double t, double *y)
{
    (void)parameters;
    tower_exact(t, y, (void *)towers[0]);
}

static void start(const double *parameters, double *y) { exact(parameters, 0, y); }

const keel_target problem_order_levelled = {
    .name = "order-levelled",
    .title = "levelled problem with a chosen solution, nonlinear in z or not, for measuring orders",
    .source = "Keel; forces that make given curves the solution",
    .remark = "  keel converge order-levelled --formulation index1 --method gauss-3\n"
              "  keel converge order-levelled --formulation index2 --method gauss-3\n"
              "  keel converge order-levelled --formulation index3 --method gauss-3\n"
              "  keel converge order-levelled --formulation index3 --method radau-iia-3\n"
              "  keel converge order-levelled --formulation index3 --method radau-iia-3 --param linear=1\n",
    .index = MOST, .size = SIZE, .t_start = 0, .t_end = 1,
    .parameter_count = 2,
    .parameters = (const keel_parameter[]){{"index", MOST, "of the problem: 2, 3 or 4"},
                                           {"linear", 0, "in z, if not 0; else z is cubed"}},
    .create = create, .start = start, .exact = exact,
    .counts = (const unsigned char[SIZE]){1, 1, 1, 1, 1, 1, 1, 1},
};
