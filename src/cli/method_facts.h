/* method_facts.h -- what is worth knowing of every method beside its results: orders, error
 * constant, cost of a step, values carried. */
#ifndef KEEL_CLI_METHOD_FACTS_H
#define KEEL_CLI_METHOD_FACTS_H

#include <stdbool.h>

#include "keel/keel.h"
#include "report/json.h"
#include "report/table.h"

/* Of the method that the options ask for; false where that is more than one, or none. */
bool method_facts_of(const keel_options *options, keel_general_analysis *facts);

/* Cells of a table, FACTS_COLUMNS of them; NULL: "-". */
enum { FACTS_COLUMNS = 7 };
#define FACTS_ALIGN "rrrrrrr"
void facts_headings(table *list);
void facts_cells(table *list, const keel_general_analysis *facts);

/* Like "order 5, error constant -0.000139; ...". */
enum { FACTS_LENGTH = 200 };
const char *facts_text(char text[FACTS_LENGTH], const keel_general_analysis *facts);

/* Members of an object. */
void facts_json(json_writer *w, const keel_general_analysis *facts);

#endif
