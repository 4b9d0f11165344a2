#ifdef ABUT_HAVE_MICROHTTPD
#include "app/http.h"

#include "base/library.h"

#include <pthread.h>

http_functions http_table;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static library server;

static void load_all(void)
{
    library_open(&server, "libmicrohttpd.so.12", "libmicrohttpd.so");
#define HTTP_FETCH(name) library_need(&server, #name, &http_table.name##_);
    HTTP_FUNCTIONS(HTTP_FETCH)
#undef HTTP_FETCH
}

abut_status http_load(abut_error *err)
{
    pthread_once(&once, load_all);
    if (server.failure[0])
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "view",
                         "the web server (libmicrohttpd) cannot be loaded: %s", server.failure);
    return ABUT_OK;
}
#else
typedef int http_is_not_built; /* C wants something in a file */
#endif
