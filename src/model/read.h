/* read.h -- flat_read with bounds of one's own: for tests. */
#ifndef KEEL_MODEL_READ_H
#define KEEL_MODEL_READ_H

#include "model/reader.h"

extern const limits limits_usual;
reader *reader_create(source *s, const limits *l);       /* NULL without memory; its model frees it */
int flat_read_within(flat_model **model, source *s, int text, const char *class_name,
                     const flat_override *override, int overrides, const limits *within);

#endif
