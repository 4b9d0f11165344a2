/* Messages to the user of the library, through the callback of one simulation. No global state. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <abut/base.h>

typedef struct logger {
    abut_log_function function; /* NULL: silent */
    void *user;
    abut_log_level level; /* messages above this level are dropped */
} logger;

/* log may be NULL. One line, no trailing newline. */
void log_message(const logger *log, abut_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
