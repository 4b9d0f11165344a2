/* A patch: some cells of a local mesh as a small model of its own with the terms of the incremental
 * potential, solved by the same Newton as a step. Vertices that cells outside share are fixed, and
 * so is everything near that the patch may touch. Differences of its energy before and after an
 * operation inside are those of the whole mesh. */
#ifndef REMESH_PATCH_H
#define REMESH_PATCH_H

#include "remesh/surround.h"
#include "solve/newton.h"
#include "term/elastic.h"
#include "term/inertia.h"

/* How far free vertices may go, as a share of the extent of the free part of a patch. */
static const double PATCH_REACH = 0.25;

/* Numbers by index that are forgotten all at once. */
typedef struct number_map {
    local_list value, stamp;
    int32_t now;
} number_map;

void number_map_clear(number_map *m);
int32_t number_map_get(const number_map *m, int32_t key); /* -1: none */
bool number_map_set(number_map *m, int32_t key, int32_t value);
void number_map_free(number_map *m);

/* A term without energy that keeps free vertices within a distance of where they were, because only
 * what is near was looked for. */
typedef struct reach_term {
    term base;
    const double *origin;
    size_t blocks;
    double reach;
} reach_term;

typedef struct patch {
    const local_mesh *mesh;
    const remesh_problem *problem;
    surround *around; /* NULL: no contact */
    int field_now;    /* positions that the patch is opened with */
    model model;
    local_list vertices; /* local vertex of every block, -1: of the scene */
    size_t inner;        /* blocks of vertices of the patch's cells come first */
    size_t free_count;
    number_map block_of;     /* local vertex -> block */
    number_map scene_block;  /* vertex of the scene's surface -> block */
    number_map on_surface;   /* block -> vertex of the model's surface */
    number_map cells_in;     /* cells of the patch */
    local_list scene_vertex; /* per block: vertex of the scene's surface, -1 */
    surround_near near;
    ARRAY(double) x, origin, start;
    ARRAY(double) lag; /* where friction takes its forces */
    ARRAY(uint8_t) fixed;
    bool contact_possible; /* some free vertex is on the surface */
    stage_timer timer;
    inertia_term *inertia;
    elastic_term *elastic;
    contact_term *contact;
    evaluation evaluation;
    friction_term *friction;
    reach_term reach;
    problem *solver; /* of all terms */
    bool have_solver;
    ARRAY(uint64_t) edge_keys;
} patch;

/* A patch without cells; mesh, problem and surroundings are borrowed. */
abut_status patch_init(patch *p, const local_mesh *m, const remesh_problem *q, surround *around,
                       abut_error *err);
void patch_free(patch *p);

/* Fills the model from cells of the mesh, with x as it is there. where: what may be touched is
 * looked for in this box (surround_empty: made from the patch itself), widened by the reach. */
abut_status patch_open(patch *p, const local_list *cells, surround_box *where, abut_error *err);

/* Energy at its x; INFINITY if that is not feasible. Friction is lagged at this x. */
abut_status patch_energy(patch *p, double *energy, abut_error *err);
/* Newton iterations from its x; fewer if it converges, or will not come down to *goal (NULL: any).
 * *energy: reached. False in *converged when the cap or the reach ended it. */
abut_status patch_relax(patch *p, int iterations, const double *goal, double *energy, int *used,
                        bool *converged, abut_error *err);
/* Free vertices of the patch take their positions over into the mesh. */
abut_status patch_store(const patch *p, local_mesh *m, abut_error *err);

/* True when the vertices a and b can be moved to a point, given for x and for the start of the
 * step, without touching anything on the straight path. The patch is open and has both. */
abut_status patch_can_merge(patch *p, int32_t a, int32_t b, vec3 now, vec3 start, bool *can,
                            abut_error *err);

/* What choosing a patch needs, kept so that it does not cost the size of the mesh each time. */
typedef struct patch_scratch {
    number_map cells, vertices;
} patch_scratch;

/* Cells around an edge (or a vertex, b = -1): rings until both the number and the volume are
 * reached. Ascending. */
abut_status patch_select(const local_mesh *m, int32_t a, int32_t b, int rings, double volume,
                         patch_scratch *scratch, local_list *out, abut_error *err);

/* Internal: the collision surface of an open patch. */
abut_status patch_fill_surface(patch *p, const local_list *cells, abut_error *err);
/* Block of a local vertex or a vertex of the scene's surface, made if there is none. */
abut_status patch_local_block(patch *p, int32_t vertex, int32_t *block, abut_error *err);
abut_status patch_scene_block(patch *p, int32_t vertex, int32_t *block, abut_error *err);
/* Weights of the pairs from the areas of the whole mesh and scene. */
abut_status patch_set_areas(patch *p, abut_error *err);

#endif
