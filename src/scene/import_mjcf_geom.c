/* Geoms of MJCF: shapes, their inertia, half-spaces. */
#include "scene/import_mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static abut_status read_mesh_file(const mjcf_reader *r, int32_t element, robot_shape *s)
{
    const char *name = mjcf_attribute(r, element, "mesh");
    if (!name) return robot_bad(&r->base, element, "a geom of type \"mesh\" without a mesh", NULL);
    for (size_t i = 0; i < r->base.xml.elements.count; i++) {
        int32_t e = (int32_t)i, parent = r->base.xml.elements.data[i].parent;
        if (strcmp(mjcf_name(r, e), "mesh") != 0 || parent < 0) continue;
        if (strcmp(mjcf_name(r, parent), "asset") != 0) continue;
        const char *own = xml_attribute_of(&r->base.xml, e, "name");
        const char *file = xml_attribute_of(&r->base.xml, e, "file");
        const char *slash = file ? strrchr(file, '/') : NULL, *base = slash ? slash + 1 : file;
        const char *dot = base ? strrchr(base, '.') : NULL;
        size_t length = dot ? (size_t)(dot - base) : base ? strlen(base) : 0;
        bool match = own ? strcmp(own, name) == 0
                         : base && strlen(name) == length && strncmp(base, name, length) == 0;
        if (!match) continue;
        if (!file) return robot_bad(&r->base, e, "a mesh without a file", name);
        double scale[3] = {1, 1, 1};
        char joined[600];
        TRY(mjcf_numbers(r, e, "scale", 3, scale));
        snprintf(joined, sizeof joined, "%.250s%s%.300s", r->mesh_folder ? r->mesh_folder : "",
                 r->mesh_folder && r->mesh_folder[0] ? "/" : "", file);
        s->kind = ROBOT_MESH;
        s->size = vec3_load(scale);
        return robot_copy_text(&r->base, joined, &s->file);
    }
    return robot_bad(&r->base, element, "there is no asset for the mesh", name);
}

/* From one point to another: capsules and cylinders along z. */
static abut_status read_ends(const mjcf_reader *r, int32_t element, const double *size,
                             robot_shape *s)
{
    double ends[6] = {0};
    TRY(mjcf_numbers(r, element, "fromto", 6, ends));
    vec3 a = vec3_load(ends), b = vec3_load(ends + 3), along = vec3_sub(b, a);
    if (!(vec3_norm(along) > 0))
        return robot_bad(&r->base, element, "no length in the attribute", "fromto");
    s->at = (robot_frame){vec3_scale(0.5, vec3_add(a, b)), mjcf_from_z_axis(along)};
    s->size = (vec3){size[0], vec3_norm(along), 0};
    return ABUT_OK;
}

static abut_status read_shape(const mjcf_reader *r, int32_t element, robot_shape *s)
{
    const char *type = mjcf_attribute(r, element, "type");
    double size[3] = {0};
    int count;
    if (!type) type = mjcf_attribute(r, element, "mesh") ? "mesh" : "sphere";
    TRY(mjcf_read_frame(r, element, &s->at));
    if (strcmp(type, "mesh") == 0) return read_mesh_file(r, element, s);
    TRY(mjcf_list(r, element, "size", 1, 3, size, &count));
    bool ends = mjcf_attribute(r, element, "fromto") != NULL, round = false;
    int needed = 1;
    if (strcmp(type, "sphere") == 0) {
        s->kind = ROBOT_SPHERE;
        s->size = (vec3){size[0], 0, 0};
    } else if (strcmp(type, "box") == 0) {
        s->kind = ROBOT_BOX;
        s->size = vec3_scale(2, vec3_load(size));
        needed = 3;
    } else if (strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0) {
        s->kind = type[1] == 'a' ? ROBOT_CAPSULE : ROBOT_CYLINDER;
        s->size = (vec3){size[0], 2 * size[1], 0};
        needed = ends ? 1 : 2;
        round = true;
    } else {
        return mjcf_refuse(r, element, type);
    }
    if (count < needed)
        return robot_bad(&r->base, element, "too few numbers in the attribute", "size");
    for (int k = 0; k < needed; k++)
        if (!(size[k] > 0)) return robot_bad(&r->base, element, "sizes must be positive", NULL);
    if (ends && !round) return mjcf_refuse(r, element, "@geom.fromto of a box or sphere");
    return ends ? read_ends(r, element, size, s) : ABUT_OK;
}

static mat3 diagonal(double x, double y, double z)
{
    return (mat3){{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
}

/* Of a geom of density 1, in the frame of its shape. */
static mass_properties shape_mass(const robot_shape *s)
{
    double a = s->size.x, b = s->size.y, c = s->size.z, r2 = a * a;
    mass_properties m = {0};
    double x = 0, z = 0; /* moments per mass */
    if (s->kind == ROBOT_BOX) {
        m.mass = a * b * c;
        m.inertia = mat3_scale(m.mass / 12, diagonal(b * b + c * c, a * a + c * c, a * a + b * b));
        return m;
    }
    if (s->kind == ROBOT_SPHERE) {
        m.mass = 4 * M_PI / 3 * r2 * a;
        x = z = 0.4 * r2;
    } else if (s->kind == ROBOT_CYLINDER) {
        m.mass = M_PI * r2 * b;
        x = (3 * r2 + b * b) / 12;
        z = 0.5 * r2;
    } else { /* a capsule: a cylinder and the two halves of a ball */
        double tube = M_PI * r2 * b, ball = 4 * M_PI / 3 * r2 * a;
        m.mass = tube + ball;
        z = (0.5 * tube + 0.4 * ball) * r2 / m.mass;
        x = (tube * (3 * r2 + b * b) / 12 + ball * (0.4 * r2 + 0.25 * b * b + 0.375 * a * b)) /
            m.mass;
    }
    m.inertia = mat3_scale(m.mass, diagonal(x, x, z));
    return m;
}

/* A geom's share of the inertia of its link. */
static abut_status add_mass(mjcf_reader *r, int32_t element, const robot_shape *s, robot_link *link,
                            mass_properties *sum)
{
    double density = 1000, mass = -1;
    TRY(mjcf_numbers(r, element, "density", 1, &density));
    TRY(mjcf_numbers(r, element, "mass", 1, &mass));
    if (density < 0 || (mass < 0 && mjcf_attribute(r, element, "mass")))
        return robot_bad(&r->base, element, "mass and density must not be negative in link",
                         link->name);
    if (s->kind == ROBOT_MESH)
        return error_set(r->base.err, ABUT_ERROR_UNSUPPORTED, r->base.path,
                         "body \"%.80s\" has a mesh and no <inertial>; inertia from meshes is not "
                         "supported",
                         link->name);
    mass_properties own = shape_mass(s);
    double factor = mass >= 0 ? mass / own.mass : density;
    own.mass *= factor;
    own.inertia = mat3_scale(factor, own.inertia);
    own.center = s->at.origin;
    own.inertia = mat3_mul(mat3_mul(s->at.axes, own.inertia), mat3_transpose(s->at.axes));
    if (own.mass > 0) *sum = sum->mass > 0 ? mass_add(sum, &own) : own;
    return ABUT_OK;
}

static abut_status add_plane(mjcf_reader *r, int32_t element, int32_t link)
{
    robot_frame at;
    TRY(mjcf_read_frame(r, element, &at));
    if (link != r->base.robot->root)
        return mjcf_refuse(r, element, "plane outside of the worldbody");
    robot_plane plane = {at.origin, mat3_column(at.axes, 2)};
    return array_push(&r->base.robot->planes, plane) ? ABUT_OK
                                                     : error_memory(r->base.err, "reading a robot");
}

abut_status mjcf_read_geom(mjcf_reader *r, int32_t element, int32_t link, mass_properties *sum)
{
    static const char *const read[] = {"name",        "class",     "type",   "size",     "pos",
                                       "quat",        "axisangle", "xyaxes", "zaxis",    "euler",
                                       "fromto",      "mass",      "mesh",   "density",  "contype",
                                       "conaffinity", "group",     "rgba",   "friction", NULL};
    static const char *const unused[] = {"condim", "solmix",   "solref",   "solimp", "margin",
                                         "gap",    "priority", "material", "user",   NULL};
    TRY(mjcf_check_attributes(r, element, read, unused));
    const char *type = mjcf_attribute(r, element, "type");
    if (type && strcmp(type, "plane") == 0) return add_plane(r, element, link);
    double kinds[2] = {1, 1}, friction[3] = {1, 0, 0};
    int count;
    TRY(mjcf_numbers(r, element, "contype", 1, kinds));
    TRY(mjcf_numbers(r, element, "conaffinity", 1, kinds + 1));
    TRY(mjcf_list(r, element, "friction", 1, 3, friction, &count));
    if (kinds[0] != kinds[1] || (kinds[0] != 0 && kinds[0] != 1))
        return mjcf_refuse(r, element, "@contype and conaffinity other than both 1 or both 0");
    if (friction[0] < 0)
        return robot_bad(&r->base, element, "the friction must not be negative", NULL);
    robot_shape s = {.link = link, .visual = kinds[0] == 0};
    abut_status status = read_shape(r, element, &s);
    robot_link *owner = &r->base.robot->links.data[link];
    if (status == ABUT_OK && !s.visual) owner->friction = fmax(owner->friction, friction[0]);
    if (status == ABUT_OK && link != r->base.robot->root &&
        (!owner->has_inertial || r->inertia_from_geoms) && !r->inertia_never)
        status = add_mass(r, element, &s, owner, sum);
    if (status == ABUT_OK && !array_push(&r->base.robot->shapes, s))
        status = error_memory(r->base.err, "reading a robot");
    if (status != ABUT_OK) mem_free(s.file);
    return status;
}
