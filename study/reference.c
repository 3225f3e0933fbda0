/* reference.c -- implicit Runge-Kutta methods on order-* once more, in 34 digits, as a C table.
 *
 * An implementation that shares nothing with the library but the tables of diagonally implicit
 * methods and, to start from, the nodes of the others: all stages
 *   Y_i = y_n + h sum_j a_ij y'(t_j, Y_j),   0 = g(t_i, Y_i)
 * by Newton's method with matrices from differences, multipliers and projection as in
 *   [Ascher & Petzold 1991 (14)], [Schropp 2003 (2.5)-(2.8)],
 * hidden constraints by differences along the solution.  It prints study/reference.h: the errors
 * at two step sizes, which the library has to reproduce, and the orders between the two finest
 * ones, which have to be those of theory -- also where double precision cannot show them.
 */
#include "study/quad_problems.h"
#include "study/theory.h"

typedef struct quad_run {
    const quad_problem *p;
    const quad_method *m;
    study_ending ending;
    quad t, h, y[QUAD_UNKNOWNS];
    quad Y[QUAD_STAGES][QUAD_UNKNOWNS], f[QUAD_STAGES][QUAD_UNKNOWNS];
} quad_run;

/* ---- stages ------------------------------------------------------------------------------- */

/* Rates, then constraints. */
static void values(const quad_problem *p, quad t, const quad *y, quad *value)
{
    quad_rate(p, t, y, value);
    if (p->balance) quad_constraint(p, t, y, value + p->differential);
}

/* J = d values / dy [n n] */
static void differences(const quad_problem *p, quad t, const quad *y, quad *J)
{
    const quad delta = 1e-12;
    quad moved[QUAD_UNKNOWNS], above[QUAD_UNKNOWNS], below[QUAD_UNKNOWNS];
    memcpy(moved, y, sizeof moved);
    for (int k = 0; k < p->n; k++) {
        moved[k] = y[k] + delta;
        values(p, t, moved, above);
        moved[k] = y[k] - delta;
        values(p, t, moved, below);
        moved[k] = y[k];
        for (int i = 0; i < p->n; i++) J[i * p->n + k] = (above[i] - below[i]) / (2 * delta);
    }
}

/* One Newton step for stages first, ..., last - 1; returns its size. */
static quad newton_step(quad_run *r, int first, int last)
{
    static quad M[QUAD_SYSTEM * QUAD_SYSTEM];
    const quad_problem *p = r->p;
    int n = p->n, N = (last - first) * n;
    quad x[QUAD_SYSTEM], J[QUAD_UNKNOWNS * QUAD_UNKNOWNS], size = 0;
    for (int j = first; j < last; j++)
        values(p, r->t + r->m->c[j] * r->h, r->Y[j], r->f[j]);
    for (int j = first; j < last; j++) {
        differences(p, r->t + r->m->c[j] * r->h, r->Y[j], J);
        for (int i = first; i < last; i++)
            for (int a = 0; a < n; a++) {
                int row = (i - first) * n + a, column = (j - first) * n;
                quad factor = a < p->differential ? -r->h * r->m->A[i][j] : i == j;
                for (int b = 0; b < n; b++) M[row * N + column + b] = factor * J[a * n + b];
                if (i == j && a < p->differential) M[row * N + column + a] += 1;
            }
    }
    for (int i = first; i < last; i++)
        for (int a = 0; a < n; a++) {
            quad sum = a < p->differential ? r->y[a] - r->Y[i][a] : -r->f[i][a];
            for (int j = 0; j < last && a < p->differential; j++)
                sum += r->h * r->m->A[i][j] * r->f[j][a];
            x[(i - first) * n + a] = sum;
        }
    quad_solve(N, M, x);
    for (int k = 0; k < N; k++) {
        r->Y[first + k / n][k % n] += x[k];
        size = fmaxq(size, fabsq(x[k]));
        if (isnanq(x[k])) return x[k];
    }
    return size;
}

/* From the exact solution, next to which lies the root that is meant. */
static int solve_stages(quad_run *r, int first, int last)
{
    quad size = 1;
    for (int j = first; j < last; j++)
        quad_exact(r->p, r->t + r->m->c[j] * r->h, r->Y[j]);
    for (int k = 0; k < 15 && size > 1e-25 && size < 1e3; k++) size = newton_step(r, first, last);
    for (int j = first; j < last; j++)
        values(r->p, r->t + r->m->c[j] * r->h, r->Y[j], r->f[j]);
    return size <= 1e-25;
}

static int is_diagonal(const quad_method *m)
{
    for (int i = 0; i < m->s; i++)
        for (int j = i + 1; j < m->s; j++)
            if (m->A[i][j] != 0) return 0;
    return 1;
}

static int all_stages(quad_run *r)
{
    int first = r->m->explicit_first, s = r->m->s, fine = 1;
    if (first) {
        memcpy(r->Y[0], r->y, sizeof r->y);
        quad_rate(r->p, r->t, r->y, r->f[0]);
    }
    if (!is_diagonal(r->m)) return solve_stages(r, first, s);
    for (int i = first; i < s && fine; i++) fine = solve_stages(r, i, i + 1);
    return fine;
}

/* ---- projection --------------------------------------------------------------------------- */

/* Level 0: g; each following one is the total derivative of the one before, by differences of
 * fourth order. */
static quad level(const quad_problem *p, int which, quad t, const quad *y)
{
    static const int at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    const quad delta = which == 1 ? 1e-6 : 1e-5;
    quad f[QUAD_UNKNOWNS], moved[QUAD_UNKNOWNS], g, sum = 0;
    if (which == 0) {
        quad_constraint(p, t, y, &g);
        return g;
    }
    quad_rate(p, t, y, f);
    memcpy(moved, y, sizeof moved);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < p->differential; i++) moved[i] = y[i] + at[k] * delta * f[i];
        sum += weight[k] * level(p, which - 1, t + at[k] * delta, moved);
    }
    return sum / (12 * delta);
}

/* D = rates differentiated in the direction `along`. */
static void derivative(const quad_problem *p, quad t, const quad *y, const quad *along, quad *D)
{
    const quad delta = 1e-11;
    quad above[QUAD_UNKNOWNS], below[QUAD_UNKNOWNS], moved[QUAD_UNKNOWNS];
    for (int i = 0; i < p->n; i++) moved[i] = y[i] + delta * along[i];
    quad_rate(p, t, moved, above);
    for (int i = 0; i < p->n; i++) moved[i] = y[i] - delta * along[i];
    quad_rate(p, t, moved, below);
    for (int i = 0; i < p->differential; i++) D[i] = (above[i] - below[i]) / (2 * delta);
}

/* Directions of all differential unknowns: f_z, or f_v k_l and k_l. */
static void directions(const quad_problem *p, quad t, const quad *y, quad *D)
{
    quad along[QUAD_UNKNOWNS] = {0}, velocity[QUAD_UNKNOWNS] = {0};
    int u = p->size[0];
    along[p->n - 1] = 1;
    derivative(p, t, y, along, D);
    if (p->index < 3) return;
    for (int i = u; i < p->differential; i++) velocity[i] = D[i];
    derivative(p, t, y, velocity, along);
    memcpy(D, along, (size_t)u * sizeof *D);
}

/* y := y + D mu in the unknowns first, ..., last - 1 so that the level vanishes: secant method. */
static void meet_level(const quad_problem *p, int which, quad t, const quad *D, int first, int last,
                       quad *y)
{
    quad before = level(p, which, t, y), step = 1e-6;
    for (int k = 0; k < 40 && fabsq(step) > 1e-20; k++) {
        for (int i = first; i < last; i++) y[i] += step * D[i];
        quad value = level(p, which, t, y);
        if (value == before) return;
        quad next = -step * value / (value - before);
        before = value;
        step = next;
    }
}

static const quad one[QUAD_UNKNOWNS] = {1, 1, 1, 1, 1, 1, 1};

/* Index 2 and 3: directions at the new point, or, stiffly accurate, at the one before. */
static void project(const quad_run *r, quad t, quad *y)
{
    const quad_problem *p = r->p;
    const int hidden = study_hidden(r->ending);
    quad before[QUAD_UNKNOWNS], last[QUAD_UNKNOWNS], D[QUAD_UNKNOWNS], change = 1;
    int rounds = r->m->stiffly_accurate ? 1 : 30;
    memcpy(before, y, sizeof before);
    for (int round = 0; round < rounds && change > 1e-22; round++) {
        memcpy(last, y, sizeof last);
        directions(p, t, y, D);
        memcpy(y, before, (size_t)p->differential * sizeof *y);
        meet_level(p, 0, t, D, 0, p->size[0], y);
        if (p->index == 3) meet_level(p, 1, t, D, p->size[0], p->differential, y);
        if (hidden) meet_level(p, p->index - 1, t, one, p->n - 1, p->n, y);
        change = 0;
        for (int i = 0; i < p->n; i++) change = fmaxq(change, fabsq(y[i] - last[i]));
    }
}

/* z from g(t,y,z) = 0, m = 2 */
static void solve_algebraic(const quad_problem *p, quad t, quad *y)
{
    quad J[QUAD_UNKNOWNS * QUAD_UNKNOWNS], S[4], g[2];
    int d = p->differential;
    for (int k = 0; k < 8; k++) {
        differences(p, t, y, J);
        quad_constraint(p, t, y, g);
        for (int i = 0; i < 4; i++) S[i] = J[(d + i / 2) * p->n + d + i % 2];
        quad_solve(2, S, g);
        for (int i = 0; i < 2; i++) y[d + i] -= g[i];
    }
}

/* ---- steps -------------------------------------------------------------------------------- */

static int step(quad_run *r, quad t_new)
{
    const quad_problem *p = r->p;
    const int polynomial = study_multipliers(r->ending) == KEEL_MULTIPLIERS_POLYNOMIAL;
    const quad *end = polynomial ? r->m->at_one : r->m->end;
    quad y[QUAD_UNKNOWNS];
    if (!all_stages(r)) return 0;
    memcpy(y, r->y, sizeof y);
    for (int k = 0; k < p->n; k++)
        for (int i = 0; i < r->m->s; i++)
            y[k] += k < p->differential ? r->h * r->m->b[i] * r->f[i][k]
                                        : end[i] * (r->Y[i][k] - r->y[k]);
    if (study_projected(r->ending) && p->index > 1) project(r, t_new, y);
    else if (study_hidden(r->ending) && p->index > 1)
        meet_level(p, p->index - 1, t_new, one, p->n - 1, p->n, y);
    if (r->ending == STUDY_HIDDEN && p->index == 1) solve_algebraic(p, t_new, y);
    memcpy(r->y, y, sizeof y);
    r->t = t_new;
    return 1;
}

/* Errors of the groups as study_run in orders.h measures them; NAN where Newton's method fails. */
static void run(const quad_problem *p, const quad_method *m, study_ending ending, int N,
                double *error)
{
    const quad length = 2;
    quad_run r = {.p = p, .m = m, .ending = ending, .h = length / N};
    quad x[QUAD_UNKNOWNS];
    quad_exact(p, 0, r.y);
    for (int g = 0; g < STUDY_GROUPS; g++) error[g] = 0;
    for (int n = 1; n <= N; n++) {
        if (!step(&r, length * n / N)) {
            for (int g = 0; g < STUDY_GROUPS; g++) error[g] = NAN;
            return;
        }
        quad_exact(p, r.t, x);
        for (int g = 0, i = 0; g < p->groups; g++)
            for (int k = 0; k < p->size[g]; k++, i++)
                if (2 * n >= N) error[g] = fmax(error[g], fabs((double)(r.y[i] - x[i])));
    }
}

static void print_triple(const double *x, const char *format, const char *end)
{
    for (int g = 0; g < STUDY_GROUPS; g++) {
        printf(g ? ", " : "{");
        if (isnan(x[g])) printf("NAN");
        else printf(format, x[g]);
    }
    printf("}%s", end);
}

/* What first and, for multipliers of index 3, second differences leave in a group. */
static double noise_of(const quad_problem *p, study_ending ending, int group)
{
    int multipliers = group == p->groups - 1;
    if (p->index < 2 || (!study_projected(ending) && !(multipliers && study_hidden(ending))))
        return 0;
    return multipliers && p->index == 3 ? 3e-18 : 3e-19;
}

/* The finest order of each group above the noise; returns the largest change since the level
 * before. */
static double find_orders(const quad_problem *p, study_ending ending, double error[][STUDY_GROUPS],
                          int level, double *order)
{
    double change = 0;
    for (int g = 0; g < p->groups && level > 0; g++) {
        double before = order[g];
        if (error[level][g] < noise_of(p, ending, g)) continue;
        order[g] = log2(error[level - 1][g] / error[level][g]);
        change = isnan(order[g] - before) ? INFINITY : fmax(change, fabs(order[g] - before));
    }
    return change;
}

/* From 16 steps to at least 128, and on until the order settles. */
static void print_case(const char *method, const quad_method *m, study_problem problem,
                       study_ending ending)
{
    enum { LEAST = 128, MOST = 1024, LEVELS = 12 };
    const quad_problem *p = &quad_problems[problem];
    const study_exception *e = study_exception_of(method, p->name);
    double error[LEVELS][STUDY_GROUPS], order[STUDY_GROUPS] = {0}, change = 0;
    int levels = 0, least = e ? e->last : LEAST, most = least > MOST ? least : MOST;
    for (int N = 16; N <= least || (N <= most && change > 0.03); N *= 2) {
        run(p, m, ending, N, error[levels]);
        change = find_orders(p, ending, error, levels++, order);
    }
    printf("    {\"%s\", %d, %d, %d, ", method, (int)problem, (int)ending, 16 << (levels - 1));
    print_triple(order, "%.2f", ",\n     {");
    print_triple(error[0], "%.6e", ",\n      ");
    print_triple(error[1], "%.6e", "}},\n");
    fflush(stdout);
}

static void print_head(void)
{
    printf("/* reference.h -- errors and orders in 34 digits, written by study/reference.c.\n"
           " *\n"
           " * Errors with 16 and 32 steps, orders between N / 2 and N steps, N = `finest` or the\n"
           " * largest at which the error is above the noise of differences;\n"
           " * NAN: Newton's method fails; 0: there is no such group.\n"
           " */\n"
           "#ifndef KEEL_STUDY_REFERENCE_H\n#define KEEL_STUDY_REFERENCE_H\n\n"
           "#include \"study/theory.h\"\n\n"
           "typedef struct reference_case {\n"
           "    const char *method;\n"
           "    study_problem problem;\n"
           "    study_ending ending;\n"
           "    int finest;\n"
           "    double order[STUDY_GROUPS], error[2][STUDY_GROUPS];\n"
           "} reference_case;\n\n"
           "static const reference_case references[] = {\n");
}

static void print_method(const char *name, const keel_method_info *info, const quad_method *m)
{
    for (study_problem problem = 0; problem < STUDY_PROBLEMS; problem++)
        for (study_ending ending = 0; ending < STUDY_ENDINGS; ending++)
            if (study_differs(problem, ending) &&
                study_same_ending(info, problem, ending) == ending)
                print_case(name, m, problem, ending);
}

int main(int argc, char **argv)
{
    print_head();
    for (int i = 0; i < STUDY_METHODS; i++) {
        const char *name = study_methods[i];
        keel_method_info info;
        quad_method m;
        if (keel_method_find(name, &info) || !study_implicit(info.kind) ||
            (argc > 1 && strcmp(argv[1], name) != 0)) continue;
        if (quad_method_named(&m, name)) return 1;
        print_method(name, &info, &m);
    }
    printf("};\nenum { REFERENCES = sizeof references / sizeof *references };\n\n#endif\n");
    return 0;
}
