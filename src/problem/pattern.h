/* pattern.h -- sparse patterns: checked, copied, united. */
#ifndef KEEL_PROBLEM_PATTERN_H
#define KEEL_PROBLEM_PATTERN_H

#include "core/message.h"
#include "problem/problem.h"

/* Is `given`, called `name`, a sparse pattern of rows x columns?  A status, with a message. */
int pattern_check(message *m, const char *name, const keel_pattern *given, int rows, int columns);
/* A copy with arrays of its own, or KEEL_NO_MEMORY. */
int pattern_copy(keel_pattern *copy, const keel_pattern *given, int columns);
void pattern_free(keel_pattern *pattern);

/* mechanical_patterns.c: those of the spec and, from them, the problem's own. */
int mechanical_patterns(keel_problem *p);

#endif
