/* layer.h -- lists of modifications (specification, section 7.2). */
#ifndef KEEL_MODEL_LAYER_H
#define KEEL_MODEL_LAYER_H

#include "model/reader.h"

/* Puts a copy at the end of a list; the copy. */
layer *layer_add(reader *r, layer **end, layer l);
/* Copies a list to the end of another, and moves its end. */
layer *layers_copy(reader *r, const layer *from, layer ***end, layer **first);
/* The layers of an element of an array of components: their values are indexed. */
layer *layers_of_element(reader *r, const layer *from, const int *index, int rank);

#endif
