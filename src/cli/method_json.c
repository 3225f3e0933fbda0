/* method_json.c -- a method and what is known about it, for programs. */
#include <math.h>

#include "cli/method_coefficients.h"
#include "cli/method_facts.h"
#include "cli/method_report.h"

/* Of every method. */
static void json_general(json_writer *w, const keel_general_analysis *a)
{
    json_integer(w, "stages", a->stages);
    facts_json(w, a);
    json_bool(w, "stiffly_accurate", a->stiffly_accurate);
    json_bool(w, "a_stable", a->a_stable);
    json_bool(w, "l_stable", a->l_stable);
    json_number(w, "alpha", a->alpha);
    json_number(w, "real_limit", a->real_limit);
    json_number(w, "imaginary_limit", a->imaginary_limit);
    json_bool(w, "zero_stable", a->zero_stable);
    json_number(w, "parasitic", a->parasitic);
    json_number(w, "rho_infinity", a->rho_infinity);
    json_integer(w, "nilpotent", a->nilpotent);
    json_bool(w, "runge_kutta_stable", a->runge_kutta_stable);
    json_bool(w, "nordsieck", a->nordsieck);
    json_bool(w, "singly", a->singly);
    json_bool(w, "lower_triangular", a->diagonal);
    json_numbers(w, "eigenvalues_re", a->eigenvalue_re, a->stages);
    json_numbers(w, "eigenvalues_im", a->eigenvalue_im, a->stages);
}

static void json_runge_kutta(json_writer *w, const keel_analysis *a)
{
    json_integer(w, "order_embedded", a->order_hat);
    json_integer(w, "B", a->B);
    json_integer(w, "C", a->C);
    json_integer(w, "D", a->D);
    json_string(w, "failing_tree", a->condition_tree[0] ? a->condition_tree : NULL);
    json_number(w, "failing_defect", a->condition_defect);
    json_number(w, "r_infinity", a->r_infinity);
    json_bool(w, "explicit_first_stage", a->explicit_first);
    json_bool(w, "symmetric", a->symmetric);
    json_bool(w, "symplectic", a->symplectic);
    json_bool(w, "algebraically_stable", a->algebraically_stable);
    json_string(w, "an_stable", decided(a->an_stable));
    json_string(w, "b_stable", decided(a->b_stable));
    json_string(w, "bn_stable", decided(a->bn_stable));
    json_bool(w, "irreducible", a->irreducible);
    json_bool(w, "confluent", a->confluent);
    json_integer(w, "negative_weights", a->negative_weights);
    json_numbers(w, "algebraic_eigenvalues", a->algebraic, a->stages);
}

/* Orders as numbers; none is 0, unknown is null. */
static void json_orders(json_writer *w, const method_report *r)
{
    json_begin_array(w, "predicted_orders");
    for (int index = 0; index <= 3; index++)
        for (int row = 0; row < (index == 0 ? 1 : ORDER_ROWS); row++) {
            const order_row *o = &order_rows[row];
            int order[3];
            const int groups = keel_method_orders(r->method, &(keel_order_case){index,
                o->nonlinear, o->projected, (int)o->multipliers}, order);
            json_begin_object(w, NULL);
            json_integer(w, "index", index);
            json_bool(w, "nonlinear", o->nonlinear);
            json_bool(w, "projected", o->projected);
            json_bool(w, "recursion", o->multipliers == KEEL_MULTIPLIERS_RECURSION);
            for (int k = 0; k < groups; k++)
                json_number(w, order_groups[index][k],
                            order[k] == KEEL_ORDER_UNKNOWN ? (double)NAN : (double)order[k]);
            json_end_object(w);
        }
    json_end_array(w);
}

static void json_texts(json_writer *w, const char *name, const char *family, const char *summary,
                       const char *citation)
{
    json_string(w, "name", name);
    json_string(w, "family", family);
    json_string(w, "summary", summary);
    json_string(w, "citation", citation);
}

void variable_json(json_writer *w, const keel_method_info *info)
{
    json_begin_object(w, NULL);
    json_texts(w, info->name, info->family, info->summary, info->citation);
    json_bool(w, "variable", true);
    json_end_object(w);
}

void method_json(json_writer *w, const method_report *r, bool brief)
{
    json_begin_object(w, NULL);
    json_texts(w, r->matrices->name, r->family, r->summary, r->citation);
    json_string(w, "kind", keel_method_kind_name(keel_method_kind_of(r->method)));
    json_string(w, "estimate", estimate_word(keel_method_estimate(r->method)));
    json_integer(w, "claimed_order", r->matrices->order);
    json_general(w, &r->general);
    if (r->tableau) json_runge_kutta(w, &r->analysis);
    if (r->formula) json_number(w, "blocked_root", r->general.blocked_root);
    if (!brief) {
        coefficients_json(w, r);
        json_orders(w, r);
    }
    json_end_object(w);
}
