/* Meshes of bodies: every generator, files, transforms, errors with their place; selection of
 * nodes. */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "scene/body_mesh.h"
#include "scene/load.h"
#include "scene/scene.h"
#include "scene/select.h"
#include "scene/start.h"

#include <unistd.h>

static abut_error err;

static void write_text(const char *path, const char *text)
{
    CHECK_OK(atomic_write(path, text, strlen(text), &err), err);
}

/* A scene with these bodies (' stands for "). */
static abut_status load_with(const char *bodies, const char *const *overrides, size_t count,
                             scene_def **scene)
{
    char text[4000];
    snprintf(text, sizeof text,
             "{'abut': 1, 'time': {'step': 1, 'steps': 1}, 'materials': {'m': {'young': 1e5, "
             "'poisson': 0.4, 'density': 10}}, 'bodies': [%s]}",
             bodies);
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    file_bytes bytes = {.data = text, .size = strlen(text)};
    return scene_load_bytes("bar.json", &bytes, overrides, count, NULL, scene, &err);
}

static scene_def *load(const char *bodies)
{
    scene_def *scene;
    CHECK_OK(load_with(bodies, NULL, 0, &scene), err);
    return scene;
}

static void expect_mesh_error(const char *body, abut_status code, const char *place,
                              const char *message)
{
    scene_def *s = load(body);
    mesh m;
    if (!s) return;
    abut_status status = scene_body_mesh(s, 0, &m, &err);
    bool good =
        status == code && strcmp(err.place, place) == 0 && strcmp(err.message, message) == 0;
    CHECK(good);
    if (!good) printf("  %d %s: %s\n", status, err.place, err.message);
    scene_free(s);
}

TEST(generated_meshes)
{
    static const struct {
        const char *mesh;
        cell_kind kind;
        double measure, tolerance; /* volume, area, length or number of points */
    } cases[] = {
        {"{'box': {'size': [1, 2, 3], 'cells': [2, 3, 4]}}", CELL_TET, 6, 1e-12},
        {"{'mat': {'size': [1, 0.1, 2], 'nodes': [5, 6]}}", CELL_TET, 0.2, 1e-12},
        {"{'rod': {'length': 2, 'radius': 1, 'rings': 6}}", CELL_TET, 2 * 3.14159, 0.1},
        {"{'ball': {'radius': 1, 'cells': 12}}", CELL_TET, 4.18879, 0.2},
        {"{'torus': {'ring_radius': 2, 'tube_radius': 0.5, 'ring_cells': 60, 'tube_cells': 30}}",
         CELL_TET, 9.8696, 0.2},
        {"{'grid': {'size': [2, 3]}}", CELL_TRIANGLE, 6, 1e-12},
        {"{'sphere': {'radius': 1}}", CELL_TRIANGLE, 12.566, 0.2},
        {"{'cone': {'bottom_radius': 1, 'top_radius': 0, 'height': 1, 'around': 100}}",
         CELL_TRIANGLE, 4.4429, 0.02},
        {"{'tube': {'radius': 1, 'length': 2, 'around': 100}}", CELL_TRIANGLE, 12.566, 0.02},
        {"{'polyline': {'from': [0, 0, 0], 'to': [3, 4, 0]}}", CELL_EDGE, 5, 1e-12},
        {"{'lattice': {'counts': [2, 3, 4], 'spacing': 1}}", CELL_POINT, 24, 0},
        {"{'grid': {'size': [2, 3], 'diagonals': 'same'}}", CELL_TRIANGLE, 6, 1e-12},
        {"{'helix': {'radius': 1, 'pitch': 0.5, 'turns': 3, 'segments': 600}}", CELL_EDGE, 18.909,
         1e-2},
        {"{'bundle': {'from': [0, 0, 0], 'to': [0, 2, 0], 'counts': [3, 1, 3], 'spacing': 1}}",
         CELL_EDGE, 18, 1e-12},
        {"{'bundle': {'from': [0, 0, 0], 'to': [0, 2, 0], 'counts': [4, 1, 4], 'spacing': 1,"
         "'round': true}}",
         CELL_EDGE, 24, 1e-12},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char body[300];
        snprintf(body, sizeof body, "{'type': 'obstacle', 'mesh': %s}", cases[i].mesh);
        scene_def *s = load(body);
        if (!s) continue;
        mesh m;
        CHECK_OK(scene_body_mesh(s, 0, &m, &err), err);
        body_measures found;
        body_mesh_measure(&m, &found);
        CHECK(mesh_find(&m, cases[i].kind) != NULL && found.flat_count == 0);
        double measure = cases[i].kind == CELL_TET        ? found.tet_volume
                         : cases[i].kind == CELL_TRIANGLE ? found.triangle_area
                         : cases[i].kind == CELL_EDGE     ? found.edge_length
                                                          : (double)m.vertex_count;
        CHECK_NEAR(measure, cases[i].measure, cases[i].tolerance);
        mesh_free(&m);
        scene_free(s);
    }
}

static const char two_triangles[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n";

TEST(files_and_transforms)
{
    write_text("two.obj", two_triangles);
    scene_def *s = load("{'type': 'obstacle', 'mesh': 'two.obj', 'scale': [2, 3, 1],"
                        " 'rotate': [0, 0, 90], 'translate': [10, 0, 0]}");
    if (!s) return;
    mesh m;
    CHECK_OK(scene_body_mesh(s, 0, &m, &err), err);
    CHECK(m.vertex_count == 4);
    vec3 low, high;
    mesh_bounds(&m, &low, &high);
    CHECK_NEAR(low.x, 7, 1e-12);
    CHECK_NEAR(high.x, 10, 1e-12);
    CHECK_NEAR(high.y, 2, 1e-12);
    mesh_free(&m);
    scene_free(s);
}

static const char flat_tets[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 0\n"
    "$EndNodes\n$Elements\n3\n1 4 2 7 1 1 2 3 4\n2 4 2 8 1 1 3 2 4\n3 4 2 8 1 1 2 3 5\n"
    "$EndElements\n";

TEST(errors_name_scene_and_field)
{
    expect_mesh_error("{'type': 'obstacle', 'mesh': 'none.obj'}", ABUT_ERROR_IO,
                      "bar.json: bodies[0].mesh.file", "there is no file \"./none.obj\"");
    expect_mesh_error("{'type': 'obstacle', 'mesh': {'torus': {'ring_radius': 1, 'tube_radius': "
                      "2}}}",
                      ABUT_ERROR_INPUT, "bar.json: bodies[0].mesh.torus: torus",
                      "the tube radius is 2; it must be less than the ring radius 1");
    expect_mesh_error(
        "{'material': 'm', 'mesh': 'two.obj', 'name': 'sheet'}", ABUT_ERROR_INPUT,
        "bar.json: bodies[0].mesh.file",
        "body \"sheet\" is of type \"deformable\" and needs tetrahedra or hexahedra, but its mesh "
        "has 2 triangles; \"mesh\": {..., \"fill\": {}} fills a surface with tetrahedra, and the "
        "type \"shell\" makes a sheet of it");
    expect_mesh_error(
        "{'type': 'rod', 'material': 'm', 'rod': {'diameter': 1}, 'mesh': {'ball': {'radius': 1, "
        "'cells': "
        "2}}}",
        ABUT_ERROR_INPUT, "bar.json: bodies[0].mesh.ball",
        "body \"body0\" is of type \"rod\" and needs edges, but its mesh has 48 tets");
}

TEST(broken_mesh_files)
{
    write_text("bad.obj", "v 0 0 0\nf 1 2 9\n");
    scene_def *s = load("{'type': 'obstacle', 'mesh': 'bad.obj'}");
    if (!s) return;
    mesh m;
    CHECK(scene_body_mesh(s, 0, &m, &err) == ABUT_ERROR_INPUT);
    CHECK(strncmp(err.place, "bar.json: bodies[0].mesh.file: ./bad.obj", 40) == 0);
    CHECK(err.message[0]);
    scene_free(s);
}

TEST(inverted_and_flat_tets)
{
    write_text("flat.msh", flat_tets);
    scene_def *s = load("{'name': 'crumpled', 'material': 'm', 'mesh': 'flat.msh'},"
                        "{'name': 'wall', 'type': 'obstacle', 'mesh': 'flat.msh'}");
    if (!s) return;
    mesh m;
    CHECK(scene_body_mesh(s, 0, &m, &err) == ABUT_ERROR_INFEASIBLE);
    CHECK(strcmp(err.place, "bar.json: bodies[0].mesh.file") == 0);
    CHECK(strcmp(err.message,
                 "body \"crumpled\" has 2 of 3 tetrahedra inverted or without volume: 1, 2") == 0);
    CHECK_OK(scene_body_mesh(s, 1, &m, &err), err);
    mesh_free(&m);
    scene_free(s);
}

/* --- Selection --- */

static size_t select_count(const scene_def *s, size_t fix, const mesh *m, int32_t *first)
{
    int32_t *nodes;
    size_t count;
    CHECK_OK(select_nodes(&s->bodies[0].dirichlet.fixes[fix].nodes, &s->bodies[0], m, &nodes,
                          &count, &err),
             err);
    for (size_t i = 1; i < count; i++) CHECK(nodes[i - 1] < nodes[i]);
    *first = count ? nodes[0] : -1;
    mem_free(nodes);
    return count;
}

TEST(selectors)
{
    scene_def *s =
        load("{'material': 'm', 'mesh': {'box': {'size': [1, 1, 1], 'cells': [3, 3, 3]}},"
             " 'translate': [10, 0, 0], 'rotate': [0, 0, 0], 'fix': [{'nodes': 'all'},"
             " {'nodes': {'box': [[9.5, -1, -1], [9.5, 1, 1]]}},"
             " {'nodes': {'relative_box': [[0, 0, 0], [0, 1, 1]]}},"
             " {'nodes': {'relative_box': [[1, 1, 1], [1, 1, 1]]}},"
             " {'nodes': {'sphere': {'center': [9.5, -0.5, -0.5], 'radius': 0.34}}},"
             " {'nodes': {'list': [7, 3, 3, 9]}},"
             " {'nodes': {'box': [[0, 0, 0], [1, 1, 1]]}}, {'nodes': {'list': [64]}}]}");
    if (!s) return;
    mesh m;
    int32_t first, *nodes;
    size_t count;
    CHECK_OK(scene_body_mesh(s, 0, &m, &err), err);
    CHECK(select_count(s, 0, &m, &first) == 64 && first == 0);
    CHECK(select_count(s, 1, &m, &first) == 16);
    CHECK(select_count(s, 2, &m, &first) == 16);
    CHECK(select_count(s, 3, &m, &first) == 1);
    CHECK(select_count(s, 4, &m, &first) == 4);
    CHECK(select_count(s, 5, &m, &first) == 3 && first == 3);
    CHECK(select_count(s, 6, &m, &first) == 0);
    CHECK(select_nodes(&s->bodies[0].dirichlet.fixes[7].nodes, &s->bodies[0], &m, &nodes, &count,
                       &err) == ABUT_ERROR_INPUT);
    CHECK(strcmp(err.message, "entry 0 of the list is node 64, but the mesh has 64 nodes, "
                              "numbered from 0") == 0);
    mesh_free(&m);
    scene_free(s);
}

TEST(selection_by_tag)
{
    scene_def *s = load(
        "{'type': 'particles', 'particles': {'radius': 0.01}, 'density': 1000, 'mesh': 'flat.msh',"
        " 'fix': [{'nodes': {'tag': 7}}, {'nodes': {'tag': 8}},"
        " {'nodes': {'tag': 9}}]}");
    if (!s) return;
    mesh m;
    int32_t first;
    CHECK_OK(body_mesh_load(s, 0, &m, &err), err);
    CHECK(select_count(s, 0, &m, &first) == 4);
    CHECK(select_count(s, 1, &m, &first) == 5);
    CHECK(select_count(s, 2, &m, &first) == 0);
    mesh_free(&m);
    scene_free(s);
}

TEST(split_bodies)
{
    scene_def *s = load("{'name': 'row', 'type': 'rigid', 'density': 1, 'split': true,"
                        " 'mesh': {'lattice': {'counts': [3, 1, 1], 'spacing': 2}},"
                        " 'translate': [0, 5, 0]}");
    if (!s) return;
    CHECK(s->body_count == 3);
    for (size_t i = 0; i < s->body_count; i++) {
        char name[40];
        snprintf(name, sizeof name, "row.%zu", i);
        CHECK(strcmp(s->bodies[i].name, name) == 0);
        mesh m;
        CHECK_OK(scene_body_mesh(s, i, &m, &err), err);
        CHECK(m.vertex_count == 1 && m.vertices[0].y == 5);
        CHECK_NEAR(m.vertices[0].x, 2.0 * (double)i - 2, 1e-12);
        mesh_free(&m);
    }
    s->bodies[0].mesh.component = 3;
    mesh none;
    CHECK(scene_body_mesh(s, 0, &none, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "no component 3: the mesh has 3") != NULL);
    scene_free(s);
}

/* --- The start --- */

/* Loads the meshes of all bodies and checks the start. */
static scene_def *check_start(const char *bodies, start_report *report, double *size)
{
    scene_def *s = load(bodies);
    if (!s) return NULL;
    mesh *meshes = mem_calloc(s->body_count, sizeof *meshes);
    for (size_t i = 0; i < s->body_count; i++)
        CHECK_OK(scene_body_mesh(s, i, &meshes[i], &err), err);
    CHECK_OK(start_check(s, meshes, report, &err), err);
    *size = start_size(s, meshes);
    for (size_t i = 0; i < s->body_count; i++) mesh_free(&meshes[i]);
    mem_free(meshes);
    return s;
}

#define CUBE "'material': 'm', 'mesh': {'box': {'size': [1, 1, 1], 'cells': [1, 1, 1]}}"

TEST(a_good_start)
{
    start_report report;
    double size;
    scene_def *s = check_start("{" CUBE "}, {" CUBE ", 'translate': [0, 1.001, 0]},"
                               "{" CUBE ", 'enabled': false}, {'type': 'obstacle', 'mesh':"
                               " {'grid': {'size': [9, 9]}}, 'translate': [0, -3, 0]},"
                               "{'type': 'obstacle', 'mesh': {'grid': {'size': [3, 9]}},"
                               " 'translate': [0, -3, 0]}",
                               &report, &size);
    if (!s) return;
    CHECK(report.intersections == 0 && report.behind_planes == 0 && report.shown == 0);
    CHECK_NEAR(size, sqrt(2 + 2.001 * 2.001), 1e-12);
    CHECK_NEAR(report.min_distance, 0.001, 1e-12);
    CHECK_NEAR(start_length((length_def){2, true}, size), 2 * size, 0);
    CHECK_NEAR(start_length((length_def){2, false}, size), 2, 0);
    scene_free(s);
}

TEST(intersecting_start)
{
    start_report report;
    double size;
    scene_def *s = check_start("{" CUBE ", 'name': 'a'}, {" CUBE
                               ", 'name': 'b', 'translate': [0.3, 0.9, 0.2]}",
                               &report, &size);
    if (!s) return;
    CHECK(report.intersections > 0 && report.shown > 0 && isinf(report.min_distance));
    CHECK(strstr(report.text[0], "edge ") == report.text[0]);
    CHECK(strstr(report.text[0], " meets triangle ") && strstr(report.text[0], "\"a\""));
    CHECK(strstr(report.text[0], "\"b\"") != NULL);
    scene_free(s);
}

TEST(start_behind_a_plane)
{
    start_report report;
    double size;
    const char *override = "ground=0";
    scene_def *s;
    CHECK_OK(load_with("{" CUBE ", 'name': 'a'}", &override, 1, &s), err);
    if (!s) return;
    mesh m;
    CHECK_OK(scene_body_mesh(s, 0, &m, &err), err);
    CHECK_OK(start_check(s, &m, &report, &err), err);
    CHECK(report.behind_planes == 4 && report.intersections == 0 && report.shown == 4);
    CHECK(strcmp(report.text[0], "node 0 of \"a\" is 0.5 m behind half space 0") == 0);
    s->options.contact = false;
    CHECK_OK(start_check(s, &m, &report, &err), err);
    CHECK(report.behind_planes == 0);
    size = start_size(s, &m);
    CHECK_NEAR(size, sqrt(3), 1e-12);
    mesh_free(&m);
    scene_free(s);
}

TEST(allocation_failures)
{
    scene_def *s = load("{'material': 'm', 'mesh': {'box': {'size': [1, 1, 1]}}, 'fix': {}}");
    if (!s) return;
    for (int n = 0; n < 1000; n++) {
        mesh m;
        int32_t *nodes = NULL;
        size_t count;
        mem_fail_after(n);
        abut_status status = scene_body_mesh(s, 0, &m, &err);
        if (status == ABUT_OK) {
            start_report report;
            status = start_check(s, &m, &report, &err);
            if (status == ABUT_OK)
                status = select_nodes(&s->bodies[0].dirichlet.fixes[0].nodes, &s->bodies[0], &m,
                                      &nodes, &count, &err);
            mesh_free(&m);
        }
        bool failed = mem_failure_happened();
        mem_fail_after(-1);
        mem_free(nodes);
        CHECK(status == (failed ? ABUT_ERROR_MEMORY : ABUT_OK));
        if (!failed) break;
    }
    scene_free(s);
}

TEST(examples_load)
{
    static const char *const files[] = {"cantilever.json", "twist.json", "bounce.json"};
    const char *source = getenv("ABUT_SOURCE_DIR");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/examples/elastic/%s", source ? source : ".", files[i]);
        scene_def *s;
        CHECK_OK(scene_load(path, NULL, 0, NULL, &s, &err), err);
        if (!s) continue;
        mesh m;
        CHECK_OK(scene_body_mesh(s, 0, &m, &err), err);
        int32_t first;
        for (size_t k = 0; k < s->bodies[0].dirichlet.fix_count; k++)
            CHECK(select_count(s, k, &m, &first) >= 16);
        const cell_block *tets = mesh_find(&m, CELL_TET);
        CHECK(tets && tets->count >= 900 && tets->count <= 3000);
        mesh_free(&m);
        scene_free(s);
    }
}

int main(void)
{
    RUN(examples_load);
    char folder[] = "/tmp/abut-test-scene-mesh-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0) return EXIT_FAILURE;
    RUN(generated_meshes);
    RUN(files_and_transforms);
    RUN(errors_name_scene_and_field);
    RUN(broken_mesh_files);
    RUN(inverted_and_flat_tets);
    RUN(selectors);
    RUN(selection_by_tag);
    RUN(split_bodies);
    RUN(a_good_start);
    RUN(intersecting_start);
    RUN(start_behind_a_plane);
    RUN(allocation_failures);
    unlink("two.obj");
    unlink("bad.obj");
    unlink("flat.msh");
    CHECK(rmdir(folder) == 0);
    return TEST_END();
}
