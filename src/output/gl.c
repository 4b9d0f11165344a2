#include "output/gl.h"

#include "base/library.h"

#include <pthread.h>

gl_functions gl_table;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static library mesa;

static void load_all(void)
{
    library_open(&mesa, "libOSMesa.so.8", "libOSMesa.so");
#define GL_FETCH(name) library_need(&mesa, #name, &gl_table.name##_);
    GL_FUNCTIONS(GL_FETCH)
#undef GL_FETCH
}

abut_status gl_load(abut_error *err)
{
    pthread_once(&once, load_all);
    if (mesa.failure[0])
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "render", "OSMesa cannot be loaded: %s",
                         mesa.failure);
    return ABUT_OK;
}
