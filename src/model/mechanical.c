/* mechanical.c -- is a model  M(t,q) q'' = f(t,q,q') - G(t,q)^T l,  0 = g(t,q)?
 *
 * Structure: every unknown has d_j = 2, a position, or d_j = 0, a multiplier; every equation has c_i = 2,
 * a constraint, or c_i = 0, and there are as many constraints as multipliers.  The latter equations are
 *
 *     A(t,q) q'' + B(t,q) l + r(t,q,q') = 0
 *
 * if the entries of their gradients contain neither q', q'' nor l.  It is left to find which of them
 * belongs to which position, which multiplier to which constraint, and constants s_i, T_k with
 *
 *     M = diag(s) A symmetric and positive definite,    diag(s) B = G^T diag(T):
 *
 * equations may be divided by masses, and constraints squared lengths.  Then T g is the constraint, and
 * -s r are the forces.  Which constants they are is seen at points near the start [nearby.h].
 *
 * Equations that A couples are tried in all orders (up to PERMUTED), beginning with that of the text.
 */
#include "model/mechanical.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "keel/status.h"
#include "model/nearby.h"

enum { PERMUTED = 5, COUPLED = 200 };    /* coupled equations whose order is searched for; most of them */
enum { POINTS = NEARBY_POINTS - 1 };

static const double same = 1e-9;         /* relative difference of what counts as equal: rounding, amplified */

/* A matrix and its values at all points; value[p * count + k] is that of entry k. */
typedef struct sampled {
    nonzeros at;
    double *value;
    int *row_start;                      /* entries were added row by row                       */
} sampled;

typedef struct recognising {
    model_system *s;
    mechanical *f;
    int n, m;
    int *number;                         /* per column: among positions, or multipliers         */
    int *equation;                       /* rows with c = 0                                     */
    sampled A, B, G;
    int *place;                          /* per equation: the position that it belongs to       */
    int *part, parts;                    /* per equation: the part of A that it belongs to      */
    int *partner;                        /* per multiplier: its constraint                      */
    double *s_row, *s_part, *T;
    walk walk;
} recognising;

void mechanical_free(mechanical *f)
{
    free(f->position);
    free(f->multiplier);
    free(f->row);
    nonzeros_free(&f->mass);
    nonzeros_free(&f->jacobian);
    free(f->mass_place);
    free(f->jacobian_place);
    free(f->force);
    free(f->constraint);
    free(f->time);
    free(f->curvature);
    buffer_free(&f->reason);
    *f = (mechanical){0};
}

/* ---- counting -------------------------------------------------------------------------------------- */

static int say_column(recognising *r, int j, const char *what)
{
    column_print(r->s, &r->f->reason, j, 0);
    buffer_add(&r->f->reason, what);
    return 0;
}

static int say_row(recognising *r, int i, const char *what)
{
    row_print(r->s, &r->f->reason, i, 0, 1);
    buffer_add(&r->f->reason, what);
    return 0;
}

/* 1: as many of each kind as a mechanical system has. */
static int counts_fit(recognising *r)
{
    const model_system *s = r->s;
    int positions = 0, multipliers = 0, constraints = 0, odd = -1, first_multiplier = -1;
    for (int j = 0; j < s->columns; j++) {
        positions += s->d[j] == 2;
        multipliers += s->d[j] == 0;
        if (s->d[j] == 0 && first_multiplier < 0) first_multiplier = j;
        if (s->d[j] != 2 && s->d[j] != 0) odd = j;
    }
    if (positions == 0) return 0;
    if (odd >= 0) return say_column(r, odd, s->d[odd] == 1 ? " has a first derivative only"
                                                           : " is differentiated more than twice");
    for (int i = 0; i < s->rows; i++) {
        if (s->c[i] != 0 && s->c[i] != 2) return say_row(r, i, " is differentiated once");
        constraints += s->c[i] == 2;
    }
    if (constraints == 0) return 0;
    if (multipliers > constraints) return say_column(r, first_multiplier, " is one of more algebraic "
                                                     "unknowns than there are constraints");
    if (multipliers < constraints) {
        buffer_add(&r->f->reason, "there are fewer multipliers than constraints");
        return 0;
    }
    r->n = positions;
    r->m = constraints;
    return 1;
}

static int allocate(recognising *r)
{
    mechanical *f = r->f;
    const size_t n = (size_t)r->n + 1, m = (size_t)r->m + 1;
    f->position = malloc(n * sizeof(int));
    f->multiplier = malloc(m * sizeof(int));
    f->row = malloc(m * sizeof(int));
    f->force = calloc(n, sizeof(expr));
    f->constraint = calloc(m, sizeof(expr));
    f->time = calloc(m, sizeof(expr));
    f->curvature = calloc(m, sizeof(expr));
    r->number = malloc(((size_t)r->s->columns + 1) * sizeof(int));
    r->equation = malloc(n * sizeof(int));
    r->place = malloc(n * sizeof(int));
    r->part = malloc(n * sizeof(int));
    r->partner = malloc(m * sizeof(int));
    r->s_row = malloc(n * sizeof(double));
    r->s_part = malloc(n * sizeof(double));
    r->T = malloc(m * sizeof(double));
    return f->position && f->multiplier && f->row && f->force && f->constraint && f->time && f->curvature
        && r->number && r->equation && r->place && r->part && r->partner && r->s_row && r->s_part && r->T ? 0 : -1;
}

static void free_sampled(sampled *a)
{
    nonzeros_free(&a->at);
    free(a->value);
    free(a->row_start);
}

static void release(recognising *r)
{
    free_sampled(&r->A);
    free_sampled(&r->B);
    free_sampled(&r->G);
    free(r->number);
    free(r->equation);
    free(r->place);
    free(r->part);
    free(r->partner);
    free(r->s_row);
    free(r->s_part);
    free(r->T);
    walk_free(&r->walk);
}

/* Positions, multipliers, equations and constraints in the order of the model. */
static void number_all(recognising *r)
{
    const model_system *s = r->s;
    int q = 0, l = 0, e = 0, g = 0;
    for (int j = 0; j < s->columns; j++) {
        r->number[j] = s->d[j] == 2 ? q : l;
        if (s->d[j] == 2) r->f->position[q++] = j;
        else r->f->multiplier[l++] = j;
    }
    for (int i = 0; i < s->rows; i++)
        if (s->c[i] == 0) r->equation[e++] = i;
        else r->f->row[g++] = i;
}

/* ---- linearity ---------------------------------------------------------------------------------------- */

/* A leaf that neither M nor G may contain: anything but t, q and what is constant. */
static int foreign(const pool *p, expr e, void *context)
{
    const model_system *s = context;
    const expr_node *n = pool_at(p, e);
    if (n->op == EXPR_PRE || n->op == EXPR_INITIAL || n->op == EXPR_TERMINAL) return 1;
    if (n->op != EXPR_VARIABLE) return 0;
    if (n->a >= (uint32_t)s->variables) return 1;
    if (s->kind[n->a] == KIND_KNOWN) return 0;
    const int j = s->root_column[n->a];
    return j < 0 || s->d[j] != 2 || n->b > 0;
}

static int varying(const pool *p, expr e, void *context)
{
    const model_system *s = context;
    const expr_node *n = pool_at(p, e);
    return n->op == EXPR_TIME
        || (n->op == EXPR_VARIABLE && (n->a >= (uint32_t)s->variables || s->kind[n->a] != KIND_KNOWN));
}

static int is_foreign(recognising *r, expr e)
{
    return walk_any(&r->walk, &r->s->flat->pool, e, foreign, r->s);
}

/* Rows of A and B: 1; 0: the equation is not linear; -1: no memory. */
static int read_equation(recognising *r, gradient *g, int e)
{
    const model_system *s = r->s;
    const int i = r->equation[e];
    if (derivative_gradient(&r->s->derivation, row_residual(r->s, i, 0), g)) return -1;
    for (int k = 0; k < g->count; k++) {
        const expr_node n = *pool_at(&s->flat->pool, g->leaf[k]);
        const int j = n.a < (uint32_t)s->variables ? s->root_column[n.a] : -1;
        if (j < 0 || (int)n.b < s->d[j]) continue;
        if (is_foreign(r, g->value[k])) return say_row(r, i, " is not linear in accelerations and multipliers");
        if (nonzeros_add(s->d[j] == 2 ? &r->A.at : &r->B.at, e, r->number[j], g->value[k])) return -1;
    }
    return 1;
}

static int read_constraint(recognising *r, gradient *g, int k)
{
    const model_system *s = r->s;
    const int i = r->f->row[k];
    const expr value = row_residual(r->s, i, 0);
    if (is_foreign(r, value)) return say_row(r, i, " depends on more than positions");
    if (derivative_gradient(&r->s->derivation, value, g)) return -1;
    for (int e = 0; e < g->count; e++) {
        const expr_node n = *pool_at(&s->flat->pool, g->leaf[e]);
        const int j = n.a < (uint32_t)s->variables ? s->root_column[n.a] : -1;
        if (j >= 0 && nonzeros_add(&r->G.at, k, r->number[j], g->value[e])) return -1;
    }
    return 1;
}

/* Entries by rows, and their values; 0: one has none. */
static int sample(recognising *r, sampled *a, int rows)
{
    const int count = a->at.count;
    a->value = malloc(((size_t)count * POINTS + 1) * sizeof *a->value);
    a->row_start = calloc((size_t)rows + 2, sizeof *a->row_start);
    if (!a->value || !a->row_start) return -1;
    for (int k = 0; k < count; k++) a->row_start[a->at.row[k] + 1]++;
    for (int i = 0; i < rows; i++) a->row_start[i + 1] += a->row_start[i];
    for (int p = 0; p < POINTS; p++) {
        nearby here = nearby_point(r->s, p + 1);
        for (int k = 0; k < count; k++) {
            const double x = a->value[p * count + k] = nearby_value(&here, a->at.value[k]);
            if (isfinite(x)) continue;
            buffer_add(&r->f->reason, "masses or constraints cannot be evaluated near the start");
            return 0;
        }
    }
    return 1;
}

static int read_all(recognising *r)
{
    gradient g = {0};
    int code = 1;
    for (int e = 0; e < r->n && code == 1; e++) code = read_equation(r, &g, e);
    for (int k = 0; k < r->m && code == 1; k++) code = read_constraint(r, &g, k);
    gradient_free(&g);
    if (code == 1) code = sample(r, &r->A, r->n);
    if (code == 1) code = sample(r, &r->B, r->n);
    if (code == 1) code = sample(r, &r->G, r->m);
    return code;
}

/* ---- M: which equation belongs to which position ----------------------------------------------------- */

/* The entry of row i in a column, -1: it is not there. */
static int entry_at(const sampled *a, int i, int column)
{
    for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++)
        if (a->at.column[k] == column) return k;
    return -1;
}

static double value_at(const sampled *a, int p, int k)
{
    return a->value[p * a->at.count + k];
}

static int near_equal(double a, double b)
{
    return fabs(a - b) <= same * (fabs(a) + fabs(b));
}

/* Equations and positions of one part of A, in the order of the model. */
typedef struct part { int *row, *column, rows, columns; } part;

/* s of row i from that of its neighbour at row h: s_h A(h, place i) = s_i A(i, place h).  0: it contradicts. */
static int scale_from(recognising *r, int h, int i, int *known)
{
    const int up = entry_at(&r->A, h, r->place[i]), down = entry_at(&r->A, i, r->place[h]);
    if (up < 0 && down < 0) return 1;
    if (up < 0 || down < 0) return 0;
    const double first = value_at(&r->A, 0, down);
    if (!known[i] && first == 0) return 0;
    if (!known[i]) r->s_row[i] = r->s_row[h] * value_at(&r->A, 0, up) / first;
    known[i] = 1;
    for (int p = 0; p < POINTS; p++)
        if (!near_equal(r->s_row[h] * value_at(&r->A, p, up), r->s_row[i] * value_at(&r->A, p, down))) return 0;
    return 1;
}

/* Cholesky's decomposition of the part at all points: does it exist? */
static int is_positive(const recognising *r, const part *b, double *work)
{
    const int n = b->rows;
    for (int p = 0; p < POINTS; p++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) {
                const int k = entry_at(&r->A, b->row[i], r->place[b->row[j]]);
                double x = k < 0 ? 0 : r->s_row[b->row[i]] * value_at(&r->A, p, k);
                for (int l = 0; l < j; l++) x -= work[i * n + l] * work[j * n + l];
                if (i == j && !(x > 0)) return 0;
                work[i * n + j] = i == j ? sqrt(x) : x / work[j * n + j];
            }
    }
    return 1;
}

/* Do the places that the rows of a part have make it symmetric and positive?  known [2 n]: work. */
static int is_mass(recognising *r, const part *b, int *known, double *work)
{
    for (int k = 0; k < b->rows; k++) known[b->row[k]] = 0;
    const int root = b->row[0], diagonal = entry_at(&r->A, root, r->place[root]);
    if (diagonal < 0) return 0;
    r->s_row[root] = value_at(&r->A, 0, diagonal) < 0 ? -1 : 1;
    known[root] = 1;
    int *queue = known + r->n, found = 1;
    queue[0] = root;
    for (int h = 0; h < found; h++)
        for (int k = 0; k < b->rows; k++) {
            const int i = b->row[k], before = known[i];
            if (!scale_from(r, queue[h], i, known)) return 0;
            if (known[i] && !before) queue[found++] = i;
        }
    if (found < b->rows) return 0;
    return is_positive(r, b, work);
}

/* The next permutation in lexicographic order; 0: there is none. */
static int permute(int *x, int n)
{
    int i = n - 2, j = n - 1;
    while (i >= 0 && x[i] > x[i + 1]) i--;
    if (i < 0) return 0;
    while (x[j] < x[i]) j--;
    const int t = x[i];
    x[i] = x[j];
    x[j] = t;
    for (int a = i + 1, b = n - 1; a < b; a++, b--) {
        const int u = x[a];
        x[a] = x[b];
        x[b] = u;
    }
    return 1;
}

static int order_part(recognising *r, part *b, int *known)
{
    double *work = malloc((size_t)b->rows * (size_t)b->rows * sizeof *work);
    int found = 0;
    if (!work) return -1;
    do {
        for (int k = 0; k < b->rows; k++) r->place[b->row[k]] = b->column[k];
        found = is_mass(r, b, known, work);
    } while (!found && b->rows <= PERMUTED && permute(b->column, b->rows));
    free(work);
    if (found) return 1;
    return say_row(r, r->equation[b->row[0]], b->rows > 1
                   ? " and the equations coupled with it have no symmetric positive mass matrix"
                   : " has no mass");
}

static int root_of(int *up, int i)
{
    while (up[i] != i) i = up[i] = up[up[i]];
    return i;
}

/* Numbers the parts, rows and columns that A connects, in the order of their first rows. */
static void number_parts(recognising *r, int *up, int *column_part)
{
    const int n = r->n;
    for (int i = 0; i < 2 * n; i++) up[i] = i;
    for (int k = 0; k < r->A.at.count; k++) {
        const int a = root_of(up, r->A.at.row[k]), b = root_of(up, n + r->A.at.column[k]);
        if (a != b) up[a > b ? a : b] = a > b ? b : a;
    }
    for (int i = 0; i < n; i++) r->part[i] = up[i] == i ? r->parts++ : r->part[root_of(up, i)];
    for (int j = 0; j < n; j++) column_part[j] = root_of(up, n + j) < n ? r->part[root_of(up, n + j)] : r->parts;
}

/* Numbers 0 ... n - 1 sorted by their parts; start [parts + 2]. */
static void sort_by_part(const int *of, int n, int parts, int *start, int *sorted)
{
    memset(start, 0, ((size_t)parts + 3) * sizeof *start);
    for (int i = 0; i < n; i++) start[of[i] + 2]++;
    for (int b = 0; b <= parts; b++) start[b + 2] += start[b + 1];
    for (int i = 0; i < n; i++) sorted[start[of[i] + 1]++] = i;
}

static int find_places(recognising *r)
{
    const size_t n = (size_t)r->n;
    int *work = malloc((9 * n + 8) * sizeof *work), code = 1;
    if (!work) return -1;
    int *column_part = work + 2 * n, *rows = work + 3 * n, *columns = work + 4 * n;
    int *row_start = work + 5 * n, *column_start = row_start + n + 4;
    number_parts(r, work, column_part);
    sort_by_part(r->part, r->n, r->parts, row_start, rows);
    sort_by_part(column_part, r->n, r->parts, column_start, columns);
    for (int b = 0; b < r->parts && code == 1; b++) {
        part one = {rows + row_start[b], columns + column_start[b], row_start[b + 1] - row_start[b],
                    column_start[b + 1] - column_start[b]};
        code = one.rows != one.columns || one.rows > COUPLED
             ? say_row(r, r->equation[one.row[0]], " has no place in a mass matrix") : order_part(r, &one, work);
    }
    free(work);
    return code;
}

/* ---- G: which multiplier belongs to which constraint ---------------------------------------------------- */

/* Entries sorted by columns: those of column j are list[start[j]] to list[start[j + 1] - 1]. */
static int *by_columns(const sampled *a, int columns, int **start)
{
    int *list = malloc(((size_t)a->at.count + 1) * sizeof *list);
    *start = calloc((size_t)columns + 3, sizeof **start);
    if (!list || !*start) return free(list), NULL;
    for (int k = 0; k < a->at.count; k++) (*start)[a->at.column[k] + 2]++;
    for (int j = 0; j < columns; j++) (*start)[j + 2] += (*start)[j + 1];
    for (int k = 0; k < a->at.count; k++) list[(*start)[a->at.column[k] + 1]++] = k;
    return list;
}

/* Is column k of diag(s) B a multiple of row g of G, part by part?  T_k may still scale all of it. */
static int belongs(const recognising *r, const int *entries, int count, int g)
{
    if (count != r->G.row_start[g + 1] - r->G.row_start[g]) return 0;
    for (int e = 0; e < count; e++) {
        const int other = entry_at(&r->G, g, r->place[r->B.at.row[entries[e]]]);
        if (other < 0) return 0;
        const double x = value_at(&r->B, 0, entries[e]), y = value_at(&r->G, 0, other);
        for (int p = 1; p < POINTS; p++)
            if (!near_equal(x * value_at(&r->G, p, other), y * value_at(&r->B, p, entries[e]))) return 0;
    }
    return 1;
}

/* T_k = s_part s_i B(i,k) / G(partner, place i) for all i: known ones give others.  0: they contradict. */
static int settle(recognising *r, const int *entries, int count, int k, int *changed)
{
    for (int pass = 0; pass < 2; pass++)
        for (int e = 0; e < count; e++) {
            const int i = r->B.at.row[entries[e]];
            const int other = entry_at(&r->G, r->partner[k], r->place[i]);
            const double ratio = r->s_row[i] * value_at(&r->B, 0, entries[e]) / value_at(&r->G, 0, other);
            double *part_scale = &r->s_part[r->part[i]];
            if (!isfinite(ratio) || ratio == 0) return 0;
            if (isnan(r->T[k]) && !isnan(*part_scale)) r->T[k] = *part_scale * ratio, *changed = 1;
            else if (!isnan(r->T[k]) && isnan(*part_scale)) *part_scale = r->T[k] / ratio, *changed = 1;
            else if (!isnan(r->T[k]) && !near_equal(r->T[k], *part_scale * ratio)) return 0;
            if (*part_scale < 0) return 0;
        }
    return 1;
}

/* Parts that no constraint connects keep the scale of the text. */
static int find_scales(recognising *r, const int *list, const int *start)
{
    for (int k = 0; k < r->m; k++) r->T[k] = NAN;
    for (int b = 0; b < r->parts; b++) r->s_part[b] = NAN;
    for (int b = 0; b < r->parts; b++) {
        if (!isnan(r->s_part[b])) continue;
        r->s_part[b] = 1;
        for (int changed = 1; changed;) {
            changed = 0;
            for (int k = 0; k < r->m; k++)
                if (!settle(r, list + start[k], start[k + 1] - start[k], k, &changed))
                    return say_column(r, r->f->multiplier[k], " does not act along the gradient of a constraint");
        }
    }
    return 1;
}

static int find_partners(recognising *r)
{
    int *start = NULL, *list = by_columns(&r->B, r->m, &start), code = 1;
    unsigned char *taken = calloc((size_t)r->m + 1, 1);
    if (!list || !taken) code = -1;
    for (int k = 0; k < r->m && code == 1; k++) {
        const int *entries = list + start[k], count = start[k + 1] - start[k];
        r->partner[k] = -1;
        for (int g = 0, at = k; g < r->m && r->partner[k] < 0; g++, at = (at + 1) % r->m)
            if (!taken[at] && belongs(r, entries, count, at)) r->partner[k] = at;
        if (r->partner[k] >= 0) taken[r->partner[k]] = 1;
        else code = say_column(r, r->f->multiplier[k], " does not act along the gradient of a constraint");
    }
    if (code == 1) code = find_scales(r, list, start);
    free(start);
    free(list);
    free(taken);
    return code;
}

/* ---- expressions --------------------------------------------------------------------------------------- */

typedef struct vanishing { const model_system *s; int order; } vanishing;

/* Derivatives of positions from that order on, and multipliers, are 0. */
static expr vanish(pool *p, expr e, void *context)
{
    const vanishing *v = context;
    const expr_node n = *pool_at(p, e);
    if (n.op != EXPR_VARIABLE || n.a >= (uint32_t)v->s->variables) return 0;
    const int j = v->s->root_column[n.a];
    if (j < 0) return 0;
    return v->s->d[j] == 0 || (int)n.b >= v->order ? pool_constant(p, 0) : 0;
}

/* A number that a person would have written, if it is one but for rounding. */
static double written(double x)
{
    for (int q = 1; q <= 12; q++)
        if (fabs(x * q - nearbyint(x * q)) <= 1e-13 * fabs(x * q)) return nearbyint(x * q) / q;
    return x;
}

static expr times(pool *p, double factor, expr e)
{
    return factor == -1 ? make_negate(p, e) : make_multiply(p, pool_constant(p, factor), e);
}

static int make_equations(recognising *r, rewrite *without)
{
    pool *p = &r->s->flat->pool;
    mechanical *f = r->f;
    for (int i = 0; i < r->n; i++) {
        const double s = r->s_row[i] = written(r->s_row[i] * r->s_part[r->part[i]]);
        f->force[r->place[i]] = times(p, -s, rewrite_expr(without, p, row_residual(r->s, r->equation[i], 0)));
    }
    f->constant_mass = 1;
    for (int k = 0; k < r->A.at.count; k++) {
        const int i = r->A.at.row[k];
        const expr value = times(p, r->s_row[i], r->A.at.value[k]);
        f->constant_mass &= !walk_any(&r->walk, p, value, varying, r->s);
        if (nonzeros_add(&f->mass, r->place[i], r->A.at.column[k], value)) return -1;
    }
    return 0;
}

static int make_constraints(recognising *r, rewrite *at_rest, rewrite *unaccelerated)
{
    pool *p = &r->s->flat->pool;
    mechanical *f = r->f;
    int *of = malloc(((size_t)r->m + 1) * sizeof *of), *order = malloc(((size_t)r->m + 1) * sizeof *order);
    if (!of || !order) return free(of), free(order), -1;
    for (int k = 0; k < r->m; k++) order[r->partner[k]] = f->multiplier[k];
    for (int k = 0; k < r->m; k++) {
        const int g = r->partner[k], i = f->row[g];
        const double T = r->T[k] = written(r->T[k]);
        f->multiplier[g] = order[g];
        f->constraint[g] = times(p, T, row_residual(r->s, i, 0));
        f->time[g] = times(p, T, rewrite_expr(at_rest, p, row_residual(r->s, i, 1)));
        f->curvature[g] = times(p, T, rewrite_expr(unaccelerated, p, row_residual(r->s, i, 2)));
        of[g] = k;
    }
    int code = 0;
    for (int k = 0; k < r->G.at.count && !code; k++)
        code = nonzeros_add(&f->jacobian, r->G.at.row[k], r->G.at.column[k],
                            times(p, r->T[of[r->G.at.row[k]]], r->G.at.value[k]));
    free(of);
    free(order);
    return code;
}

static int *places(const nonzeros *z, int columns)
{
    int *at = malloc(((size_t)z->count + 1) * sizeof *at);
    for (int k = 0; at && k < z->count; k++) at[k] = z->row[k] * columns + z->column[k];
    return at;
}

static int make_all(recognising *r)
{
    vanishing from_first = {r->s, 1}, from_second = {r->s, 2};
    rewrite at_rest = {.leaf = vanish, .context = &from_first};
    rewrite unaccelerated = {.leaf = vanish, .context = &from_second};
    int code = make_equations(r, &unaccelerated);
    if (!code) code = make_constraints(r, &at_rest, &unaccelerated);
    rewrite_free(&at_rest);
    rewrite_free(&unaccelerated);
    r->f->mass_place = places(&r->f->mass, r->n);
    r->f->jacobian_place = places(&r->f->jacobian, r->n);
    if (code || !r->f->mass_place || !r->f->jacobian_place || pool_full(&r->s->flat->pool)) return -1;
    r->f->positions = r->n;
    r->f->constraints = r->m;
    return 1;
}

int mechanical_recognise(mechanical *f, model_system *s)
{
    *f = (mechanical){.reason = {.most = 300}};
    recognising r = {.s = s, .f = f};
    if (!counts_fit(&r)) return KEEL_OK;
    int code = allocate(&r) ? -1 : 1;
    if (code == 1) number_all(&r);
    if (code == 1) code = read_all(&r);
    if (code == 1) code = find_places(&r);
    if (code == 1) code = find_partners(&r);
    if (code == 1) code = make_all(&r);
    release(&r);
    return code < 0 || pool_full(&s->flat->pool) ? KEEL_NO_MEMORY : KEEL_OK;
}
