/* sparse.c -- shift M - J in sparse form: its pattern and entries; packages factor it (sparse.h).
 *
 * The pattern has the diagonal, for diagonal mass matrices.  Each slot keeps its matrix as it was factored
 * last: should the next be the same, so are the factors.  Constraints are often linear.
 */
#include "linear/sparse.h"

#include <limits.h>
#include <string.h>

#include "linear/columns.h"

struct sparse_system {
    sparse_shape shape;
    double *assembled;               /* the matrices of all slots, real ones first */
    unsigned char *factored;         /* [slots]: factors of that matrix are at hand */
    double *column;                  /* [n], complex [2n]: one column, by rows      */
    const sparse_package *package;
    void *factors;
    expected_entries expected;       /* of one slot                                 */
};

/* ---- pattern ------------------------------------------------------------------------------- */

/* Rows of column j and j itself, ascending, into `rows` unless NULL; returns how many. */
static int union_column(const linear_spec *spec, int j, int *rows)
{
    column c = pattern_column(&spec->pattern, spec->n, j);
    int count = 0, diagonal_done = 0;
    for (int p = 0; p < c.count; p++) {
        int row = column_row(&c, p);
        if (row > j && !diagonal_done) {
            if (rows) rows[count] = j;
            count++;
        }
        diagonal_done |= row >= j;
        if (rows) rows[count] = row;
        count++;
    }
    if (diagonal_done) return count;
    if (rows) rows[count] = j;
    return count + 1;
}

/* 1 if shift M - J has no entry (j,j). */
static int diagonal_is_zero(const linear_spec *spec, int j)
{
    column c = pattern_column(&spec->pattern, spec->n, j);
    for (int p = 0; p < c.count; p++)
        if (column_row(&c, p) == j) return 0;
    return !spec->diagonal || spec->diagonal[j] == 0;
}

/* ---- life ---------------------------------------------------------------------------------- */

/* The package asked for, or one that this build has; of large systems KLU is tried first. */
static const sparse_package *choose_package(const linear_spec *spec)
{
    return spec->package == LINEAR_UMFPACK || !klu_package.create ? &umfpack_package : &klu_package;
}

/* Factors and their package.  UMFPACK works on dense blocks, of which large systems have many unless their
 * factors hardly fill in, as those of chains: these stay with KLU. */
static int make_factors(sparse_system *s, const linear_spec *spec)
{
    int rc = s->package->create(&s->factors, &s->shape, &s->expected);
    int other = s->package != &umfpack_package && umfpack_package.create && spec->package == LINEAR_BY_SIZE;
    if (rc || !other || spec->n < UMFPACK_FROM) return rc;
    if (s->expected.most <= (double)SLIGHT_FILL * s->shape.start[spec->n]) return KEEL_OK;
    s->package->release(s->factors);
    s->package = &umfpack_package;
    return s->package->create(&s->factors, &s->shape, &s->expected);
}

static void system_layout(arena *a, sparse_system *s, size_t nonzeros)
{
    sparse_shape *shape = &s->shape;
    size_t n = (size_t)shape->n, slots = (size_t)shape->slots;
    shape->start = ARENA(a, int, n + 1);
    shape->row = ARENA(a, int, nonzeros);
    shape->zero = ARENA(a, unsigned char, n);
    s->factored = ARENA(a, unsigned char, slots);
    s->column = ARENA(a, double, slots > (size_t)shape->real_slots ? 2 * n : n);
    s->assembled = ARENA(a, double, (2 * slots - (size_t)shape->real_slots) * nonzeros);
}

int sparse_create(sparse_system **out, const linear_spec *spec)
{
    size_t nonzeros = 0;
    for (int j = 0; j < spec->n; j++) nonzeros += (size_t)union_column(spec, j, NULL);
    sparse_system made = {.shape = {.n = spec->n, .real_slots = spec->real_slots,
                                    .slots = spec->real_slots + spec->complex_slots},
                          .package = choose_package(spec)};
    if (!made.package->create) return KEEL_UNSUPPORTED;
    if (nonzeros > INT_MAX) return KEEL_NO_MEMORY;
    arena measure = {0};
    (void)ARENA(&measure, sparse_system, 1);
    system_layout(&measure, &made, nonzeros);
    arena block = {.base = arena_block(measure.used)};
    if (!block.base) return KEEL_NO_MEMORY;
    sparse_system *s = ARENA(&block, sparse_system, 1);
    system_layout(&block, &made, nonzeros);
    *s = made;
    for (int j = 0; j < spec->n; j++) {
        s->shape.start[j + 1] = s->shape.start[j] + union_column(spec, j, s->shape.row + s->shape.start[j]);
        s->shape.zero[j] = (unsigned char)diagonal_is_zero(spec, j);
    }
    int rc = make_factors(s, spec);
    if (rc) arena_block_free(s);
    else *out = s;
    return rc;
}

void sparse_forget(sparse_system *s)
{
    memset(s->factored, 0, (size_t)s->shape.slots);
    for (int slot = 0; slot < s->shape.slots; slot++) s->package->forget(s->factors, slot);
}

void sparse_free(sparse_system *s)
{
    if (!s) return;
    sparse_forget(s);
    s->package->release(s->factors);
    arena_block_free(s);
}

void sparse_tape(tape *t, sparse_system *s)
{
    for (int slot = 0; slot < s->shape.slots && !t->status; slot++) {
        s->package->tape(t, s->factors, slot, s->assembled + slot_start(&s->shape, slot));
        s->factored[slot] = s->package->fill(s->factors, slot) > 0;
    }
}

/* ---- assembly ------------------------------------------------------------------------------ */

/* Adds factor * (column j of a), whose rows are all in the pattern. */
static void add_column(double *x, int width, const keel_matrix *a, int j, double re, double im)
{
    column c = matrix_column(a, j);
    for (int p = 0; p < c.count; p++) {
        double *entry = x + width * (ptrdiff_t)column_row(&c, p);
        entry[0] += re * c.values[p];
        if (width == 2) entry[1] += im * c.values[p];
    }
}

/* Column j of the matrix by rows into s->column, which is 0 elsewhere. */
static void assemble_column(const sparse_system *s, int width, const shifted *matrix, int j)
{
    double *x = s->column;
    add_column(x, width, matrix->jacobian, j, -1, 0);
    if (matrix->mass.loose) x[width * (ptrdiff_t)j] += matrix->mass.loose[j];
    if (!matrix->mass.diagonal) {
        add_column(x, width, matrix->mass.matrix, j, matrix->re, matrix->im);
        return;
    }
    x[width * (ptrdiff_t)j] += matrix->re * matrix->mass.diagonal[j];
    if (width == 2) x[2 * (ptrdiff_t)j + 1] += matrix->im * matrix->mass.diagonal[j];
}

/* Does it differ from `values`, which become the matrix? */
static int assemble(const sparse_system *s, int width, const shifted *matrix, double *values)
{
    const sparse_shape *shape = &s->shape;
    int differs = 0;
    for (int j = 0; j < shape->n; j++) {
        assemble_column(s, width, matrix, j);
        for (int p = shape->start[j]; p < shape->start[j + 1]; p++)
            for (int k = 0; k < width; k++) {
                double *x = s->column + width * (ptrdiff_t)shape->row[p] + k;
                double *value = values + width * (ptrdiff_t)p + k;
                differs |= !(*value == *x);
                *value = *x;
                *x = 0;
            }
    }
    return differs;
}

/* ---- factor and solve ---------------------------------------------------------------------- */

int sparse_factor(sparse_system *s, int slot, const shifted *matrix)
{
    double *values = s->assembled + slot_start(&s->shape, slot);
    int differs = assemble(s, slot_width(&s->shape, slot), matrix, values);
    if (s->factored[slot] && !differs) return KEEL_OK;
    int rc = s->package->factor(s->factors, slot, values);
    s->factored[slot] = rc == KEEL_OK;
    return rc;
}

void sparse_solve(sparse_system *s, int slot, double *b)
{
    s->package->solve(s->factors, slot, b);
}

long sparse_fill(const sparse_system *s, int slot)
{
    return s->package->fill(s->factors, slot);
}

linear_memory sparse_memory(const sparse_system *s)
{
    const sparse_shape *shape = &s->shape;
    double each = (2.0 * shape->slots - shape->real_slots) * sizeof(double)
                  + shape->slots * s->package->index_bytes;
    return (linear_memory){each * s->expected.least, each * s->expected.most};
}
