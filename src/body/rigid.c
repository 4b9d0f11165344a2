#include "body/rigid.h"

#include "body/model_build.h"
#include "math/eigen.h"
#include "math/rotation.h"
#include "mesh/measure.h"
#include "mesh/read.h"
#include "mesh/topology.h"

#include <math.h>
#include <string.h>

/* Second moments below this share of the largest count as none; share that stands in for them: a
 * bar with a radius of 2 % of its length. */
static const double NO_EXTENT = 1e-7, BAR = 1e-3;

/* ---------------------------------------------------------------------------------------------- */
/* Mass properties                                                                                */

const char *const rigid_weigh_words[] = {RIGID_WEIGHS(WORD_TEXT) NULL};

static abut_status nothing_to_weigh(const char *name, rigid_weigh weigh, abut_error *err)
{
    return error_set(err, ABUT_ERROR_INPUT, name,
                     "body \"%s\" has no %s to carry its mass; give it a mesh with a volume, an "
                     "area, edges or points, or weigh something else",
                     name, weigh == WEIGH_AUTOMATIC ? "anything" : rigid_weigh_words[weigh]);
}

/* With vertices at equal positions made one, for files without shared vertices: whether the surface
 * is closed, and how many edges belong to one triangle only. */
static abut_status closed_after_welding(const mesh *shape, bool *closed, size_t *open_edges,
                                        abut_error *err)
{
    mesh copy;
    TRY(mesh_copy(shape, &copy, err));
    abut_status status = mesh_weld(&copy, 0, err);
    surface_parts parts;
    mesh_measures measures;
    if (status == ABUT_OK) status = mesh_measure(&copy, &measures, err);
    if (status == ABUT_OK) status = mesh_surface(&copy, &parts, err);
    if (status == ABUT_OK) {
        *closed = surface_is_closed((const int32_t(*)[3])parts.triangles, parts.triangle_count);
        *open_edges = measures.border_edges;
        surface_parts_free(&parts);
    }
    mesh_free(&copy);
    return status;
}

/* Closed surfaces that bound no solid all the same; open ones are sheets. */
static abut_status refuse_bad_surface(const char *name, const mesh *shape, abut_error *err)
{
    mesh_measures measures;
    TRY(mesh_measure(shape, &measures, err));
    if (measures.nonmanifold_edges > 0)
        return error_set(err, ABUT_ERROR_INPUT, name,
                         "body \"%s\": %zu edges belong to more than two triangles, so the surface "
                         "bounds no volume; mend it, or weigh its area",
                         name, measures.nonmanifold_edges);
    if (measures.border_edges == 0 && measures.unoriented_edges > 0)
        return error_set(err, ABUT_ERROR_INPUT, name,
                         "body \"%s\": its closed surface is not oriented, %zu edges are run along "
                         "twice in the same direction; orient it, or weigh its area",
                         name, measures.unoriented_edges);
    return ABUT_OK;
}

static abut_status choose_weigh(const char *name, const mesh *shape, const surface_parts *parts,
                                rigid_weigh *weigh, size_t *open_edges, abut_error *err)
{
    *open_edges = 0;
    if (*weigh != WEIGH_AUTOMATIC && *weigh != WEIGH_VOLUME) return ABUT_OK;
    if (parts->triangle_count == 0) {
        if (*weigh == WEIGH_AUTOMATIC) *weigh = parts->edge_count > 0 ? WEIGH_LENGTH : WEIGH_POINTS;
        return ABUT_OK;
    }
    bool closed = surface_is_closed((const int32_t(*)[3])parts->triangles, parts->triangle_count);
    if (!closed) TRY(closed_after_welding(shape, &closed, open_edges, err));
    if (*weigh == WEIGH_VOLUME) return ABUT_OK;
    if (!closed) TRY(refuse_bad_surface(name, shape, err));
    *weigh = closed ? WEIGH_VOLUME : WEIGH_AREA;
    return ABUT_OK;
}

static abut_status weigh_parts(const char *name, const mesh *shape, const surface_parts *parts,
                               rigid_weigh weigh, double density, mass_properties *out,
                               abut_error *err)
{
    const vec3 *x = shape->vertices;
    const int32_t(*triangles)[3] = (const int32_t(*)[3])parts->triangles;
    switch (weigh) {
    case WEIGH_AUTOMATIC: break;
    case WEIGH_VOLUME:
        *out = mass_of_closed_surface(x, triangles, parts->triangle_count, density);
        break;
    case WEIGH_AREA: *out = mass_of_surface(x, triangles, parts->triangle_count, density); break;
    case WEIGH_LENGTH:
        *out = mass_of_edges(x, (const int32_t(*)[2])parts->edges, parts->edge_count, density);
        break;
    case WEIGH_POINTS: *out = mass_of_points(x, parts->points, parts->point_count, density); break;
    }
    vec3 low, high;
    mesh_bounds(shape, &low, &high);
    double size = vec3_norm(vec3_sub(high, low));
    double power = weigh == WEIGH_VOLUME ? 3 : weigh == WEIGH_AREA ? 2 : weigh == WEIGH_LENGTH;
    double rounding = weigh == WEIGH_POINTS ? 0 : 1e-13 * pow(size, power);
    if (weigh == WEIGH_VOLUME && out->measure < -rounding)
        return error_set(err, ABUT_ERROR_INPUT, name,
                         "the surface of body \"%s\" is inside out: it encloses %g m^3; reverse "
                         "its triangles, or weigh its area",
                         name, out->measure);
    if (!(out->measure > rounding) || !isfinite(out->measure))
        return nothing_to_weigh(name, weigh, err);
    return ABUT_OK;
}

static abut_status weigh_surface(const char *name, const mesh *shape, const surface_parts *parts,
                                 const rigid_options *options, rigid_body *r, mass_properties *out,
                                 abut_error *err)
{
    r->weighed = options->weigh;
    if (options->given) {
        r->weighed = WEIGH_VOLUME;
        *out = options->own;
        return ABUT_OK;
    }
    bool given = options->total_mass > 0;
    if (!given && !(options->density > 0))
        return error_set(err, ABUT_ERROR_INPUT, name,
                         "body \"%s\" has no mass: its density must be positive", name);
    TRY(choose_weigh(name, shape, parts, &r->weighed, &r->open_edges, err));
    TRY(weigh_parts(name, shape, parts, r->weighed, given ? 1 : options->density, out, err));
    if (given) {
        out->inertia = mat3_scale(options->total_mass / out->mass, out->inertia);
        out->mass = options->total_mass;
    }
    return ABUT_OK;
}

abut_status rigid_weigh_mesh(const char *name, const mesh *shape, const rigid_options *options,
                             mass_properties *out, abut_error *err)
{
    surface_parts parts;
    TRY(mesh_surface(shape, &parts, err));
    rigid_body ignored;
    abut_status status = weigh_surface(name, shape, &parts, options, &ignored, out, err);
    surface_parts_free(&parts);
    return status;
}

void rigid_principal(const mass_properties *m, double moments[3], mat3 *axes)
{
    eigen3(m->inertia, moments, axes);
}

/* A straight rod has no inertia about its own axis: it gets that of a thin round bar. */
static mat3 definite_moment(mat3 moment, bool *turns)
{
    double values[3];
    mat3 axes;
    eigen3(moment, values, &axes);
    *turns = values[2] > 0;
    if (values[1] > NO_EXTENT * values[2]) return moment;
    for (int k = 0; k < 2; k++) {
        vec3 across = mat3_column(axes, k);
        moment = mat3_add(moment, mat3_scale(BAR * values[2], mat3_outer(across, across)));
    }
    return moment;
}

/* ---------------------------------------------------------------------------------------------- */
/* The model                                                                                      */

static abut_status add_blocks(model *m, const rigid_body *r, abut_error *err)
{
    int32_t block;
    TRY(model_add_block(m, r->center, r->mass, &block, err));
    if (!r->affine) return model_add_block(m, (vec3){0}, 0, &block, err);
    for (int k = 0; k < 3; k++)
        TRY(model_add_block(m, mat3_column(mat3_identity(), k), 0, &block, err));
    return ABUT_OK;
}

typedef struct row_context {
    const vec3 *positions;
    const rigid_body *body;
    int32_t pose;
} row_context;

static abut_status make_row(collision_surface *s, const void *context, int32_t vertex,
                            abut_error *err)
{
    const row_context *c = context;
    int32_t block = c->body->block;
    vec3 arm = vec3_sub(c->positions[vertex], c->body->center);
    if (!c->body->affine) return surface_add_rigid(s, c->pose, arm, err);
    row_entry entries[4] = {{block, 1}, {block + 1, arm.x}, {block + 2, arm.y}, {block + 3, arm.z}};
    return surface_add_combination(s, entries, 4, err);
}

/* Extents about the centre. */
static void measure(const mesh *shape, const surface_parts *parts, rigid_body *r)
{
    for (size_t i = 0; i < parts->point_count; i++) {
        vec3 arm = vec3_sub(shape->vertices[parts->points[i]], r->center);
        r->radius = fmax(r->radius, vec3_norm(arm));
        r->reach = vec3_max(r->reach, (vec3){fabs(arm.x), fabs(arm.y), fabs(arm.z)});
    }
}

static abut_status add_body(model *m, const char *name, const mesh *shape,
                            const surface_parts *parts, const mass_properties *mass,
                            const rigid_options *options, rigid_body r, bool affine,
                            abut_error *err)
{
    model_body *body = NULL;
    TRY(model_begin_body(m, name, affine ? BODY_AFFINE : BODY_RIGID, shape, &body, err));
    r.body = (int32_t)(m->bodies.count - 1);
    r.block = body->first_block;
    r.affine = affine;
    r.mass = mass->mass;
    r.center = mass->center;
    r.frame = mat3_identity();
    r.stiffness = options->stiffness * mass->mass;
    r.moment = definite_moment(mass_second_moment(mass), &r.turns);
    measure(shape, parts, &r);
    body->density = options->density;
    body->nodal = false;
    body->no_self_contact = true;
    body->rigid = (int32_t)m->rigids.count;
    TRY(add_blocks(m, &r, err));
    if (!array_push(&m->rigids, r)) return error_memory(err, "adding a rigid body");
    row_context context = {shape->vertices, &r, 0};
    if (!affine) TRY(surface_add_pose(&m->surface, r.block, &context.pose, err));
    return model_add_surface(m, body, parts, shape->vertices, make_row, &context, err);
}

static abut_status add_any(model *m, const char *name, const mesh *shape,
                           const rigid_options *options, bool affine, abut_error *err)
{
    surface_parts parts;
    TRY(mesh_surface(shape, &parts, err));
    mass_properties mass;
    rigid_body r = {0};
    abut_status status = weigh_surface(name, shape, &parts, options, &r, &mass, err);
    if (status == ABUT_OK)
        status = add_body(m, name, shape, &parts, &mass, options, r, affine, err);
    surface_parts_free(&parts);
    return status;
}

abut_status model_add_rigid(model *m, const char *name, const mesh *shape,
                            const rigid_options *options, abut_error *err)
{
    return add_any(m, name, shape, options, false, err);
}

abut_status model_add_affine(model *m, const char *name, const mesh *shape,
                             const rigid_options *options, abut_error *err)
{
    return add_any(m, name, shape, options, true, err);
}

mat3 rigid_frame(const rigid_body *r, const double *x)
{
    const double *at = x + 3 * ((size_t)r->block + 1);
    if (!r->affine) return rotation_matrix(vec3_load(at));
    return mat3_from_columns(vec3_load(at), vec3_load(at + 3), vec3_load(at + 6));
}

void rigid_frame_first(const rigid_body *r, const double *x, mat3 first[3])
{
    rotation_first(vec3_load(x + 3 * ((size_t)r->block + 1)), first);
}

void rigid_frame_second(const rigid_body *r, const double *x, mat3 second[3][3])
{
    rotation_second(vec3_load(x + 3 * ((size_t)r->block + 1)), second);
}

void rigid_inertia_matrix(const rigid_body *r, const double *x, double *out, int stride)
{
    for (int k = 0; k < 3; k++) out[k * stride + k] = r->mass;
    if (r->affine) {
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                for (int c = 0; c < 3; c++)
                    out[(3 + 3 * a + c) * stride + 3 + 3 * b + c] = r->moment.m[a][b];
        return;
    }
    mat3 first[3]; /* tr(R_k J R_l^T) */
    rigid_frame_first(r, x, first);
    for (int k = 0; k < 3; k++) {
        mat3 weighed = mat3_mul(first[k], r->moment);
        for (int l = 0; l < 3; l++) {
            double sum = 0;
            for (int e = 0; e < 9; e++) sum += weighed.m[e / 3][e % 3] * first[l].m[e / 3][e % 3];
            out[(3 + k) * stride + 3 + l] = sum;
        }
    }
}
