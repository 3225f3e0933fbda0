/* check_mass.c -- is M symmetric, and as constant as it was declared to be?
 *
 *   |m_ij - m_ji|  <=  1e-8 (|m_ij| + |m_ji|) + 1e-10 sqrt(m_ii m_jj)
 *   |m_ij(t,y) - m_ij(t',y')|  <=  1e-10 max |m|                    (constant_mass)
 *
 * Both sides come from the same function, so that nothing but rounding may differ.
 */
#include "problem/check.h"

#include "linear/columns.h"
#include "problem/derived.h"

static int is_mechanical(const keel_problem *p) { return p->ops == &mechanical_form; }

static int is_symmetric(const keel_problem *p)
{
    return is_mechanical(p) && mechanical_gives(p, KEEL_MASS);
}

static int is_constant(const keel_problem *p)
{
    return is_mechanical(p) ? is_symmetric(p) && p->spec.mechanical.constant_mass
                            : p->ops == &quasilinear_form && p->spec.quasilinear.constant_mass;
}

void check_mass_layout(arena *a, check *k)
{
    const keel_problem *p = k->problem;
    int n = is_mechanical(p) ? p->group[0] : p->n;
    keel_pattern pattern = !is_mechanical(p) ? p->pattern : mechanical_is_sparse(p)
                         ? p->mass_pattern : (keel_pattern){0};
    for (int i = 0; i < 2; i++) {
        int wanted = i == 0 ? is_symmetric(p) || is_constant(p) : is_constant(p);
        k->mass[i] = (keel_matrix){.rows = n, .columns = n, .pattern = pattern, .stray_row = -1,
                                   .stray_column = -1};
        k->mass[i].values = ARENA(a, double, wanted ? matrix_storage(n, n, &pattern) : 0);
    }
}

/* At the place.  A dense one of a mechanical problem comes by rows: as its transpose. */
static int fill(check *k, keel_matrix *M)
{
    evaluator *e = k->e;
    const keel_problem *p = k->problem;
    int rc;
    if (is_mechanical(p))
        rc = eval_mechanical_given(e, k->t, k->y, k->y + p->group[0], KEEL_MASS,
                                   &(keel_mechanical_parts){.mass = M->values});
    else {
        matrix_zero(M);
        rc = eval_check_matrix(e, "mass", k->t,
                               p->spec.quasilinear.mass(k->t, k->y, M, e->context), M);
    }
    return rc < 0 && e->fault.code != FAULT_STRAY ? -1 : rc != 0;
}

static const char *name_of(const keel_problem *p)
{
    return is_mechanical(p) && p->spec.mechanical.evaluate ? "evaluate: mass" : "mass";
}

static int by_rows(const keel_problem *p) { return is_mechanical(p) && !mechanical_is_sparse(p); }

static int add(check *k, keel_finding_kind kind, int row, int j, double given, double expected)
{
    static const claim forces = {.row_names = ROWS_FORCES}, equations = {0};
    int turned = by_rows(k->problem), first = is_mechanical(k->problem) ? k->problem->group[0] : 0;
    return check_add(k, is_mechanical(k->problem) ? &forces : &equations, (keel_finding){
        .kind = kind, .callback = name_of(k->problem), .row = turned ? j : row,
        .column = first + (turned ? row : j), .given = given, .expected = expected});
}

static inline double across(const keel_matrix *M, int i, int j)
{
    return M->pattern.storage == KEEL_DENSE ? M->values[(size_t)j * (size_t)M->rows + (size_t)i]
                                            : matrix_get(M, i, j);
}

static int compare_halves(check *k, keel_check_item *item)
{
    const keel_matrix *M = &k->mass[0];
    item->entries = (long)matrix_storage(M->rows, M->columns, &M->pattern);
    for (int j = 0; j < M->columns; j++) {
        column c = matrix_column(M, j);
        for (int s = 0; s < c.count; s++) {
            int i = column_row(&c, s);
            double a = c.values[s], b = across(M, j, i), gap = fabs(a - b);
            if (gap <= 1e-8 * (fabs(a) + fabs(b))) continue;
            double diagonal = matrix_get(M, i, i) * matrix_get(M, j, j);
            if (gap <= 1e-10 * sqrt(fabs(diagonal))) continue;
            item->outcome = KEEL_CHECK_WRONG;
            if (gap > item->deviation * (fabs(a) + fabs(b)))
                item->deviation = gap / (fabs(a) + fabs(b));
            int above = by_rows(k->problem) ? i > j : i < j;     /* one finding for both */
            if (add(k, KEEL_FINDING_SYMMETRY, above ? i : j, above ? j : i, above ? a : b,
                    above ? b : a)) return -1;
        }
    }
    return 0;
}

static int compare_places(check *k, keel_check_item *item)
{
    const keel_matrix *here = &k->mass[0], *beside = &k->mass[1];
    size_t entries = matrix_storage(here->rows, here->columns, &here->pattern);
    double most = 0;
    for (size_t s = 0; s < entries; s++) most = fmax(most, fabs(here->values[s]));
    item->entries = (long)entries;
    for (int j = 0; j < here->columns; j++) {
        column c = matrix_column(here, j), other = matrix_column(beside, j);
        for (int s = 0; s < c.count; s++) {
            double gap = fabs(c.values[s] - other.values[s]);
            if (gap <= 1e-10 * most) continue;
            item->outcome = KEEL_CHECK_WRONG;
            item->deviation = fmax(item->deviation, gap / most);
            if (add(k, KEEL_FINDING_CONSTANCY, column_row(&c, s), j, c.values[s], other.values[s]))
                return -1;
        }
    }
    return 0;
}

int check_mass(check *k, keel_check_item *items, int *count)
{
    const keel_problem *p = k->problem;
    int rc = 0;
    if (is_symmetric(p)) {
        keel_check_item *item = &items[(*count)++];
        *item = (keel_check_item){.callback = name_of(p), .with = "its transpose"};
        check_displace(k, 0, 0);
        rc = fill(k, &k->mass[0]);
        if (rc > 0) check_at_given(k), rc = fill(k, &k->mass[0]);
        if (rc > 0) item->outcome = KEEL_CHECK_UNDECIDED;
        else if (!rc) rc = compare_halves(k, item);
        if (rc < 0) return rc;
    }
    if (is_constant(p)) {
        keel_check_item *item = &items[(*count)++];
        *item = (keel_check_item){.callback = name_of(p), .with = "itself elsewhere"};
        check_at_given(k);
        rc = fill(k, &k->mass[0]);
        check_displace(k, 0, 1);
        if (!rc) rc = fill(k, &k->mass[1]);
        if (rc > 0) item->outcome = KEEL_CHECK_UNDECIDED;
        else if (!rc) rc = compare_places(k, item);
    }
    return rc < 0 ? rc : 0;
}
