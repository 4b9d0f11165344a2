/* Generators of sheets, rods and grains beyond the basic shapes. */
#include "base/random.h"
#include "mesh/generate.h"
#include "mesh/generate_check.h"

#include <math.h>

abut_status generate_grid_same(double size_x, double size_z, const int cells[2], mesh *out,
                               abut_error *err)
{
    TRY(generate_grid(size_x, size_z, cells, out, err));
    int32_t *n = out->blocks[0].nodes;
    /* Vertices of the grid come row by row; along which axis depends on the generator: read it off.
     */
    for (int i = 0; i < cells[0]; i++)
        for (int j = 0; j < cells[1]; j++, n += 6) {
            int32_t corners[4] = {n[0], n[0], n[0], n[0]};
            int count = 0;
            for (int k = 0; k < 6; k++) {
                bool seen = false;
                for (int q = 0; q < count; q++) seen = seen || corners[q] == n[k];
                if (!seen) corners[count++] = n[k];
            }
            /* Order them by x, then z: (low, low), (low, high), (high, low), (high, high). */
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3 - a; b++) {
                    vec3 p = out->vertices[corners[b]], q = out->vertices[corners[b + 1]];
                    if (p.x > q.x || (p.x == q.x && p.z > q.z)) {
                        int32_t swap = corners[b];
                        corners[b] = corners[b + 1];
                        corners[b + 1] = swap;
                    }
                }
            const int32_t cut[6] = {corners[0], corners[1], corners[3],
                                    corners[0], corners[3], corners[2]};
            for (int k = 0; k < 6; k++) n[k] = cut[k];
        }
    return ABUT_OK;
}

abut_status generate_helix(double radius, double pitch, double turns, int segments, mesh *out,
                           abut_error *err)
{
    *out = (mesh){0};
    TRY(check_length("helix", "radius", radius, err));
    TRY(check_length("helix", "turns", turns, err));
    TRY(check_count("helix", "segments", segments, 1, err));
    if (!(pitch >= 0) || !isfinite(pitch))
        return error_set(err, ABUT_ERROR_INPUT, "helix", "pitch is %g; it must be at least 0",
                         pitch);
    double factors[1] = {segments + 1.0};
    TRY(check_product("helix", "vertices", factors, 1, err));
    int32_t *nodes;
    TRY(start_mesh(out, (size_t)segments + 1, CELL_EDGE, (size_t)segments, &nodes, err));
    for (int i = 0; i <= segments; i++) {
        double turn = turns * i / segments, angle = 2 * 3.14159265358979323846 * turn;
        out->vertices[i] = vec3_make(radius * cos(angle), pitch * turn, radius * sin(angle));
        if (i == segments) break;
        nodes[2 * i] = i;
        nodes[2 * i + 1] = i + 1;
    }
    return ABUT_OK;
}

/* Within the ellipsoid around the lattice; single layers do not count. */
static bool inside_round(const int at[3], const int counts[3])
{
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        if (counts[a] == 1) continue;
        double r = (2.0 * at[a] - (counts[a] - 1)) / counts[a];
        sum += r * r;
    }
    return sum <= 1;
}

abut_status generate_bundle(vec3 from, vec3 to, int segments, const int counts[3], vec3 spacing,
                            bool round, mesh *out, abut_error *err)
{
    mesh positions, chain;
    TRY(generate_lattice(counts, spacing, &positions, err));
    abut_status status = generate_polyline(from, to, segments, &chain, err);
    size_t kept = 0;
    for (size_t v = 0; status == ABUT_OK && v < positions.vertex_count; v++) {
        const int at[3] = {(int)(v / ((size_t)counts[1] * (size_t)counts[2])),
                           (int)(v / (size_t)counts[2] % (size_t)counts[1]),
                           (int)(v % (size_t)counts[2])};
        if (!round || inside_round(at, counts)) positions.vertices[kept++] = positions.vertices[v];
    }
    double factors[2] = {(double)kept, segments + 1.0};
    if (status == ABUT_OK) status = check_product("bundle", "vertices", factors, 2, err);
    int32_t *nodes = NULL;
    size_t per_chain = (size_t)segments + 1;
    if (status == ABUT_OK)
        status = start_mesh(out, kept * per_chain, CELL_EDGE, kept * (size_t)segments, &nodes, err);
    for (size_t c = 0; status == ABUT_OK && c < kept; c++)
        for (size_t i = 0; i < per_chain; i++) {
            out->vertices[c * per_chain + i] = vec3_add(chain.vertices[i], positions.vertices[c]);
            if (i + 1 == per_chain) break;
            *nodes++ = (int32_t)(c * per_chain + i);
            *nodes++ = (int32_t)(c * per_chain + i + 1);
        }
    mesh_free(&positions);
    mesh_free(&chain);
    return status;
}

void mesh_jitter(mesh *m, double size)
{
    random_state r = {1};
    for (size_t v = 0; v < m->vertex_count && size > 0; v++) {
        double x = random_range(&r, -size, size), y = random_range(&r, -size, size);
        m->vertices[v] = vec3_add(m->vertices[v], vec3_make(x, y, random_range(&r, -size, size)));
    }
}
