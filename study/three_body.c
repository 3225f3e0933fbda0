/* three_body.c -- references of the problem three-body, in 34 digits, as a C table.
 *
 * Taylor series of the solution, order 40, share nothing with the library: with x = y1 + mu, b = x - 1,
 * s = x^2 + y2^2 or b^2 + y2^2, and w = s^(-3/2),
 *
 *   k s_0 w_k = sum_(j < k) (-3/2 (k - j) - j) s_(k-j) w_j          [s w' = -3/2 s' w],
 *
 * and products by Cauchy's rule.  A step takes h such that the last two terms are below 1e-32 of the
 * values.  It is done twice, the second time with half the steps: what both agree on is exact, and
 * the Jacobi integral says how far the rounding errors of close approaches go.
 */
#include <quadmath.h>
#include <stdio.h>

typedef __float128 quad;

enum { ORDER = 40, FLIGHTS = 4 };

typedef struct body { quad x[ORDER + 1], y[ORDER + 1], u[ORDER + 1], v[ORDER + 1]; } body;

typedef struct flight { double speed, t_end; } flight;

/* As in problems/three_body.c: data are the double numbers that it has. */
static const flight flights[FLIGHTS] = {{0.5, 4}, {1.1, 4}, {1.4, 4}, {2.0, 4}};

static const double ratio = 0.01215;

/* Coefficient k of the product. */
static quad product(const quad *a, const quad *b, int k)
{
    quad sum = 0;
    for (int j = 0; j <= k; j++) sum += a[j] * b[k - j];
    return sum;
}

/* w_k of w = s^(-3/2) */
static quad inverse_cube(const quad *s, const quad *w, int k)
{
    if (k == 0) return 1 / (s[0] * sqrtq(s[0]));
    quad sum = 0;
    for (int j = 0; j < k; j++) sum += (-1.5Q * (k - j) - j) * s[k - j] * w[j];
    return sum / (k * s[0]);
}

static void expand(body *p, quad mu)
{
    quad *a = p->x, b[ORDER + 1], s[2][ORDER + 1], w[2][ORDER + 1];
    for (int k = 0; k < ORDER; k++) {
        b[k] = a[k] - (k ? 0 : 1);
        s[0][k] = product(a, a, k) + product(p->y, p->y, k);
        s[1][k] = product(b, b, k) + product(p->y, p->y, k);
        for (int i = 0; i < 2; i++) w[i][k] = inverse_cube(s[i], w[i], k);
        quad fx = a[k] - (k ? 0 : mu) + 2 * p->v[k] - (1 - mu) * product(a, w[0], k)
                - mu * product(b, w[1], k);
        quad fy = p->y[k] - 2 * p->u[k] - (1 - mu) * product(p->y, w[0], k)
                - mu * product(p->y, w[1], k);
        p->x[k + 1] = p->u[k] / (k + 1);
        p->y[k + 1] = p->v[k] / (k + 1);
        p->u[k + 1] = fx / (k + 1);
        p->v[k + 1] = fy / (k + 1);
    }
}

/* The root of the terms k, the smallest of those that limit the step. */
static quad radius(const quad *a, quad h)
{
    for (int k = ORDER - 1; k <= ORDER; k++) {
        quad term = fabsq(a[k]) / (fabsq(a[0]) + 1);
        if (term > 0) h = fminq(h, powq(1e-32Q / term, (quad)1 / k));
    }
    return h;
}

static quad evaluate(const quad *a, quad h)
{
    quad sum = a[ORDER];
    for (int k = ORDER - 1; k >= 0; k--) sum = sum * h + a[k];
    return sum;
}

static quad jacobi(const body *p, quad mu)
{
    quad r1 = hypotq(p->x[0], p->y[0]), r2 = hypotq(p->x[0] - 1, p->y[0]), y1 = p->x[0] - mu;
    return (p->u[0] * p->u[0] + p->v[0] * p->v[0] - y1 * y1 - p->y[0] * p->y[0]) / 2
         - (1 - mu) / r1 - mu / r2;
}

/* Nearest approaches, as the steps see them, into near[2]. */
static body fly(flight f, quad factor, quad *near)
{
    quad mu = ratio, t = 0;
    body p = {.x = {mu / 2}, .y = {0.1}, .u = {f.speed}, .v = {4}};
    near[0] = near[1] = 10;
    while (t < f.t_end) {
        near[0] = fminq(near[0], hypotq(p.x[0], p.y[0]));
        near[1] = fminq(near[1], hypotq(p.x[0] - 1, p.y[0]));
        expand(&p, mu);
        quad h = factor * radius(p.v, radius(p.u, radius(p.y, radius(p.x, 1))));
        h = fminq(h, f.t_end - t);
        body next = {.x = {evaluate(p.x, h)}, .y = {evaluate(p.y, h)}, .u = {evaluate(p.u, h)},
                     .v = {evaluate(p.v, h)}};
        p = next;
        t += h;
    }
    return p;
}

int main(void)
{
    for (int i = 0; i < FLIGHTS; i++) {
        quad near[2];
        body p = fly(flights[i], 1, near), fine = fly(flights[i], 0.5Q, near);
        const quad *value[] = {fine.x, fine.y, fine.u, fine.v}, *coarse[] = {p.x, p.y, p.u, p.v};
        quad difference = 0;
        for (int k = 0; k < 4; k++)
            difference = fmaxq(difference, fabsq(value[k][0] - coarse[k][0]));
        printf("/* y1' = %.1f, t = %g: both agree to %.1e, nearest to earth %.2e, to the moon %.2e,\n"
               " * J = %.20g */\n{", flights[i].speed, flights[i].t_end, (double)difference,
               (double)near[0], (double)near[1], (double)jacobi(&fine, ratio));
        for (int k = 0; k < 4; k++) {
            char text[40];
            quadmath_snprintf(text, sizeof text, "%.19Qe", value[k][0]);
            printf("%s%s", k ? ", " : "", text);
        }
        printf("},\n");
    }
    return 0;
}
