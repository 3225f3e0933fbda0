/* method.h -- what is known about the methods. */
#ifndef KEEL_METHOD_H
#define KEEL_METHOD_H

#include "keel/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct keel_method_info {
    const char *name;            /* "radau-iia-3"; "radau-iia" for the variable-order method */
    const char *family;          /* "Radau IIA"                                          */
    const char *summary;         /* one line                                             */
    const char *citation;
    int stages;                  /* 0: variable                                          */
    int order, stage_order;      /* 0: variable                                          */
    int stiffly_accurate;
    double r_infinity;           /* R(inf)                                               */
} keel_method_info;

/* The named methods to show in a list, and any one by name (radau-iia-S for any S). */
KEEL_API int keel_method_count(void);
KEEL_API int keel_method_at(int i, keel_method_info *info);
KEEL_API int keel_method_find(const char *name, keel_method_info *info);

#ifdef __cplusplus
}
#endif
#endif
