/* sparse.c -- shift M - J in sparse form: its pattern and entries; packages factor it (sparse.h).
 *
 * The pattern has the diagonal, for diagonal mass matrices.  Each slot keeps its matrix as it was factored
 * last: should the next be the same, so are the factors.  Constraints are often linear.
 */
#include "linear/sparse.h"

#include <limits.h>
#include <string.h>

#include "linear/columns.h"
#include "linear/kernels.h"

struct sparse_system {
    sparse_shape shape;
    size_t nonzeros;                 /* of its pattern                              */
    double *assembled;               /* the matrices of all slots, real ones first */
    unsigned char *factored;         /* [slots]: factors of that matrix are at hand */
    int *source;                     /* [nonzeros]: where an entry is in J; -1: of the diagonal */
    int *diagonal, *diagonal_source; /* [n]: these, in the pattern and in J, or -1  */
    const sparse_package *package;
    void *factors;
    linear_memory expected;          /* entries of one slot                         */
};

/* ---- pattern ------------------------------------------------------------------------------- */

/* These rows, ascending, and where their entries are in J. */
static void fill_column(sparse_system *s, const keel_pattern *J, int j)
{
    int n = s->shape.n, at = s->shape.start[j], done = 0;
    column c = pattern_column(J, n, j);
    int place = (int)column_place(J, n, j, &c);
    for (int q = 0; q <= c.count; q++) {
        int row = q < c.count ? column_row(&c, q) : n;
        if (row >= j && !done) {
            done = 1;
            s->diagonal[j] = at;
            s->diagonal_source[j] = row == j ? place + q : -1;
            s->shape.row[at] = j;
            s->source[at++] = -1;
        }
        if (row == j || row == n) continue;
        s->shape.row[at] = row;
        s->source[at++] = place + q;
    }
    s->shape.start[j + 1] = at;
}

/* ---- life ---------------------------------------------------------------------------------- */

/* The package asked for, or one that this build has; of large systems UMFPACK is tried first. */
static const sparse_package *choose_package(const linear_spec *spec)
{
    int large = spec->package == LINEAR_BY_SIZE && spec->n >= UMFPACK_FROM && umfpack_package.create;
    return spec->package == LINEAR_UMFPACK || large || !klu_package.create ? &umfpack_package : &klu_package;
}

/* Factors and their package.  UMFPACK works on dense blocks, of which large systems have many unless their
 * factors hardly fill in, as those of chains: these KLU has. */
static int make_factors(sparse_system *s, const linear_spec *spec)
{
    int rc = s->package->create(&s->factors, &s->shape, &s->expected);
    int other = s->package != &klu_package && klu_package.create && spec->package != LINEAR_UMFPACK;
    if (rc || !other || s->expected.most > (double)SLIGHT_FILL * s->shape.start[spec->n]) return rc;
    s->package->release(s->factors);
    s->package = &klu_package;
    return s->package->create(&s->factors, &s->shape, &s->expected);
}

static void system_layout(arena *a, void *system)
{
    sparse_system *s = system;
    sparse_shape *shape = &s->shape;
    size_t n = (size_t)shape->n, slots = (size_t)shape->slots;
    shape->start = ARENA(a, int, n + 1);
    ARENA_INTEGERS(a, s->nonzeros, &shape->row, &s->source);
    shape->zero = ARENA(a, unsigned char, n);
    ARENA_INTEGERS(a, n, &s->diagonal, &s->diagonal_source);
    s->factored = ARENA(a, unsigned char, slots);
    s->assembled = ARENA(a, double, (2 * slots - (size_t)shape->real_slots) * s->nonzeros);
}

int sparse_create(sparse_system **out, const linear_spec *spec)
{
    sparse_system made = {.shape = {.n = spec->n, .real_slots = spec->real_slots,
                                    .slots = spec->real_slots + spec->complex_slots},
                          .package = choose_package(spec)};
    if (!made.package->create) return KEEL_UNSUPPORTED;
    for (int j = 0; j < spec->n; j++) made.nonzeros += (size_t)rows_with_diagonal(&spec->pattern, spec->n, j);
    sparse_system *s = made.nonzeros > INT_MAX ? NULL : arena_made(&made, sizeof made, system_layout);
    if (!s) return KEEL_NO_MEMORY;
    for (int j = 0; j < spec->n; j++) {
        fill_column(s, &spec->pattern, j);
        int empty = s->diagonal_source[j] < 0 && (!spec->diagonal || spec->diagonal[j] == 0);
        s->shape.zero[j] = (unsigned char)empty;         /* shift M - J has no entry (j,j) */
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
        double *values = s->assembled + slot_start(&s->shape, slot);
        TAPE(t, s->factored[slot]);
        if (t->loading) s->package->forget(s->factors, slot);
        if (!s->factored[slot]) continue;
        tape_pass(t, values, slot_bytes(&s->shape, slot));
        s->package->tape(t, s->factors, slot, values);
        s->factored[slot] = t->status == KEEL_OK;
    }
}

/* ---- assembly ------------------------------------------------------------------------------ */

KERNEL int replace(double *value, double x)
{
    int differs = !(*value == x);
    *value = x;
    return differs;
}

/* Does the matrix differ from `values`, which become it?  J, and M unless it is diagonal, have the pattern
 * of the spec. */
KERNEL int assemble(const sparse_system *s, const int width, const shifted *a, double *values)
{
    const double *J = a->jacobian->values, *M = a->mass.diagonal ? NULL : a->mass.matrix->values;
    const int entries = s->shape.start[s->shape.n], *source = s->source;
    int differs = 0;
    for (int p = 0; p < entries; p++) {
        if (source[p] < 0) continue;
        differs |= replace(values + width * p, (0 - J[source[p]]) + (M ? a->re * M[source[p]] : 0));
        if (width == 2) differs |= replace(values + 2 * p + 1, M ? a->im * M[source[p]] : 0);
    }
    for (int j = 0; j < s->shape.n; j++) {
        int from = s->diagonal_source[j];
        double *value = values + width * (ptrdiff_t)s->diagonal[j];
        double mass = !M ? a->mass.diagonal[j] : from >= 0 ? M[from] : 0;
        double re = from >= 0 ? 0 - J[from] : 0;
        if (a->mass.loose) re += a->mass.loose[j];
        differs |= replace(value, re + a->re * mass);
        if (width == 2) differs |= replace(value + 1, a->im * mass);
    }
    return differs;
}

/* ---- factor and solve ---------------------------------------------------------------------- */

int sparse_factor(sparse_system *s, int slot, const shifted *matrix)
{
    double *values = s->assembled + slot_start(&s->shape, slot);
    int differs = is_complex(&s->shape, slot) ? assemble(s, 2, matrix, values)
                                              : assemble(s, 1, matrix, values);
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
