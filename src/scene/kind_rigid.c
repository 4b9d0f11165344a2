/* Rigid and affine bodies: one mass that moves as a whole. */
#include "base/log.h"
#include "body/rigid.h"
#include "scene/body_source.h"
#include "scene/build_rigid.h"

/* A hole in the surface of a solid makes a sheet of it, with a density of another unit. */
static void warn_of_hole(const body_source *from, const model *m)
{
    const rigid_body *r = &m->rigids.data[m->rigids.count - 1];
    if (r->open_edges == 0 || m->planar || from->def->rigid.total_mass > 0) return;
    log_message(
        from->log, ABUT_LOG_WARNING,
        "%s: the surface of \"%.60s\" is open at %zu edge%s; %s, its mass is %.6g kg; close "
        "it, or give it \"mass_from\": \"area\" where a sheet is meant",
        from->place, from->def->name, r->open_edges, r->open_edges == 1 ? "" : "s",
        r->weighed == WEIGH_VOLUME ? "what it encloses depends on its place"
                                   : "it is a sheet and its density counts per m^2",
        r->mass);
}

static abut_status add_rigid(const body_source *from, model *m, abut_error *err)
{
    rigid_options options = build_rigid_options(from->def);
    TRY(error_add_place(err, from->place,
                        model_add_rigid(m, from->def->name, from->shape, &options, err)));
    warn_of_hole(from, m);
    return ABUT_OK;
}

static abut_status add_affine(const body_source *from, model *m, abut_error *err)
{
    rigid_options options = build_rigid_options(from->def);
    TRY(error_add_place(err, from->place,
                        model_add_affine(m, from->def->name, from->shape, &options, err)));
    warn_of_hole(from, m);
    return ABUT_OK;
}

static abut_status weigh(const scene_def *scene, size_t body, const mesh *shape, double volume,
                         double *mass, abut_error *err)
{
    const body_def *def = &scene->bodies[body];
    rigid_options options = build_rigid_options(def);
    mass_properties weighed;
    (void)volume;
    (void)err; /* building the body says what is wrong with it */
    if (rigid_weigh_mesh(def->name, shape, &options, &weighed, NULL) == ABUT_OK)
        *mass = weighed.mass;
    return ABUT_OK;
}

static const char *measure(const model *m, const model_body *body)
{
    static const char *const words[] = {[WEIGH_VOLUME] = "volume",
                                        [WEIGH_AREA] = "area",
                                        [WEIGH_LENGTH] = "length of edges",
                                        [WEIGH_POINTS] = "points"};
    return words[m->rigids.data[body->rigid].weighed];
}

enum { KEYS_BOTH = KEYS_MATERIAL | KEYS_DENSITY | KEYS_SIMULATED | KEYS_WHOLE | KEYS_RIGID };

const body_row rigid_kind = {.whole = true,
                             .keys = KEYS_BOTH,
                             .needs = NEEDS_DENSITY,
                             .add = add_rigid,
                             .condition = build_rigid_conditions,
                             .weigh = weigh,
                             .measure = measure};

const body_row affine_kind = {.whole = true,
                              .keys = KEYS_BOTH | KEYS_AFFINE,
                              .needs = NEEDS_DENSITY,
                              .add = add_affine,
                              .condition = build_rigid_conditions,
                              .weigh = weigh,
                              .measure = measure};
