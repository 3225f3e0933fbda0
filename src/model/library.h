/* library.h -- what every model may use without a file: basic types, Modelica.Constants,
 * Modelica.Units.SI, Modelica.Math. */
#ifndef KEEL_MODEL_LIBRARY_H
#define KEEL_MODEL_LIBRARY_H

#include "model/reader.h"

/* Real, Integer, Boolean, String, StateSelect, AssertionLevel. */
ast_class *library_basic(reader *r);
/* A class that contains the package Modelica. */
ast_class *library_read(reader *r);

#endif
