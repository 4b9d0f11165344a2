#include "output/gl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

gl_functions gl_table;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[200];

static void load_one(void *library, const char *name, void *slot)
{
    void *address = dlsym(library, name);
    if (!address && !failure[0])
        snprintf(failure, sizeof failure, "OSMesa has no function %s", name);
    memcpy(slot, &address, sizeof address);
}

static void load_all(void)
{
    void *library = dlopen("libOSMesa.so.8", RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen("libOSMesa.so", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(failure, sizeof failure, "OSMesa cannot be loaded: %s", reason ? reason : "?");
        return;
    }
#define GL_FETCH(name) load_one(library, #name, &gl_table.name##_);
    GL_FUNCTIONS(GL_FETCH)
#undef GL_FETCH
}

abut_status gl_load(abut_error *err)
{
    pthread_once(&once, load_all);
    if (failure[0]) return error_set(err, ABUT_ERROR_UNSUPPORTED, "render", "%s", failure);
    return ABUT_OK;
}
