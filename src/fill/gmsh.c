/* Tetrahedra that conform to a surface, by Gmsh. Its library is neither linked nor needed: it is
 * loaded when a scene asks for it, and what it prints is kept quiet. */
#include "base/library.h"
#include "base/memory.h"
#include "fill/fill.h"
#include "mesh/topology.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The functions of gmshc.h that are used. The first got a further argument with version 4.9. */
typedef struct gmsh_library {
    library lib;
    int minor;
    void (*initialize_4_8)(int argc, char **argv, int read_config, int *ierr);
    void (*initialize)(int argc, char **argv, int read_config, int run, int *ierr);
    void (*finalize)(int *ierr);
    void (*option)(const char *name, double value, int *ierr);
    void (*add_model)(const char *name, int *ierr);
    int (*add_discrete)(int dim, int tag, const int *boundary, size_t count, int *ierr);
    void (*add_nodes)(int dim, int tag, const size_t *tags, size_t count, const double *coord,
                      size_t coord_count, const double *parametric, size_t parametric_count,
                      int *ierr);
    void (*add_elements)(int tag, int type, const size_t *tags, size_t count, const size_t *nodes,
                         size_t node_count, int *ierr);
    int (*add_loop)(const int *surfaces, size_t count, int tag, int *ierr);
    int (*add_volume)(const int *loops, size_t count, int tag, int *ierr);
    void (*synchronize)(int *ierr);
    void (*generate)(int dim, int *ierr);
    void (*get_nodes)(size_t **tags, size_t *count, double **coord, size_t *coord_count,
                      double **parametric, size_t *parametric_count, int dim, int tag,
                      int with_boundary, int with_parametric, int *ierr);
    void (*get_elements)(int type, size_t **tags, size_t *count, size_t **nodes, size_t *node_count,
                         int tag, size_t task, size_t tasks, int *ierr);
    void (*last_error)(char **text, int *ierr);
    void (*release)(void *memory);
} gmsh_library;

/* Gmsh has one state in a process. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

enum { OLDEST_MINOR = 8, NEWEST_MINOR = 15 };

static void open_library(gmsh_library *g)
{
    const char *given = getenv("ABUT_GMSH_LIBRARY");
    char name[64];
    g->minor = OLDEST_MINOR;
    if (given) {
        const char *version = strstr(given, ".so.4.");
        if (version) g->minor = atoi(version + 6);
        library_open(&g->lib, given, NULL);
        return;
    }
    for (int minor = NEWEST_MINOR; minor >= OLDEST_MINOR; minor--) {
        snprintf(name, sizeof name, "libgmsh.so.4.%d", minor);
        g->minor = minor;
        library_open(&g->lib, name, NULL);
        if (g->lib.handle) return;
    }
}

static abut_status load(gmsh_library *g, abut_error *err)
{
    open_library(g);
    library *l = &g->lib;
    library_need(l, "gmshInitialize", &g->initialize);
    memcpy(&g->initialize_4_8, &g->initialize, sizeof g->initialize);
    library_need(l, "gmshFinalize", &g->finalize);
    library_need(l, "gmshOptionSetNumber", &g->option);
    library_need(l, "gmshModelAdd", &g->add_model);
    library_need(l, "gmshModelAddDiscreteEntity", &g->add_discrete);
    library_need(l, "gmshModelMeshAddNodes", &g->add_nodes);
    library_need(l, "gmshModelMeshAddElementsByType", &g->add_elements);
    library_need(l, "gmshModelGeoAddSurfaceLoop", &g->add_loop);
    library_need(l, "gmshModelGeoAddVolume", &g->add_volume);
    library_need(l, "gmshModelGeoSynchronize", &g->synchronize);
    library_need(l, "gmshModelMeshGenerate", &g->generate);
    library_need(l, "gmshModelMeshGetNodes", &g->get_nodes);
    library_need(l, "gmshModelMeshGetElementsByType", &g->get_elements);
    library_need(l, "gmshLoggerGetLastError", &g->last_error);
    library_need(l, "gmshFree", &g->release);
    if (!l->failure[0]) return ABUT_OK;
    return error_set(err, ABUT_ERROR_UNSUPPORTED, "",
                     "the method \"gmsh\" needs Gmsh's library, which was not found as "
                     "libgmsh.so.4.%d to libgmsh.so.4.%d (%s): install libgmsh-dev (Debian, "
                     "Ubuntu), say where it is with ABUT_GMSH_LIBRARY, or use the method \"cage\"",
                     OLDEST_MINOR, NEWEST_MINOR, l->failure);
}

static abut_status failed(const gmsh_library *g, const char *what, abut_error *err)
{
    int ierr = 0;
    char *text = NULL;
    g->last_error(&text, &ierr);
    abut_status status = error_set(err, ABUT_ERROR_INPUT, "", "gmsh cannot %s: %s", what,
                                   text && text[0] ? text : "no reason given");
    if (text) g->release(text);
    return status;
}

/* ---- in ---- */

/* The triangles of one shell as a discrete surface of its own; nodes with the first. */
static bool add_shell(const gmsh_library *g, const mesh *m, const shell_list *shells, size_t s,
                      size_t *scratch, double *coord)
{
    int ierr = 0, sum = 0, tag = (int)s + 1;
    size_t n = 0, count = 0;
    g->add_discrete(2, tag, NULL, 0, &ierr);
    sum |= ierr;
    for (size_t v = 0; v < m->vertex_count; v++) {
        if (shells->of_vertex[v] != (int32_t)s) continue;
        vec3_store(coord + 3 * n, m->vertices[v]);
        scratch[n++] = v + 1;
    }
    g->add_nodes(2, tag, scratch, n, coord, 3 * n, NULL, 0, &ierr);
    sum |= ierr;
    const int32_t(*t)[3] = surface_triangles(m);
    for (size_t i = 0; i < surface_triangle_count(m); i++) {
        if (shells->of_vertex[t[i][0]] != (int32_t)s) continue;
        for (int k = 0; k < 3; k++) scratch[count++] = (size_t)t[i][k] + 1;
    }
    g->add_elements(tag, 2, NULL, 0, scratch, count, &ierr);
    return (sum | ierr) == 0;
}

/* A volume for every group: within its outermost shell, without its cavities. */
static bool add_volumes(const gmsh_library *g, const shell_list *shells, size_t groups, int *loops)
{
    int ierr = 0, sum = 0;
    for (size_t k = 0; k < groups; k++) {
        size_t n = 0;
        for (int inner = 0; inner < 2; inner++)
            for (size_t s = 0; s < shells->count; s++) {
                const surface_shell *own = &shells->data[s];
                if (own->group != (int32_t)k || (own->depth > 0) != inner) continue;
                int tag = (int)s + 1;
                loops[n++] = g->add_loop(&tag, 1, -1, &ierr);
                sum |= ierr;
            }
        g->add_volume(loops, n, -1, &ierr);
        sum |= ierr;
    }
    g->synchronize(&ierr);
    return (sum | ierr) == 0;
}

static abut_status put_surface(const gmsh_library *g, const mesh *m, const shell_list *shells,
                               size_t groups, abut_error *err)
{
    size_t most = 3 * surface_triangle_count(m) + m->vertex_count;
    size_t *scratch = mem_alloc(most, sizeof *scratch);
    double *coord = mem_alloc(3 * m->vertex_count, sizeof *coord);
    int *loops = mem_alloc(shells->count, sizeof *loops);
    bool memory = scratch && coord && loops, ok = memory;
    for (size_t s = 0; ok && s < shells->count; s++)
        ok = add_shell(g, m, shells, s, scratch, coord);
    ok = ok && add_volumes(g, shells, groups, loops);
    mem_free(scratch);
    mem_free(coord);
    mem_free(loops);
    if (!memory) return error_memory(err, "filling a surface");
    return ok ? ABUT_OK : failed(g, "take the surface", err);
}

/* ---- out ---- */

static abut_status copy_tets(const size_t *tags, size_t count, const double *coord,
                             const size_t *nodes, size_t node_count, mesh *out, abut_error *err)
{
    size_t last = 0;
    cell_block *block;
    for (size_t i = 0; i < count; i++) last = tags[i] > last ? tags[i] : last;
    if (last > INT32_MAX || node_count == 0)
        return error_set(err, ABUT_ERROR_INPUT, "", "gmsh made no tetrahedra");
    int32_t *number = mem_alloc(last + 1, sizeof *number);
    if (!number) return error_memory(err, "filling a surface");
    for (size_t i = 0; i <= last; i++) number[i] = -1;
    for (size_t i = 0; i < count; i++) number[tags[i]] = (int32_t)i;
    abut_status status = mesh_init(out, count, err);
    if (status == ABUT_OK)
        status = mesh_add_block(out, CELL_TET, 1, node_count / 4, false, &block, err);
    for (size_t i = 0; status == ABUT_OK && i < count; i++)
        out->vertices[i] = vec3_load(coord + 3 * i);
    for (size_t i = 0; status == ABUT_OK && i < node_count; i++) {
        int32_t v = nodes[i] <= last ? number[nodes[i]] : -1;
        if (v < 0) status = error_set(err, ABUT_ERROR_INPUT, "", "gmsh made a wrong mesh");
        if (v >= 0) block->nodes[i] = v;
    }
    mem_free(number);
    if (status == ABUT_OK) orient_tets(out);
    if (status != ABUT_OK) mesh_free(out);
    return status;
}

static abut_status get_tets(const gmsh_library *g, mesh *out, abut_error *err)
{
    size_t *tags = NULL, *elements = NULL, *nodes = NULL;
    size_t count = 0, coord_count = 0, other = 0, element_count = 0, node_count = 0;
    double *coord = NULL, *parametric = NULL;
    int ierr = 0, sum = 0;
    g->get_nodes(&tags, &count, &coord, &coord_count, &parametric, &other, -1, -1, 0, 0, &ierr);
    sum |= ierr;
    g->get_elements(4, &elements, &element_count, &nodes, &node_count, -1, 0, 1, &ierr);
    sum |= ierr;
    abut_status status = sum ? failed(g, "give its mesh back", err)
                             : copy_tets(tags, count, coord, nodes, node_count, out, err);
    g->release(tags);
    g->release(coord);
    g->release(parametric);
    g->release(elements);
    g->release(nodes);
    return status;
}

/* ---- the whole ---- */

static abut_status run(const gmsh_library *g, const mesh *surface, const shell_list *shells,
                       size_t groups, double size, mesh *out, abut_error *err)
{
    int ierr = 0;
    const struct {
        const char *name;
        double value;
    } options[] = {{"General.Terminal", 0},    {"General.NumThreads", 1},
                   {"Mesh.Algorithm3D", 1},    {"Mesh.Optimize", 1},
                   {"Mesh.ElementOrder", 1},   {"Mesh.MeshSizeMax", size},
                   {"General.AbortOnError", 0}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        g->option(options[i].name, options[i].value, &ierr);
    g->add_model("abut", &ierr);
    TRY(put_surface(g, surface, shells, groups, err));
    g->generate(3, &ierr);
    if (ierr) return failed(g, "fill the surface", err);
    return get_tets(g, out, err);
}

abut_status fill_gmsh(const mesh *surface, const shell_list *shells, size_t groups, double size,
                      mesh *out, abut_error *err)
{
    gmsh_library g = {0};
    *out = (mesh){0};
    pthread_mutex_lock(&one_at_a_time);
    abut_status status = load(&g, err);
    if (status == ABUT_OK) {
        int ierr = 0;
        char program[] = "abut", *words[] = {program, NULL};
        if (g.minor <= 8)
            g.initialize_4_8(1, words, 0, &ierr);
        else
            g.initialize(1, words, 0, 0, &ierr);
        status = ierr ? error_set(err, ABUT_ERROR_UNSUPPORTED, "", "gmsh does not start (%d)", ierr)
                      : run(&g, surface, shells, groups, size, out, err);
        g.finalize(&ierr);
    }
    pthread_mutex_unlock(&one_at_a_time);
    return status;
}
