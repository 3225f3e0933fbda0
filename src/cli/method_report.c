/* method_report.c -- a method and what is known about it, for people. */
#include "cli/method_report.h"

#include <math.h>
#include <string.h>

#include "cli/method_coefficients.h"
#include "report/table.h"

const order_row order_rows[ORDER_ROWS] = {
    {"not projected, multipliers by recursion", false, false, KEEL_MULTIPLIERS_RECURSION},
    {"not projected, from the hidden constraint", false, false, KEEL_MULTIPLIERS_HIDDEN},
    {"projected, multipliers by recursion", false, true, KEEL_MULTIPLIERS_RECURSION},
    {"projected, from the hidden constraint", false, true, KEEL_MULTIPLIERS_HIDDEN},
    {"nonlinear, not projected, by recursion", true, false, KEEL_MULTIPLIERS_RECURSION},
    {"nonlinear, not projected, hidden", true, false, KEEL_MULTIPLIERS_HIDDEN},
    {"nonlinear, projected, by recursion", true, true, KEEL_MULTIPLIERS_RECURSION},
    {"nonlinear, projected, hidden", true, true, KEEL_MULTIPLIERS_HIDDEN},
};

const char *const order_groups[4][3] = {{"y"}, {"y", "z"}, {"y", "z"}, {"u", "v", "lambda"}};

static const char *either(const char *first, const char *second)
{
    return first ? first : second;
}

int method_report_of(method_report *r, const keel_method *method, const keel_method_info *info)
{
    const keel_general_linear *g = keel_method_general_linear(method);
    *r = (method_report){.method = method, .matrices = g, .tableau = keel_method_tableau(method),
                         .formula = keel_method_multistep(method),
                         .family = either(g->family, info ? info->family : NULL),
                         .summary = either(g->summary, info ? info->summary : NULL),
                         .citation = either(g->citation, info ? info->citation : NULL)};
    const int status = keel_method_analyse_general(method, &r->general);
    return status != KEEL_OK || !r->tableau ? status : keel_method_analyse(method, &r->analysis);
}

bool order_refuted(const method_report *r)
{
    return r->tableau && r->tableau->order > r->analysis.order && r->analysis.condition_tree[0];
}

const char *estimate_word(keel_estimate estimate)
{
    static const char *const word[] = {"embedded", "added", "doubling", "carried", "none"};
    return word[estimate];
}

/* ---- Runge-Kutta methods ------------------------------------------------------------------- */

static void print_order(const keel_analysis *a, const method_report *r, FILE *file)
{
    fprintf(file, "  order             %d", a->order);
    if (order_refuted(r)) fprintf(file, ", not %d as claimed", r->tableau->order);
    if (a->condition_tree[0])
        fprintf(file, "; for order %d the condition of the tree %s is missed by %.3g", a->order + 1,
                a->condition_tree, a->condition_defect);
    else
        fprintf(file, " or more: all conditions up to this order hold");
    fprintf(file, "\n  stage order       %d, with B(%d), C(%d), D(%d)\n", a->stage_order, a->B,
            a->C, a->D);
    fprintf(file, "  error constant    %.10g, of z^%d in e^z - R(z)\n", a->error_constant,
            a->order + 1);
}

static void print_estimate(const method_report *r, FILE *file)
{
    const int hat = r->analysis.order_hat;
    fprintf(file, "  error estimate    ");
    switch (keel_method_estimate(r->method)) {
    case KEEL_ESTIMATE_EMBEDDED:
        fprintf(file, "from an embedded method of order %d%s\n", hat,
                r->tableau->b_second ? ", corrected by a second one" : "");
        break;
    case KEEL_ESTIMATE_ADDED:
        fprintf(file, "from the slope at the start against that of the stages, filtered\n");
        break;
    case KEEL_ESTIMATE_DOUBLING:
        fprintf(file, "by step doubling: one step against two of half the size\n");
        break;
    case KEEL_ESTIMATE_CARRIED:
        fprintf(file, "from what is carried and from the stages\n");
        break;
    case KEEL_ESTIMATE_NONE:
        fprintf(file, "none: for constant steps only\n");
        break;
    }
}

static void print_limit(FILE *file, const char *axis, double limit)
{
    if (isinf(limit)) fprintf(file, ", all of the %s axis", axis);
    else fprintf(file, ", %.6g on the %s axis", limit, axis);
}

static void print_stability(const keel_general_analysis *a, FILE *file)
{
    fprintf(file, "  stability         %s", a->l_stable ? "L-stable (A-stable and R(inf) = 0)"
                                          : a->a_stable ? "A-stable, not L-stable"
                                          : "not A-stable");
    if (!a->a_stable) {
        if (a->alpha > 0) fprintf(file, ", A(alpha) with alpha = %.2f degrees", a->alpha);
        print_limit(file, "negative real", a->real_limit);
        print_limit(file, "imaginary", a->imaginary_limit);
    }
    fprintf(file, "\n");
}

const char *decided(int property)
{
    return property < 0 ? "undecided" : property ? "yes" : "no";
}

static void print_nonlinear(const keel_analysis *a, FILE *file)
{
    double least = a->algebraic[0];
    if (fabs(least) < 1e-15) least = 0;          /* rounding of the coefficients */
    fprintf(file, "  algebraic         %s; least eigenvalue of BA + A'B - bb' %.4g",
            a->algebraically_stable ? "stable" : "not stable", least);
    if (a->negative_weights)
        fprintf(file, ", %d weight%s negative", a->negative_weights,
                a->negative_weights == 1 ? "" : "s");
    fprintf(file, "\n  AN-, B-, BN-      %s, %s, %s\n", decided(a->an_stable),
            decided(a->b_stable), decided(a->bn_stable));
}

static void print_effort(const method_report *r, FILE *file)
{
    const keel_general_analysis *a = &r->general;
    fprintf(file, "  effort            %d right-hand side%s", a->rhs_per_step,
            a->rhs_per_step == 1 ? "" : "s");
    if (a->real_systems || a->complex_systems)
        fprintf(file, "%s; linear systems: %d real, %d complex\n",
                keel_method_kind_of(r->method) == KEEL_METHOD_ROSENBROCK ? " and a Jacobian a step"
                                                                         : " an iteration",
                a->real_systems, a->complex_systems);
    else fprintf(file, " a step, no linear systems of the stages\n");
}

static void print_structure(const keel_analysis *a, FILE *file)
{
    const bool implicit = a->real_systems || a->complex_systems;
    fprintf(file, "  structure         %sstiffly accurate, %ssymmetric, %ssymplectic, %s%s%s\n",
            a->stiffly_accurate ? "" : "not ", a->symmetric ? "" : "not ",
            a->symplectic ? "" : "not ", a->irreducible ? "irreducible" : "reducible",
            a->explicit_first && implicit ? ", first stage explicit" : "",
            a->confluent ? ", some nodes equal" : "");
}

static void print_eigenvalues(const keel_general_analysis *a, FILE *file)
{
    const char *separator = "";
    bool any = false;
    for (int i = 0; i < a->stages; i++) any |= a->eigenvalue_re[i] != 0 || a->eigenvalue_im[i] != 0;
    if (!any) return;
    fprintf(file, "  eigenvalues of A  ");
    if (a->singly && a->stages > 1) {
        fprintf(file, "%.6g, %d times\n", a->eigenvalue_re[0], a->stages);
        return;
    }
    for (int i = 0; i < a->stages; i++) {
        if (a->eigenvalue_im[i] < 0) continue;
        fprintf(file, "%s%.6g", separator, a->eigenvalue_re[i]);
        if (a->eigenvalue_im[i] > 0) fprintf(file, " ± %.6gi", a->eigenvalue_im[i]);
        separator = ", ";
    }
    fprintf(file, "\n");
}

static void order_cell(table *list, int order)
{
    if (order == KEEL_ORDER_UNKNOWN) table_cell(list, "?");
    else if (order == KEEL_ORDER_NONE) table_cell(list, "none");
    else table_cell(list, "%d", order);
}

static void print_orders(const method_report *r, FILE *file)
{
    table list = {.columns = 8, .align = "lrrrrrrr", .indent = "  "};
    fprintf(file, "\npredicted orders at constant step size (? not known; nonlinear: in the "
                  "multipliers)\n");
    table_cell(&list, " ");
    for (int index = 1; index <= 3; index++)
        for (int k = 0; k < 3 && order_groups[index][k]; k++)
            if (k) table_cell(&list, "%s", order_groups[index][k]);
            else table_cell(&list, "index %d: %s", index, order_groups[index][k]);
    for (int row = 0; row < ORDER_ROWS; row++) {
        const order_row *o = &order_rows[row];
        table_cell(&list, "%s", o->title);
        for (int index = 1; index <= 3; index++) {
            int order[3];
            const int groups = keel_method_orders(r->method, &(keel_order_case){index,
                o->nonlinear, o->projected, (int)o->multipliers}, order);
            for (int k = 0; k < groups; k++) order_cell(&list, order[k]);
        }
    }
    table_print(&list, file);
    table_free(&list);
}

static void print_runge_kutta(const method_report *r, FILE *file)
{
    const keel_analysis *a = &r->analysis;
    print_order(a, r, file);
    print_estimate(r, file);
    print_stability(&r->general, file);
    if (isnan(a->r_infinity)) fprintf(file, "  R(inf)            infinite\n");
    else fprintf(file, "  R(inf)            %.10g\n", a->r_infinity);
    if (!r->tableau->A_explicit) print_nonlinear(a, file);
    print_structure(a, file);
    print_effort(r, file);
    print_eigenvalues(&r->general, file);
}

/* ---- multistep and general linear methods ---------------------------------------------------- */

static void print_carried(const method_report *r, FILE *file)
{
    const int values = r->matrices->values;
    fprintf(file, "  carries           %d values: ", values);
    if (r->general.nordsieck)
        fprintf(file, "the Nordsieck vector y, h y'%s\n",
                values == 2 ? "" : values == 3 ? ", h^2 y''" : ", h^2 y'', ...");
    else if (r->formula)
        fprintf(file, "y at the last %d points, h y' at the last %d\n", r->formula->steps,
                values - r->formula->steps);
    else fprintf(file, "combinations W of y, h y', h^2 y'', ...\n");
}

static void print_infinity(const keel_general_analysis *a, FILE *file)
{
    fprintf(file, "  M(inf)            ");
    if (isnan(a->rho_infinity)) fprintf(file, "infinite\n");
    else if (a->nilpotent == 1) fprintf(file, "0\n");
    else if (a->nilpotent) fprintf(file, "nilpotent: M(inf)^%d = 0\n", a->nilpotent);
    else fprintf(file, "spectral radius %.6g\n", a->rho_infinity);
}

static void print_multipliers(const method_report *r, FILE *file)
{
    const double root = r->general.blocked_root;
    fprintf(file, "  multipliers       %s; largest root of %s %.6g%s\n",
            blocking_text(r->formula->blocking),
            r->formula->blocking == KEEL_BLOCKED ? "sigma - tau" : "sigma", root,
            root > 1 + 1e-8 && r->formula->blocking == KEEL_CONSTRAIN_FIRST
            ? ": they grow on index 2 and 3" : "");
}

static void print_general(const method_report *r, FILE *file)
{
    const keel_general_analysis *a = &r->general;
    print_carried(r, file);
    fprintf(file, "  order             %d\n  stage order       %d\n", a->order, a->stage_order);
    fprintf(file, "  error constant    %.10g, of z^%d in e^z - w(z), w the principal eigenvalue of "
            "M(z)\n", a->error_constant, a->order + 1);
    print_estimate(r, file);
    fprintf(file, "  zero-stability    %s; parasitic eigenvalues of V %s%.6g\n",
            a->zero_stable ? "stable" : "not stable", a->parasitic > 0 ? "up to " : "",
            a->parasitic);
    print_stability(a, file);
    print_infinity(a, file);
    if (r->formula) print_multipliers(r, file);
    fprintf(file, "  structure         %sstiffly accurate, %sRunge-Kutta stable, A %s%s\n",
            a->stiffly_accurate ? "" : "not ", a->runge_kutta_stable ? "" : "not ",
            a->diagonal ? "lower triangular" : "full", a->singly ? " with one eigenvalue" : "");
    print_effort(r, file);
    print_eigenvalues(a, file);
}

/* ---- all ----------------------------------------------------------------------------------- */

void method_print(const method_report *r, FILE *file)
{
    const int count = r->formula ? r->formula->steps : r->matrices->stages;
    fprintf(file, "%s: %s%s%d %s%s\n", r->matrices->name, r->family ? r->family : "",
            r->family ? ", " : "", count, r->formula ? "step" : "stage", count == 1 ? "" : "s");
    if (r->summary) fprintf(file, "%s\n", r->summary);
    fprintf(file, "\n  kind              %s\n",
            keel_method_kind_name(keel_method_kind_of(r->method)));
    if (r->tableau) print_runge_kutta(r, file);
    else print_general(r, file);
    if (r->citation) fprintf(file, "  source            %s\n", r->citation);
    coefficients_print(r, file);
    print_orders(r, file);
}
