/* options.h -- checks and defaults of keel_options, from the one table of options. */
#ifndef KEEL_CORE_OPTIONS_H
#define KEEL_CORE_OPTIONS_H

#include "core/message.h"
#include "keel/solver.h"

/* Copies `given` (NULL: all defaults), of that many bytes, with zeros replaced by defaults, and
 * checks ranges. */
int options_resolve(keel_options *resolved, const keel_options *given, size_t size, message *m);

#endif
