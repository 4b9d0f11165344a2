/* Collision surfaces whose weights come from a file: maps that do not fit are refused with what is
 * wrong. The files are written here. */
#include "support/scene_text.h"

#include "base/file.h"
#include "support/scratch.h"

#include <hdf5.h>
#include <math.h>

static abut_error err;
static char folder[100];

static void write_list(hid_t group, const char *name, hid_t type, const void *data, hsize_t count)
{
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

/* A surface of four vertices that follow the four nodes of a tet, with one entry changed. */
typedef struct map_case {
    int shape[2];
    int entry_row, entry_column;
    double entry;
    int entries; /* of the columns; the others have four */
} map_case;

static void write_triplets(const char *path, const int size[2], const double *values,
                           const int *rows, const int *columns, hsize_t count, hsize_t column_count)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, "weight_triplets", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hsize_t two = 2;
    hid_t space = H5Screate_simple(1, &two, NULL);
    hid_t shape = H5Acreate2(group, "shape", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(H5Awrite(shape, H5T_NATIVE_INT, size) >= 0);
    H5Aclose(shape);
    H5Sclose(space);
    write_list(group, "values", H5T_NATIVE_DOUBLE, values, count);
    write_list(group, "rows", H5T_NATIVE_INT, rows, count);
    write_list(group, "cols", H5T_NATIVE_INT, columns, column_count);
    H5Gclose(group);
    H5Fclose(file);
}

static void write_map(const char *path, const map_case *c)
{
    double values[4] = {1, 1, 1, c->entry};
    int rows[4] = {0, 1, 2, c->entry_row}, columns[4] = {0, 1, 2, c->entry_column};
    write_triplets(path, c->shape, values, rows, columns, 4, (hsize_t)c->entries);
}

static void write_at(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK_OK(atomic_write(path, text, strlen(text), &err), err);
}

/* Builds the scene with this map; NULL expected: it must succeed. */
static void try_map(map_case c, const char *expected)
{
    char path[200], text[800];
    snprintf(path, sizeof path, "%s/map.hdf5", folder);
    write_map(path, &c);
    snprintf(text, sizeof text,
             "{'abut': 1, 'time': {'step': 0.01, 'steps': 1}, 'bodies': [{'mesh': '%s/tet.msh', "
             "'material': {'young': 1e5, 'poisson': 0.3}, 'surface': {'file': '%s/skin.obj', "
             "'map': '%s/map.hdf5'}}]}",
             folder, folder, folder);
    use_double_quotes(text);
    file_bytes bytes = {.data = text, .size = strlen(text)};
    scene_def *scene = NULL;
    stepper *s = NULL;
    CHECK_OK(scene_load_bytes("test.json", &bytes, NULL, 0, NULL, &scene, &err), err);
    abut_status status = scene_build(scene, NULL, &s, &err);
    if (!expected) CHECK_OK(status, err);
    if (expected) {
        CHECK(status == ABUT_ERROR_INPUT);
        bool named = strstr(err.message, expected) != NULL && strstr(err.place, "surface");
        CHECK(named);
        if (!named) printf("%s: %s\n", err.place, err.message);
    }
    drop_scene(s, scene);
}

TEST(maps_that_do_not_fit)
{
    try_map((map_case){{4, 4}, 3, 3, 1, 4}, NULL);
    try_map((map_case){{5, 4}, 3, 3, 1, 4}, "the map has 5 rows and 4 columns");
    try_map((map_case){{4, 9}, 3, 3, 1, 4}, "the map has 4 rows and 9 columns");
    try_map((map_case){{4, 4}, 3, 3, NAN, 4}, "is not a number");
    try_map((map_case){{4, 4}, 3, 3, INFINITY, 4}, "is not a number");
    try_map((map_case){{4, 4}, 4, 3, 1, 4}, "(4, 3)");
    try_map((map_case){{4, 4}, 3, -1, 1, 4}, "(3, -1)");
    try_map((map_case){{4, 4}, 3, 3, 1, 3}, "4, 4 and 3 entries; they must agree");
}

static stepper *build_text(char *text, scene_def **scene)
{
    stepper *s = NULL;
    use_double_quotes(text);
    file_bytes bytes = {.data = text, .size = strlen(text)};
    CHECK_OK(scene_load_bytes("test.json", &bytes, NULL, 0, NULL, scene, &err), err);
    CHECK_OK(scene_build(*scene, NULL, &s, &err), err);
    return s;
}

enum { NODES = 75, VERTICES = 4 };
#define BOX                                                                                        \
    "'mesh': {'box': {'size': [1, 1, 1], 'cells': [4, 4, 2]}}, "                                   \
    "'material': {'young': 1e6, 'poisson': 0.3}"

/* The surface of a tet of which every vertex p follows all nodes of a box of this size about the
 * origin: 1/n + sum over axes of p x / (sum of x^2) takes affine motions over. */
static void write_dense_map(const char *path, const vec3 *x)
{
    static const vec3 vertices[VERTICES] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static double values[VERTICES * NODES];
    static int rows[VERTICES * NODES], columns[VERTICES * NODES];
    double squares[3] = {0};
    for (int i = 0; i < NODES; i++)
        for (int k = 0; k < 3; k++) squares[k] += vec3_get(x[i], k) * vec3_get(x[i], k);
    for (int v = 0, n = 0; v < VERTICES; v++)
        for (int i = 0; i < NODES; i++, n++) {
            values[n] = 1.0 / NODES;
            for (int k = 0; k < 3; k++)
                values[n] += vec3_get(vertices[v], k) * vec3_get(x[i], k) / squares[k];
            rows[n] = v;
            columns[n] = i;
        }
    write_triplets(path, (int[2]){VERTICES, NODES}, values, rows, columns, VERTICES * NODES,
                   VERTICES * NODES);
}

/* Dense maps, as mean value coordinates give them, hold a body on a half-space. */
TEST(dense_maps)
{
    char path[200], text[900];
    scene_def *scene = NULL;
    snprintf(path, sizeof path, "%s/dense.hdf5", folder);
    snprintf(text, sizeof text,
             "{'abut': 1, 'time': {'step': 0.01, 'steps': 1}, 'bodies': [{" BOX "}]}");
    stepper *s = build_text(text, &scene);
    CHECK(s->model->rest.count == NODES);
    write_dense_map(path, s->model->rest.data);
    drop_scene(s, scene);
    snprintf(text, sizeof text,
             "{'abut': 1, 'time': {'step': 0.01, 'steps': 20}, 'gravity': [0, -9.81, 0], 'contact':"
             "{'dhat': 0.01}, 'half_spaces': [{'origin': [0, -0.02, 0]}], 'bodies': [{" BOX
             ", 'surface': {'file': '%s/skin.obj', 'map': '%s'}}]}",
             folder, path);
    s = build_text(text, &scene);
    size_t most = 0;
    step_statistics statistics;
    for (int k = 0; k < 20; k++) {
        CHECK_OK(stepper_advance(s, &statistics, &err), err);
        if (statistics.contacts > most) most = statistics.contacts;
    }
    CHECK(most >= 3); /* the side y = 0 of the tet */
    vec3 y[VERTICES];
    collision_surface_positions(&s->model->surface, s->state.x, y);
    for (int v = 0; v < VERTICES; v++) CHECK(y[v].y > -0.02);
    drop_scene(s, scene);
}

int main(void)
{
    snprintf(folder, sizeof folder, "%s/linear-map", test_scratch());
    CHECK_OK(directory_create(folder, &err), err);
    write_at("tet.msh",
             "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n"
             "4 0 0 1\n$EndNodes\n$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n");
    write_at("skin.obj",
             "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    RUN(maps_that_do_not_fit);
    RUN(dense_maps);
    return TEST_END();
}
