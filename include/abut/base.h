/* What every public function shares: linkage, status codes, error objects, log callbacks. */
#ifndef ABUT_BASE_H
#define ABUT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ABUT_API __attribute__((visibility("default")))
#else
#define ABUT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Result of every function that can fail. The command turns them into exit codes. */
typedef enum abut_status {
    ABUT_OK = 0,
    ABUT_ERROR_INPUT,         /* wrong scene, mesh, option or argument: exit code 2 */
    ABUT_ERROR_NOT_CONVERGED, /* a step did not converge: exit code 3 */
    ABUT_ERROR_INFEASIBLE,    /* the start intersects, is inverted or beyond a limit: exit code 4 */
    ABUT_ERROR_IO,            /* a file could not be read or written: exit code 5 */
    ABUT_ERROR_MEMORY,        /* out of memory: exit code 5 */
    ABUT_ERROR_UNSUPPORTED,   /* understood, but this build cannot do it: exit code 2 */
    ABUT_INTERRUPTED,         /* stopped on request, state is good: exit code 130 */
    ABUT_ERROR_INTERNAL,      /* a bug in abut: exit code 5 */
    ABUT_ERROR_CHECK,         /* a check of results found something wrong: exit code 1 */
    ABUT_ERROR_OVERLAP        /* prescribed bodies go through each other in a step: exit code 6 */
} abut_status;

/* Filled by the function that returned a status other than ABUT_OK. */
typedef struct abut_error {
    abut_status code;
    char place[256];    /* file and field or line, for example "bar.json: bodies[0].density" */
    char message[1024]; /* what is wrong and what is allowed, one sentence, no trailing newline */
} abut_error;

typedef enum abut_log_level {
    ABUT_LOG_ERROR,
    ABUT_LOG_WARNING,
    ABUT_LOG_INFO,
    ABUT_LOG_DEBUG
} abut_log_level;

typedef void (*abut_log_function)(void *user, abut_log_level level, const char *message);

/* Short English name of a status, for messages ("ok", "input error", ...). Never NULL. */
ABUT_API const char *abut_status_name(abut_status status);

/* Version of the library that is running, "major.minor.patch". */
ABUT_API const char *abut_version(void);

/* Releases of OpenBLAS that are older than the processor compute several times slower than they
 * could. This tells the one that the linear solver "cholmod" loads what to choose (by the
 * environment variable OPENBLAS_CORETYPE, where that is not set); the command does the same. To be
 * called at the start of a program, before there are threads. */
ABUT_API void abut_choose_blas_kernels(void);

#ifdef __cplusplus
}
#endif

#endif
