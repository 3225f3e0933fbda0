/* unit.c -- see unit.h. */
#include "model/unit.h"

int unit_read(reader *r, const char *text, span where) { (void)r; (void)text; (void)where; return 0; }
int unit_product(reader *r, int a, int b, int sign) { (void)r; (void)a; (void)b; (void)sign; return 0; }
int unit_power(reader *r, int a, double exponent) { (void)r; (void)a; (void)exponent; return 0; }
int unit_sum(reader *r, span where, int a, int b, const char *what) { (void)r; (void)where; (void)a; (void)b; (void)what; return 0; }
void unit_check(reader *r, span where, const char *what, int wanted, int found) { (void)r; (void)where; (void)what; (void)wanted; (void)found; }
