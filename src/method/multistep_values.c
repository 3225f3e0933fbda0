/* multistep_values.c -- multistep methods as general linear ones of one stage, Y = y_(n+1), c = 1.
 *
 * Past values.  Carried are y_n, .., y_(n-k+1) and h y'_n, .., as far back as a beta_j != 0:
 *     alpha_k Y = - sum_(j<k) alpha_j y_(n+1-k+j) + h sum_(j<k) beta_j y'_(n+1-k+j) + h beta_k F,
 *     W: y_(n-i) = sum_m (-i)^m / m! h^m y^(m),   h y'_(n-i) = sum_m (-i)^(m-1) / (m-1)! h^m y^(m).
 *
 * Nordsieck vector of BDF, z_i = h^i P^(i)(t_n), i = 0..k, where P of degree k goes through y_n,
 * .., y_(n-k).  The next one, P_+, agrees with P at t_n, .., t_(n-k+1), so that
 *     P_+(t) = P(t) + d l((t - t_(n+1)) / h),   l(x) = prod_(j=1..k) (1 + x / j),
 * and h P_+'(t_(n+1)) = h F gives d.  With E = exp K, e its row 1 (from 0) and l^(i) = l^(i)(0):
 *     z_+ = E z + (l^(i)) (h F - e z) / l'(0):   A = 1 / l'(0),  B_i = l^(i) / l'(0),  V = E - B e,
 * and U is row 0 of V, since Y = z_+0 [HNW93 III.6].
 */
#include "method/multistep_values.h"

#include "method/real.h"

enum { R = KEEL_VALUES_MOST };

static void nordsieck(int k, multistep_values *v)
{
    real l[COEFFICIENTS] = {1}, slope;
    int r = k + 1;
    for (int j = 1; j <= k; j++)
        for (int i = j; i > 0; i--) l[i] += l[i - 1] / j;
    slope = l[1];
    v->A = (double)(1 / slope);
    for (int i = 0; i < r; i++) {
        real b = factorial(i) * l[i] / slope;
        v->B[i] = (double)b;
        for (int j = 0; j < r; j++)
            v->V[i * r + j] = (double)((j >= i ? 1 / (real)factorial(j - i) : 0)
                                       - (j >= 1 ? b / factorial(j - 1) : 0));
    }
    for (int j = 0; j < r; j++) v->U[j] = v->V[j];
}

/* How many h y' are carried. */
static int slopes_of(const keel_multistep *f)
{
    int j = 0;
    while (j < f->steps && f->beta[j] == 0) j++;
    return f->steps - j;
}

static void past_values(const keel_multistep *f, int r, multistep_values *v)
{
    int k = f->steps, columns = f->order + 1;
    real lead = f->alpha[k];
    v->A = v->B[0] = (double)(f->beta[k] / lead);
    for (int i = 0; i < k; i++) v->U[i] = (double)(-f->alpha[k - 1 - i] / lead);
    for (int i = k; i < r; i++) v->U[i] = (double)(f->beta[2 * k - 1 - i] / lead);
    for (int j = 0; j < r; j++) v->V[j] = v->U[j];
    if (r > k) v->B[k] = 1;
    for (int i = 1; i < r; i++)
        if (i != k) v->V[i * r + i - 1] = 1;
    for (int i = 0; i < r; i++)
        for (int m = 0; m < columns; m++)
            v->W[i * columns + m] = (double)(i < k ? scaled_power(-i, m)
                                                   : scaled_power(k - i, m - 1));
}

keel_general_linear multistep_general(const keel_multistep *f, multistep_values *v)
{
    int bdf = multistep_is_bdf(f), r = bdf ? f->steps + 1 : f->steps + slopes_of(f);
    *v = (multistep_values){.c = 1};
    if (bdf) nordsieck(f->steps, v);
    else past_values(f, r, v);
    return (keel_general_linear){
        .name = f->name, .family = f->family, .summary = f->summary, .citation = f->citation,
        .stages = 1, .values = r, .order = f->order, .stage_order = f->order,
        .A = &v->A, .U = v->U, .B = v->B, .V = v->V, .c = &v->c, .W = bdf ? NULL : v->W};
}
