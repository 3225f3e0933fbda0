/* mean.c -- one linearisation for all stages of an interval, in single precision, where others do not fit.
 *
 *   T = a^-1 x I - h diag(A_i)  is replaced by  a^-1 x I - h (I x A),  A of the stage next to the middle
 *
 * T takes 8 (k nx)^2 bytes, A four times nx^2.  Corrections become inexact by what Jacobians change within
 * an interval, O(h), and by rounding: Newton's method, which evaluates residuals in full, takes that for the
 * contraction of simplified corrections and repeats them.  F, which leads from mesh point to mesh point, is
 * made from all stages.
 *
 * With a^-1 = V L V^T by Schur and A = Q H Q^T by Hessenberg the stages are solved for one after the other,
 * complex pairs together, nx^2 operations each [Golub, Nash & Van Loan, IEEE Trans. Autom. Control 24 (1979)
 * 909].
 */
#include <math.h>
#include <string.h>

#include "boundary/boundary.h"
#include "boundary/rows.h"
#include "linear/hessenberg.h"

/* ---- what is kept ---------------------------------------------------------------------------- */

/* The matrices of a mean, in the order in which they are kept: H and Q^T, the rest a local. */
enum { MATRICES = 7 };

typedef struct matrices {
    double *at[MATRICES];
    size_t count[MATRICES];
} matrices;

static matrices matrices_of(const keel_boundary *w, const mean_field *a)
{
    size_t nx = (size_t)w->flow.nx, m = (size_t)w->flow.m, np = (size_t)w->flow.np;
    const local *l = &a->local;
    return (matrices){{a->H, a->Qt, l->h_z, l->f_z, l->C, l->C_p, l->A_p},
                      {nx * nx, nx * nx, m * m, nx * m, m * nx, m * np, nx * np}};
}

size_t mean_entries(const keel_boundary *w)
{
    matrices all = matrices_of(w, &(mean_field){0});
    size_t sum = 0;
    for (int i = 0; i < MATRICES; i++) sum += all.count[i];
    return sum;
}

void mean_layout(arena *a, const keel_boundary *w, mesh *s)
{
    size_t nx = (size_t)w->flow.nx, k = (size_t)s->table.k;
    mean_field of = {.H = ARENA(a, double, nx * nx), .Qt = ARENA(a, double, nx * nx),
               .work = ARENA(a, double, 2 * nx * (nx + 2) + 2 * k * nx + 5 * k),
               .L = ARENA(a, double, k * k), .V = ARENA(a, double, k * k), .Vt = ARENA(a, double, k * k)};
    local_layout(a, w, &of.local);
    of.kept = ARENA(a, float, (size_t)s->N * mean_entries(w));
    of.pivot = ARENA(a, int, s->N * w->flow.m);
    if (a->base) s->mean = of;
}

int mean_begin(mesh *s)
{
    int k = s->table.k;
    memcpy(s->mean.L, s->table.A_inv, (size_t)(k * k) * sizeof *s->mean.L);
    if (schur_make(k, s->mean.L, s->mean.Vt, s->mean.work)) return BOUNDARY_SINGULAR_STAGES;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) s->mean.V[i * k + j] = s->mean.Vt[j * k + i];
    return 0;
}

static float *kept_of(const keel_boundary *w, const mesh *s, int i)
{
    return s->mean.kept + (size_t)i * mean_entries(w);
}

int mean_keep(keel_boundary *w, mesh *s, int i)
{
    int nx = w->flow.nx;
    size_t m = (size_t)w->flow.m;
    mean_field *a = &s->mean;
    mean_field own = *a;
    own.local = *stage_of(s, i, s->table.k / 2);
    memcpy(a->H, own.local.A, (size_t)nx * (size_t)nx * sizeof *a->H);
    if (hessenberg_make(nx, a->H, a->Qt, a->work)) return BOUNDARY_SINGULAR_STAGES;
    float *to = kept_of(w, s, i);
    matrices all = matrices_of(w, &own);
    for (int j = 0; j < MATRICES; to += all.count[j++]) to_single(all.count[j], all.at[j], to);
    memcpy(a->pivot + (size_t)i * m, own.local.pivot, m * sizeof *a->pivot);
    return 0;
}

/* A = Q H Q^T; what is right of the superdiagonal of H is not of it. */
static void rates(const keel_boundary *w, mean_field *a)
{
    int nx = w->flow.nx;
    double *half = a->work;
    memset(half, 0, (size_t)nx * (size_t)nx * sizeof *half);
    memset(a->local.A, 0, (size_t)nx * (size_t)nx * sizeof *half);
    for (int i = 0; i < nx; i++) {               /* H Q^T */
        int last = i + 2 < nx ? i + 2 : nx;
        add_product(1, last, nx, 1, a->H + (ptrdiff_t)i * nx, a->Qt, nx, half + (ptrdiff_t)i * nx);
    }
    for (int l = 0; l < nx; l++)                 /* Q (H Q^T) */
        add_product(nx, 1, nx, 1, a->Qt + (ptrdiff_t)l * nx, half + (ptrdiff_t)l * nx, nx, a->local.A);
}

void mean_load(keel_boundary *w, mesh *s, int i, int with_rates)
{
    mean_field *a = &s->mean;
    const float *from = kept_of(w, s, i);
    size_t m = (size_t)w->flow.m;
    if (s->window != i || !a->loaded) {
        matrices all = matrices_of(w, a);
        for (int j = 0; j < MATRICES; from += all.count[j++]) to_double(all.count[j], from, all.at[j]);
        memcpy(a->local.pivot, a->pivot + (size_t)i * m, m * sizeof *a->pivot);
        a->has_rates = 0;
    }
    if (with_rates && !a->has_rates) {
        rates(w, a);
        a->has_rates = 1;
    }
    s->window = i;
    a->loaded = 1;
}

/* ---- solutions ------------------------------------------------------------------------------- */

/* One stage of L G - h G H^T = G, or two where L has a block; those before are known.  How many. */
static int solve_next(const keel_boundary *w, const mesh *s, double h, int c, double *G, int *missing)
{
    int nx = w->flow.nx, k = s->table.k;
    const mean_field *a = &s->mean;
    const double *L = a->L + c * k;
    int pair = c + 1 < k && L[c + 1] != 0;
    double *own = G + (ptrdiff_t)c * nx, *other = own + nx, *zero = a->work + 2 * (ptrdiff_t)nx * (nx + 1);
    for (int r = 0; r <= pair; r++)
        for (int j = 0; j < c; j++)
            for (int l = 0; l < nx; l++) own[r * nx + l] -= L[r * k + j] * G[(ptrdiff_t)j * nx + l];
    if (!pair) {
        memset(zero, 0, (size_t)nx * sizeof *zero);
        *missing |= hessenberg_solve(nx, a->H, h, L[c], 0, own, zero, a->work);
        return 1;
    }
    /* (alpha - hH) u + b v,  g u + (alpha - hH) v  with v = (g / beta) v' is complex: beta^2 = -b g. */
    double beta = sqrt(-L[c + 1] * L[k + c]), scale = L[k + c] / beta;
    for (int l = 0; l < nx; l++) other[l] /= scale;
    *missing |= hessenberg_solve(nx, a->H, h, L[c], beta, own, other, a->work);
    for (int l = 0; l < nx; l++) other[l] *= scale;
    return 2;
}

void mean_solve(keel_boundary *w, const mesh *s, int i, double *D)
{
    int nx = w->flow.nx, k = s->table.k, missing = 0;
    const mean_field *a = &s->mean;
    double h = s->t[i + 1] - s->t[i], *E = a->work + 2 * (ptrdiff_t)nx * (nx + 2), *G = E + (ptrdiff_t)k * nx;
    combine(k, k, nx, a->Vt, k, D, E);
    memset(G, 0, (size_t)k * (size_t)nx * sizeof *G);
    for (int c = 0; c < k; c++) add_times(nx, nx, 1, a->Qt, E + (ptrdiff_t)c * nx, G + (ptrdiff_t)c * nx);
    for (int c = 0; c < k;) c += solve_next(w, s, h, c, G, &missing);
    combine(k, nx, nx, G, nx, a->Qt, E);
    combine(k, k, nx, a->V, k, E, D);
    if (missing) D[0] = NAN;                     /* T may have an inverse all the same: newton.c */
}

void mean_rates(keel_boundary *w, const mesh *s, const double *dx, double *f)
{
    int nx = w->flow.nx;
    const mean_field *a = &s->mean;
    double *in = a->work, *out = in + nx;
    memset(in, 0, 2 * (size_t)nx * sizeof *in);
    add_times(nx, nx, 1, a->Qt, dx, in);
    for (int i = 0; i < nx; i++)
        add_times(1, i + 2 < nx ? i + 2 : nx, 1, a->H + (ptrdiff_t)i * nx, in, out + i);
    memset(f, 0, (size_t)nx * sizeof *f);
    add_product(1, nx, nx, 1, out, a->Qt, nx, f);
}
