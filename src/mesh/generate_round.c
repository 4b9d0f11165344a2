/* Round shapes: solids swept from a triangulated disc, and surfaces of revolution. */
#include "base/memory.h"
#include "base/sort.h"
#include "mesh/generate.h"
#include "mesh/generate_check.h"

static const double two_pi = 6.28318530717958647692;

/* ---- discs --------------------------------------------------------------------------------- */

/* A unit disc in a plane with coordinates (x, y) of its own, counter-clockwise. */
typedef struct disc {
    size_t vertex_count, triangle_count;
    vec3 *vertices; /* z = 0 */
    int32_t (*triangles)[3];
} disc;

static void disc_free(disc *d)
{
    mem_free(d->vertices);
    mem_free(d->triangles);
    *d = (disc){0};
}

static abut_status disc_alloc(disc *d, size_t vertices, size_t triangles, abut_error *err)
{
    *d = (disc){.vertex_count = vertices, .triangle_count = triangles};
    d->vertices = mem_alloc(vertices, sizeof *d->vertices);
    d->triangles = mem_alloc(triangles, sizeof *d->triangles);
    if (d->vertices && d->triangles) return ABUT_OK;
    disc_free(d);
    return error_memory(err, "making a disc");
}

static vec3 on_circle(double radius, int i, int n)
{
    return vec3_make(radius * cos(two_pi * i / n), radius * sin(two_pi * i / n), 0.0);
}

/* Only vertices on the circle: the polygon is cut across in a zigzag. */
static abut_status flat_disc(int around, disc *d, abut_error *err)
{
    TRY(disc_alloc(d, (size_t)around, (size_t)around - 2, err));
    for (int i = 0; i < around; i++) d->vertices[i] = on_circle(1.0, i, around);
    int low = 0, high = around - 1; /* the current cut goes from low to high */
    for (int t = 0; t < around - 2; t++) {
        int32_t *triangle = d->triangles[t];
        triangle[0] = low;
        triangle[1] = t % 2 == 0 ? low + 1 : high - 1;
        triangle[2] = high;
        if (t % 2 == 0)
            low++;
        else
            high--;
    }
    return ABUT_OK;
}

static int ring_size(int around, int rings, int ring)
{
    long size = lround((double)around * ring / rings);
    return size < 3 ? 3 : (int)size;
}

/* Triangles between two circles, always advancing on the one that is behind in angle. */
static int32_t (*fill_annulus(int32_t inner, int inner_size, int32_t outer, int outer_size,
                              int32_t (*out)[3]))[3]
{
    int i = 0, o = 0;
    while (i < inner_size || o < outer_size) {
        /* Compare (o + 1/2) / outer_size with (i + 1/2) / inner_size without rounding. */
        bool advance_outer =
            i == inner_size || (o < outer_size && (int64_t)(2 * o + 1) * inner_size <=
                                                      (int64_t)(2 * i + 1) * outer_size);
        (*out)[0] = inner + i % inner_size;
        (*out)[1] = outer + o % outer_size;
        if (advance_outer)
            (*out)[2] = outer + ++o % outer_size;
        else
            (*out)[2] = inner + ++i % inner_size;
        out++;
    }
    return out;
}

/* A centre vertex and `rings` circles, `around` vertices on the outermost. */
static abut_status ringed_disc(int around, int rings, disc *d, abut_error *err)
{
    size_t vertices = 1, triangles = (size_t)ring_size(around, rings, 1);
    for (int r = 1; r <= rings; r++) {
        vertices += (size_t)ring_size(around, rings, r);
        if (r > 1)
            triangles +=
                (size_t)ring_size(around, rings, r - 1) + (size_t)ring_size(around, rings, r);
    }
    TRY(disc_alloc(d, vertices, triangles, err));
    int32_t(*next)[3] = d->triangles;
    int32_t first = 1, before = 0;
    d->vertices[0] = vec3_make(0, 0, 0);
    for (int r = 1; r <= rings; r++) {
        int size = ring_size(around, rings, r);
        for (int i = 0; i < size; i++)
            d->vertices[first + i] = on_circle((double)r / rings, i, size);
        for (int i = 0; r == 1 && i < size; i++, next++) {
            (*next)[0] = 0;
            (*next)[1] = first + i;
            (*next)[2] = first + (i + 1) % size;
        }
        if (r > 1) next = fill_annulus(before, ring_size(around, rings, r - 1), first, size, next);
        before = first;
        first += size;
    }
    return ABUT_OK;
}

/* Stacks `layers` copies of a disc (vertex = layer * disc vertices + its number) and fills the
 * space between neighbours, and between the last and the first when closed. Vertices are set later.
 */
static abut_status sweep_disc(const char *shape, const disc *d, int layers, bool closed, mesh *out,
                              abut_error *err)
{
    int gaps = closed ? layers : layers - 1;
    double vertices[2] = {(double)layers, (double)d->vertex_count};
    double tets[3] = {3.0, (double)gaps, (double)d->triangle_count};
    TRY(check_product(shape, "vertices", vertices, 2, err));
    TRY(check_product(shape, "tets", tets, 3, err));
    int32_t *nodes;
    TRY(start_mesh(out, (size_t)layers * d->vertex_count, CELL_TET,
                   3 * (size_t)gaps * d->triangle_count, &nodes, err));
    int32_t n = (int32_t)d->vertex_count;
    for (int g = 0; g < gaps; g++)
        for (size_t t = 0; t < d->triangle_count; t++) {
            int32_t bottom[3], top[3];
            for (int i = 0; i < 3; i++) {
                bottom[i] = g * n + d->triangles[t][i];
                top[i] = (g + 1) % layers * n + d->triangles[t][i];
            }
            split_prism(bottom, top, nodes);
            nodes += 12;
        }
    return ABUT_OK;
}

abut_status generate_rod(double length, double radius, int cells, int rings, mesh *out,
                         abut_error *err)
{
    *out = (mesh){0};
    TRY(check_length("rod", "length", length, err));
    TRY(check_length("rod", "radius", radius, err));
    TRY(check_count("rod", "cells", cells, 1, err));
    TRY(check_count("rod", "rings", rings, 1, err));
    double vertices[3] = {cells + 1.0, 3.0 * rings, rings + 1.0};
    double tets[4] = {18.0, (double)cells, (double)rings, (double)rings};
    TRY(check_product("rod", "vertices", vertices, 3, err));
    TRY(check_product("rod", "tets", tets, 4, err));
    disc d;
    TRY(ringed_disc(6 * rings, rings, &d, err));
    abut_status status = sweep_disc("rod", &d, cells + 1, false, out, err);
    for (size_t v = 0; status == ABUT_OK && v < out->vertex_count; v++) {
        double layer = (double)(v / d.vertex_count);
        vec3 p = d.vertices[v % d.vertex_count];
        out->vertices[v] =
            vec3_make(length * (2.0 * layer - cells) / (2.0 * cells), radius * p.x, radius * p.y);
    }
    disc_free(&d);
    return status;
}

abut_status generate_torus(double ring_radius, double tube_radius, int ring, int tube, mesh *out,
                           abut_error *err)
{
    *out = (mesh){0};
    TRY(check_length("torus", "ring radius", ring_radius, err));
    TRY(check_length("torus", "tube radius", tube_radius, err));
    TRY(check_count("torus", "segments around the ring", ring, 3, err));
    TRY(check_count("torus", "segments around the tube", tube, 3, err));
    if (tube_radius >= ring_radius)
        return error_set(err, ABUT_ERROR_INPUT, "torus",
                         "the tube radius is %g; it must be less than the ring radius %g",
                         tube_radius, ring_radius);
    double surface[2] = {(double)ring, (double)tube};
    TRY(check_product("torus", "surface vertices", surface, 2, err));
    disc d;
    if (tube <= TORUS_MAX_FLAT_TUBE)
        TRY(flat_disc(tube, &d, err));
    else
        TRY(ringed_disc(tube, (int)lround(tube / two_pi), &d, err));
    abut_status status = sweep_disc("torus", &d, ring, true, out, err);
    for (size_t v = 0; status == ABUT_OK && v < out->vertex_count; v++) {
        /* The disc's first axis points away from the ring's axis, its second one up; the ring runs
         * so that the disc's normal points along it. */
        vec3 p = d.vertices[v % d.vertex_count];
        double angle = two_pi * (double)(v / d.vertex_count) / ring;
        double distance = ring_radius + tube_radius * p.x;
        out->vertices[v] =
            vec3_make(distance * cos(angle), tube_radius * p.y, distance * sin(angle));
    }
    disc_free(&d);
    return status;
}

/* ---- surfaces ------------------------------------------------------------------------------ */

/* Rows of `around` vertices from bottom to top, closed around; with row circles counter-clockwise
 * seen from the top, triangles face away from the axis. A row of radius 0 is a single apex. */
static abut_status revolve(const char *shape, double bottom, double top, double height, int around,
                           int along, mesh *out, abut_error *err)
{
    double n[2] = {(double)around, along + 1.0},
           triangles[3] = {2.0, (double)around, (double)along};
    TRY(check_product(shape, "vertices", n, 2, err));
    TRY(check_product(shape, "triangles", triangles, 3, err));
    int apexes = (bottom == 0.0) + (top == 0.0);
    size_t vertices = (size_t)around * (size_t)(along + 1) - (size_t)(apexes * (around - 1));
    size_t cells = (size_t)around * (size_t)(2 * along - apexes);
    int32_t *nodes;
    TRY(start_mesh(out, vertices, CELL_TRIANGLE, cells, &nodes, err));
    vec3 *x = out->vertices;
    int32_t row = 0; /* first vertex of the row below */
    for (int j = 0; j <= along; j++) {
        double t = (double)j / along;
        double radius = j == along ? top : bottom + t * (top - bottom);
        bool apex = radius == 0.0;
        for (int i = 0; i < (apex ? 1 : around); i++) {
            vec3 p = on_circle(radius, i, around);
            *x++ = vec3_make(p.x, height * (2.0 * j - along) / (2.0 * along), -p.y);
        }
        if (j == 0) continue;
        bool from_apex = j == 1 && bottom == 0.0;
        int32_t next = row + (from_apex ? 1 : around);
        for (int i = 0; i < around; i++) {
            int k = (i + 1) % around;
            int32_t a = row + (from_apex ? 0 : i), b = row + (from_apex ? 0 : k);
            int32_t c = next + (apex ? 0 : k), d = next + (apex ? 0 : i);
            bool turned = (i + j) % 2 == 0;
            const int32_t cut[2][3] = {{a, b, turned && !apex && !from_apex ? d : c},
                                       {turned && !apex && !from_apex ? b : a, c, d}};
            for (int s = 0; s < 2; s++) {
                if ((s == 0 && from_apex) || (s == 1 && apex)) continue;
                for (int m = 0; m < 3; m++) *nodes++ = cut[s][m];
            }
        }
        row = next;
    }
    return ABUT_OK;
}

abut_status generate_cone(double bottom_radius, double top_radius, double height, int around,
                          int along, mesh *out, abut_error *err)
{
    *out = (mesh){0};
    if (bottom_radius != 0.0) TRY(check_length("cone", "bottom radius", bottom_radius, err));
    if (top_radius != 0.0) TRY(check_length("cone", "top radius", top_radius, err));
    if (bottom_radius == 0.0 && top_radius == 0.0)
        return error_set(err, ABUT_ERROR_INPUT, "cone", "both radii are 0; one must be positive");
    TRY(check_length("cone", "height", height, err));
    TRY(check_count("cone", "segments around", around, 3, err));
    TRY(check_count("cone", "segments along", along, 1, err));
    return revolve("cone", bottom_radius, top_radius, height, around, along, out, err);
}

abut_status generate_tube(double radius, double length, int around, int along, mesh *out,
                          abut_error *err)
{
    *out = (mesh){0};
    TRY(check_length("tube", "radius", radius, err));
    TRY(check_length("tube", "length", length, err));
    TRY(check_count("tube", "segments around", around, 3, err));
    TRY(check_count("tube", "segments along", along, 1, err));
    TRY(revolve("tube", radius, radius, length, around, along, out, err));
    for (size_t v = 0; v < out->vertex_count; v++) {
        vec3 x = out->vertices[v];
        out->vertices[v] = vec3_make(x.y, x.z, x.x); /* y becomes x, handedness is kept */
    }
    return ABUT_OK;
}

/* ---- sphere -------------------------------------------------------------------------------- */

static abut_status icosahedron(mesh *out, abut_error *err)
{
    static const int32_t faces[20][3] = {
        {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
        {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
        {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
    const double g = 1.61803398874989484820;
    const vec3 corners[12] = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0},
                              {0, -1, g}, {0, 1, g}, {0, -1, -g}, {0, 1, -g},
                              {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
    int32_t *nodes;
    TRY(start_mesh(out, 12, CELL_TRIANGLE, 20, &nodes, err));
    for (int v = 0; v < 12; v++) out->vertices[v] = vec3_normalize(corners[v]);
    for (int t = 0; t < 20; t++)
        for (int i = 0; i < 3; i++) *nodes++ = faces[t][i];
    return ABUT_OK;
}

/* Numbers the edges of the triangles in the order of their vertices: middle[3 t + i] is the number
 * of the edge from corner i to i + 1 of triangle t. */
static void number_edges(const int32_t *nodes, size_t triangles, uint64_t *keys, uint32_t *sides,
                         int32_t *middle)
{
    size_t n = 3 * triangles;
    for (size_t s = 0; s < n; s++) {
        uint64_t a = (uint64_t)nodes[s], b = (uint64_t)nodes[s % 3 == 2 ? s - 2 : s + 1];
        keys[s] = a < b ? a << 32 | b : b << 32 | a;
        sides[s] = (uint32_t)s;
    }
    sort_u64_with_u32(keys, sides, keys + n, sides + n, n);
    int32_t edge = -1;
    for (size_t s = 0; s < n; s++) {
        if (s == 0 || keys[s] != keys[s - 1]) edge++;
        middle[sides[s]] = edge;
    }
}

static void subdivide_into(const mesh *from, const int32_t *middle, mesh *to)
{
    const int32_t *old = from->blocks[0].nodes;
    int32_t *nodes = to->blocks[0].nodes, first = (int32_t)from->vertex_count;
    for (size_t v = 0; v < from->vertex_count; v++) to->vertices[v] = from->vertices[v];
    for (size_t t = 0; t < from->blocks[0].count; t++) {
        const int32_t *v = old + 3 * t;
        int32_t m[3];
        for (int i = 0; i < 3; i++) {
            m[i] = first + middle[3 * t + (size_t)i];
            vec3 sum = vec3_add(from->vertices[v[i]], from->vertices[v[(i + 1) % 3]]);
            to->vertices[m[i]] = vec3_normalize(sum);
        }
        const int32_t parts[12] = {v[0], m[0], m[2], v[1], m[1], m[0],
                                   v[2], m[2], m[1], m[0], m[1], m[2]};
        for (int i = 0; i < 12; i++) *nodes++ = parts[i];
    }
}

static abut_status subdivide_sphere(mesh *m, abut_error *err)
{
    size_t triangles = m->blocks[0].count, sides = 3 * triangles;
    uint64_t *keys = mem_alloc(2 * sides, sizeof *keys);
    uint32_t *numbers = mem_alloc(2 * sides, sizeof *numbers);
    int32_t *middle = mem_alloc(sides, sizeof *middle), *nodes;
    mesh finer = {0};
    abut_status status = keys && numbers && middle
                             ? start_mesh(&finer, m->vertex_count + sides / 2, CELL_TRIANGLE,
                                          4 * triangles, &nodes, err)
                             : error_memory(err, "subdividing a sphere");
    if (status == ABUT_OK) {
        number_edges(m->blocks[0].nodes, triangles, keys, numbers, middle);
        subdivide_into(m, middle, &finer);
        mesh_free(m);
        *m = finer;
    }
    mem_free(keys);
    mem_free(numbers);
    mem_free(middle);
    return status;
}

abut_status generate_icosphere(double radius, int level, mesh *out, abut_error *err)
{
    *out = (mesh){0};
    TRY(check_length("sphere", "radius", radius, err));
    TRY(check_count("sphere", "level", level, 0, err));
    const double triangles[2] = {20.0, pow(4.0, level)};
    TRY(check_product("sphere", "triangles", triangles, 2, err));
    abut_status status = icosahedron(out, err);
    for (int l = 0; l < level && status == ABUT_OK; l++) status = subdivide_sphere(out, err);
    if (status != ABUT_OK) {
        mesh_free(out);
        return status;
    }
    for (size_t v = 0; v < out->vertex_count; v++)
        out->vertices[v] = vec3_scale(radius, out->vertices[v]);
    return ABUT_OK;
}
