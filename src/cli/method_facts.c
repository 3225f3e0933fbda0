/* method_facts.c -- orders, error constant, cost of a step and values carried, of every method. */
#include "cli/method_facts.h"

#include <math.h>
#include <stdio.h>

bool method_facts_of(const keel_options *options, keel_general_analysis *facts)
{
    keel_method *named = NULL;
    const keel_method *method = options->tableau;
    if (!method && options->method && keel_method_named(&named, options->method) == KEEL_OK)
        method = named;
    const bool known = method && keel_method_analyse_general(method, facts) == KEEL_OK;
    keel_method_free(named);
    return known;
}

void facts_headings(table *list)
{
    static const char *const heading[FACTS_COLUMNS] = {
        "order", "stage order", "error const.", "rhs", "real LU", "complex LU", "values"};
    for (int i = 0; i < FACTS_COLUMNS; i++) table_cell(list, "%s", heading[i]);
}

void facts_cells(table *list, const keel_general_analysis *facts)
{
    if (!facts) {
        for (int i = 0; i < FACTS_COLUMNS; i++) table_cell(list, "-");
        return;
    }
    table_cell(list, "%d", facts->order);
    table_cell(list, "%d", facts->stage_order);
    if (isnan(facts->error_constant)) table_cell(list, "-");
    else table_cell(list, "%.3g", facts->error_constant);
    table_cell(list, "%d", facts->rhs_per_step);
    table_cell(list, "%d", facts->real_systems);
    table_cell(list, "%d", facts->complex_systems);
    table_cell(list, "%d", facts->values);
}

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

const char *facts_text(char text[FACTS_LENGTH], const keel_general_analysis *facts)
{
    snprintf(text, FACTS_LENGTH, "order %d, error constant %.3g; %d right-hand side%s an "
             "iteration, %d real and %d complex system%s, %d value%s carried", facts->order,
             facts->error_constant, facts->rhs_per_step, plural(facts->rhs_per_step),
             facts->real_systems, facts->complex_systems, plural(facts->complex_systems),
             facts->values, plural(facts->values));
    return text;
}

void facts_json(json_writer *w, const keel_general_analysis *facts)
{
    json_integer(w, "order", facts->order);
    json_integer(w, "stage_order", facts->stage_order);
    json_number(w, "error_constant", facts->error_constant);
    json_integer(w, "rhs_per_step", facts->rhs_per_step);
    json_integer(w, "real_systems", facts->real_systems);
    json_integer(w, "complex_systems", facts->complex_systems);
    json_integer(w, "values", facts->values);
}
