/* Arithmetic expressions in x, y, z and t, such as "min(t, 0.5) * cos(pi * x)".
 *
 * Nothing but arithmetic can be written: the text is compiled to a short list of operations. The
 * grammar is that of the small parser that PolyFEM scenes are written for: + - * / % ^ with ^ from
 * the left and -a^b = (-a)^b, functions of one argument also without parentheses, log to base 10
 * and ln to base e, constants pi and e. */
#ifndef BASE_EXPRESSION_H
#define BASE_EXPRESSION_H

#include "base/status.h"

#include <stdbool.h>

typedef struct expression expression;

/* ABUT_ERROR_INPUT tells what is wrong and where, counted from 1. */
abut_status expression_parse(const char *text, expression **out, abut_error *err);
expression *expression_constant(double value);    /* NULL: out of memory */
expression *expression_copy(const expression *e); /* NULL: out of memory */
void expression_free(expression *e);              /* NULL is fine */

/* Thread-safe. What is not defined (sqrt(-1)) is not a number. */
double expression_value(const expression *e, double x, double y, double z, double t);

/* True when the value does not depend on anything. */
bool expression_is_constant(const expression *e);

#endif
