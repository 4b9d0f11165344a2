#include "base/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void library_open(library *l, const char *name, const char *other_name)
{
    *l = (library){.handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)};
    if (!l->handle && other_name) l->handle = dlopen(other_name, RTLD_NOW | RTLD_LOCAL);
    if (l->handle) return;
    const char *reason = dlerror();
    snprintf(l->failure, sizeof l->failure, "%s", reason ? reason : "no reason given");
}

bool library_find(library *l, const char *function, void *slot)
{
    void *address = l->handle ? dlsym(l->handle, function) : NULL;
    memcpy(slot, &address, sizeof address);
    return address != NULL;
}

void library_need(library *l, const char *function, void *slot)
{
    if (!library_find(l, function, slot) && !l->failure[0])
        snprintf(l->failure, sizeof l->failure, "it has no function %s", function);
}
