/* method_coefficients.h -- the coefficients of a method: tableau, formula, or matrices. */
#ifndef KEEL_CLI_METHOD_COEFFICIENTS_H
#define KEEL_CLI_METHOD_COEFFICIENTS_H

#include "cli/method_report.h"

/* As fractions where they are. */
void coefficients_print(const method_report *r, FILE *file);
void coefficients_json(json_writer *w, const method_report *r);

/* How multipliers are treated by a multistep method. */
const char *blocking_text(keel_blocking blocking);

#endif
