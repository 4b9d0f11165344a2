#include "scene/body_fill.h"

#include "base/memory.h"
#include "mesh/generate.h"
#include "scene/body_mesh.h"

const fill_result *body_fill_find(const mesh_def *d, const piece_cache *cache)
{
    for (size_t i = 0; cache && d->fill.given && i < cache->filled.count; i++)
        if (cache->filled.data[i]->of == d) return &cache->filled.data[i]->result;
    return NULL;
}

abut_status body_fill_make(const mesh_def *d, piece_cache *cache, mesh *m, abut_error *err)
{
    filled_mesh *filled = mem_calloc(1, sizeof *filled);
    if (!filled || !array_push(&cache->filled, filled)) {
        mem_free(filled);
        return error_memory(err, "filling a surface");
    }
    abut_status status = fill_surface(m, &d->fill.options, &filled->result, err);
    if (status != ABUT_OK) return error_add_place(err, "fill", status);
    filled->of = d;
    mesh_free(m);
    return mesh_copy(&filled->result.solid, m, err);
}

void body_fill_free(piece_cache *cache)
{
    for (size_t i = 0; i < cache->filled.count; i++) {
        fill_free(&cache->filled.data[i]->result);
        mem_free(cache->filled.data[i]);
    }
    array_free(&cache->filled);
}

const fill_result *body_fill_embedded(const scene_def *scene, size_t body)
{
    const fill_result *r = body_fill_find(&scene->bodies[body].mesh, scene->pieces);
    return r && r->cage.embedded ? r : NULL;
}

abut_status body_fill_surface(const scene_def *scene, size_t body, mesh *out, abut_error *err)
{
    const body_def *def = &scene->bodies[body];
    TRY(mesh_copy(&body_fill_embedded(scene, body)->surface, out, err));
    mesh_transform(out, def->scale, def->rotate, def->translate);
    return ABUT_OK;
}

double body_fill_share(const scene_def *scene, size_t body)
{
    const fill_result *r = body_fill_embedded(scene, body);
    return r ? r->cage.solid_volume / r->cage.quality.volume : 1;
}

static void tell_surface(const body_def *def, const fill_result *r, const logger *log)
{
    if (r->taken.degenerate + r->taken.repeated + r->taken.cancelled > 0)
        log_message(log, ABUT_LOG_INFO,
                    "body \"%s\": dropped %zu triangles without area, %zu that were there twice, "
                    "%zu that cancel each other",
                    def->name, r->taken.degenerate, r->taken.repeated, r->taken.cancelled);
    if (r->shells.flipped > 0)
        log_message(log, ABUT_LOG_INFO, "body \"%s\": turned %zu of %zu triangles round", def->name,
                    r->shells.flipped, r->taken.triangles);
    if (r->shells.cavities + r->shells.unions > 0)
        log_message(log, ABUT_LOG_INFO,
                    "body \"%s\": of the shells within others %zu are taken for cavities and %zu "
                    "for solids",
                    def->name, r->shells.cavities, r->shells.unions);
    if (r->cage.crossings > 0)
        log_message(log, ABUT_LOG_WARNING,
                    "body \"%s\": the surface crosses or touches itself in %zu places, first at "
                    "(%.6g, %.6g, %.6g) of the file; the boundary of its cage collides instead",
                    def->name, r->cage.crossings, r->cage.first_crossing.x,
                    r->cage.first_crossing.y, r->cage.first_crossing.z);
    if (r->cage.embedded && r->cage.edges.border > 0)
        log_message(log, ABUT_LOG_WARNING,
                    "body \"%s\": the surface that collides has %zu holes, up to %.3g m around; "
                    "\"close\" closes small ones",
                    def->name, r->holes.loops - r->holes.closed, r->holes.longest);
}

void body_fill_tell(const scene_def *scene, size_t body, const logger *log)
{
    const body_def *def = &scene->bodies[body];
    const fill_result *r = body_fill_find(&def->mesh, scene->pieces);
    if (!r) return;
    const cage_report *cage = &r->cage;
    tell_surface(def, r, log);
    log_message(log, ABUT_LOG_INFO,
                "body \"%s\": filled with %zu tetrahedra, cells of %.3g m, dihedral angles from "
                "%.1f to %.1f degrees",
                def->name, cage->quality.count, cage->size, cage->quality.smallest,
                cage->quality.largest);
    if (cage->quality.smallest < 5)
        log_message(log, ABUT_LOG_WARNING,
                    "body \"%s\": some tetrahedra are nearly flat (smallest dihedral angle %.2g "
                    "degrees), steps may converge slowly; the method \"cage\" has none",
                    def->name, cage->quality.smallest);
}
