/* check_ladder.c -- is a number really not the derivative?
 *
 * Differences c_k with steps h_k, each a fraction of the one before, forward f_k and backward b_k
 *
 *   first derivative    c = (F(h) - F(-h)) / 2h,           f = (F(h) - F(0)) / h
 *   second              c = (F(h) - 2 F(0) + F(-h)) / h^2, f = 2 [0, h_(k+1), h_k] F
 *
 * err by  e_k = |c_k - c_(k+1)| + rounding / h_k.  A given number a is wrong if for some k it is
 * far from c_k, in comparison with its size, with e_k and with |f_k - b_k|, which does not vanish
 * at a kink, where every number between both sides is as good as another; and if no other step
 * that can tell speaks for it: a smaller one, for a function with detail below h_k, or a larger one
 * where h_k is lost in rounding.  Without one side the other one serves alone.
 */
#include "problem/check.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Relative to the number itself, and to the largest in its row. */
static const double wrong_by = 1e-4, row_floor = 1e-7;
static const double far_above = 10;              /* the error of the difference */
static const double kink_part = 0.5;

/* Along a path nothing tells how large the terms are that cancel in a row, not even the row where
 * velocities are small: size_i is what a change of all unknowns makes of it. */
static int measure_terms(check *k, const claim *c)
{
    claim all = *c;
    int rc = 1;
    all.argument = ALONG_UNKNOWNS;
    all.columns = k->problem->group[0];
    for (int j = 0; j < all.columns; j++) k->w[j] = check_spread(j, 3) * (1 + fabs(k->y[j]));
    for (double part = 0x1p-4; rc > 0 && part > 1e-6; part /= 16) {
        rc = check_value(k, &all, part, k->plus);
        for (int i = 0; i < c->rows && !rc; i++) k->size[i] = fabs(k->plus[i]) / part;
    }
    memset(k->w, 0, (size_t)all.columns * sizeof *k->w);
    return rc;
}

int check_ladder(check *k, const claim *c)
{
    int path = c->argument == ALONG_PATH;
    ladder *l = &k->ladder;
    double h = path ? 0x1p-5 * k->path_unit : 0x1p-10;
    int rc = path ? measure_terms(k, c) : 0;
    if (!rc) rc = check_value(k, c, 0, l->base);
    for (int s = 0; s < LADDER_STEPS && !rc; s++, h *= path ? 0x1p-3 : 0x1p-5) {
        int up = check_value(k, c, h, l->plus[s]);
        int down = up < 0 ? up : check_value(k, c, -h, l->minus[s]);
        if (down < 0) return -1;
        for (int i = 0; i < c->rows; i++) {
            if (up) l->plus[s][i] = NAN;
            if (down) l->minus[s][i] = NAN;
        }
        l->step[s] = h;
    }
    return rc;
}

typedef struct quotient {
    double central, forward, backward;           /* NAN: none                              */
    double noise;
} quotient;

/* Of one side through 0, h_k and the next smaller step. */
static double bend(double base, double far, double near, double h, double h_near)
{
    return 2 * ((far - base) / h - (near - base) / h_near) / (h - h_near);
}

/* The magnitude of the terms of a row that may cancel. */
static double magnitude(const ladder *l, int row, double size)
{
    double most = fabs(l->base[row]);
    for (int s = 0; s < LADDER_STEPS; s++) {
        if (fabs(l->plus[s][row]) > most) most = fabs(l->plus[s][row]);
        if (fabs(l->minus[s][row]) > most) most = fabs(l->minus[s][row]);
    }
    return most + size;
}

static quotient quotient_at(const ladder *l, const claim *c, int row, int s, double terms)
{
    double h = l->step[s], base = l->base[row], up = l->plus[s][row], down = l->minus[s][row];
    int next = s + 1 < LADDER_STEPS ? s + 1 : s - 1;
    quotient q = {.noise = 4 * DBL_EPSILON * terms / h};
    if (c->argument == ALONG_PATH) {
        q.noise /= h;
        q.forward = bend(base, up, l->plus[next][row], h, l->step[next]);
        q.backward = bend(base, down, l->minus[next][row], h, l->step[next]);
        q.central = (up - 2 * base + down) / (h * h);
    } else {
        q.forward = (up - base) / h;
        q.backward = (base - down) / h;
        q.central = (up - down) / (2 * h);
    }
    if (isnan(q.central)) q.central = isnan(q.forward) ? q.backward : q.forward;
    return q;
}

static double kink(const quotient *q)
{
    double gap = fabs(q->forward - q->backward);
    return isnan(gap) ? 0 : gap;
}

/* Is c_s far from `given` and nearer to what it stands for?  Returns its error, or INFINITY. */
static double accusation(const quotient *q, double given, double size)
{
    double gap = fabs(given - q[0].central);
    double error = fabs(q[0].central - q[1].central) + q[0].noise + q[1].noise;
    double least = wrong_by * fmax(fabs(given), fabs(q[0].central)) + row_floor * size;
    if (!isfinite(given)) gap = fabs(q[0].central) / far_above, least = 0;
    int far = gap > least && gap > far_above * error;
    int smooth = kink(&q[0]) <= kink_part * gap && kink(&q[1]) <= kink_part * gap;
    return far && smooth ? error : INFINITY;
}

/* Does another step that can tell speak for `given`? */
static int defended(const quotient *q, int accuser, double given)
{
    double near = fabs(given - q[accuser].central) / far_above;
    for (int s = 0; s < LADDER_STEPS; s++) {
        int next = s + 1 < LADDER_STEPS ? s + 1 : s - 1;
        double error = fabs(q[s].central - q[next].central) + q[s].noise;
        int can_tell = q[s].noise < near && (s > accuser || error < near);
        if (can_tell && fabs(given - q[s].central) < near) return 1;
    }
    return 0;
}

verdict check_verdict(const check *k, const claim *c, int row, double given)
{
    const ladder *l = &k->ladder;
    double terms = magnitude(l, row, k->size[row]), least = INFINITY;
    quotient q[LADDER_STEPS];
    int accuser = -1;
    for (int s = 0; s < LADDER_STEPS; s++) q[s] = quotient_at(l, c, row, s, terms);
    for (int s = 0; s + 1 < LADDER_STEPS; s++) {
        double error = accusation(q + s, given, k->size[row]);
        if (error < least) least = error, accuser = s;
    }
    if (accuser < 0 || defended(q, accuser, given)) return (verdict){0, given};
    return (verdict){1, q[accuser].central};
}
