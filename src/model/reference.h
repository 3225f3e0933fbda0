/* reference.h -- what names with subscripts mean. */
#ifndef KEEL_MODEL_REFERENCE_H
#define KEEL_MODEL_REFERENCE_H

#include "model/reader.h"

/* v[subscripts of part] */
value value_select(const context *c, const value *v, const ast_part *part);
/* An instance that is part k of a name, and what follows. */
value instance_value(const context *c, instance *i, const ast_name *name, int k);
const record *record_of_instance(reader *r, instance *i);
local *frame_local(const frame *f, const char *name);

#endif
