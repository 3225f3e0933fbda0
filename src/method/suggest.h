/* suggest.h -- the known name that a mistyped one most likely meant. */
#ifndef KEEL_SUGGEST_H
#define KEEL_SUGGEST_H

/* The first of the known names with the smallest edit distance, upper and lower case and '_' and
 * '-' taken as equal; a known name that starts with `name` wins over any other.
 * NULL if there are no known names. */
const char *closest_name(const char *name, const char *const *known, int count);

#endif
