#include "verify/scene_verifier.h"

#include "geometry/check_attached.h"
#include "scene/attached.h"
#include "scene/joined.h"

#include "material/law.h"
#include "scene/start.h"

#include <math.h>
#include <string.h>

void scene_verifier_free(scene_verifier *v)
{
    mem_free(v->setup.body_flags);
    mem_free(v->setup.body_group);
    mem_free(v->setup.excluded);
    mem_free(v->setup.invertible);
    mem_free(v->setup.planes);
    mem_free(v->setup.thickness);
    mem_free(v->setup.limits);
    mem_free(v->names);
    memset(v, 0, sizeof *v);
}

static verify_limit limit_of(const body_def *def)
{
    verify_limit limit = {.upper = INFINITY, .strains = {INFINITY, INFINITY, INFINITY}};
    limit.upper = def->shell.limit.upper;
    limit.lower = def->shell.limit.lower;
    limit.warp = def->shell.warp;
    limit.pattern = def->shell.rest == REST_PATTERN;
    if (def->shell.membrane == MEMBRANE_DATA_DRIVEN)
        for (int k = 0; k < 3; k++) limit.strains[k] = def->shell.strains[k];
    return limit;
}

/* Materials whose energy stays finite when a tet loses its volume. */
static bool allows_inversion(const body_def *body)
{
    return body_rows[body->type]->solid && !elastic_laws[body->material.model]->forbids_inversion;
}

/* Attached points, then pairs of bodies. */
static abut_status exclude_joined(scene_verifier *v, const scene_def *scene, double size,
                                  abut_error *err)
{
    body_pair_list apart = {0};
    int32_t(*points)[2] = NULL;
    size_t count = 0;
    abut_status status = scene_joined_built(scene, &apart, err);
    if (status == ABUT_OK) status = scene_attached_points(scene, size, &points, &count, err);
    if (status == ABUT_OK && apart.count + count > 0) {
        v->setup.excluded = mem_alloc(apart.count + count, sizeof *v->setup.excluded);
        if (!v->setup.excluded) status = error_memory(err, "preparing the check");
    }
    if (status == ABUT_OK && count > 0) {
        check_encode_attached(points, count);
        memcpy(v->setup.excluded, points, count * sizeof *points);
    }
    if (status == ABUT_OK && apart.count > 0)
        memcpy(v->setup.excluded + count, apart.data, apart.count * sizeof *apart.data);
    if (status == ABUT_OK) v->setup.excluded_count = apart.count + count;
    array_free(&apart);
    mem_free(points);
    return status;
}

abut_status scene_verifier_init(scene_verifier *v, const scene_def *scene, double size,
                                abut_error *err)
{
    *v = (scene_verifier){.size = size, .dhat = start_length(scene->lengths.dhat, size)};
    v->setup.contact = scene->options.contact;
    v->setup.radius = 2 * v->dhat;
    v->setup.body_flags = mem_calloc(scene->body_count + 1, 1);
    v->setup.body_group = mem_calloc(scene->body_count + 1, sizeof *v->setup.body_group);
    v->setup.invertible = mem_calloc(scene->body_count + 1, 1);
    v->setup.planes = mem_calloc(scene->half_space_count + 1, sizeof *v->setup.planes);
    v->names = mem_calloc(scene->body_count + 1, sizeof *v->names);
    v->setup.thickness = mem_calloc(scene->body_count + 1, sizeof *v->setup.thickness);
    v->setup.limits = mem_calloc(scene->body_count + 1, sizeof *v->setup.limits);
    if (!v->setup.body_flags || !v->setup.body_group || !v->setup.invertible || !v->setup.planes ||
        !v->names || !v->setup.thickness || !v->setup.limits) {
        scene_verifier_free(v);
        return error_memory(err, "preparing the check");
    }
    for (size_t i = 0; i < scene->body_count; i++) {
        if (!scene->bodies[i].enabled) continue;
        v->names[v->setup.body_count] = scene->bodies[i].name;
        size_t b = v->setup.body_count++;
        v->setup.invertible[b] = allows_inversion(&scene->bodies[i]);
        v->setup.body_flags[b] = start_flags(scene->bodies[i].type);
        v->setup.body_group[b] = scene->bodies[i].collision_group;
        v->setup.thickness[b] = scene->bodies[i].offset;
        v->setup.radius = fmax(v->setup.radius, 2 * (v->dhat + scene->bodies[i].offset));
        v->setup.limits[b] = limit_of(&scene->bodies[i]);
    }
    for (size_t i = 0; i < scene->half_space_count; i++) {
        const half_space_def *plane = &scene->half_spaces[i];
        v->setup.planes[v->setup.plane_count++] =
            (verify_plane){plane->origin, vec3_normalize(plane->normal)};
    }
    abut_status status = exclude_joined(v, scene, size, err);
    if (status != ABUT_OK) scene_verifier_free(v);
    return status;
}
