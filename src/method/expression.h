/* expression.h -- numbers as people write coefficients: 0.25, 1/3, (16-sqrt(6))/36. */
#ifndef KEEL_METHOD_EXPRESSION_H
#define KEEL_METHOD_EXPRESSION_H

/* Reads the longest expression of + - * / ( ) sqrt and decimal numbers at *text, moves *text behind
 * it and sets *value; blanks are allowed inside parentheses only.  1, or 0 if there is none or too
 * many nested parentheses; then *text is where it went wrong.  Division by zero and roots of negative
 * numbers give infinity or NAN. */
int parse_expression(const char **text, double *value);

#endif
