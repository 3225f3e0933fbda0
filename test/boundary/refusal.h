/* refusal.h -- a boundary value problem that must be refused, with a status and a sentence. */
#ifndef KEEL_TEST_BOUNDARY_REFUSAL_H
#define KEEL_TEST_BOUNDARY_REFUSAL_H

#include "test/boundary/cases.h"

static inline void expect_text(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("\"%s\" does not contain \"%s\"", text, part);
}

static inline void refused(const keel_boundary_spec *spec, const keel_boundary_options *options,
                           int status, const char *text)
{
    keel_boundary *w = NULL;
    int rc = keel_boundary_create(&w, spec, options);
    if (!rc) rc = keel_boundary_solve(w);
    if (rc != status)
        fail_msg("%s instead of %s: %s", keel_status_name(rc), keel_status_name(status),
                 keel_boundary_message(w));
    expect_text(keel_boundary_message(w), text);
    assert_null(keel_boundary_solution(w));
    keel_boundary_free(w);
}

static inline keel_boundary_spec case_spec(const bvp_case *c, const keel_problem *p)
{
    return (keel_boundary_spec){.problem = p, .to = 1, .conditions = c->conditions,
                                .condition = c->condition, .context = (void *)c};
}

#endif
