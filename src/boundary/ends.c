/* ends.c -- the equations of all intervals, reduced to both ends by orthogonal transformations.
 *
 *   [ D  0 ] [ v_j     ]
 *   [ F -I ] [ v_(j+1) ]  + (columns of v_0 and p)      Q^T [D; F] = [R; 0],  j = 1, ..., N - 1
 *
 * The rows below R are those of the next j [Ascher, Mattheij & Russell, Numerical Solution of
 * Boundary Value Problems, 1995, section 7.2].  Reflections need no pivots: they go on where a
 * problem is singular, which is when this is asked for.  With v_N = Phi v_0 + Psi p the determinant of
 * the conditions as functions of v_0 and p alone is
 *
 *   (-1)^(N nx) det(all rows) = (-1)^(N nx) prod_j det(Q R)_j det(end rows)
 *
 * which does not depend on the mesh, up to the error of the discretisation.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boundary/ends.h"

/* ---- one mesh point ------------------------------------------------------------------------- */

/* What is known of the determinant. */
static void multiply(ends *e, double factor)
{
    if (factor < 0) e->sign = -e->sign;
    if (factor == 0) e->sign = 0;
    else e->logarithm += log(fabs(factor));
}

/* Householder's reflection that makes column k of rows k.. a multiple of e_k. */
static void reflect(ends *e, int rows, int width, double *a, int k)
{
    double length = 0, *top = a + (ptrdiff_t)k * width;
    for (int i = k; i < rows; i++) length = hypot(length, a[(ptrdiff_t)i * width + k]);
    if (!(length > 0)) {
        multiply(e, 0);
        return;
    }
    double alpha = top[k] > 0 ? -length : length, head = top[k] - alpha;
    for (int j = k + 1; j < width; j++) {        /* v = (head, a_ik), 2/(v.v) = -1/(alpha head) */
        double sum = head * top[j];
        for (int i = k + 1; i < rows; i++) sum += a[(ptrdiff_t)i * width + k] * a[(ptrdiff_t)i * width + j];
        sum /= alpha * head;
        top[j] += sum * head;
        for (int i = k + 1; i < rows; i++)
            a[(ptrdiff_t)i * width + j] += sum * a[(ptrdiff_t)i * width + k];
    }
    multiply(e, -alpha);                         /* R has alpha there, the reflection det -1 */
}

/* ---- from interval to interval -------------------------------------------------------------- */

typedef struct reduction {
    keel_boundary *w;
    const mesh *s;
    ends *e;
    int width, carried;
    double *stack;               /* [2 nx + inner][width] columns v_j, v_(j+1), v_0, p      */
} reduction;

static double *stack_row(const reduction *r, int i) { return r->stack + (ptrdiff_t)i * r->width; }

/* Interval i in columns `old` and `new`. */
static void add_interval(reduction *r, int i, int row, int old, int new)
{
    int nx = r->w->flow.nx, np = r->w->flow.np;
    for (int l = 0; l < nx; l++) {
        double *to = stack_row(r, row + l);
        memset(to, 0, (size_t)r->width * sizeof *to);
        memcpy(to + old, r->s->F + ((ptrdiff_t)i * nx + l) * nx, (size_t)nx * sizeof *to);
        memcpy(to + 3 * nx, r->s->P + ((ptrdiff_t)i * nx + l) * np, (size_t)np * sizeof *to);
        to[new + l] = -1;
    }
}

/* Conditions at mesh point j, in its columns; they come before intervals that they stand behind in
 * the order of rows. */
static void add_inner(reduction *r, int j)
{
    int nx = r->w->flow.nx;
    for (int i = 0; i < r->w->spec.inner; i++) {
        if (r->s->point[2 + i].at != j) continue;
        double *to = stack_row(r, r->carried++);
        memset(to, 0, (size_t)r->width * sizeof *to);
        conditions_inner_row(r->w, r->s, i, to, to + 3 * nx);
        if ((r->s->N - j) % 2 && nx % 2) r->e->sign = -r->e->sign;
    }
}

/* What is left of point j becomes the first rows of point j + 1. */
static void carry(reduction *r)
{
    int nx = r->w->flow.nx, left = r->width - 2 * nx;
    for (int i = 0; i < r->carried; i++) {
        const double *from = stack_row(r, nx + i);
        double *to = stack_row(r, i);
        memmove(to, from + nx, (size_t)nx * sizeof *to);
        memset(to + nx, 0, (size_t)nx * sizeof *to);
        memmove(to + 2 * nx, from + 2 * nx, (size_t)left * sizeof *to);
    }
}

static void reduce(reduction *r)
{
    int nx = r->w->flow.nx;
    r->carried = nx;
    add_interval(r, 0, 0, 2 * nx, 0);
    for (int j = 1; j < r->s->N; j++) {
        add_inner(r, j);
        add_interval(r, j, r->carried, 0, nx);
        for (int k = 0; k < nx; k++) reflect(r->e, r->carried + nx, r->width, r->stack, k);
        carry(r);
    }
}

/* ---- the end rows ---------------------------------------------------------------------------- */

static void fill(reduction *r)
{
    ends *e = r->e;
    int nx = r->w->flow.nx;
    for (int i = 0; i < r->carried; i++) {
        double *to = e->a + (ptrdiff_t)i * e->columns;
        memcpy(to, stack_row(r, i), (size_t)nx * sizeof *to);
        memcpy(to + nx, stack_row(r, i) + 2 * nx, (size_t)(e->columns - nx) * sizeof *to);
    }
    for (int i = 0; i < r->w->rows; i++) {
        double *to = e->a + (ptrdiff_t)(r->carried + i) * e->columns;
        memset(to, 0, (size_t)e->columns * sizeof *to);
        conditions_row(r->w, r->s, i, to + nx, to, to + 2 * nx);
    }
    e->carried = r->carried;
}

/* By the factors of the end rows. */
static void finish_determinant(reduction *r, double *copy, int *pivot)
{
    ends *e = r->e;
    int size = e->columns;
    if (e->rows != size || e->carried + r->w->rows != size) e->sign = 0;
    if (!e->sign) return;
    memcpy(copy, e->a, (size_t)size * (size_t)size * sizeof *copy);
    if (dense_factor(size, copy, pivot)) {
        e->sign = 0;
        return;
    }
    e->sign *= dense_sign(size, copy, pivot);
    e->logarithm += dense_logarithm(size, copy);
    if (r->s->N % 2 && r->w->flow.nx % 2) e->sign = -e->sign;
}

int ends_make(keel_boundary *w, const mesh *s, ends *e)
{
    int nx = w->flow.nx, np = w->flow.np, inner = w->spec.inner;
    size_t width = (size_t)(3 * nx + np), stacked = (size_t)(2 * nx + inner);
    *e = (ends){.rows = nx + inner + w->rows, .columns = 2 * nx + np, .sign = 1};
    size_t all = (size_t)e->rows * (size_t)e->columns, square = (size_t)e->columns * (size_t)e->columns;
    e->block = calloc(all + square + stacked * width + (size_t)e->columns + 1, sizeof(double));
    if (!e->block) return fail(&w->message, KEEL_NO_MEMORY, "no memory for the end conditions");
    e->a = e->block;
    reduction r = {.w = w, .s = s, .e = e, .width = (int)width, .stack = e->a + all + square};
    reduce(&r);
    fill(&r);
    finish_determinant(&r, e->a + all, (int *)(r.stack + stacked * width));
    return KEEL_OK;
}

void ends_free(ends *e)
{
    free(e->block);
    e->block = NULL;
}
