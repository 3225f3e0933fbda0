/* families.h -- methods of a family by name: FAMILY-S, collocation-S:W, collocation:C1,C2,... */
#ifndef KEEL_METHOD_FAMILIES_H
#define KEEL_METHOD_FAMILIES_H

#include "method/method.h"

/* The names of all members, one after the other, and of those in lists; NULL past the last. */
const char *family_name(int i);
const char *family_listed(int i);
/* 0, or KEEL_UNKNOWN_NAME, with *method NULL. */
int family_make(keel_method **method, const char *name);
int family_info(const char *name, keel_method_info *info);

#define COLLOCATION "collocation"
int is_collocation(const char *name);
/* KEEL_UNKNOWN_NAME, with *method as it was, if the name does not parse or names equal nodes. */
int collocation_make(keel_method **method, const char *name);

#endif
