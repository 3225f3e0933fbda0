/* regular.c -- the rank of the leading matrix J_ij = dF_i / dx_j^(d_j - c_i), where the structure says
 * that it is regular.
 *
 * It is evaluated block by block at the start values and at three points near them, chosen by a hash.
 * A block that is singular at all of the latter has a left null vector u:
 *
 * - u is the same at all points: E = sum u_i F_i^(c_i - C), C the smallest c_i, does not depend on the
 *   leading derivatives, which are therefore put to 0 in it; it replaces an equation with c_i = C.
 *   The freedom falls, and the structure is analysed anew.
 * - E is constant: 0, then the equation follows from the others; not 0, then they contradict each other.
 * - Equations that follow from others, all of them constraints, leave unknowns open, their multipliers:
 *   v^T x = 0 with the right null vector v shares these out.
 * - Otherwise the equations do not determine the unknowns of v, and the model is refused.
 */
#include "model/regular.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "keel/status.h"
#include "model/elimination.h"
#include "model/nearby.h"
#include "model/nonzeros.h"

enum { LARGEST = 400, REPAIRS = 50 };    /* rows of a dense matrix; attempts */

/* ---- a block as a matrix, dense if it is small ------------------------------------------------------- */

typedef struct block {
    int size;
    const int *row;                      /* of the system                                       */
    int *column;
    nonzeros entries;                    /* rows and columns within the block                   */
    double *matrix, *combination;        /* work: size x size each; NULL: it is large           */
    double *value;                       /* work: of the entries, if it is large                */
} block;

static void block_free(block *b)
{
    free(b->column);
    nonzeros_free(&b->entries);
    free(b->matrix);
    free(b->combination);
    free(b->value);
}

/* The block of rows `first` to `end` of the triangular form, or several together. */
static int block_open(block *b, model_system *s, int first, int end, int *place_in_block)
{
    gradient g = {0};
    const int size = end - first;
    *b = (block){.size = size, .row = s->block_row + first};
    b->column = malloc((size_t)size * sizeof *b->column);
    const size_t dense = size <= LARGEST ? (size_t)size * (size_t)size : 0;
    b->matrix = dense ? malloc(dense * sizeof *b->matrix) : NULL;
    b->combination = dense ? malloc(dense * sizeof *b->combination) : NULL;
    if (!b->column || (dense && (!b->matrix || !b->combination))) return -1;
    for (int k = 0; k < size; k++) {
        b->column[k] = s->match_row[b->row[k]];
        place_in_block[b->column[k]] = k;
    }
    int code = 0;
    for (int k = 0; k < size && !code; k++) {
        const int i = b->row[k];
        code = derivative_gradient(&s->derivation, row_residual(s, i, 0), &g);
        for (int e = 0; e < g.count && !code; e++) {
            const expr_node n = *pool_at(&s->flat->pool, g.leaf[e]);
            const int j = n.a < (uint32_t)s->variables ? s->root_column[n.a] : -1;
            if (j < 0 || (int)n.b + s->c[i] != s->d[j] || place_in_block[j] < 0) continue;
            code = nonzeros_add(&b->entries, k, place_in_block[j], g.value[e]);
        }
    }
    for (int k = 0; k < size; k++) place_in_block[b->column[k]] = -1;
    gradient_free(&g);
    if (!dense) b->value = malloc(((size_t)b->entries.count + 1) * sizeof *b->value);
    return dense || b->value ? code : -1;
}

/* Rows of the matrix scaled to 1; -1: not finite there. */
static int block_evaluate(block *b, model_system *s, int point, int transposed)
{
    nearby at = nearby_point(s, point);
    const int n = b->size;
    memset(b->matrix, 0, (size_t)n * (size_t)n * sizeof *b->matrix);
    for (int e = 0; e < b->entries.count; e++) {
        const int i = b->entries.row[e], j = b->entries.column[e];
        const double value = nearby_value(&at, b->entries.value[e]);
        if (!isfinite(value)) return -1;
        b->matrix[transposed ? j * n + i : i * n + j] += value;
    }
    return 0;
}

/* Elimination with full pivoting.  Returns the rank; u, if there is a defect of 1 or more: a vector with
 * u^T A = 0, its largest entry 1. */
static int eliminate(block *b, double *u)
{
    const int n = b->size;
    double *a = b->matrix, *c = b->combination, largest = 0;
    for (int i = 0; i < n; i++) {
        double most = 0;
        for (int j = 0; j < n; j++) {
            c[i * n + j] = 0;
            most = fmax(most, fabs(a[i * n + j]));
        }
        for (int j = 0; j < n && most > 0; j++) a[i * n + j] /= most;
        c[i * n + i] = most > 0 ? 1 / most : 1;
        if (most > 0) largest = 1;
    }
    int rank = 0;
    for (; rank < n; rank++) {
        int p = rank, q = rank;
        for (int i = rank; i < n; i++)
            for (int j = rank; j < n; j++)
                if (fabs(a[i * n + j]) > fabs(a[p * n + q])) p = i, q = j;
        if (fabs(a[p * n + q]) <= 1e-10 * largest || largest == 0) break;
        for (int j = 0; j < n; j++) {
            const double x = a[p * n + j], y = c[p * n + j];
            a[p * n + j] = a[rank * n + j], c[p * n + j] = c[rank * n + j];
            a[rank * n + j] = x, c[rank * n + j] = y;
        }
        for (int i = 0; i < n; i++) {
            const double x = a[i * n + q];
            a[i * n + q] = a[i * n + rank];
            a[i * n + rank] = x;
        }
        for (int i = rank + 1; i < n; i++) {
            const double factor = a[i * n + rank] / a[rank * n + rank];
            if (factor == 0) continue;
            for (int j = rank; j < n; j++) a[i * n + j] -= factor * a[rank * n + j];
            for (int j = 0; j < n; j++) c[i * n + j] -= factor * c[rank * n + j];
        }
    }
    if (rank == n || !u) return rank;
    double most = 0;
    for (int j = 0; j < n; j++)
        if (fabs(c[rank * n + j]) > fabs(most) * (1 + 1e-9)) most = c[rank * n + j];
    for (int j = 0; j < n; j++) {
        u[j] = c[rank * n + j] / most;
        if (fabs(u[j]) < 1e-9) u[j] = 0;
    }
    return rank;
}

/* The same for a large block: a rank, or -1. */
static int rank_sparse(block *b, model_system *s, int point, int transposed, double *u)
{
    const nonzeros *z = &b->entries;
    nearby at = nearby_point(s, point);
    for (int e = 0; e < z->count; e++) {
        b->value[e] = nearby_value(&at, z->value[e]);
        if (!isfinite(b->value[e])) return -1;
    }
    return eliminate_sparse(b->size, z->count, transposed ? z->column : z->row,
                            transposed ? z->row : z->column, b->value, u);
}

/* Rank at a point, and a null vector, as eliminate; < 0: it cannot be told. */
static int block_rank(block *b, model_system *s, int point, int transposed, double *u)
{
    if (!b->matrix) return rank_sparse(b, s, point, transposed, u);
    return block_evaluate(b, s, point, transposed) ? -1 : eliminate(b, u);
}

/* ---- repairs ---------------------------------------------------------------------------------------- */

/* The fraction with a small denominator that it is, if it is one. */
static double rational(double value)
{
    for (int q = 1; q <= 720; q++) {
        const double p = nearbyint(value * q);
        if (fabs(value * q - p) < 1e-8 * fmax(1, fabs(p))) return p / q;
    }
    return value;
}

typedef struct leading { const model_system *s; int lag; } leading;

static expr no_leading(pool *p, expr e, void *context)
{
    const leading *l = context;
    const expr_node n = *pool_at(p, e);
    if (n.op != EXPR_VARIABLE || n.a >= (uint32_t)l->s->variables) return 0;
    const int j = l->s->root_column[n.a];
    return j >= 0 && (int)n.b == l->s->d[j] - l->lag ? pool_constant(p, 0) : 0;
}

static int has_unknown(const pool *p, expr e, void *context)
{
    const model_system *s = context;
    const expr_node *n = pool_at(p, e);
    return n->op == EXPR_TIME || n->op == EXPR_PRE
        || (n->op == EXPR_VARIABLE && (n->a >= (uint32_t)s->variables || s->kind[n->a] != KIND_KNOWN));
}

/* sum u_i F_i^(c_i - C) without leading derivatives, both sides. */
static int combine(model_system *s, const block *b, const double *u, int lag, expr *left, expr *right)
{
    pool *p = &s->flat->pool;
    leading l = {s, lag};
    rewrite drop = {.leaf = no_leading, .context = &l};
    *left = *right = pool_constant(p, 0);
    int code = 0;
    for (int k = 0; k < b->size && !code; k++) {
        if (u[k] == 0) continue;
        const int i = b->row[k], times = s->c[i] - lag;
        code = row_derive(s, i, times);
        if (code) break;
        const expr factor = pool_constant(p, rational(u[k]));
        *left = make_add(p, *left, make_multiply(p, factor, rewrite_expr(&drop, p, s->row[i].left[times])));
        *right = make_add(p, *right, make_multiply(p, factor, rewrite_expr(&drop, p, s->row[i].right[times])));
    }
    rewrite_free(&drop);
    return code || pool_full(p) ? -1 : 0;
}

static void say_support(model_system *s, const block *b, const double *u)
{
    enum { SHOWN = 8 };
    int count = 0;
    for (int k = 0; k < b->size; k++) {
        if (u[k] == 0 || ++count > SHOWN) continue;
        buffer text = {.most = 300};
        row_print(s, &text, b->row[k], 0, 0);
        source_say(s->source, SEVERITY_NOTE, s->row[b->row[k]].where, "%s", buffer_text(&text));
        buffer_free(&text);
    }
    if (count > SHOWN)
        source_say(s->source, SEVERITY_NOTE, (span){.text = -1}, "and %d more", count - SHOWN);
}

static void remark_rows(model_system *s, const block *b, const double *u)
{
    int named = 0;
    for (int k = 0; k < b->size; k++) {
        if (u[k] == 0) continue;
        if (named++) buffer_add(&s->remarks, "; ");
        row_print(s, &s->remarks, b->row[k], 0, 1);
    }
}

static int replace_row(model_system *s, int i, row_kind kind, expr left, expr right)
{
    row *r = &s->row[i];
    r->kind = kind;
    r->left[0] = left;
    r->right[0] = right;
    r->known = 1;
    return KEEL_OK;
}

/* The one to replace: of smallest c, the last. */
static int victim(const model_system *s, const block *b, const double *u)
{
    int at = -1;
    for (int k = 0; k < b->size; k++)
        if (u[k] != 0 && (at < 0 || s->c[b->row[k]] < s->c[b->row[at]]
                          || (s->c[b->row[k]] == s->c[b->row[at]] && b->row[k] > b->row[at]))) at = k;
    return at;
}

static int refuse_block(model_system *s, const block *b, const double *u, const double *v)
{
    buffer names = {.most = 400};
    int named = 0;
    for (int k = 0; k < b->size; k++) {
        if (v[k] == 0) continue;
        if (named++) buffer_add(&names, ", ");
        column_print(s, &names, b->column[k], s->d[b->column[k]]);
    }
    const int at = victim(s, b, u);
    source_say(s->source, SEVERITY_ERROR, at >= 0 ? s->row[b->row[at]].where : (span){.text = -1},
               "these equations depend on each other and do not determine %s", buffer_text(&names));
    say_support(s, b, u);
    buffer_free(&names);
    return KEEL_BAD_ARGUMENT;
}

/* Are all that depend on each other constraints, and what they leave open algebraic? */
static int shares_multipliers(const model_system *s, const block *b, const double *u, const double *v)
{
    for (int k = 0; k < b->size; k++)
        if ((u[k] != 0 && s->c[b->row[k]] == 0) || (v[k] != 0 && s->d[b->column[k]] > 0)) return 0;
    return 1;
}

static int share(model_system *s, const block *b, const double *u, const double *v)
{
    pool *p = &s->flat->pool;
    expr sum = pool_constant(p, 0);
    const int at = victim(s, b, u);
    buffer_add(&s->remarks, "constraints depend on each other: ");
    remark_rows(s, b, u);
    buffer_add(&s->remarks, "; left out is ");
    row_print(s, &s->remarks, b->row[at], 0, 0);
    buffer_add(&s->remarks, ", and what they leave open is shared out by ");
    for (int k = 0; k < b->size; k++)
        if (v[k] != 0)
            sum = make_add(p, sum, make_multiply(p, pool_constant(p, rational(v[k])),
                                                 pool_variable(p, s->column_root[b->column[k]], 0)));
    replace_row(s, b->row[at], ROW_SHARED, sum, pool_constant(p, 0));
    row_print(s, &s->remarks, b->row[at], 0, 0);
    buffer_add(&s->remarks, "\n");
    return KEEL_OK;
}

/* Does the combination contradict itself: 0 = 1? */
static int contradiction(model_system *s, const block *b, const double *u, double defect)
{
    const int at = victim(s, b, u);
    source_say(s->source, SEVERITY_ERROR, s->row[b->row[at]].where, "these equations contradict each other: "
               "a combination of them says 0 = %g", defect);
    say_support(s, b, u);
    return KEEL_BAD_ARGUMENT;
}

/* Is e the same number at all points, though unknowns occur in it?  2 x - (x + x) is not simplified. */
static int is_constant(model_system *s, expr e, double *value)
{
    walk w = {0};
    const int written = !walk_any(&w, &s->flat->pool, e, has_unknown, s);
    walk_free(&w);
    if (written) return *value = parameter_value(s, e), 1;
    for (int point = 1; point < NEARBY_POINTS; point++) {
        nearby at = nearby_point(s, point);
        const double here = nearby_value(&at, e);
        if (!isfinite(here) || (point > 1 && fabs(here - *value) > 1e-9)) return 0;
        *value = here;
    }
    return 1;
}

/* 1: repaired, analyse anew; 0: it cannot be repaired so; < 0: a status. */
static int repair_constant(model_system *s, const block *b, const double *u, const double *v)
{
    pool *p = &s->flat->pool;
    const int at = victim(s, b, u), lag = s->c[b->row[at]];
    expr left, right;
    double defect;
    if (combine(s, b, u, lag, &left, &right)) return KEEL_NO_MEMORY;
    const expr difference = make_subtract(p, left, right);
    if (is_constant(s, difference, &defect)) {
        if (fabs(defect) > 1e-9) return contradiction(s, b, u, defect);
        return shares_multipliers(s, b, u, v) ? share(s, b, u, v), 1 : 0;
    }
    buffer_add(&s->remarks, "derivative parts depend on each other: ");
    remark_rows(s, b, u);
    buffer_add(&s->remarks, "; instead of ");
    row_print(s, &s->remarks, b->row[at], 0, 0);
    buffer_add(&s->remarks, " holds ");
    replace_row(s, b->row[at], ROW_COMBINED, left, right);
    row_print(s, &s->remarks, b->row[at], 0, 0);
    buffer_add(&s->remarks, "\n");
    return 1;
}

static int same_vector(const double *u, const double *v, int n)
{
    for (int k = 0; k < n; k++)
        if (fabs(u[k] - v[k]) > 1e-7) return 0;
    return 1;
}

/* At the start values. */
static int is_singular(block *b, model_system *s, double *u)
{
    const int rank = block_rank(b, s, 0, 0, u);
    return rank >= 0 && rank < b->size;
}

/* 0: regular; 1: repaired; 2: singular, but other blocks may have a part in it; < 0: a status. */
static int test_block(model_system *s, block *b, int whole)
{
    const int n = b->size;
    int singular = 0, evaluated = 0, constant = 1;
    double *u = calloc(3 * (size_t)n, sizeof *u), *other = u + n, *v = u + 2 * n;
    if (!u) return KEEL_NO_MEMORY;
    for (int point = 1; point < NEARBY_POINTS; point++) {
        const int rank = block_rank(b, s, point, 0, other);
        if (rank < 0) continue;
        evaluated++;
        if (rank == n) break;
        if (singular++ == 0) memcpy(u, other, (size_t)n * sizeof *u);
        else constant &= same_vector(u, other, n);
    }
    int code = 0;
    if (evaluated > 0 && singular == evaluated && !whole) code = 2;
    else if (evaluated > 0 && singular == evaluated && block_rank(b, s, 1, 1, v) >= 0) {
        code = constant ? repair_constant(s, b, u, v) : 0;
        if (code == 0 && shares_multipliers(s, b, u, v)) code = share(s, b, u, v), code = 1;
        else if (code == 0) code = refuse_block(s, b, u, v);
    } else if (!whole && evaluated > 0 && singular == 0 && is_singular(b, s, u)) {
        buffer_add(&s->remarks, "singular at the start values, but not near them: ");
        remark_rows(s, b, u);
        if (block_rank(b, s, NEARBY_LATER, 0, u) == n) {
            s->late_start = 1;
            buffer_add(&s->remarks, "; the run begins 1e-7 later");
        }
        buffer_add(&s->remarks, "\n");
    }
    free(u);
    return code;
}

static int test_all(model_system *s)
{
    int *place_in_block = malloc(((size_t)s->columns + 1) * sizeof *place_in_block), code = 0;
    if (!place_in_block) return KEEL_NO_MEMORY;
    for (int j = 0; j < s->columns; j++) place_in_block[j] = -1;
    for (int k = 0; k < s->blocks && code == 0; k++) {
        block b;
        code = block_open(&b, s, s->block[k], s->block[k + 1], place_in_block)
             ? KEEL_NO_MEMORY : test_block(s, &b, s->blocks == 1);
        block_free(&b);
        if (code != 2) continue;                 /* rows of other blocks may cancel what is left */
        code = block_open(&b, s, 0, s->rows, place_in_block) ? KEEL_NO_MEMORY : test_block(s, &b, 1);
        block_free(&b);
    }
    free(place_in_block);
    return code;
}

int regular_ensure(model_system *s)
{
    for (int k = 0; k < REPAIRS; k++) {
        int code = test_all(s);
        if (code <= 0) return code;
        code = structure_analyse(s);
        if (code != KEEL_OK) return code;
    }
    source_say(s->source, SEVERITY_ERROR, (span){.text = -1}, "too many equations depend on each other");
    return KEEL_BAD_ARGUMENT;
}
