/* unit.h -- units of declarations, as warnings.
 *
 * A unit is a product of powers of the SI base units and a factor.  Sums, relations and equations of
 * two known units that differ are warned of; a variable without unit makes everything unknown that
 * it enters, and a literal fits everywhere, so that no warning is false.
 */
#ifndef KEEL_MODEL_UNIT_H
#define KEEL_MODEL_UNIT_H

#include "model/reader.h"

int unit_read(reader *r, const char *text, span where);    /* its number; UNIT_UNKNOWN: "" or unknown */
int unit_product(reader *r, int a, int b, int sign);       /* a * b^sign */
int unit_power(reader *r, int a, double exponent);
/* The unit of a + b; says when they differ. */
int unit_sum(reader *r, span where, int a, int b, const char *what);
void unit_check(reader *r, span where, const char *what, int wanted, int found);
void leaf_unit(reader *r, instance *leaf);

#endif
