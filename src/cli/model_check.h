/* model_check.h -- the structure of a model, for people and for programs. */
#ifndef KEEL_CLI_MODEL_CHECK_H
#define KEEL_CLI_MODEL_CHECK_H

#include <stdio.h>

#include "cli/target.h"
#include "report/json.h"

/* Equations and unknowns, index, levels with their equations, freedom, start plan, loops, events. */
void model_describe(const target *t, FILE *file);
void model_describe_json(const target *t, json_writer *w);
/* The incidence of the equations with its blocks; EXIT_DONE, or another exit status after saying why. */
int model_incidence(const target *t, const char *verb, const char *path);

#endif
