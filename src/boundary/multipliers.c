/* multipliers.c -- Floquet multipliers of a periodic solution, on the constraint manifold.
 *
 *   M = T_0^T T_N R_N ... R_1      R_n = T_n^T F_n T_(n-1), T_n bases of the tangent spaces
 *
 * The linearised flow over one period maps the tangent space at the start to itself; the nx - d other
 * directions, in which the values of the constraints would change, are none of the mechanism's.  Rounds
 * U_n R'_n = R_n U_(n-1) that begin with the basis of the last one's end make M graded, with large
 * multipliers at its head, so that small ones are right as well [Bojanczyk, Golub & Van Dooren, Proc. SPIE
 * 1770 (1992) 31].
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boundary/modes.h"
#include "boundary/rows.h"

enum { ROUNDS = 4 };

/* Does the solution end where it began? */
static int check_periodic(keel_boundary *w, const mesh *s)
{
    static const double apart = 1000;            /* tolerances: conditions are met to less    */
    int nx = w->flow.nx;
    const double *from = s->u.x, *to = s->u.x + (ptrdiff_t)s->N * nx;
    for (int i = 0; i < nx; i++)
        if (!(fabs(to[i] - from[i]) * error_weight(w, i, from[i]) <= apart))
            return fail(&w->message, KEEL_BAD_ARGUMENT, "keel_boundary_multipliers: the solution is not "
                        "periodic, %s is %.10g at t = %.10g and %.10g at t = %.10g",
                        keel_variable_name(w->spec.problem, i), from[i], s->t[0], to[i], s->t[s->N]);
    return KEEL_OK;
}

typedef struct monodromy {
    int d;
    double *M, *U, *first, *next, *R, *triangle;         /* [d d]                          */
    double *work;                                        /* [4 d]                          */
} monodromy;

static void multiply(const monodromy *a, const double *left, double *M)
{
    size_t bytes = (size_t)a->d * (size_t)a->d * sizeof *M;
    memset(a->next, 0, bytes);
    add_product(a->d, a->d, a->d, 1, left, M, a->d, a->next);
    memcpy(M, a->next, bytes);
}

/* R := T_0^T T_N, back from the last basis to the first. */
static void close_up(const modes *m, const mesh *s, double *R)
{
    int nx = m->nx, d = m->d;
    const double *last = m->T + (ptrdiff_t)s->N * nx * d;
    memset(R, 0, (size_t)d * (size_t)d * sizeof *R);
    for (int i = 0; i < d; i++) {
        if (d == nx) R[(ptrdiff_t)i * d + i] = 1;
        for (int j = 0; j < d && d < nx; j++)
            for (int l = 0; l < nx; l++)
                R[(ptrdiff_t)i * d + j] += m->T[(ptrdiff_t)l * d + i] * last[(ptrdiff_t)l * d + j];
    }
}

/* M in the basis U that the round begins with, and U at its end. */
static void one_round(const mesh *s, const modes *m, monodromy *a)
{
    int d = a->d;
    size_t bytes = (size_t)d * (size_t)d * sizeof *a->M;
    memset(a->M, 0, bytes);
    for (int i = 0; i < d; i++) a->M[(ptrdiff_t)i * d + i] = 1;
    memcpy(a->first, a->U, bytes);
    for (int i = 0; i <= s->N; i++) {
        if (i < s->N) modes_map(m, s, i, a->R);
        else close_up(m, s, a->R);
        modes_turn(d, a->R, 0, a->U, a->next, a->triangle);
        multiply(a, a->triangle, a->M);
    }
    memset(a->R, 0, bytes);                      /* U_0^T U_N */
    for (int l = 0; l < d; l++)
        for (int i = 0; i < d; i++)
            for (int j = 0; j < d; j++)
                a->R[(ptrdiff_t)i * d + j] += a->first[(ptrdiff_t)l * d + i] * a->U[(ptrdiff_t)l * d + j];
    multiply(a, a->R, a->M);
}

/* The largest first; pairs stay together. */
static void sort(int d, double *re, double *im)
{
    for (int i = 1; i < d; i++)
        for (int j = i; j > 0; j--) {
            double before = hypot(re[j - 1], im[j - 1]), now = hypot(re[j], im[j]);
            if (!(now > before * (1 + 1e-12))) break;
            double r = re[j], m = im[j];
            re[j] = re[j - 1], im[j] = im[j - 1];
            re[j - 1] = r, im[j - 1] = m;
        }
}

static int find(keel_boundary *w, mesh *s, double *re, double *im)
{
    modes m;
    int rc = modes_begin(w, s, &m), d = m.d;
    size_t square = (size_t)d * (size_t)d;
    double *block = rc ? NULL : calloc(6 * square + (size_t)(4 * d) + 1, sizeof *block);
    if (!rc && !block) rc = fail(&w->message, KEEL_NO_MEMORY, "no memory for %d multipliers", d);
    if (!rc) {
        monodromy a = {d, block, block + square, block + 2 * square, block + 3 * square,
                       block + 4 * square, block + 5 * square, block + 6 * square};
        for (int i = 0; i < d; i++) a.U[(ptrdiff_t)i * d + i] = 1;
        for (int i = 0; i < ROUNDS; i++) one_round(s, &m, &a);
        if (dense_eigenvalues(d, a.M, re, im, a.work))
            rc = fail(&w->message, KEEL_NOT_CONVERGED, "the eigenvalues of the flow over one period are "
                      "not found: it is not finite");
        else sort(d, re, im);
    }
    free(block);
    modes_free(&m);
    return rc;
}

int keel_boundary_multipliers(keel_boundary *w, int *count, double *re, double *im)
{
    if (count) *count = 0;
    int rc = boundary_entered(w, "keel_boundary_multipliers");
    if (rc) return rc;
    if (!count || !re || !im)
        return fail(&w->message, KEEL_BAD_ARGUMENT, "keel_boundary_multipliers: count, re or im is NULL");
    if (!w->solution)
        return fail(&w->message, KEEL_BAD_ARGUMENT, "keel_boundary_multipliers: there is no solution");
    mesh *s = NULL;
    rc = solution_linear(w, &s);
    if (!rc) rc = check_periodic(w, s);
    if (!rc) rc = find(w, s, re, im);
    mesh_free(s);
    if (!rc) *count = w->flow.nx - w->flow.hidden;
    return rc;
}
