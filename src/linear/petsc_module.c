#include "linear/petsc_module.h"

#include "base/file.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* MPI can be started once in a process. */
static struct {
    const petsc_functions *functions;
    rank_transport transport;
    bool started;
} module;

int petsc_launched_ranks(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS",
                                        "SLURM_STEP_NUM_TASKS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        if (text && atoi(text) > 0) return atoi(text);
    }
    return 1;
}

static const char module_name[] = "abut_petsc.so";

/* Beside the program, where builds and installations put it, or where the environment says. */
static void *open_module(void)
{
    const char *given = getenv("ABUT_PETSC_MODULE");
    if (given) return dlopen(given, RTLD_NOW | RTLD_GLOBAL);
    static const char *const folders[] = {"", "../lib/abut/", "../lib/"};
    char program[2048];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    for (size_t i = 0; length > 0 && i < sizeof folders / sizeof *folders; i++) {
        char path[4200];
        program[length] = 0;
        const char *slash = strrchr(program, '/');
        int folder = slash ? (int)(slash + 1 - program) : 0;
        snprintf(path, sizeof path, "%.*s%s%s", folder, program, folders[i], module_name);
        if (!file_exists(path)) continue;
        return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
    return dlopen(module_name, RTLD_NOW | RTLD_GLOBAL);
}

static abut_status load(abut_error *err)
{
    /* RTLD_GLOBAL: the parts of OpenMPI that are loaded later look for its symbols. */
    void *library = open_module();
    const char *reason = library ? NULL : dlerror();
    const petsc_functions *(*entry)(void) = NULL;
    if (library) {
        void *symbol = dlsym(library, "abut_petsc_module");
        memcpy(&entry, &symbol, sizeof entry);
        if (!entry) reason = dlerror();
    }
    abut_status status = ABUT_OK;
    if (!entry)
        status =
            error_set(err, ABUT_ERROR_UNSUPPORTED, "solver.linear",
                      "PETSc and MPI need the module %s, which is built with -DABUT_MPI=ON where "
                      "PETSc is installed, or found with ABUT_PETSC_MODULE (%s)",
                      module_name, reason ? reason : "no reason given");
    else if (entry()->version != PETSC_MODULE_VERSION)
        status = error_set(err, ABUT_ERROR_UNSUPPORTED, "solver.linear",
                           "the module %s is of another version of abut (interface %d, wanted %d)",
                           module_name, entry()->version, PETSC_MODULE_VERSION);
    else
        module.functions = entry();
    /* One that is used stays until the process ends: MPI leaves handlers behind. */
    if (status != ABUT_OK && library) dlclose(library);
    return status;
}

abut_status petsc_start(const char *options, const petsc_functions **out, abut_error *err)
{
    if (!module.functions) TRY(load(err));
    if (!module.started) {
        char text[PETSC_TEXT] = "";
        if (module.functions->start(options, &module.transport, text) != PETSC_DONE)
            return error_set(err, ABUT_ERROR_UNSUPPORTED, "solver.linear",
                             "PETSc cannot be started: %s", text);
        module.started = true;
        ranks_set_transport(&module.transport);
    }
    if (out) *out = module.functions;
    return ABUT_OK;
}

void petsc_finish(void)
{
    if (!module.started) return;
    ranks_set_transport(NULL);
    module.functions->finish();
}
