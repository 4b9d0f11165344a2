#include "fill/quality.h"

#include "geometry/predicates.h"
#include "mesh/topology.h"

#include <math.h>
#include <string.h>

static const double DEGREES = 57.295779513082320877;

static const int edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

void tet_dihedral_range(const vec3 x[4], double *smallest, double *largest)
{
    *smallest = 180;
    *largest = 0;
    for (int e = 0; e < 6; e++) {
        vec3 a = x[edges[e][0]], b = x[edges[e][1]];
        vec3 c = x[edges[5 - e][0]], d = x[edges[5 - e][1]]; /* the opposite edge */
        vec3 along = vec3_sub(b, a);
        vec3 n = vec3_cross(along, vec3_sub(c, a)), m = vec3_cross(along, vec3_sub(d, a));
        double angle = DEGREES * atan2(vec3_norm(vec3_cross(n, m)), vec3_dot(n, m));
        *smallest = fmin(*smallest, angle);
        *largest = fmax(*largest, angle);
    }
}

static void add_tet(const vec3 x[4], tet_quality *out)
{
    double low, high, squares = 0;
    tet_dihedral_range(x, &low, &high);
    out->smallest = fmin(out->smallest, low);
    out->largest = fmax(out->largest, high);
    int bin = (int)(low / 10);
    out->histogram[bin < 0 ? 0 : bin > 17 ? 17 : bin]++;
    for (int e = 0; e < 6; e++) {
        double length = vec3_norm(vec3_sub(x[edges[e][0]], x[edges[e][1]]));
        squares += length * length / 6;
        out->shortest = fmin(out->shortest, length);
        out->longest = fmax(out->longest, length);
    }
    double volume = tet_volume(x[0], x[1], x[2], x[3]);
    double shape = squares > 0 ? 6 * sqrt(2) * volume / (squares * sqrt(squares)) : 0;
    out->volume += volume;
    out->worst = fmin(out->worst, shape);
    out->mean += shape;
    out->inverted += orient3d(x[0], x[1], x[2], x[3]) <= 0;
    out->count++;
}

void mesh_tet_quality(const mesh *m, tet_quality *out)
{
    memset(out, 0, sizeof *out);
    out->smallest = 180;
    out->worst = 1;
    out->shortest = INFINITY;
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        if (block->kind != CELL_TET || block->order != 1) continue;
        for (size_t c = 0; c < block->count; c++) {
            vec3 x[4];
            for (int k = 0; k < 4; k++) x[k] = m->vertices[block->nodes[4 * c + (size_t)k]];
            add_tet(x, out);
        }
    }
    if (out->count)
        out->mean /= (double)out->count;
    else
        out->smallest = out->largest = out->worst = out->mean = out->shortest = NAN;
}
