#include "fem/tet4_four.h"

#include "fem/element_response.h"
#include "math/pack4_math.h"

/* What the four are as packs; the first one stands in for those that are not there. */
typedef struct four_tets {
    four_materials materials;
    mat3x4 f, inverse;
    pack4 volume;
} four_tets;

static void load(const tet4_four *t, four_tets *out)
{
    const elastic_parameters *material[4];
    mat3x4 edges;
    for (size_t l = 0; l < 4; l++) {
        size_t e = l < t->count ? l : 0;
        const vec3 *x = t->x[e];
        material[l] = t->material[e];
        out->volume[l] = t->rest[e].volume;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) out->inverse.m[i][k][l] = t->rest[e].dm_inverse.m[i][k];
        for (int k = 0; k < 3; k++) {
            edges.m[0][k][l] = x[k + 1].x - x[0].x;
            edges.m[1][k][l] = x[k + 1].y - x[0].y;
            edges.m[2][k][l] = x[k + 1].z - x[0].z;
        }
    }
    four_materials_set(&out->materials, material);
    for (size_t l = 0; l < 4 && out->materials.parts; l++)
        out->materials.point[l] = t->point[l < t->count ? l : 0];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out->f.m[i][k] = edges.m[i][0] * out->inverse.m[0][k] +
                             edges.m[i][1] * out->inverse.m[1][k] +
                             edges.m[i][2] * out->inverse.m[2][k];
}

/* Whether some are computed side by side. */
static bool some_go_together(const tet4_four *t)
{
    for (size_t l = 0; l < t->count; l++)
        if (elastic_is_plain_neo_hookean(t->material[l]) || t->material[l]->parts) return true;
    return false;
}

void tet4_four_energy(const tet4_four *t, double energy[4])
{
    int done = 0;
    if (some_go_together(t)) {
        four_tets four;
        load(t, &four);
        pack4 all = four.volume * response_energy(&four.materials, &four.f);
        done = four.materials.plain | four.materials.parts;
        for (int l = 0; l < 4; l++) energy[l] = all[l];
    }
    for (size_t l = 0; l < t->count; l++)
        if (!(done >> l & 1)) energy[l] = tet4_energy(&t->rest[l], t->material[l], t->x[l]);
}

/* g[3 a + i]: component i of node a. Column k of the stress belongs to node k + 1. */
static void forces(const mat3x4 *stress, pack4 g[12])
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) g[3 * (k + 1) + i] = stress->m[i][k];
        g[i] = -(stress->m[i][0] + (stress->m[i][1] + stress->m[i][2]));
    }
}

/* Entry (i, j) of the block of nodes a and b, both from 1. */
static inline pack4 entry(pack4 (*c)[9], int a, int b, int i, int j)
{
    static const int pair[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    return i <= j ? c[pair[i][j]][3 * (a - 1) + b - 1] : c[pair[i][j]][3 * (b - 1) + a - 1];
}

/* h[9 block + 3 i + j], blocks in the order of tet4_block. */
static void stiffness(pack4 (*c)[9], pack4 h[9 * TET4_BLOCKS])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            for (int a = 1; a < 4; a++)
                for (int b = a; b < 4; b++)
                    h[9 * tet4_block(a, b) + 3 * i + j] = entry(c, a, b, i, j);
            for (int b = 1; b < 4; b++)
                h[9 * b + 3 * i + j] =
                    -(entry(c, 1, b, i, j) + (entry(c, 2, b, i, j) + entry(c, 3, b, i, j)));
        }
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) /* symmetric to the last bit */
            h[3 * i + j] = h[3 * j + i] =
                -(h[9 + 3 * i + j] + (h[18 + 3 * i + j] + h[27 + 3 * i + j]));
}

static void write_lanes(const pack4 *from, size_t size, size_t count, double *to)
{
    size_t k = 0;
    for (; count == 4 && k + 4 <= size; k += 4) {
        pack4 a = from[k], b = from[k + 1], c = from[k + 2], d = from[k + 3];
        pack4_transpose(&a, &b, &c, &d);
        *(pack4_loose *)(to + k) = a;
        *(pack4_loose *)(to + size + k) = b;
        *(pack4_loose *)(to + 2 * size + k) = c;
        *(pack4_loose *)(to + 3 * size + k) = d;
    }
    for (; k < size; k++)
        for (size_t l = 0; l < count; l++) to[l * size + k] = from[k][l];
}

void tet4_four_derivatives(const tet4_four *t, double *gradient, double *hessian)
{
    enum { FORCES = 12, ENTRIES = 9 * TET4_BLOCKS };
    int done = 0;
    if (some_go_together(t)) {
        four_tets four;
        mat3x4 stress;
        pack4 c[RESPONSE_PAIRS][9], g[FORCES], h[ENTRIES];
        load(t, &four);
        response_evaluate(&four.materials, &four.f, &four.inverse, four.volume, !t->exact,
                          gradient ? &stress : NULL, hessian ? c : NULL);
        done = four.materials.plain | four.materials.parts;
        if (gradient) {
            forces(&stress, g);
            write_lanes(g, FORCES, t->count, gradient);
        }
        if (hessian) {
            stiffness(c, h);
            write_lanes(h, ENTRIES, t->count, hessian);
        }
    }
    for (size_t l = 0; l < t->count; l++)
        if (!(done >> l & 1))
            tet4_evaluate(&t->rest[l], t->material[l], t->x[l], true,
                          gradient ? (vec3 *)(gradient + FORCES * l) : NULL,
                          hessian ? (mat3 *)(hessian + ENTRIES * l) : NULL);
}
