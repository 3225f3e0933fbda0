#include "integrate/consistent.h"
int consistent_start(keel_solver *s, const keel_mark *marks){(void)s;(void)marks;return 0;}
