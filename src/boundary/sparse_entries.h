/* sparse_entries.h -- a sparse matrix whose entries are listed in the same order every time. */
#ifndef KEEL_BOUNDARY_SPARSE_ENTRIES_H
#define KEEL_BOUNDARY_SPARSE_ENTRIES_H

#include "boundary/sparse.h"

typedef struct entries {
    int size;                    /* rows and columns                                       */
    size_t count, room;          /* entries listed                                         */
    int *row, *column;           /* [room]                                                 */
    int *place;                  /* [room] in the matrix                                   */
    int *start, *row_index;      /* the matrix, by columns                                 */
    double *values, *right, *mass;       /* mass: [size] 0                                 */
    linear_system *system;
} entries;

/* Where entries go: counted, listed, or added to the matrix. */
typedef enum listing { COUNT, LIST, FILL } listing;
typedef void lister(keel_boundary *w, mesh *s, listing how);

static inline void enter(entries *e, listing how, int row, int unknown, double value)
{
    if (how == LIST) {
        e->row[e->count] = row;
        e->column[e->count] = unknown;
    }
    if (how == FILL) e->values[e->place[e->count]] += value;
    e->count++;
}

/* Room, places and a linear system with `slots` factors; a status. */
int entries_make(keel_boundary *w, mesh *s, entries *e, lister *list, int slots);
/* Values, and factors of minus the matrix.  Returns as eval_*. */
int entries_factor(keel_boundary *w, mesh *s, entries *e, lister *list, int slot);
void entries_free(entries *e);

/* Jacobian rows from `row` on, of f times `factor` (0: none) and of h, with the unknowns x and z. */
void enter_jacobian(const keel_boundary *w, entries *e, listing how, const local *l, double factor,
                    int row, int x, int z);
void enter_parameters(const keel_boundary *w, entries *e, listing how, const double *J_p,
                      double factor, int row, int p);
/* The equations of all stages of interval i in their own unknowns, from row and unknown `first` on. */
void enter_stages(const keel_boundary *w, const mesh *s, entries *e, listing how, int i, int first);

#endif
