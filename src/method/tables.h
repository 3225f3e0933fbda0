/* tables.h -- the lists of the tables_*.c, each ending in NULL. */
#ifndef KEEL_METHOD_TABLES_H
#define KEEL_METHOD_TABLES_H

#include "method/general_linear.h"

#include <stddef.h>

extern const keel_tableau *const tables_diagonal[];
extern const keel_tableau *const tables_explicit[];
extern const keel_tableau *const tables_half_explicit[];
extern const keel_tableau *const tables_rosenbrock[];
extern const keel_general_linear *const tables_general_linear[];     /* the next ones, too */
extern const general_linear_facts facts_general_linear[];            /* of them; .of NULL ends it */
extern const keel_general_linear irks_1, irks_2, irks_3, irks_4, irks_5, dimsim_4;

#endif
