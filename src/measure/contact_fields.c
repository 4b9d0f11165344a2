#include "measure/contact_fields.h"

#include "body/follower.h"

#include "contact/contact_force.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    int components;
} rows[CONTACT_FIELDS] = {[CONTACT_PRESSURE] = {FIELD_CONTACT_PRESSURE, 1},
                          [CONTACT_TRACTION] = {FIELD_FRICTION_TRACTION, 3},
                          [CONTACT_GAP] = {FIELD_GAP, 1},
                          [CONTACT_STATE] = {FIELD_CONTACT_STATE, 1}};

/* Which vertex of the collision surface is the node of a block. */
static bool find_vertices(contact_fields *c, const model *m)
{
    const collision_surface *surface = &m->surface;
    if (!array_resize(&c->vertex, m->rest.count + 1)) return false;
    for (size_t i = 0; i < m->rest.count; i++) c->vertex.data[i] = -1;
    for (size_t i = 0; i < surface->rows.count; i++)
        if (surface_vertex_node(surface, i) >= 0)
            c->vertex.data[surface_vertex_node(surface, i)] = (int32_t)i;
    return true;
}

static void add_area(contact_fields *c, int32_t vertex, vec3 area)
{
    vec3 force = c->normal.data[vertex];
    double size = vec3_norm(force);
    if (size > 0) c->area.data[vertex] += fabs(vec3_dot(area, force)) / size;
}

/* What the vertices stand for across their normal forces: at the edge of a cube the side that is
 * not pressed has no part in it. In the plane, edges are as deep as the scene: 1 m. */
static abut_status project_areas(contact_fields *c, const stepper *s, abut_error *err)
{
    const collision_surface *surface = &s->model->surface;
    const vec3 *y = s->contact->y;
    size_t count = surface->rows.count;
    bool planar = s->model->planar;
    TRY(surface_areas_measure(&c->areas, surface, y, count, err));
    for (size_t i = 0; i < count; i++) c->area.data[i] = 0;
    for (size_t t = 0; t < surface->triangles.count / 3; t++) {
        const int32_t *v = surface->triangles.data + 3 * t;
        vec3 cross = vec3_cross(vec3_sub(y[v[1]], y[v[0]]), vec3_sub(y[v[2]], y[v[0]]));
        for (int k = 0; k < 3; k++) add_area(c, v[k], vec3_scale(1.0 / 6, cross));
    }
    for (size_t e = 0; planar && e < surface->edges.count / 2; e++) {
        const int32_t *v = surface->edges.data + 2 * e;
        vec3 along = vec3_sub(y[v[1]], y[v[0]]), across = {along.y, -along.x, 0};
        for (int k = 0; k < 2; k++) add_area(c, v[k], vec3_scale(0.5, across));
    }
    for (size_t i = 0; i < count; i++) /* rods, grains */
        if (c->area.data[i] <= 0) c->area.data[i] = c->areas.vertex.data[i];
    return ABUT_OK;
}

/* force by area: its size, or the vector. */
static void divide_by_area(contact_fields *c, size_t count, const vec3 *force, bool size)
{
    for (size_t i = 0; i < count; i++) {
        vec3 traction = vec3_scale(1 / c->area.data[i], force[i]);
        if (size)
            c->value.data[i] = vec3_norm(traction);
        else
            vec3_store(c->value.data + 3 * i, traction);
    }
}

static abut_status measure_tractions(contact_fields *c, bool friction, const stepper *s,
                                     abut_error *err)
{
    size_t count = s->model->surface.rows.count;
    double factor = stepper_contact_factor(s);
    memset(c->normal.data, 0, count * sizeof(vec3));
    memset(c->tangential.data, 0, count * sizeof(vec3));
    contact_add_normal_forces(s->contact, &s->evaluation, factor, c->normal.data);
    contact_add_friction_forces(s->friction, &s->evaluation, factor, c->tangential.data);
    TRY(project_areas(c, s, err));
    divide_by_area(c, count, friction ? c->tangential.data : c->normal.data, !friction);
    return ABUT_OK;
}

static abut_status measure_vertices(contact_fields *c, contact_field field, const stepper *s,
                                    abut_error *err)
{
    switch (field) {
    case CONTACT_PRESSURE: return measure_tractions(c, false, s, err);
    case CONTACT_TRACTION: return measure_tractions(c, true, s, err);
    case CONTACT_GAP: contact_vertex_gaps(s->contact, c->value.data); return ABUT_OK;
    default: friction_vertex_states(s->friction, &s->evaluation, c->value.data); return ABUT_OK;
    }
}

/* Points that are no vertices of the collision surface touch nothing. */
static void to_points(contact_fields *c, contact_field field, const model_frame *mf, size_t points)
{
    size_t n = (size_t)rows[field].components;
    for (size_t i = 0; i < points; i++) {
        int32_t source = mf->source.data[i];
        int32_t vertex = source >= 0 ? c->vertex.data[source] : -1 - source;
        for (size_t k = 0; k < n; k++)
            c->points[field].data[n * i + k] = vertex >= 0 ? c->value.data[n * (size_t)vertex + k]
                                               : field == CONTACT_GAP ? NAN
                                                                      : 0;
    }
}

static bool reserve_vertices(contact_fields *c, size_t vertices)
{
    return array_resize(&c->normal, vertices + 1) && array_resize(&c->tangential, vertices + 1) &&
           array_resize(&c->area, vertices + 1) && array_resize(&c->value, 3 * vertices + 3);
}

abut_status contact_vertex_pressures(contact_fields *c, const stepper *s, abut_error *err)
{
    if (!reserve_vertices(c, s->model->surface.rows.count))
        return error_memory(err, "computing contact pressures");
    return measure_vertices(c, CONTACT_PRESSURE, s, err);
}

abut_status contact_fields_add(contact_fields *c, contact_field field, const model_frame *mf,
                               const stepper *s, frame *f, abut_error *err)
{
    size_t vertices = s->model->surface.rows.count, n = (size_t)rows[field].components;
    if (!reserve_vertices(c, vertices) ||
        !array_resize(&c->points[field], n * f->point_count + 1) || !find_vertices(c, s->model))
        return error_memory(err, "computing the contact fields of a frame");
    if (s->contact && !s->mlcp.solver) {
        TRY(measure_vertices(c, field, s, err));
        to_points(c, field, mf, f->point_count);
    } else {
        for (size_t i = 0; i < n * f->point_count; i++) c->points[field].data[i] = NAN;
    }
    frame_add_doubles(f, FRAME_POINTS, rows[field].name, (int)n, c->points[field].data);
    return ABUT_OK;
}

void contact_fields_free(contact_fields *c)
{
    surface_areas_free(&c->areas);
    array_free(&c->vertex);
    array_free(&c->normal);
    array_free(&c->tangential);
    array_free(&c->area);
    array_free(&c->value);
    for (int k = 0; k < CONTACT_FIELDS; k++) array_free(&c->points[k]);
}
