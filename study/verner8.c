/* verner8.c -- Verner's efficient 8(7) pair to 34 digits, and its dense output as C source.
 *
 * The pair [Verner, Numer. Algorithms 53 (2010) 383] is taken from the library, to 16 digits, and
 * made exact: its coefficients solve sum_i b_i Phi_i(t) = 1/gamma(t) for all trees t up to order 8,
 * b_hat those up to order 7 [HNW93 II.2 theorem 2.13], rows 4 to 13 also
 *
 *     sum_j a_ij c_j^(k-1) = c_i^k / k,   k <= 3 (rows 4, 5), k <= 4 (rows 6 to 13),
 *
 * with his nodes and a_84 = -125/2.  Only c_9 follows from the others.  Extra stages i are methods
 * of order 6 up to c_i: sum_j a_ij Phi_j(t) = c_i^rho(t) / gamma(t); c_15 follows.  Then the
 * weights b_i(theta) = sum_k d_ik theta^k of order 7 are the solution of the linear equations
 *
 *     sum_i d_ik Phi_i(t) = 1/gamma(t) if t has order k, else 0,   for all t up to order 7.
 *
 * Equations outnumber unknowns, and are consistent: Gauss-Newton with a damping that 34 digits make
 * negligible, (J^T J + mu^2) dx = -J^T r.  Each d_ik is printed as the sum of two doubles, since
 * they reach 1e5 while the weights they make up stay below 50.
 */
#include "study/quad.h"

enum { STAGES = 13, ALL = 17, TREES = 200, ORDER = 8, UNKNOWNS_MOST = 80, DEGREE = 7 };

typedef struct tree { int order, children, child[ORDER]; quad gamma; } tree;

typedef struct pair {
    quad A[ALL][ALL], b[ALL], b_hat[ALL], c[ALL], dense[ALL][DEGREE];
    int trees;
    int stage, power;                /* extra stage and power of theta that are solved for */
    tree tree[TREES];
    quad phi[TREES][ALL];
} pair;

/* ---- trees, in the sequence of their orders ------------------------------------------------ */

/* Adds the trees whose root has the children so far and others, not before `first`, of the orders
 * that are left. */
static void grow(pair *p, tree *t, int first, int left)
{
    if (left == 0) {
        t->gamma = t->order;
        for (int k = 0; k < t->children; k++) t->gamma *= p->tree[t->child[k]].gamma;
        p->tree[p->trees++] = *t;
        return;
    }
    int known = p->trees;
    for (int i = first; i < known && p->tree[i].order <= left && p->tree[i].order < t->order; i++) {
        t->child[t->children++] = i;
        grow(p, t, i, left - p->tree[i].order);
        t->children--;
    }
}

static void grow_all(pair *p)
{
    for (int order = 1; order <= ORDER; order++) grow(p, &(tree){.order = order}, 0, order - 1);
}

/* Phi_i of all trees, for the stages `from` up to `to` exclusively. */
static void weigh(pair *p, int from, int to)
{
    for (int t = 0; t < p->trees; t++)
        for (int i = from; i < to; i++) {
            quad product = 1;
            for (int k = 0; k < p->tree[t].children; k++) {
                quad sum = 0;
                for (int j = 0; j < i; j++) sum += p->A[i][j] * p->phi[p->tree[t].child[k]][j];
                product *= sum;
            }
            p->phi[t][i] = product;
        }
}

static quad with_weights(const pair *p, int t, const quad *b)
{
    quad sum = 0;
    for (int i = 0; i < ALL; i++) sum += b[i] * p->phi[t][i];
    return sum;
}

/* ---- Gauss-Newton -------------------------------------------------------------------------- */

typedef int residuals(pair *p, quad *r);             /* how many */

enum { EQUATIONS_MOST = 400 };

/* Moves the unknowns until the residuals vanish; returns the largest one. */
static quad solve(pair *p, int n, quad *const *unknown, residuals *f)
{
    static quad r[EQUATIONS_MOST], moved[EQUATIONS_MOST], J[EQUATIONS_MOST][UNKNOWNS_MOST];
    static quad N[UNKNOWNS_MOST * UNKNOWNS_MOST], x[UNKNOWNS_MOST];
    const quad delta = 1e-17, damping = 1e-20;
    int rows = 0;
    for (int pass = 0; pass < 6; pass++) {
        rows = f(p, r);
        for (int j = 0; j < n; j++) {
            quad before = *unknown[j];
            *unknown[j] = before + delta;
            f(p, moved);
            *unknown[j] = before;
            for (int i = 0; i < rows; i++) J[i][j] = (moved[i] - r[i]) / delta;
        }
        for (int j = 0; j < n; j++) {
            x[j] = 0;
            for (int i = 0; i < rows; i++) x[j] -= J[i][j] * r[i];
            for (int k = 0; k < n; k++) {
                N[j * n + k] = j == k ? damping : 0;
                for (int i = 0; i < rows; i++) N[j * n + k] += J[i][j] * J[i][k];
            }
        }
        quad_solve(n, N, x);
        for (int j = 0; j < n; j++) *unknown[j] += x[j];
    }
    rows = f(p, r);
    quad most = 0;
    for (int i = 0; i < rows; i++) most = fmaxq(most, fabsq(r[i]));
    return most;
}

/* ---- the pair ------------------------------------------------------------------------------ */

/* c_9 = 0 and c_15 = 0: they follow. */
static const double node_over[ALL] = {1, 20, 3200, 6400, 100, 200, 200, 1000, 1, 1000, 50, 1, 1,
                                      1, 1, 400, 5000};
static const double node_part[ALL] = {0, 1, 341, 1023, 39, 93, 31, 943, 0, 909, 47, 1, 1,
                                      1, 0, 69, 3923};

static int pair_residuals(pair *p, quad *r)
{
    int rows = 0;
    weigh(p, 0, STAGES);
    for (int t = 0; t < p->trees; t++) {
        quad wanted = 1 / p->tree[t].gamma;
        r[rows++] = with_weights(p, t, p->b) - wanted;
        if (p->tree[t].order < ORDER) r[rows++] = with_weights(p, t, p->b_hat) - wanted;
    }
    for (int i = 0; i < STAGES; i++) {
        quad c = p->phi[1][i];                       /* the tree of order 2 */
        if (node_part[i] > 0) r[rows++] = c - (quad)node_part[i] / node_over[i];
        for (int k = 2; i >= 3 && k <= (i < 5 ? 3 : 4); k++) {
            quad sum = -powq(c, k) / k;
            for (int j = 0; j < i; j++) sum += p->A[i][j] * powq(p->phi[1][j], k - 1);
            r[rows++] = sum;
        }
    }
    r[rows++] = p->A[7][3] + 62.5;
    return rows;
}

static int extra_residuals(pair *p, quad *r)
{
    int rows = 0, i = p->stage;
    quad c = 0;
    for (int j = 0; j < i; j++) c += p->A[i][j];
    for (int t = 0; t < p->trees && p->tree[t].order <= 6; t++)
        r[rows++] = with_weights(p, t, p->A[i]) - powq(c, p->tree[t].order) / p->tree[t].gamma;
    if (node_part[i] > 0) r[rows++] = c - (quad)node_part[i] / node_over[i];
    return rows;
}

static int dense_residuals(pair *p, quad *r)
{
    int rows = 0;
    for (int t = 0; t < p->trees && p->tree[t].order <= DEGREE; t++) {
        quad sum = p->tree[t].order == p->power + 1 ? -1 / p->tree[t].gamma : 0;
        for (int i = 0; i < ALL; i++) sum += p->dense[i][p->power] * p->phi[t][i];
        r[rows++] = sum;
    }
    return rows;
}

/* Those that are not 0 are unknowns. */
static int gather(quad **unknown, int n, quad *x, int count)
{
    for (int i = 0; i < count; i++)
        if (x[i] != 0) unknown[n++] = x + i;
    return n;
}

static void report(const char *what, quad residual)
{
    printf("/* %s: residuals %.1e */\n", what, (double)residual);
}

static void refine(pair *p)
{
    quad *unknown[UNKNOWNS_MOST];
    int n = 0;
    for (int i = 1; i < STAGES; i++) n = gather(unknown, n, p->A[i], i);
    n = gather(unknown, n, p->b, STAGES);
    n = gather(unknown, n, p->b_hat, STAGES);
    report("the pair", solve(p, n, unknown, pair_residuals));
    memcpy(p->A[STAGES], p->b, sizeof p->b);
    for (int i = STAGES; i < ALL; i++) {
        p->stage = i;
        n = gather(unknown, 0, p->A[i], i);
        if (i > STAGES) report("extra stage", solve(p, n, unknown, extra_residuals));
        weigh(p, i, i + 1);
    }
    for (p->power = 1; p->power < DEGREE; p->power++) {
        n = 0;
        for (int i = 0; i < ALL; i++)
            if (p->dense[i][p->power] != 0) unknown[n++] = &p->dense[i][p->power];
        report("a power of theta", solve(p, n, unknown, dense_residuals));
    }
}

/* ---- in and out ---------------------------------------------------------------------------- */

static int load(pair *p, keel_method **method)
{
    int rc = keel_method_named(method, "verner8");
    if (rc) return rc;
    const keel_tableau *t = keel_method_tableau(*method);
    for (int i = 0; i < ALL; i++) {
        for (int j = 0; j < i; j++)
            p->A[i][j] = i >= STAGES ? t->A_extra[(i - STAGES) * ALL + j]
                       : j < STAGES ? t->A[i * STAGES + j] : 0;
        for (int k = 0; k < DEGREE; k++) p->dense[i][k] = t->dense[i * DEGREE + k];
    }
    for (int i = 0; i < STAGES; i++) {
        p->b[i] = t->b[i];
        p->b_hat[i] = t->b_hat[i];
    }
    return 0;
}

/* How many of the library's numbers are not the nearest doubles, and the largest distance. */
static void compare(const char *what, int count, const double *library, const quad *exact)
{
    int other = 0;
    quad most = 0;
    for (int i = 0; i < count; i++) {
        other += library[i] != (double)exact[i];
        most = fmaxq(most, fabsq(library[i] - exact[i]));
    }
    if (other) printf("/* %s: %d differ, by %.1e at most */\n", what, other, (double)most);
}

static void print_numbers(const char *name, int rest, const pair *p)
{
    printf("static const double %s[] = {\n", name);
    for (int i = 0; i < ALL; i++) {
        int column = 4;
        printf("   ");
        for (int k = 0; k < DEGREE; k++) {
            char text[40];
            double value = (double)p->dense[i][k];
            if (rest) value = (double)(p->dense[i][k] - value);
            if (!rest && k == 0) value = i == 0;     /* theta^1: f(y_n) */
            if (rest && k == 0) value = 0;
            int length = snprintf(text, sizeof text, rest ? "%.9g," : "%.17g,", value);
            if (column + 1 + length > 100) column = printf("\n   ");
            column += 1 + length;
            printf(" %s", text);
        }
        printf("\n");
    }
    printf("};\n");
}

int main(void)
{
    static pair p;
    keel_method *method = NULL;
    if (load(&p, &method)) return 1;
    const keel_tableau *t = keel_method_tableau(method);
    grow_all(&p);
    refine(&p);
    for (int i = 0; i < STAGES; i++) compare("a row of A", i, t->A + i * STAGES, p.A[i]);
    for (int i = STAGES; i < ALL; i++)
        compare("an extra row", i, t->A_extra + (i - STAGES) * ALL, p.A[i]);
    compare("b", STAGES, t->b, p.b);
    compare("b_hat", STAGES, t->b_hat, p.b_hat);
    compare("c_9", 1, t->c + 8, &p.phi[1][8]);
    compare("c_15", 1, t->c_extra + 1, &p.phi[1][14]);
    for (int i = 0; i < ALL; i++)
        compare("dense output", DEGREE, t->dense + i * DEGREE, p.dense[i]);
    print_numbers("verner8_dense", 0, &p);
    print_numbers("verner8_dense_rest", 1, &p);
    keel_method_free(method);
    return 0;
}
