#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void log_message(const logger *log, abut_log_level level, const char *format, ...)
{
    if (!log || !log->function || level > log->level) return;
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log->function(log->user, level, text);
}
