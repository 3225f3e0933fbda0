/* registry.c -- the methods by name: families of any number of stages, tables, and what varies.
 *
 *   auto                  explicit while the problem is not stiff, else Radau IIA
 *   radau-iia             Radau IIA with a varying number of stages
 *   FAMILY-S              S stages of a family: gauss, radau-ia, radau-iia, lobatto-iiia, ...
 *   collocation-S:W       collocation at the zeros of P_S - W P_(S-1), W > -1;
 *                         R(inf) = (-1)^S (1 - W) / (1 + W)
 *   collocation:C1,C2,..  collocation at given nodes
 *   bdf, dimsim           BDF and general linear methods of varying order
 *   NAME                  a table of tables_*.c
 */
#include "method/expression.h"
#include "method/method.h"
#include "method/multistep.h"
#include "method/suggest.h"
#include "method/tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KNOWN_MOST = 256 };

/* ---- families ------------------------------------------------------------------------------ */

#define COUNT_TO_20(ROW)                                                                      \
    ROW(1) ROW(2) ROW(3) ROW(4) ROW(5) ROW(6) ROW(7) ROW(8) ROW(9) ROW(10)                    \
    ROW(11) ROW(12) ROW(13) ROW(14) ROW(15) ROW(16) ROW(17) ROW(18) ROW(19) ROW(20)
#define GAUSS(S)        "gauss-" #S,
#define RADAU_IA(S)     "radau-ia-" #S,
#define RADAU_IIA(S)    "radau-iia-" #S,
#define LOBATTO_IIIA(S) "lobatto-iiia-" #S,
#define LOBATTO_IIIC(S) "lobatto-iiic-" #S,

#define BUTCHER "Butcher 1964; Ehle 1969; Axelsson 1969; Hairer & Wanner 1996, IV.5"

/* Order 2s - lost, stage order s - stage_lost, R(inf) = sign (-1)^s. */
typedef struct family {
    family_kind kind;
    const char *title, *summary, *citation;
    int least, listed;               /* stages of the shortest, of the longest in lists */
    int lost, stage_lost, stiffly_accurate, sign;
    const char *const names[STAGES_MAX];
} family;

static const family families[] = {
    {FAMILY_RADAU_IIA, "Radau IIA", "collocation of order 2S - 1, L-stable, stiffly accurate",
     BUTCHER " and IV.8", 1, 7, 1, 0, 1, 0, {COUNT_TO_20(RADAU_IIA)}},
    {FAMILY_GAUSS, "Gauss", "collocation of order 2S, A-stable, symmetric, symplectic",
     "Butcher 1964; Hairer & Wanner 1996, IV.5", 1, 5, 0, 0, 0, 1, {COUNT_TO_20(GAUSS)}},
    {FAMILY_RADAU_IA, "Radau IA", "order 2S - 1, L-stable", BUTCHER, 1, 5, 1, 1, 0, 0,
     {COUNT_TO_20(RADAU_IA)}},
    {FAMILY_LOBATTO_IIIA, "Lobatto IIIA",
     "collocation of order 2S - 2, A-stable, symmetric, first stage explicit", BUTCHER, 2, 5, 2, 0,
     1, -1, {COUNT_TO_20(LOBATTO_IIIA)}},
    {FAMILY_LOBATTO_IIIC, "Lobatto IIIC", "order 2S - 2, L-stable, stiffly accurate",
     "Chipman 1971; Hairer & Wanner 1996, IV.5", 2, 5, 2, 1, 1, 0, {COUNT_TO_20(LOBATTO_IIIC)}},
};

enum { FAMILIES = sizeof families / sizeof families[0] };
_Static_assert(STAGES_MAX == 20, "one name for each number of stages");

/* Names that stand for several methods. */
static const struct { method_range range; keel_method_info info; } variable[] = {
    {METHOD_RADAU_IIA, {
        "radau-iia", "Radau IIA",
        "3 to 7 stages (order 5 to 13), chosen from tolerance and convergence",
        BUTCHER " and IV.8", .stiffly_accurate = 1, .kind = KEEL_METHOD_IMPLICIT}},
    {METHOD_AUTO, {
        "auto", "automatic",
        "explicit while the problem is not stiff, Radau IIA otherwise; the default",
        "Hairer & Wanner 1996, IV.2", .kind = KEEL_METHOD_IMPLICIT}},
    {METHOD_BDF, {
        "bdf", "BDF", "backward differentiation of order 1 to 5, chosen with the step size",
        "Gear 1971; Brenan, Campbell & Petzold 1996, 5.2", .stiffly_accurate = 1,
        .kind = KEEL_METHOD_MULTISTEP}},
    {METHOD_DIMSIM, {
        "dimsim", "DIMSIM", "general linear methods of varying order, chosen with the step size",
        "Butcher 1993; Huang 2005; Weiss 2007", .kind = KEEL_METHOD_GENERAL_LINEAR}},
};

enum { VARIABLE = sizeof variable / sizeof variable[0] };

/* Its number, or -1. */
static int find_variable(const char *name)
{
    for (int i = 0; name && i < VARIABLE; i++)
        if (strcmp(variable[i].info.name, name) == 0) return i;
    return -1;
}

static int odd_sign(int s) { return s % 2 ? -1 : 1; }

static keel_method_info family_info(const family *f, int s)
{
    int one = s == 1 && f->kind == FAMILY_RADAU_IIA;
    return (keel_method_info){
        .name = f->names[s - 1], .family = f->title,
        .summary = one ? "implicit Euler: 1 stage, order 1, L-stable" : f->summary,
        .citation = f->citation, .stages = s, .order = 2 * s - f->lost,
        .stage_order = s - f->stage_lost, .stiffly_accurate = f->stiffly_accurate,
        .r_infinity = f->sign * odd_sign(s), .values = 1,
        .kind = s == 1 || (s == 2 && f->kind == FAMILY_LOBATTO_IIIA) ? KEEL_METHOD_DIAGONAL
                                                                     : KEEL_METHOD_IMPLICIT,
    };
}

static int make_family(keel_method **method, const family *f, int s)
{
    double A[STAGES_MAX * STAGES_MAX], b[STAGES_MAX], c[STAGES_MAX];
    keel_method_info info = family_info(f, s);
    int rc = family_coefficients(f->kind, s, 0, A, b, c);
    if (!rc)
        rc = method_make(method, &(keel_tableau){
                 .name = info.name, .family = info.family, .summary = info.summary,
                 .citation = info.citation, .stages = s, .order = info.order,
                 .A = A, .b = b, .c = c});
    if (rc) return rc;
    (*method)->radau_iia = f->kind == FAMILY_RADAU_IIA;
    (*method)->stage_order = (*method)->general.stage_order = info.stage_order;      /* exactly */
    (*method)->r_infinity = info.r_infinity;
    return KEEL_OK;
}

/* The family and number of stages of a name; NULL if there is none. */
static const family *find_family(const char *name, int *stages)
{
    for (int k = 0; k < FAMILIES; k++)
        for (int s = families[k].least; s <= STAGES_MAX; s++)
            if (strcmp(families[k].names[s - 1], name) == 0) {
                *stages = s;
                return &families[k];
            }
    return NULL;
}

/* ---- collocation --------------------------------------------------------------------------- */

#define COLLOCATION "collocation"

static int is_collocation(const char *name)
{
    size_t length = strlen(COLLOCATION);
    return strncmp(name, COLLOCATION, length) == 0 && (name[length] == '-' || name[length] == ':');
}

/* "3:0.5" */
static int parse_weighted(const char *text, int *s, double *weight)
{
    double stages;
    if (!parse_expression(&text, &stages) || *text++ != ':') return 0;
    if (!(stages >= 1 && stages <= STAGES_MAX) || stages != floor(stages)) return 0;
    *s = (int)stages;
    return parse_expression(&text, weight) && *text == '\0' && *weight > -1 && isfinite(*weight);
}

/* "0,1/2,1" */
static int parse_nodes(const char *text, int *s, double *nodes)
{
    for (*s = 0; *s < STAGES_MAX; text++) {
        if (!parse_expression(&text, &nodes[*s]) || !isfinite(nodes[*s])) return 0;
        ++*s;
        if (*text == '\0') return 1;
        if (*text != ',') return 0;
    }
    return 0;
}

/* Order of the quadrature, which is that of the method [HNW93 II.7 theorem 7.8]. */
static int quadrature_order(int s, const double *b, const double *c)
{
    int p = 0;
    for (double defect = 0; defect <= 1e-13 && p <= 2 * s; p++) {
        double sum = 0;
        for (int i = 0; i < s; i++) sum += b[i] * pow(c[i], p);
        defect = fabs(sum - 1.0 / (p + 1));
    }
    return p - 1;
}

/* KEEL_UNKNOWN_NAME if the name does not parse, or names equal nodes. */
static int make_collocation(keel_method **method, const char *name)
{
    double A[STAGES_MAX * STAGES_MAX], b[STAGES_MAX], c[STAGES_MAX], weight = NAN;
    const char *rest = name + strlen(COLLOCATION) + 1;
    int s, weighted = rest[-1] == '-';
    if (weighted ? !parse_weighted(rest, &s, &weight) : !parse_nodes(rest, &s, c))
        return KEEL_UNKNOWN_NAME;
    int rc = weighted ? family_coefficients(FAMILY_COLLOCATION, s, weight, A, b, c)
                      : collocation_coefficients(s, c, A, b);
    if (rc) return KEEL_UNKNOWN_NAME;
    rc = method_make(method, &(keel_tableau){
             .name = name, .family = "collocation",
             .summary = weighted ? "collocation at the zeros of P_S - W P_(S-1)"
                                 : "collocation at given nodes",
             .citation = "Hairer, Norsett & Wanner 1993, II.7; Schropp 2003",
             .stages = s, .order = !weighted ? quadrature_order(s, b, c)
                                 : weight == 0 ? 2 * s : 2 * s - 1,
             .A = A, .b = b, .c = c});
    if (!rc && weighted) (*method)->r_infinity = odd_sign(s) * (1 - weight) / (1 + weight);
    return rc;
}

/* ---- tables -------------------------------------------------------------------------------- */

const keel_tableau *method_table(int i)
{
    const keel_tableau *const *const lists[] = {tables_diagonal, tables_explicit,
                                                tables_half_explicit};
    for (size_t k = 0; i >= 0 && k < sizeof lists / sizeof lists[0]; k++)
        for (int j = 0; lists[k][j]; j++)
            if (i-- == 0) return lists[k][j];
    return NULL;
}

static const keel_tableau *find_table(const char *name)
{
    const keel_tableau *t;
    for (int i = 0; (t = method_table(i)); i++)
        if (strcmp(t->name, name) == 0) return t;
    return NULL;
}

static const keel_general_linear *find_general_linear(const char *name)
{
    for (int i = 0; tables_general_linear[i]; i++)
        if (strcmp(tables_general_linear[i]->name, name) == 0) return tables_general_linear[i];
    return NULL;
}

static const keel_multistep *find_multistep(const char *name)
{
    for (int i = 0; multistep_table(i, 0); i++)
        for (int variant = 0; variant < MULTISTEP_VARIANTS; variant++) {
            const keel_multistep *f = multistep_table(i, variant);
            if (f && strcmp(f->name, name) == 0) return f;
        }
    return NULL;
}

/* ---- by name ------------------------------------------------------------------------------- */

/* *method is NULL if there is no such name, and holds a message if there is a reason for that. */
static int make_named(keel_method **method, const char *name)
{
    int s;
    *method = NULL;
    const family *f = find_family(name, &s);
    if (f) return make_family(method, f, s);
    const keel_tableau *t = find_table(name);
    if (t) return method_make(method, t);
    const keel_general_linear *g = find_general_linear(name);
    if (g) return keel_general_linear_create(method, g);
    const keel_multistep *formula = find_multistep(name);
    if (formula) return multistep_table_make(method, formula);
    return is_collocation(name) ? make_collocation(method, name) : multistep_explain(method, name);
}

/* All known names: those of the families up to STAGES_MAX, then the others. */
static int known_names(const char *known[KNOWN_MOST])
{
    const keel_tableau *t;
    int count = 0;
    known[count++] = variable[0].info.name;
    for (int k = 0; k < FAMILIES; k++)
        for (int s = families[k].least; s <= STAGES_MAX; s++)
            known[count++] = families[k].names[s - 1];
    for (int i = 1; i < VARIABLE; i++) known[count++] = variable[i].info.name;
    known[count++] = "collocation-3:0.5";
    for (int i = 0; count < KNOWN_MOST && (t = method_table(i)); i++) known[count++] = t->name;
    for (int i = 0; count < KNOWN_MOST && tables_general_linear[i]; i++)
        known[count++] = tables_general_linear[i]->name;
    for (int k = 0; k < MULTISTEP_VARIANTS; k++)
        for (int i = 0; count < KNOWN_MOST && multistep_table(i, 0); i++)
            if (multistep_table(i, k)) known[count++] = multistep_table(i, k)->name;
    return count;
}

int method_choose(const char *name, method_range *range, keel_method **method,
                  const char **suggestion)
{
    int several = find_variable(name);
    *method = NULL;
    *suggestion = NULL;
    *range = several < 0 ? METHOD_ONE : variable[several].range;
    if (several >= 0) return KEEL_OK;
    int rc = name ? make_named(method, name) : KEEL_UNKNOWN_NAME;
    if (rc == KEEL_UNKNOWN_NAME) {
        const char *known[KNOWN_MOST];
        *suggestion = closest_name(name, known, known_names(known));
    }
    return rc;
}

int keel_method_named(keel_method **method, const char *name)
{
    const char *suggestion;
    method_range range;
    if (!method) return KEEL_BAD_ARGUMENT;
    int rc = method_choose(name, &range, method, &suggestion);
    if (!rc && *method) return KEEL_OK;
    if (*method) return rc;
    keel_method *m = *method = calloc(1, sizeof *m);
    if (!m) return KEEL_NO_MEMORY;
    if (!name) return fail(&m->message, KEEL_BAD_ARGUMENT, "the name of the method is NULL");
    if (!rc)
        return fail(&m->message, KEEL_UNKNOWN_NAME, "%s is more than one method: name it in the "
                    "options of a solver", name);
    return fail(&m->message, rc, "there is no method %s; did you mean %s?", name, suggestion);
}

/* ---- lists --------------------------------------------------------------------------------- */

/* What a made method says about itself; the texts are those of `of`, which lives on.  Frees it. */
static int describe(const keel_tableau *of, int rc, keel_method *m, keel_method_info *info)
{
    if (!rc)
        *info = (keel_method_info){
            .name = of->name, .family = of->family, .summary = of->summary,
            .citation = of->citation, .stages = m->tableau.stages, .order = m->tableau.order,
            .stage_order = m->stage_order, .stiffly_accurate = m->stiffly_accurate,
            .r_infinity = m->r_infinity, .kind = m->kind,
            .steps = m->multistep.steps, .values = m->general.values};
    keel_method_free(m);
    return rc;
}

static int table_info(const keel_tableau *t, keel_method_info *info)
{
    keel_method *m;
    int rc = method_make(&m, t);
    return describe(t, rc, m, info);
}

static int general_linear_info(const keel_general_linear *g, keel_method_info *info)
{
    keel_method *m;
    int rc = keel_general_linear_create(&m, g);
    return describe(&(keel_tableau){.name = g->name, .family = g->family, .summary = g->summary,
                                    .citation = g->citation}, rc, m, info);
}

static int multistep_info(const keel_multistep *f, keel_method_info *info)
{
    keel_method *m;
    int rc = multistep_table_make(&m, f);
    return describe(&(keel_tableau){.name = f->name, .family = f->family, .summary = f->summary,
                                    .citation = f->citation}, rc, m, info);
}

/* The name of such a method is made by its user: the pattern stands for it. */
static int collocation_info(const char *name, keel_method_info *info)
{
    static const keel_tableau texts[] = {
        {.name = "collocation-S:W", .family = "collocation",
         .summary = "at the zeros of P_S - W P_(S-1): order 2S - 1, any |R(inf)| < 1",
         .citation = "Hairer, Norsett & Wanner 1993, II.7; Schropp 2003"},
        {.name = "collocation:C1,C2,...", .family = "collocation",
         .summary = "at given nodes: order that of their quadrature",
         .citation = "Hairer, Norsett & Wanner 1993, II.7"},
    };
    keel_method *m = NULL;
    int rc = make_collocation(&m, name);
    return describe(&texts[name[strlen(COLLOCATION)] == ':'], rc, m, info);
}

static int no_info(const char *name)
{
    keel_method *m = NULL;
    int rc = multistep_explain(&m, name);
    keel_method_free(m);
    return rc;
}

int keel_method_count(void)
{
    int count = VARIABLE;
    for (int k = 0; k < FAMILIES; k++) count += families[k].listed - families[k].least + 1;
    for (int i = 0; method_table(i); i++) count++;
    for (int i = 0; tables_general_linear[i]; i++) count++;
    for (int i = 0; multistep_table(i, 0); i++) count++;
    return count;
}

int keel_method_at(int i, keel_method_info *info)
{
    if (i < 0 || !info) return KEEL_BAD_ARGUMENT;
    if (i < VARIABLE) {
        *info = variable[i].info;
        return KEEL_OK;
    }
    i -= VARIABLE;
    for (int k = 0; k < FAMILIES; k++) {
        int members = families[k].listed - families[k].least + 1;
        if (i < members) {
            *info = family_info(&families[k], families[k].least + i);
            return KEEL_OK;
        }
        i -= members;
    }
    for (int k = 0; method_table(k); k++)
        if (i-- == 0) return table_info(method_table(k), info);
    for (int k = 0; multistep_table(k, 0); k++)
        if (i-- == 0) return multistep_info(multistep_table(k, 0), info);
    for (int k = 0; tables_general_linear[k]; k++)
        if (i-- == 0) return general_linear_info(tables_general_linear[k], info);
    return KEEL_BAD_ARGUMENT;
}

int keel_method_find(const char *name, keel_method_info *info)
{
    int s;
    if (!name || !info) return KEEL_BAD_ARGUMENT;
    int several = find_variable(name);
    if (several >= 0) {
        *info = variable[several].info;
        return KEEL_OK;
    }
    const family *f = find_family(name, &s);
    if (f) {
        *info = family_info(f, s);
        return KEEL_OK;
    }
    const keel_tableau *t = find_table(name);
    if (t) return table_info(t, info);
    const keel_multistep *formula = find_multistep(name);
    if (formula) return multistep_info(formula, info);
    const keel_general_linear *g = find_general_linear(name);
    if (g) return general_linear_info(g, info);
    return is_collocation(name) ? collocation_info(name, info) : no_info(name);
}
