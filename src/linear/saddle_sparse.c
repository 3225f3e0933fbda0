/* saddle_sparse.c -- [M G^T; G 0] [x; l] = [a; b] with sparse M and G.
 *
 * The matrix is shift D - J of a linear_system (sparse.c) with shift 1, D = 0 or, where M = I, the
 * ones of M, and J = -[M G^T; G 0] without those ones.  Its pattern is analysed once; the nonzeros
 * of M and G go to their places in J by lists.
 * A pivot is missing where a column is a combination of those eliminated before.  Where M is
 * positive definite on ker G such combinations are (0, l) with G^T l = 0: the column belongs to a
 * multiplier, whatever the order, and names a row of G that depends on others.
 */
#include "linear/columns.h"
#include "linear/saddle.h"
#include "linear/shifted.h"

struct saddle_sparse {
    saddle base;                 /* first: what others see of it                      */
    keel_matrix J;
    int *start, *row;            /* [n+m+2], [nonzeros] its pattern                   */
    double *diagonal;            /* [n+m] D                                           */
    int mass_count, jacobian_count;
    int *mass;                   /* [mass_count] places of M in J                     */
    int *below;                  /* [jacobian_count] those of G,                      */
    int first_beside, *beside;   /* where G^T begins; [jacobian_count] its entries in G */
};

/* ---- pattern -------------------------------------------------------------------------- */

/* Columns j < n: M, then G below it. */
static void left_columns(saddle_sparse *s, int n, const keel_pattern *mass,
                         const keel_pattern *jacobian)
{
    int at = 0;
    for (int j = 0; j < n; j++) {
        for (int p = mass ? mass->column_start[j] : 0; mass && p < mass->column_start[j + 1]; p++) {
            s->mass[p] = at;
            s->row[at++] = mass->row_index[p];
        }
        const int *below = jacobian ? jacobian->column_start + j : NULL;
        for (int p = below ? below[0] : 0; below && p < below[1]; p++) {
            s->below[p] = at;
            s->row[at++] = n + jacobian->row_index[p];
        }
        s->start[j + 1] = at;
    }
}

/* Columns n + k: row k of G. */
static void right_columns(saddle_sparse *s, int n, int m, const keel_pattern *jacobian)
{
    s->first_beside = s->start[n];
    list_by_rows(m, n, jacobian->column_start, jacobian->row_index, s->start + n, s->row + s->first_beside,
                 s->beside);
    for (int k = 0; k <= m; k++) s->start[n + k] += s->first_beside;
}

/* ---- life ----------------------------------------------------------------------------- */

static void layout(arena *a, void *made)
{
    saddle_sparse *s = made;
    int n = s->base.n, m = s->base.m, nonzeros = s->mass_count + 2 * s->jacobian_count;
    s->base.work = ARENA(a, double, n + m);
    s->start = ARENA(a, int, n + m + 2);
    s->row = ARENA(a, int, nonzeros);
    s->J.values = ARENA(a, double, nonzeros);
    s->diagonal = ARENA(a, double, n + m);
    s->mass = ARENA(a, int, s->mass_count);
    ARENA_INTEGERS(a, s->jacobian_count, &s->below, &s->beside);
}

int saddle_create_sparse(saddle **out, int n, int m, const keel_pattern *mass,
                         const keel_pattern *jacobian)
{
    *out = NULL;
    if ((m > 0 && jacobian->storage != KEEL_SPARSE) || (mass && mass->storage != KEEL_SPARSE))
        return KEEL_UNSUPPORTED;
    saddle_sparse shape = { .base = { .n = n, .m = m }, .mass_count = mass ? mass->column_start[n] : 0,
                            .jacobian_count = m > 0 ? jacobian->column_start[n] : 0 };
    saddle_sparse *sparse = arena_made(&shape, sizeof shape, layout);
    if (!sparse) return KEEL_NO_MEMORY;
    saddle *s = &sparse->base;
    s->sparse = sparse;
    left_columns(sparse, n, mass, m > 0 ? jacobian : NULL);
    if (m > 0) right_columns(sparse, n, m, jacobian);
    for (int j = 0; j < n; j++) sparse->diagonal[j] = !mass;
    sparse->J.rows = sparse->J.columns = n + m;
    sparse->J.pattern = (keel_pattern){ .storage = KEEL_SPARSE, .column_start = sparse->start,
                                        .row_index = sparse->row };
    linear_spec spec = { .n = n + m, .pattern = sparse->J.pattern, .storage = KEEL_SPARSE,
                         .real_slots = 1, .diagonal = sparse->diagonal };
    int rc = linear_create(&s->system, &spec);
    if (rc) saddle_free(s);
    else *out = s;
    return rc;
}

int saddle_is_sparse(const saddle *s) { return s->sparse != NULL; }

void saddle_set_loose(saddle *s, const double *W)
{
    for (int k = 0; k < s->m; k++) s->sparse->diagonal[s->n + k] = W ? -W[k] : 0;
}

void saddle_forget(saddle *s)
{
    if (s->sparse) linear_forget(s->system);
    s->generation += s->sparse != NULL;
    s->mass_looked_at = s->by_range = 0;
}

/* ---- factor and solve ----------------------------------------------------------------- */

int saddle_factor_sparse(saddle *s, const double *M, const double *G_top, const double *G)
{
    const saddle_sparse *sparse = s->sparse;
    double *values = sparse->J.values;
    for (int p = 0; p < sparse->mass_count; p++) values[sparse->mass[p]] = -M[p];
    for (int p = 0; p < sparse->jacobian_count; p++) {
        values[sparse->below[p]] = -G[p];
        values[sparse->first_beside + p] = -G_top[sparse->beside[p]];
    }
    s->kind = SADDLE_SPARSE;
    s->generation++;
    return linear_factor(s->system, 0, 1, (linear_mass){ .diagonal = sparse->diagonal }, &sparse->J);
}
