/* Filling error objects. Every internal function that can fail returns abut_status and takes an
 * abut_error *err as its last argument; err may be NULL. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <abut/base.h>

/* Fills err (if not NULL) with code, error place ("" when unknown) and the formatted message, and
 * returns code so that callers can write `return error_set(...)`. */
abut_status error_set(abut_error *err, abut_status code, const char *place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Shorthand for running out of memory while doing `what`. */
abut_status error_memory(abut_error *err, const char *what);

/* Puts "prefix: " in front of the error place that is passed on to a caller who knows more. */
abut_status error_add_place(abut_error *err, const char *prefix, abut_status status);

/* Returns from the enclosing function when the expression does not give ABUT_OK. */
#define TRY(expression)                                                                            \
    do {                                                                                           \
        abut_status try_status_ = (expression);                                                    \
        if (try_status_ != ABUT_OK) return try_status_;                                            \
    } while (0)

#endif
