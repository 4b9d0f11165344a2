/* libFuzzer entry: bytes as definitions of a scene (abut/define.h): numbers of any kind, words that
 * exist and that do not, meshes with indices out of range, in any order of calls. What is refused
 * must say why; what is made must run a step or say why not. fuzz_define -rss_limit_mb=512
 * WORKING_FOLDER Built with ABUT_FUZZ_STANDALONE it is a program of its own that takes random
 * bytes: fuzz_define_standalone SECONDS [FIRST_SEED] */
#include <abut/define.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t made, stepped; /* simulations, and those that did their step */

typedef struct bytes {
    const uint8_t *data;
    size_t size, at;
    unsigned rare; /* a member differs from its default once in so many times */
} bytes;

static unsigned take(bytes *b, unsigned below)
{
    return b->at < b->size ? b->data[b->at++] % below : 0;
}

/* Mostly numbers that make sense, sometimes others. */
static double number(bytes *b)
{
    static const double odd[] = {0,      -1,      1e300, -1e300, INFINITY, -INFINITY,
                                 1e-300, 0.49999, 0.5,   1e9,    1e-9};
    unsigned kind = take(b, 8);
    if (kind == 0) return NAN;
    if (kind == 1) return odd[take(b, sizeof odd / sizeof *odd)];
    return (take(b, 41) - 20.0) / 8;
}

static const char *word(bytes *b)
{
    static const char *const words[] = {
        "shell",    "rigid",    "affine",    "deformable",
        "obstacle", "rod",      "particles", "neo-hookean",
        "mlcp",     "bdf2",     "",          "xyz",
        "y",        "jelly",    "direct",    "nowhere/to/be/found.msh",
        "\xff\xfe", "a\"b\\c\n"};
    unsigned which = take(b, 2 * sizeof words / sizeof *words);
    return which < sizeof words / sizeof *words ? words[which] : NULL;
}

/* Each call changes some members; the rest are defaults. */
#define MAYBE(member, value)                                                                       \
    if (take(b, b->rare) == 0) (member) = (value)

static abut_scene_def scene_of(bytes *b)
{
    abut_scene_def d = abut_default_scene_def();
    d.step = 0.01, d.end = 0.02;
    MAYBE(d.name, word(b));
    MAYBE(d.step, number(b));
    MAYBE(d.end, number(b));
    MAYBE(d.integrator, word(b));
    MAYBE(d.gravity[1], number(b));
    MAYBE(d.planar, true);
    MAYBE(d.stepper, word(b));
    MAYBE(d.contact.dhat.value, number(b));
    MAYBE(d.contact.friction, number(b));
    MAYBE(d.contact.eps_v.value, number(b));
    MAYBE(d.contact.ccd, word(b));
    MAYBE(d.solver.tolerance.value, number(b));
    MAYBE(d.solver.linear, word(b));
    MAYBE(d.ground, number(b));
    d.solver.max_iterations = 20;
    MAYBE(d.has_ground, true);
    return d;
}

enum { MOST_VERTICES = 12, MOST_INDICES = 24 };

typedef struct arrays {
    double vertices[3 * MOST_VERTICES];
    int32_t indices[MOST_INDICES];
} arrays;

static abut_mesh_def mesh_of(bytes *b, unsigned type, arrays *a)
{
    abut_mesh_def m = {.vertices = a->vertices, .vertex_count = 4};
    static const double cube[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int i = 0; i < 3 * MOST_VERTICES; i++)
        a->vertices[i] = take(b, b->rare) ? cube[i % 12] + 2 * (i / 12) : number(b);
    MAYBE(m.vertex_count, take(b, MOST_VERTICES + 1));
    bool wild = take(b, b->rare) == 0;
    for (int i = 0; i < MOST_INDICES; i++) {
        unsigned n = m.vertex_count > 0 && !wild ? (unsigned)m.vertex_count : 251;
        a->indices[i] =
            take(b, 3) ? i % (int)(n > 250 ? 4 : n) : (int32_t)take(b, n) - (wild ? 3 : 0);
    }
    static const unsigned cells[] = {0, 1, 2, 1, 4, 1}; /* that the type takes */
    unsigned kind = take(b, b->rare) ? cells[type] : take(b, 5);
    if (kind == 0) m.tetrahedra = a->indices, m.tetrahedron_count = 1;
    if (kind == 0 && take(b, 4) == 0)
        m.tetrahedron_nodes = (int)take(b, 13), m.tetrahedron_count = 1;
    if (kind == 1) m.triangles = a->indices, m.triangle_count = 1 + take(b, 2);
    if (kind == 2) m.edges = a->indices, m.edge_count = 1 + take(b, 2);
    if (kind == 3) m.tetrahedra = NULL, m.tetrahedron_count = 1; /* a count without an array */
    return m;
}

static abut_body_def body_of(bytes *b, arrays *a)
{
    static const char *const types[] = {"deformable", "shell",     "rod",
                                        "rigid",      "particles", "obstacle"};
    abut_body_def d = abut_default_body_def();
    unsigned type = take(b, 6);
    d.mesh = mesh_of(b, type, a);
    d.type = types[type];
    d.material = type == 0 || type == 2 ? "jelly" : NULL;
    d.density = 100;
    MAYBE(d.name, word(b));
    MAYBE(d.type, word(b));
    MAYBE(d.file, word(b));
    d.translate[0] = 10.0 * take(b, 30); /* mostly apart */
    MAYBE(d.scale[take(b, 3)], number(b));
    MAYBE(d.rotate[take(b, 3)], number(b));
    MAYBE(d.translate[take(b, 3)], number(b));
    MAYBE(d.material, "jelly");
    MAYBE(d.material, word(b));
    MAYBE(d.density, number(b));
    MAYBE(d.total_mass, number(b));
    MAYBE(d.order, (int)take(b, 7) - 1);
    MAYBE(d.velocity[take(b, 3)], number(b));
    MAYBE(d.friction, number(b));
    MAYBE(d.offset, number(b));
    MAYBE(d.thickness, number(b));
    MAYBE(d.diameter, number(b));
    MAYBE(d.radius, number(b));
    MAYBE(d.fill.given, true);
    MAYBE(d.fill.cells, (int)take(b, 9));
    MAYBE(d.fill.size, number(b));
    MAYBE(d.fill.collide, word(b));
    return d;
}

static abut_fix_def fix_of(bytes *b, arrays *a)
{
    abut_fix_def d = abut_default_fix_def();
    if (take(b, 2)) d.nodes = a->indices, d.node_count = take(b, MOST_INDICES + 1);
    MAYBE(d.from, number(b));
    MAYBE(d.until, number(b));
    MAYBE(d.axes, word(b));
    MAYBE(d.velocity[take(b, 3)], number(b));
    return d;
}

static abut_axis_def axis_of(bytes *b)
{
    abut_axis_def d = abut_default_joint_def().turn;
    MAYBE(d.limits[take(b, 2)], number(b));
    MAYBE(d.start, number(b));
    MAYBE(d.friction, number(b));
    MAYBE(d.stiffness, number(b));
    MAYBE(d.position, take(b, 2) ? "30 * t" : word(b));
    MAYBE(d.velocity, "t");
    MAYBE(d.drive_stiffness, number(b));
    MAYBE(d.max_effort, number(b));
    return d;
}

static abut_joint_def joint_of(bytes *b)
{
    static const char *const types[] = {"ball", "hinge", "slider", "fixed", "spring", "gear"};
    abut_joint_def d = abut_default_joint_def();
    d.type = types[take(b, 6)];
    d.axis[2] = d.type[0] == 'h' || d.type[2] == 'i';
    d.body = "body0";
    MAYBE(d.type, word(b));
    MAYBE(d.body, word(b));
    MAYBE(d.to, take(b, 2) ? "body1" : word(b));
    MAYBE(d.point[take(b, 3)], number(b));
    MAYBE(d.axis[take(b, 3)], number(b));
    MAYBE(d.has_to_point, true);
    MAYBE(d.to_point[take(b, 3)], number(b));
    MAYBE(d.has_length, true);
    MAYBE(d.length, number(b));
    MAYBE(d.lead, number(b));
    MAYBE(d.first, "joint0");
    MAYBE(d.second, "joint1");
    MAYBE(d.break_force, number(b));
    if (take(b, 4) == 0) d.turn = axis_of(b);
    if (take(b, 4) == 0) d.slide = axis_of(b);
    return d;
}

static abut_attachment_def attachment_of(bytes *b, arrays *a)
{
    abut_attachment_def d = abut_default_attachment_def();
    d.body = "body0";
    MAYBE(d.body, word(b));
    MAYBE(d.to, take(b, 2) ? "body1" : word(b));
    if (take(b, 2)) d.nodes = a->indices, d.node_count = take(b, MOST_INDICES + 1);
    MAYBE(d.within.value, number(b));
    MAYBE(d.stiffness, number(b));
    MAYBE(d.damping, number(b));
    MAYBE(d.close, true);
    MAYBE(d.break_force, number(b));
    return d;
}

static void check(abut_status status, const abut_error *error)
{
    if (status != ABUT_OK && (!error->message[0] || status == ABUT_ERROR_INTERNAL)) abort();
}

static void add_something(bytes *b, int k, abut_scene *scene, arrays *a)
{
    abut_error error = {0};
    unsigned what = k == 0 ? 5 : take(b, 8);
    if (what < 3) {
        abut_body_def d = body_of(b, a);
        check(abut_scene_add_body(scene, &d, &error), &error);
    } else if (what == 3) {
        abut_fix_def d = fix_of(b, a);
        check(abut_scene_add_fix(scene, take(b, 4), &d, &error), &error);
        abut_force_def f = abut_default_force_def();
        MAYBE(f.force[1], number(b));
        MAYBE(f.until, number(b));
        MAYBE(f.torque[0], number(b));
        check(abut_scene_add_force(scene, take(b, 4), &f, &error), &error);
    } else if (what == 4) {
        abut_half_space_def d = abut_default_half_space_def();
        d.normal[1] = 1;
        MAYBE(d.normal[1], number(b));
        MAYBE(d.origin[1], number(b));
        check(abut_scene_add_half_space(scene, &d, &error), &error);
    } else if (what == 6) {
        abut_joint_def d = joint_of(b);
        check(abut_scene_add_joint(scene, &d, &error), &error);
    } else if (what == 7) {
        abut_attachment_def d = attachment_of(b, a);
        check(abut_scene_add_attachment(scene, &d, &error), &error);
    } else {
        abut_material_def d = abut_default_material_def();
        d.young = 1e5, d.poisson = 0.3, d.density = 100;
        MAYBE(d.model, word(b));
        MAYBE(d.young, number(b));
        MAYBE(d.poisson, number(b));
        MAYBE(d.damping, number(b));
        check(abut_scene_add_material(scene, take(b, b->rare) ? "jelly" : word(b), &d, &error),
              &error);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes b = {data, size, 1, size > 0 && data[0] % 2 ? 6 : 120};
    abut_error error = {0};
    abut_scene_def def = scene_of(&b);
    abut_scene *scene = NULL;
    abut_status status = abut_scene_create(&def, &scene, &error);
    check(status, &error);
    if (status != ABUT_OK) return 0;
    arrays a;
    for (int k = 0; k < 6 && b.at < size; k++) add_something(&b, k, scene, &a);
    free(abut_scene_text(scene));
    abut_sim *sim = NULL;
    abut_sim_options options = abut_default_sim_options();
    options.threads = 1;
    status = abut_sim_create_from(scene, &options, &sim, &error);
    check(status, &error);
    if (status == ABUT_OK) {
        made++;
        status = abut_sim_step(sim, &error);
        stepped += status == ABUT_OK;
        check(status, &error);
    }
    abut_sim_destroy(sim);
    abut_scene_destroy(scene);
    return 0;
}

#ifdef ABUT_FUZZ_STANDALONE

#include "base/random.h"
#include "base/timer.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 2.0;
    random_state r = {argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
    size_t runs = 0;
    for (double start = timer_now(); timer_now() - start < seconds; runs++) {
        size_t size = 20 + random_below(&r, 400);
        uint8_t *data = malloc(size);
        for (size_t i = 0; i < size; i++) data[i] = (uint8_t)random_u64(&r);
        LLVMFuzzerTestOneInput(data, size);
        free(data);
    }
    printf("%zu runs, %zu simulations, %zu steps, nothing wrong\n", runs, made, stepped);
    return made == 0 || stepped == 0;
}

#endif
