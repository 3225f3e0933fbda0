/* events.h -- the events of a run, for people and for programs; and those a problem may have. */
#ifndef KEEL_CLI_EVENTS_H
#define KEEL_CLI_EVENTS_H

#include <stdio.h>

#include "cli/integration.h"
#include "report/json.h"
#include "report/marks.h"

/* Has the problem switches, clocks or further structures? */
bool target_has_events(const target *t);
/* Switches, structures, modes, values: "  switches             2: floor, wall". */
void events_describe(const target *t, FILE *file);
void events_describe_json(const target *t, json_writer *w);

/* A table; of many events the first and the last ones. */
void events_print(const target *t, const outcome *o, FILE *file);
void events_json(const target *t, const outcome *o, json_writer *w);

/* For a picture of the run, to be freed; none without memory. */
plot_marks events_marks(const outcome *o);
void events_marks_free(plot_marks *m);

#endif
