/* Shapes on regular grids, and the transformation of meshes. */
#include "mesh/generate.h"

#include "mesh/cell.h"
#include "mesh/generate_check.h"

/* ---- box and ball -------------------------------------------------------------------------- */

/* The six orders in which a path along cube edges goes from one corner to the opposite one; the
 * path's four corners are a tet (Kuhn). The last entry tells whether it is right-handed. */
static const int kuhn_paths[6][4] = {{0, 1, 2, 1}, {1, 2, 0, 1}, {2, 0, 1, 1},
                                     {0, 2, 1, 0}, {2, 1, 0, 0}, {1, 0, 2, 0}};

/* Six tets of the cube at `cell`. The diagonal goes up along the axes with forward[k] set and down
 * along the others; neighbours agree because the cut of a side only depends on its own two axes. */
static void cut_cube(const int cell[3], const bool forward[3], const int cells[3], int32_t *tets)
{
    size_t step[3] = {(size_t)(cells[1] + 1) * (size_t)(cells[2] + 1), (size_t)(cells[2] + 1), 1};
    size_t start = 0;
    bool mirrored = false;
    for (int k = 0; k < 3; k++) {
        start += step[k] * (size_t)(cell[k] + (forward[k] ? 0 : 1));
        if (!forward[k]) mirrored = !mirrored;
    }
    for (int p = 0; p < 6; p++) {
        size_t vertex = start;
        int32_t *tet = tets + 4 * p;
        tet[0] = (int32_t)start;
        for (int i = 0; i < 3; i++) {
            int axis = kuhn_paths[p][i];
            vertex = forward[axis] ? vertex + step[axis] : vertex - step[axis];
            tet[i + 1] = (int32_t)vertex;
        }
        if ((kuhn_paths[p][3] == 1) == mirrored) {
            int32_t keep = tet[1];
            tet[1] = tet[2];
            tet[2] = keep;
        }
    }
}

/* Grid of cells with vertices at lattice points in [-1, 1]^3. With `mirrored` the diagonals point
 * away from the centre. */
static abut_status cube_grid(const char *shape, const int cells[3], bool mirrored, mesh *out,
                             abut_error *err)
{
    double n[3] = {cells[0] + 1.0, cells[1] + 1.0, cells[2] + 1.0};
    double tets[4] = {6.0, cells[0], cells[1], cells[2]};
    TRY(check_product(shape, "vertices", n, 3, err));
    TRY(check_product(shape, "tets", tets, 4, err));
    int32_t *nodes;
    TRY(start_mesh(out, (size_t)(n[0] * n[1] * n[2]), CELL_TET,
                   6 * (size_t)cells[0] * (size_t)cells[1] * (size_t)cells[2], &nodes, err));
    size_t v = 0, cube = 0;
    for (int i = 0; i <= cells[0]; i++)
        for (int j = 0; j <= cells[1]; j++)
            for (int k = 0; k <= cells[2]; k++) {
                const int at[3] = {i, j, k};
                out->vertices[v++] =
                    vec3_make((2.0 * i - cells[0]) / cells[0], (2.0 * j - cells[1]) / cells[1],
                              (2.0 * k - cells[2]) / cells[2]);
                if (i == cells[0] || j == cells[1] || k == cells[2]) continue;
                bool forward[3];
                for (int a = 0; a < 3; a++) forward[a] = !mirrored || at[a] >= cells[a] / 2;
                cut_cube(at, forward, cells, nodes + 24 * cube++);
            }
    return ABUT_OK;
}

static abut_status solid_grid(const char *shape, vec3 size, const int cells[3], mesh *out,
                              abut_error *err)
{
    TRY(check_length(shape, "size x", size.x, err));
    TRY(check_length(shape, "size y", size.y, err));
    TRY(check_length(shape, "size z", size.z, err));
    TRY(cube_grid(shape, cells, false, out, err));
    for (size_t v = 0; v < out->vertex_count; v++) {
        vec3 *x = &out->vertices[v];
        *x = vec3_make(0.5 * size.x * x->x, 0.5 * size.y * x->y, 0.5 * size.z * x->z);
    }
    return ABUT_OK;
}

abut_status generate_box(vec3 size, const int cells[3], mesh *out, abut_error *err)
{
    *out = (mesh){0};
    static const char *const names[3] = {"cells x", "cells y", "cells z"};
    for (int k = 0; k < 3; k++) TRY(check_count("box", names[k], cells[k], 1, err));
    return solid_grid("box", size, cells, out, err);
}

abut_status generate_mat(vec3 size, int n, int m, mesh *out, abut_error *err)
{
    *out = (mesh){0};
    TRY(check_count("mat", "nodes along x", n, 2, err));
    TRY(check_count("mat", "nodes along z", m, 2, err));
    return solid_grid("mat", size, (const int[3]){n - 1, 1, m - 1}, out, err);
}

/* Concentric cubes become concentric spheres, with equal angles along each side (which keeps the
 * smallest dihedral angle above 26 degrees for any number of cells). */
static vec3 cube_to_ball(vec3 x)
{
    const double quarter_turn = 0.78539816339744830962;
    double level = vec3_max_abs(x);
    if (level == 0.0) return x;
    vec3 t = vec3_make(tan(quarter_turn * x.x / level), tan(quarter_turn * x.y / level),
                       tan(quarter_turn * x.z / level));
    return vec3_scale(level / vec3_norm(t), t);
}

abut_status generate_ball(double radius, int cells, mesh *out, abut_error *err)
{
    *out = (mesh){0};
    TRY(check_length("ball", "radius", radius, err));
    TRY(check_count("ball", "cells", cells, 1, err));
    TRY(cube_grid("ball", (const int[3]){cells, cells, cells}, true, out, err));
    for (size_t v = 0; v < out->vertex_count; v++)
        out->vertices[v] = vec3_scale(radius, cube_to_ball(out->vertices[v]));
    return ABUT_OK;
}

/* ---- sheets, lines, points ----------------------------------------------------------------- */

abut_status generate_grid(double size_x, double size_z, const int cells[2], mesh *out,
                          abut_error *err)
{
    *out = (mesh){0};
    TRY(check_length("grid", "size x", size_x, err));
    TRY(check_length("grid", "size z", size_z, err));
    TRY(check_count("grid", "cells x", cells[0], 1, err));
    TRY(check_count("grid", "cells z", cells[1], 1, err));
    double n[2] = {cells[0] + 1.0, cells[1] + 1.0}, triangles[3] = {2.0, cells[0], cells[1]};
    TRY(check_product("grid", "vertices", n, 2, err));
    TRY(check_product("grid", "triangles", triangles, 3, err));
    int32_t *nodes;
    TRY(start_mesh(out, (size_t)(n[0] * n[1]), CELL_TRIANGLE,
                   2 * (size_t)cells[0] * (size_t)cells[1], &nodes, err));
    size_t v = 0;
    for (int i = 0; i <= cells[0]; i++)
        for (int j = 0; j <= cells[1]; j++)
            out->vertices[v++] = vec3_make(size_x * (2.0 * i - cells[0]) / (2.0 * cells[0]), 0.0,
                                           size_z * (2.0 * j - cells[1]) / (2.0 * cells[1]));
    for (int i = 0; i < cells[0]; i++)
        for (int j = 0; j < cells[1]; j++) {
            /* a is at (x, z), b at (x, z + 1), c and d follow in x: all seen from above. */
            int32_t a = i * (cells[1] + 1) + j, b = a + 1, c = b + cells[1] + 1, d = c - 1;
            bool turned = (i + j) % 2 == 1;
            const int32_t cut[6] = {a, b, turned ? d : c, turned ? b : a, c, d};
            for (int k = 0; k < 6; k++) *nodes++ = cut[k];
        }
    return ABUT_OK;
}

abut_status generate_polyline(vec3 a, vec3 b, int segments, mesh *out, abut_error *err)
{
    *out = (mesh){0};
    TRY(check_count("polyline", "segments", segments, 1, err));
    if (segments == INT32_MAX)
        return error_set(err, ABUT_ERROR_INPUT, "polyline", "segments is %d; it must be less",
                         segments);
    if (!vec3_is_finite(a) || !vec3_is_finite(b))
        return error_set(err, ABUT_ERROR_INPUT, "polyline", "the end points must be finite");
    TRY(check_length("polyline", "distance of the end points", vec3_norm(vec3_sub(b, a)), err));
    int32_t *nodes;
    TRY(start_mesh(out, (size_t)segments + 1, CELL_EDGE, (size_t)segments, &nodes, err));
    for (int i = 0; i <= segments; i++) {
        double s = (double)i / segments;
        out->vertices[i] = vec3_mul_add(vec3_scale(1.0 - s, a), s, b);
        if (i == segments) break;
        nodes[2 * i] = i;
        nodes[2 * i + 1] = i + 1;
    }
    return ABUT_OK;
}

abut_status generate_lattice(const int counts[3], vec3 spacing, mesh *out, abut_error *err)
{
    *out = (mesh){0};
    static const char *const names[3] = {"counts x", "counts y", "counts z"};
    static const char *const spacings[3] = {"spacing x", "spacing y", "spacing z"};
    double factors[3];
    for (int k = 0; k < 3; k++) {
        TRY(check_count("lattice", names[k], counts[k], 1, err));
        if (counts[k] > 1) TRY(check_length("lattice", spacings[k], vec3_get(spacing, k), err));
        factors[k] = counts[k];
    }
    TRY(check_product("lattice", "points", factors, 3, err));
    size_t total = (size_t)counts[0] * (size_t)counts[1] * (size_t)counts[2];
    int32_t *nodes;
    TRY(start_mesh(out, total, CELL_POINT, total, &nodes, err));
    size_t v = 0;
    for (int i = 0; i < counts[0]; i++)
        for (int j = 0; j < counts[1]; j++)
            for (int k = 0; k < counts[2]; k++, v++) {
                const int at[3] = {i, j, k};
                double x[3];
                for (int a = 0; a < 3; a++)
                    x[a] = counts[a] == 1 ? 0.0
                                          : vec3_get(spacing, a) * (at[a] - 0.5 * (counts[a] - 1));
                out->vertices[v] = vec3_load(x);
                nodes[v] = (int32_t)v;
            }
    return ABUT_OK;
}

/* ---- transformation ------------------------------------------------------------------------ */

/* Cosine and sine of an angle in degrees, exact for multiples of 90. */
static void turn_degrees(double degrees, double *c, double *s)
{
    double turns = remainder(degrees, 360.0);
    *c = fabs(turns) == 90.0 ? 0.0 : cos(turns * (3.14159265358979323846 / 180.0));
    *s = fabs(turns) == 180.0 ? 0.0 : sin(turns * (3.14159265358979323846 / 180.0));
}

mat3 rotation_from_degrees(vec3 degrees)
{
    double cx, sx, cy, sy, cz, sz;
    turn_degrees(degrees.x, &cx, &sx);
    turn_degrees(degrees.y, &cy, &sy);
    turn_degrees(degrees.z, &cz, &sz);
    mat3 x = {{{1, 0, 0}, {0, cx, -sx}, {0, sx, cx}}};
    mat3 y = {{{cy, 0, sy}, {0, 1, 0}, {-sy, 0, cy}}};
    mat3 z = {{{cz, -sz, 0}, {sz, cz, 0}, {0, 0, 1}}};
    return mat3_mul(z, mat3_mul(y, x));
}

void mesh_transform(mesh *m, vec3 scale, vec3 rotate_degrees, vec3 translate)
{
    mat3 rotation = rotation_from_degrees(rotate_degrees);
    for (size_t v = 0; v < m->vertex_count; v++) {
        vec3 x = m->vertices[v];
        vec3 scaled = vec3_make(scale.x * x.x, scale.y * x.y, scale.z * x.z);
        m->vertices[v] = vec3_add(mat3_mul_vec(rotation, scaled), translate);
    }
    if (scale.x * scale.y * scale.z >= 0.0) return;
    for (int b = 0; b < m->block_count; b++) {
        cell_block *block = &m->blocks[b];
        int permutation[CELL_MAX_NODES];
        if (block->kind == CELL_POINT || block->kind == CELL_EDGE) continue;
        cell_reversal(block->kind, block->order, permutation);
        for (size_t c = 0; c < block->count; c++) cell_reverse(block, c, permutation);
    }
}
