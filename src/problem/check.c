/* check.c -- claims compared: by groups of columns, and along one direction.
 *
 * Columns of one color share no row and move together, as for differences.  What a group shows to
 * be wrong is found by halving it: a sum may also be wrong because a column outside the pattern
 * contributes to it.  At the point itself much may vanish (velocities at rest), so that the
 * comparison is made a second time beside it: 1e-2 away in y, and a half in y' and in velocities of
 * mechanical problems, where terms like v^2 would else be lost in rounding.
 */
#include "problem/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linear/columns.h"

/* ---- memory --------------------------------------------------------------------------------- */

typedef struct sizes { size_t entries, scratch, nonzeros; int rows, columns; } sizes;

static sizes sizes_of(const check *k)
{
    const keel_problem *p = k->problem;
    int linked = p->attached.rows > p->constraints ? p->attached.rows : p->constraints;
    sizes most = {.rows = linked, .columns = p->n};              /* for links */
    for (int i = 0; i < k->count; i++) {
        const claim *c = &k->claims[i];
        size_t entries = matrix_storage(c->rows, c->columns, &c->pattern);
        int sparse = c->pattern.storage == KEEL_SPARSE;
        if (entries > most.entries) most.entries = entries;
        if (sparse && entries > most.nonzeros) most.nonzeros = entries;
        if ((size_t)c->scratch > most.scratch) most.scratch = (size_t)c->scratch;
        if (c->rows > most.rows) most.rows = c->rows;
        if (c->columns > most.columns) most.columns = c->columns;
    }
    return most;
}

static void layout(arena *a, check *k)
{
    const keel_problem *p = k->problem;
    sizes most = sizes_of(k);
    int n = p->n, rows = most.rows, columns = most.columns + 1;
    double **point[] = {&k->y_given, &k->yp_given, &k->y, &k->yp, &k->moved};
    double **row[] = {&k->rate, &k->product, &k->size, &k->plus, &k->minus, &k->base,
                      &k->ladder.base};
    for (size_t i = 0; i < sizeof point / sizeof *point; i++) *point[i] = ARENA(a, double, n);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) *row[i] = ARENA(a, double, rows);
    for (int s = 0; s < LADDER_STEPS; s++) {
        k->ladder.plus[s] = ARENA(a, double, rows);
        k->ladder.minus[s] = ARENA(a, double, rows);
    }
    for (int salt = 0; salt < CHECK_SALTS; salt++) k->spread[salt] = ARENA(a, double, columns);
    k->direction = ARENA(a, double, columns);
    k->w = ARENA(a, double, columns);
    k->set = ARENA(a, int, columns);
    k->scratch = ARENA(a, double, most.scratch);
    k->A.values = ARENA(a, double, most.entries);
    if (p->ops == &quasilinear_form || p->ops == &implicit_form)
        problem_matrix_layout(a, &k->other, p);
    check_mass_layout(a, k);
    k->colors.color = ARENA(a, int, columns);
    k->colors.taken = ARENA(a, int, columns + 1);
    k->colors.row_start = ARENA(a, int, most.nonzeros ? rows + 2 : 0);
    k->colors.row_column = ARENA(a, int, most.nonzeros);
}

/* y of a formulation as that of the problem it began with; what it does not know is 0. */
static int take_point(check *k, const keel_problem *problem, const double *y, const double *yp)
{
    const keel_problem *p = k->problem;
    int n = p->n, same = problem == p;
    double *known = NULL;
    for (const keel_problem *f = problem; f->original; f = f->original) {
        double *next = malloc((size_t)f->original->n * sizeof *next);
        if (next) keel_formulation_to(f, known ? known : y, next);
        free(known);
        known = next;
        if (!next) return KEEL_NO_MEMORY;
        for (int i = 0; i < f->original->n; i++)
            if (isnan(next[i])) next[i] = 0;
    }
    memcpy(k->y_given, same ? y : known, (size_t)n * sizeof *y);
    free(known);
    if (p->ops == &mechanical_form)
        memcpy(k->yp_given, k->y_given + p->group[0], (size_t)p->group[0] * sizeof *y);
    else if (same && yp) memcpy(k->yp_given, yp, (size_t)n * sizeof *yp);
    else memset(k->yp_given, 0, (size_t)n * sizeof *k->yp_given);
    return KEEL_OK;
}

int check_make(check *k, const keel_problem *problem, size_t most)
{
    const keel_problem *p = problem;
    arena measure = {0};
    while (p->original) p = p->original;
    k->problem = p;
    k->ignored = (keel_stats){0};
    k->bare = (evaluator){.problem = p, .context = p->context, .stats = &k->ignored};
    k->e = &k->bare;
    k->count = problem_claims(p, k->claims);
    k->A = k->other = (keel_matrix){.stray_row = -1};
    k->findings = NULL;
    k->found = k->room = 0;
    k->block = NULL;
    layout(&measure, k);
    if (measure.used > most) return KEEL_UNSUPPORTED;
    k->block = calloc(1, measure.used + 1);
    if (!k->block) return KEEL_NO_MEMORY;
    layout(&(arena){.base = k->block}, k);
    k->at = (claim_point){.e = k->e, .y = k->y, .yp = k->yp, .scratch = k->scratch, .other = &k->other};
    for (int salt = 0, columns = sizes_of(k).columns + 1; salt < CHECK_SALTS; salt++)
        for (int j = 0; j < columns; j++) k->spread[salt][j] = check_spread(j, (unsigned)salt);
    return KEEL_OK;
}

int check_begin(check *k, const keel_problem *problem, double t, const double *y, const double *yp)
{
    k->bare.fault = (fault){0};
    k->t_given = t;
    k->A.stray_row = k->other.stray_row = -1;
    k->no_memory = k->displaced = 0;
    k->deviation = 0;
    return take_point(k, problem, y, yp);
}

int check_create(check *k, const keel_problem *problem, double t, const double *y, const double *yp)
{
    const int rc = check_make(k, problem, SIZE_MAX);
    return rc ? rc : check_begin(k, problem, t, y, yp);
}

void check_clear(check *k)
{
    free(k->findings);
    k->findings = NULL;
    k->found = k->room = 0;
}

void check_release(check *k)
{
    check_clear(k);
    free(k->block);
}

/* ---- places --------------------------------------------------------------------------------- */

void check_at_given(check *k)
{
    size_t bytes = (size_t)k->problem->n * sizeof *k->y;
    k->displaced = 0;
    k->t = k->t_given;
    memcpy(k->y, k->y_given, bytes);
    memcpy(k->yp, k->yp_given, bytes);
}

static inline void displace(int count, const double *from, const double *spread, double by, double *to)
{
    for (int j = 0; j < count; j++) to[j] = from[j] + by * spread[j] * (1 + fabs(from[j]));
}

/* Of mechanical problems y' is that of positions, for paths. */
void check_displace(check *k, int nearer, int in_time)
{
    const double by = nearer ? 0x1p-14 : 0x1p-7, by_rate = nearer ? 0x1p-7 : 0.5;
    const keel_problem *p = k->problem;
    k->t = k->t_given + (in_time ? by * check_time_unit(k->t_given) : 0);
    if (k->displaced == 1 + nearer) return;      /* as it is already */
    const double *y = k->y_given, *spread = k->spread[1];
    int n = p->n, mechanical = p->ops == &mechanical_form, v = mechanical ? p->group[0] : n, l = n - 2 * v;
    k->displaced = 1 + nearer;
    displace(v, y, spread, by, k->y);
    if (mechanical) {
        displace(v, y + v, spread + v, by_rate, k->y + v);
        displace(l, y + 2 * v, spread + 2 * v, by, k->y + 2 * v);
    }
    displace(v, k->yp_given, k->spread[2], by_rate, k->yp);
}

static int is_timed(const claim *c) { return c->rate_callback || c->argument == ALONG_PATH; }

/* ---- one column, and sets of them ------------------------------------------------------------ */

static int in_pattern(const claim *c, int row, int j)
{
    if (j >= c->columns) return 1;
    column a = pattern_column(&c->pattern, c->rows, j);
    for (int p = 0; p < a.count; p++)
        if (column_row(&a, p) == row) return 1;
    return 0;
}

/* Every row of one column, whose product check_line has left. */
static int judge(check *k, const claim *c, int j)
{
    int path = c->argument == ALONG_PATH, timed = j == c->columns;
    double scale = path ? 1 : k->direction[j];
    k->w[j] = k->direction[j];
    int rc = check_ladder(k, c);
    k->w[j] = 0;
    for (int i = 0; i < c->rows && !rc; i++) {
        double given = path ? k->A.values[i] : k->product[i];
        verdict v = check_verdict(k, c, i, given);
        int inside = in_pattern(c, i, j);
        if (!v.wrong || (inside && !c->given)) continue;
        double apart = fabs(given - v.expected) / (fabs(given) + fabs(v.expected));
        if (!(apart <= k->deviation)) k->deviation = apart;
        rc = check_add(k, c, (keel_finding){
            .kind = !inside ? KEEL_FINDING_PATTERN
                  : isfinite(given) ? KEEL_FINDING_DERIVATIVE : KEEL_FINDING_NOT_FINITE,
            .callback = timed ? c->rate_callback : c->callback, .row = i,
            .column = path || timed ? -1 : c->first + j, .given = given / scale,
            .expected = v.expected / scale + 0.0});      /* no -0 */
    }
    return rc;
}

/* Findings in these columns.  1: some could not be evaluated. */
static int inspect(check *k, const claim *c, const int *set, int count)
{
    if (check_is_full(k, set[0] == c->columns ? c->rate_callback : c->callback)) return 0;
    if (k->lines-- <= 0) return 1;
    int rc = check_line(k, c, set, count);
    if (rc <= 0) return rc;
    if (count == 1) return judge(k, c, set[0]);
    int half = count / 2, first = inspect(k, c, set, half);
    if (first < 0) return first;
    int second = inspect(k, c, set + half, count - half);
    return second < 0 ? second : first || second;
}

/* ---- a whole claim --------------------------------------------------------------------------- */

static void color(check *k, const claim *c)
{
    const keel_pattern *pattern = &c->pattern;
    int width = pattern->storage == KEEL_BAND ? pattern->lower + pattern->upper + 1 : c->columns;
    if (pattern->storage == KEEL_SPARSE) {
        coloring_build_sparse(&k->colors, pattern, c->rows, c->columns);
        return;
    }
    k->colors.count = width < c->columns ? width : c->columns;
    for (int j = 0; j < c->columns; j++) k->colors.color[j] = j % width;
}

/* The columns of a color to k->set; returns how many. */
static int gather(check *k, const claim *c, int group)
{
    int count = 0;
    for (int j = 0; j < c->columns; j++)
        if (k->colors.color[j] == group) k->set[count++] = j;
    return count;
}

static int inspect_groups(check *k, const claim *c)
{
    int unknown = 0;
    for (int g = 0; g <= k->colors.count; g++) {
        int last = g == k->colors.count, count = last ? 1 : gather(k, c, g);
        if (last && !c->rate_callback) break;
        if (last) k->set[0] = c->columns;
        int rc = inspect(k, c, k->set, count);
        if (rc < 0) return rc;
        unknown |= rc;
    }
    return unknown;
}

/* Without a matrix: differences as the solver would take them, along other directions than those of
 * check_line.  What the pattern leaves out makes them wrong, and differently so. */
static int fill_by_groups(check *k, const claim *c)
{
    const double h = 0x1p-17;
    for (int g = 0; g < k->colors.count; g++) {
        int count = gather(k, c, g);
        for (int s = 0; s < count; s++) k->w[k->set[s]] = fabs(k->direction[k->set[s]]) + 1;
        int rc = check_value(k, c, h, k->plus);
        if (!rc) rc = check_value(k, c, -h, k->minus);
        for (int s = 0; s < count; s++) {
            column a = matrix_column(&k->A, k->set[s]);
            for (int p = 0; p < a.count && !rc; p++) {
                int i = column_row(&a, p);
                a.values[p] = (k->plus[i] - k->minus[i]) / (2 * h * k->w[k->set[s]]);
            }
            k->w[k->set[s]] = 0;
        }
        if (rc) return rc;
    }
    return 0;
}

static int inspect_pattern(check *k, const claim *c)
{
    int rc = fill_by_groups(k, c);
    for (int j = 0; j < c->columns; j++) k->set[j] = j;
    return rc ? rc : inspect(k, c, k->set, c->columns);
}

static int add_stray(check *k, const claim *c)
{
    return check_add(k, c, (keel_finding){.kind = KEEL_FINDING_PATTERN, .callback = c->callback,
                                          .row = k->A.stray_row, .given = NAN, .expected = 0,
                                          .column = c->first + k->A.stray_column});
}

static int check_place(check *k, const claim *c)
{
    memset(k->w, 0, (size_t)(c->columns + 1) * sizeof *k->w);
    int rc = check_fill(k, c);
    if (rc < 0 || rc == 1) return rc;
    if (k->A.stray_row >= 0 && add_stray(k, c)) return -1;
    rc = check_value(k, c, 0, k->base);
    if (rc) return rc;
    color(k, c);
    k->lines = 4096 + 2 * k->colors.count;
    if (c->argument == ALONG_PATH) {
        k->set[0] = 0;
        return inspect(k, c, k->set, 1);
    }
    return c->given ? inspect_groups(k, c) : inspect_pattern(k, c);
}

int check_claim(check *k, const claim *c)
{
    check_at_given(k);
    int here = check_place(k, c), beside = 1;
    for (int nearer = 0; nearer < CHECK_PLACES && here >= 0 && beside > 0; nearer++) {
        check_displace(k, nearer, is_timed(c));
        beside = check_place(k, c);
    }
    return here < 0 ? here : beside < 0 ? beside : here && beside;
}

int check_direction(check *k, const claim *c)
{
    int rc = 1;
    for (int nearer = 0; nearer <= CHECK_PLACES && rc > 0; nearer++) {
        if (nearer < CHECK_PLACES) check_displace(k, nearer, is_timed(c));
        else check_at_given(k);
        rc = check_fill(k, c);
        if (rc == 0) return check_whole_line(k, c);
    }
    return rc < 0 ? rc : 0;                      /* what is not finite, the run will tell */
}
