#include "fem/curved_ball.h"

#include "fem/change_order.h"
#include "fem/lagrange.h"
#include "mesh/generate.h"

#include <string.h>

/* Straight tets from the last vertex, the centre, to the triangles of a sphere. */
static abut_status make_straight(double radius, int level, mesh *out, abut_error *err)
{
    mesh sphere;
    TRY(generate_icosphere(radius, level, &sphere, err));
    const cell_block *triangles = mesh_find(&sphere, CELL_TRIANGLE);
    cell_block *tets = NULL;
    abut_status status = mesh_init(out, sphere.vertex_count + 1, err);
    if (status == ABUT_OK)
        status = mesh_add_block(out, CELL_TET, 1, triangles->count, false, &tets, err);
    if (status == ABUT_OK) {
        memcpy(out->vertices, sphere.vertices, sphere.vertex_count * sizeof *out->vertices);
        out->vertices[sphere.vertex_count] = (vec3){0};
        for (size_t c = 0; c < triangles->count; c++) {
            memcpy(tets->nodes + 4 * c + 1, triangles->nodes + 3 * c, 3 * sizeof *tets->nodes);
            tets->nodes[4 * c] = (int32_t)sphere.vertex_count;
        }
    }
    mesh_free(&sphere);
    return status;
}

/* A node at the share 1 - l0 of the distance from the centre goes to that share of the radius. */
static void bend(mesh *m, double radius)
{
    const cell_block *tets = &m->blocks[0];
    int lattice[CELL_MAX_NODES][3], n = cell_lattice(CELL_TET, tets->order, lattice);
    for (size_t c = 0; c < tets->count; c++)
        for (int a = 0; a < n; a++) {
            vec3 *x = &m->vertices[tets->nodes[c * (size_t)n + (size_t)a]];
            double share = (double)(lattice[a][0] + lattice[a][1] + lattice[a][2]) / tets->order;
            *x = vec3_scale(share * radius, vec3_normalize(*x));
        }
}

abut_status generate_curved_ball(double radius, int level, int order, mesh *out, abut_error *err)
{
    mesh straight;
    TRY(make_straight(radius, level, &straight, err));
    abut_status status = mesh_change_order(&straight, order, out, NULL, err);
    mesh_free(&straight);
    if (status == ABUT_OK) bend(out, radius);
    return status;
}
