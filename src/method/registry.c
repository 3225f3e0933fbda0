/* registry.c -- the methods by name.
 *
 * "radau-iia" varies the number of stages; "radau-iia-S" keeps it.  The first LISTED rows are
 * shown in lists, all can be found by name.
 */
#include "keel/method.h"
#include "method/method.h"
#include "method/suggest.h"

#include <string.h>

#define CITATION "Butcher 1964; Ehle 1969; Axelsson 1969; Hairer & Wanner 1996, IV.5 and IV.8"

#define RADAU_IIA(S, ORDER)                                                                   \
    { "radau-iia-" #S, "Radau IIA",                                                           \
      "collocation with " #S " stages, order " #ORDER ", L-stable", CITATION,                 \
      S, ORDER, S, 1, 0.0, KEEL_METHOD_IMPLICIT }

enum { LISTED = 8 };

static const keel_method_info methods[] = {
    { "radau-iia", "Radau IIA",
      "3 to 7 stages (order 5 to 13), chosen from tolerance and convergence; the default",
      CITATION, 0, 0, 0, 1, 0.0, KEEL_METHOD_IMPLICIT },
    { "radau-iia-1", "Radau IIA", "implicit Euler: 1 stage, order 1, L-stable", CITATION,
      1, 1, 1, 1, 0.0, KEEL_METHOD_IMPLICIT },
    RADAU_IIA(2, 3), RADAU_IIA(3, 5), RADAU_IIA(4, 7), RADAU_IIA(5, 9), RADAU_IIA(6, 11),
    RADAU_IIA(7, 13), RADAU_IIA(8, 15), RADAU_IIA(9, 17), RADAU_IIA(10, 19), RADAU_IIA(11, 21),
    RADAU_IIA(12, 23), RADAU_IIA(13, 25), RADAU_IIA(14, 27), RADAU_IIA(15, 29),
    RADAU_IIA(16, 31), RADAU_IIA(17, 33), RADAU_IIA(18, 35), RADAU_IIA(19, 37),
    RADAU_IIA(20, 39),
};

enum { COUNT = sizeof methods / sizeof methods[0] };
_Static_assert(COUNT == STAGES_MAX + 1, "one row for each number of stages");

static const keel_method_info *lookup(const char *name)
{
    for (int i = 0; name && i < COUNT; i++)
        if (strcmp(methods[i].name, name) == 0) return &methods[i];
    return NULL;
}

int keel_method_count(void)
{
    return LISTED;
}

int keel_method_at(int i, keel_method_info *info)
{
    if (i < 0 || i >= LISTED || !info) return KEEL_BAD_ARGUMENT;
    *info = methods[i];
    return KEEL_OK;
}

int keel_method_find(const char *name, keel_method_info *info)
{
    const keel_method_info *found = lookup(name);
    if (!name || !info) return KEEL_BAD_ARGUMENT;
    if (!found) return KEEL_UNKNOWN_NAME;
    *info = *found;
    return KEEL_OK;
}

int method_parse(const char *name, int *stages, const char **suggestion)
{
    const keel_method_info *found = lookup(name);
    *suggestion = NULL;
    if (found) {
        *stages = found->stages;
        return KEEL_OK;
    }
    const char *known[COUNT];
    for (int i = 0; i < COUNT; i++) known[i] = methods[i].name;
    *suggestion = closest_name(name, known, COUNT);
    return KEEL_UNKNOWN_NAME;
}

static int make_radau(keel_method **method, int s)
{
    double A[STAGES_MAX * STAGES_MAX], b[STAGES_MAX], c[STAGES_MAX];
    int rc = family_coefficients(FAMILY_RADAU_IIA, s, 1, A, b, c);
    if (rc) return rc;
    rc = keel_method_create(method, &(keel_tableau){.name = methods[s].name, .stages = s,
                            .order = 2 * s - 1, .A = A, .b = b, .c = c});
    if (!rc) (*method)->radau_iia = 1;
    return rc;
}

int keel_method_named(keel_method **method, const char *name)
{
    int stages;
    const char *suggestion;
    if (method_parse(name, &stages, &suggestion) || stages == 0) return KEEL_UNKNOWN_NAME;
    return make_radau(method, stages);
}

int method_choose(const char *name, int *stages, keel_method **method, const char **suggestion)
{
    *method = NULL;
    int rc = method_parse(name, stages, suggestion);
    return rc || *stages == 0 ? rc : keel_method_named(method, name);
}
