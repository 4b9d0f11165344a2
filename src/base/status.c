#include "base/status.h"

#include <abut/version.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *abut_version(void) { return ABUT_VERSION_STRING; }

const char *abut_status_name(abut_status status)
{
    switch (status) {
    case ABUT_OK: return "ok";
    case ABUT_ERROR_INPUT: return "input error";
    case ABUT_ERROR_NOT_CONVERGED: return "not converged";
    case ABUT_ERROR_INFEASIBLE: return "infeasible start";
    case ABUT_ERROR_IO: return "input/output error";
    case ABUT_ERROR_MEMORY: return "out of memory";
    case ABUT_ERROR_UNSUPPORTED: return "not supported";
    case ABUT_INTERRUPTED: return "interrupted";
    case ABUT_ERROR_INTERNAL: return "internal error";
    case ABUT_ERROR_CHECK: return "check failed";
    case ABUT_ERROR_OVERLAP: return "prescribed bodies overlap";
    }
    return "unknown status";
}

abut_status error_set(abut_error *err, abut_status code, const char *place, const char *format, ...)
{
    if (!err) return code;
    err->code = code;
    snprintf(err->place, sizeof err->place, "%s", place ? place : "");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    return code;
}

abut_status error_memory(abut_error *err, const char *what)
{
    return error_set(err, ABUT_ERROR_MEMORY, "", "out of memory while %s", what);
}

abut_status error_add_place(abut_error *err, const char *prefix, abut_status status)
{
    if (!err || status == ABUT_OK) return status;
    char old[sizeof err->place];
    memcpy(old, err->place, sizeof old);
    if (old[0])
        snprintf(err->place, sizeof err->place, "%.120s: %.130s", prefix, old);
    else
        snprintf(err->place, sizeof err->place, "%.250s", prefix);
    return status;
}
