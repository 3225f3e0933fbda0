/* registry.c -- the methods by name: families of any number of stages, tables, and what varies.
 *
 *   auto                  explicit while the problem is not stiff, else Radau IIA or Rosenbrock
 *   radau-iia             Radau IIA with a varying number of stages
 *   FAMILY-S              S stages of a family: gauss, radau-ia, radau-iia, lobatto-iiia, ...
 *   collocation-S:W       collocation at the zeros of P_S - W P_(S-1), W > -1;
 *                         R(inf) = (-1)^S (1 - W) / (1 + W)
 *   collocation:C1,C2,..  collocation at given nodes
 *   bdf, dimsim           BDF and general linear methods of varying order
 *   NAME                  a table of tables_*.c
 */
#include "core/sized.h"
#include "method/families.h"
#include "method/general_linear.h"
#include "method/known.h"
#include "method/multistep.h"
#include "method/suggest.h"
#include "method/tables.h"

#include <stdlib.h>
#include <string.h>

enum { KNOWN_MOST = 256 };

/* ---- names that stand for several methods --------------------------------------------------- */

static const struct { method_range range; keel_method_info info; } variable[] = {
    {METHOD_AUTO, {
        "auto", "automatic",
        "explicit while the problem is not stiff, then Radau IIA or, at loose tolerances, rodas-5p; the default",
        "Hairer & Wanner 1996, IV.2", .kind = KEEL_METHOD_IMPLICIT}},
    {METHOD_RADAU_IIA, {
        "radau-iia", "Radau IIA",
        "3 to 7 stages (order 5 to 13), chosen from tolerance and convergence",
        "Butcher 1964; Ehle 1969; Axelsson 1969; Hairer & Wanner 1996, IV.5 and IV.8",
        .stiffly_accurate = 1, .kind = KEEL_METHOD_IMPLICIT}},
    {METHOD_BDF, {
        "bdf", "BDF", "backward differentiation of order 1 to 5, chosen with the step size",
        "Gear 1971; Brenan, Campbell & Petzold 1996, 5.2", .stiffly_accurate = 1,
        .kind = KEEL_METHOD_MULTISTEP}},
    {METHOD_DIMSIM, {
        "dimsim", "DIMSIM", "general linear methods irks-1, irks-2, ..., chosen with the step size",
        "Butcher & Wright 2003; Weiss 2007", .kind = KEEL_METHOD_GENERAL_LINEAR}},
};

enum {
    VARIABLE = sizeof variable / sizeof variable[0],
    BEFORE_FAMILIES = 2, BEFORE_MULTISTEP = 2, BEFORE_GENERAL_LINEAR = 3     /* in lists */
};
_Static_assert((int)VARIABLE == BEFORE_GENERAL_LINEAR + 1, "all are listed");

/* Its number, or -1. */
static int find_variable(const char *name)
{
    for (int i = 0; name && i < VARIABLE; i++)
        if (strcmp(variable[i].info.name, name) == 0) return i;
    return -1;
}

/* ---- tables -------------------------------------------------------------------------------- */

static const keel_tableau *const *const lists[] = {tables_diagonal, tables_rosenbrock, tables_explicit,
                                                   tables_half_explicit};
enum { LISTS = sizeof lists / sizeof lists[0] };

const keel_tableau *method_table(int i)
{
    for (int k = 0; i >= 0 && k < LISTS; k++)
        for (int j = 0; lists[k][j]; j++)
            if (i-- == 0) return lists[k][j];
    return NULL;
}

static const keel_tableau *find_table(const char *name)
{
    for (int k = 0; k < LISTS; k++)
        for (int j = 0; lists[k][j]; j++)
            if (strcmp(lists[k][j]->name, name) == 0) return lists[k][j];
    return NULL;
}

static const keel_general_linear *find_general_linear(const char *name)
{
    for (int i = 0; tables_general_linear[i]; i++)
        if (strcmp(tables_general_linear[i]->name, name) == 0) return tables_general_linear[i];
    return NULL;
}

static const general_linear_facts *facts_of(const keel_general_linear *g)
{
    for (int i = 0; facts_general_linear[i].of; i++)
        if (facts_general_linear[i].of == g) return &facts_general_linear[i];
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
    int rc = family_make(method, name);
    if (rc != KEEL_UNKNOWN_NAME) return rc;
    const keel_tableau *t = find_table(name);
    if (t) return method_make(method, t);
    const keel_general_linear *g = find_general_linear(name);
    if (g) return general_linear_named(method, g, facts_of(g));
    const keel_multistep *formula = find_multistep(name);
    if (formula) return multistep_table_make(method, formula);
    return is_collocation(name) ? collocation_make(method, name) : multistep_explain(method, name);
}

static const known_stability *known_stability_of(const char *name)
{
    for (const known_stability *k = known_stabilities; k->name; k++)
        if (strcmp(k->name, name) == 0) return k;
    return NULL;
}

/* All known names: those of the families up to STAGES_MAX, then the others. */
static int known_names(const char *known[KNOWN_MOST])
{
    const keel_tableau *t;
    int count = 0;
    for (int i = 0; i < VARIABLE; i++) known[count++] = variable[i].info.name;
    for (int i = 0; family_name(i); i++) known[count++] = family_name(i);
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
    if (!rc) (*method)->stability = known_stability_of(name);
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
    if (rc == KEEL_NO_MEMORY) return fail(&m->message, rc, "no memory for the method");
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
    int rc = general_linear_named(&m, g, facts_of(g));
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
    int rc = collocation_make(&m, name);
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
    for (int i = 0; family_listed(i); i++) count++;
    for (int i = 0; method_table(i); i++) count++;
    for (int i = 0; tables_general_linear[i]; i++) count++;
    for (int i = 0; multistep_table(i, 0); i++) count++;
    return count;
}

static int variable_info(int k, keel_method_info *info)
{
    *info = variable[k].info;
    return KEEL_OK;
}

/* Each of the variable methods before those that it chooses from. */
static int info_at(int i, keel_method_info *info)
{
    if (i < 0) return KEEL_BAD_ARGUMENT;
    for (int k = 0; k < BEFORE_FAMILIES; k++)
        if (i-- == 0) return variable_info(k, info);
    for (int k = 0; family_listed(k); k++)
        if (i-- == 0) return family_info(family_listed(k), info);
    for (int k = 0; method_table(k); k++)
        if (i-- == 0) return table_info(method_table(k), info);
    if (i-- == 0) return variable_info(BEFORE_MULTISTEP, info);
    for (int k = 0; multistep_table(k, 0); k++)
        if (i-- == 0) return multistep_info(multistep_table(k, 0), info);
    if (i-- == 0) return variable_info(BEFORE_GENERAL_LINEAR, info);
    for (int k = 0; tables_general_linear[k]; k++)
        if (i-- == 0) return general_linear_info(tables_general_linear[k], info);
    return KEEL_BAD_ARGUMENT;
}

static int info_of(const char *name, keel_method_info *info)
{
    if (!name) return KEEL_BAD_ARGUMENT;
    int several = find_variable(name);
    if (several >= 0) return variable_info(several, info);
    if (family_info(name, info) == KEEL_OK) return KEEL_OK;
    const keel_tableau *t = find_table(name);
    if (t) return table_info(t, info);
    const keel_multistep *formula = find_multistep(name);
    if (formula) return multistep_info(formula, info);
    const keel_general_linear *g = find_general_linear(name);
    if (g) return general_linear_info(g, info);
    return is_collocation(name) ? collocation_info(name, info) : no_info(name);
}

int keel_method_at_sized(int i, keel_method_info *info, size_t size)
{
    keel_method_info all = {0};
    int rc = info ? info_at(i, &all) : KEEL_BAD_ARGUMENT;
    if (!rc) sized_answer(info, size, &all, sizeof all);
    return rc;
}

int keel_method_find_sized(const char *name, keel_method_info *info, size_t size)
{
    keel_method_info all = {0};
    int rc = info ? info_of(name, &all) : KEEL_BAD_ARGUMENT;
    if (!rc) sized_answer(info, size, &all, sizeof all);
    return rc;
}
