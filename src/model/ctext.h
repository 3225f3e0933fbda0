/* ctext.h -- expressions as C text: loops for what repeats, straight code for the rest. */
#ifndef KEEL_MODEL_CTEXT_H
#define KEEL_MODEL_CTEXT_H

#include "model/print.h"
#include "model/tape.h"

/* Appends   void NAME(const double *x, double *r)   to the text, which computes the outputs of the tape
 * with that spec from inputs x.  0; -1 without memory; 1: it cannot be written in C (calls). */
int ctext_function(buffer *text, const char *name, const tape_spec *spec);
/* What every text begins with. */
void ctext_begin(buffer *text);

#endif
