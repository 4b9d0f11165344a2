/* Element kernels against the speed that their floating-point operations allow.
 *
 *   bench_elements [seconds per case]
 *
 * For each kind and order: nanoseconds per element for the energy, for the gradient, and for
 * gradient and Hessian together; the operations of the latter, their rate, and its share of what
 * one core does in a loop of independent vector multiplications and additions
 * that stay in registers (the library is compiled without fused multiply-add, so that all machines
 * agree). All tables fit into the cache: arithmetic is the limit, not memory. */
#include "fem/elements.h"
#include "fem/lagrange.h"
#include "fem/tet4_four.h"
#include "math/pack4.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ELEMENTS = 64 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Operations per second of twelve independent chains of multiply and add. */
static double peak_rate(double seconds)
{
    enum { CHAINS = 12, ROUNDS = 1 << 17 }; /* long enough for the clock */
    pack4 sum[CHAINS], factor = {1 + 1e-9, 1 - 1e-9, 1 + 2e-9, 1 - 2e-9};
    for (int k = 0; k < CHAINS; k++) sum[k] = factor * k;
    double best = 0, start = now();
    volatile double sink = 0;
    while (now() - start < seconds) {
        double begin = now();
        for (int r = 0; r < ROUNDS; r++)
            for (int k = 0; k < CHAINS; k++) sum[k] = sum[k] * factor + factor;
        double rate = 8.0 * CHAINS * ROUNDS / (now() - begin);
        best = rate > best ? rate : best;
    }
    for (int k = 0; k < CHAINS; k++) sink += sum[k][0];
    (void)sink;
    return best;
}

typedef struct bench_case {
    element_set set;
    vec3 rest[ELEMENTS * CELL_MAX_NODES];
    double x[3 * ELEMENTS * CELL_MAX_NODES];
} bench_case;

static double noise(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)*state / 4294967296.0 - 0.5;
}

static bool make_case(bench_case *c, cell_kind kind, int order, int geometry, bool affine)
{
    abut_error err;
    if (element_set_init(&c->set, kind, order, geometry, affine, &err) != ABUT_OK) return false;
    int lattice[CELL_MAX_NODES][3], n = cell_lattice(kind, order, lattice);
    int shape_lattice[CELL_MAX_NODES][3], m = cell_lattice(kind, geometry, shape_lattice);
    elastic_parameters material = elastic_from_young(ELASTIC_NEO_HOOKEAN, 1e5, 0.4);
    uint32_t state = 7;
    for (int e = 0; e < ELEMENTS; e++) {
        vec3 shape[CELL_MAX_NODES];
        for (int a = 0; a < m; a++) {
            double x = (double)shape_lattice[a][0] / geometry,
                   y = (double)shape_lattice[a][1] / geometry,
                   z = (double)shape_lattice[a][2] / geometry;
            shape[a] = (vec3){x + 0.2 * y + (affine ? 0 : 0.1 * y * y), y, z + 0.1 * x};
        }
        int32_t blocks[CELL_MAX_NODES];
        for (int a = 0; a < n; a++) {
            double xi[3];
            for (int k = 0; k < 3; k++) xi[k] = (double)lattice[a][k] / order;
            int at = e * n + a;
            blocks[a] = at;
            c->rest[at] = lagrange_position(kind, geometry, shape, xi, NULL);
            double r[3] = {c->rest[at].x, c->rest[at].y, c->rest[at].z};
            for (int k = 0; k < 3; k++) c->x[3 * at + k] = r[k] + 0.02 / order * noise(&state);
        }
        if (element_set_add(&c->set, blocks, shape, geometry, &material, 1000, 0, &err) != ABUT_OK)
            return false;
    }
    return true;
}

static int by_size(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

typedef enum part { ENERGY, GRADIENT, BOTH } part;

/* The tenth part of the samples is faster than the answer: neither what else ran on the machine
 * counts nor a clock that jumped. */
static double nanoseconds(const bench_case *c, part what, double seconds)
{
    enum { BLOCKS = CELL_MAX_NODES * (CELL_MAX_NODES + 1) / 2, SAMPLES = 4096 };
    static double g[ELEMENTS * 3 * CELL_MAX_NODES], h[ELEMENTS * 9 * BLOCKS];
    double each[SAMPLES], start = now();
    volatile double sink = 0;
    int count = 0;
    for (; count < SAMPLES && (count < 3 || now() - start < seconds); count++) {
        double begin = now();
        if (what == ENERGY)
            sink += element_energy(&c->set, c->x, c->rest, NULL, 0, ELEMENTS);
        else
            element_derivatives(&c->set, c->x, c->rest, NULL, 1, true, 0, ELEMENTS, g,
                                what == BOTH ? h : NULL);
        each[count] = 1e9 * (now() - begin) / ELEMENTS;
    }
    (void)sink;
    qsort(each, (size_t)count, sizeof *each, by_size);
    return each[count / 10];
}

/* The same for linear tets that are in no set, which the elastic term computes by itself. */
static double nanoseconds_plain(const bench_case *c, part what, double seconds)
{
    enum { SAMPLES = 4096 };
    static double g[ELEMENTS * 12], h[ELEMENTS * 90];
    tet4_four four[ELEMENTS / 4];
    for (int e = 0; e < ELEMENTS; e++) {
        tet4_four *t = &four[e / 4];
        t->count = 4;
        t->material[e % 4] = &c->set.material.data[e];
        if (!tet4_rest_make(c->rest + 4 * e, &t->rest[e % 4])) return 0;
        for (int a = 0; a < 4; a++) t->x[e % 4][a] = vec3_load(c->x + 12 * e + 3 * a);
    }
    double each[SAMPLES], start = now(), energy[4];
    volatile double sink = 0;
    int count = 0;
    for (; count < SAMPLES && (count < 3 || now() - start < seconds); count++) {
        double begin = now();
        for (int k = 0; k < ELEMENTS / 4; k++) {
            if (what == ENERGY)
                tet4_four_energy(&four[k], energy);
            else
                tet4_four_derivatives(&four[k], g + 48 * k, what == BOTH ? h + 360 * k : NULL);
            sink += what == ENERGY ? energy[0] : g[48 * k];
        }
        each[count] = 1e9 * (now() - begin) / ELEMENTS;
    }
    (void)sink;
    qsort(each, (size_t)count, sizeof *each, by_size);
    return each[count / 10];
}

/* Operations of gradient and Hessian, each multiplication, addition, division and root counted as
 * one, at the points of the quadrature (guards rest in these elements). */
typedef struct operation_count {
    double products; /* displacement gradients, forces, R^T C R without what is padding */
    double all;      /* the material's response, too */
} operation_count;

/* Of response_evaluate with projection, per element and point: arithmetic instructions in the code
 * that GCC 12 makes of it, those of its one loop three times. */
static const double RESPONSE_OPERATIONS = 1146;

static operation_count operations(const element_set *s)
{
    double nodes = s->nodes, points = s->elastic_points, d = s->dimension, rows = d * points;
    double gradients = 2 * 3 * nodes * rows, forces = 2 * 3 * nodes * rows;
    double mixing = 6 * rows * (2 * d - 1) * nodes;
    double products = (3 * nodes * nodes + 3 * nodes * (nodes + 1) / 2) * 2 * rows;
    double deformation = 9 * (2 * d - 1) + 3; /* F = I + H J^-1 */
    operation_count count = {.products = gradients + forces + mixing + products};
    count.all = count.products + points * (deformation + RESPONSE_OPERATIONS);
    return count;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 0.3;
    double peak = peak_rate(seconds);
    static const struct {
        const char *name;
        cell_kind kind;
        int order, geometry;
        bool affine;
    } cases[] = {{"tet", CELL_TET, 1, 1, true},          {"tet", CELL_TET, 2, 1, true},
                 {"tet", CELL_TET, 3, 1, true},          {"tet", CELL_TET, 4, 1, true},
                 {"curved tet", CELL_TET, 2, 2, false},  {"curved tet", CELL_TET, 4, 4, false},
                 {"hex", CELL_HEX, 1, 1, true},          {"hex", CELL_HEX, 2, 1, true},
                 {"triangle", CELL_TRIANGLE, 2, 1, true}};
    printf("# peak %.2f Gflop/s (vector multiply and add, one core)\n", 1e-9 * peak);
    printf("cell,order,nodes,points,energy_ns,gradient_ns,hessian_ns,flops,Gflops,share_of_peak,"
           "share_by_products\n");
    static bench_case c;
    if (!make_case(&c, CELL_TET, 1, 1, true)) return 1;
    /* F, response, and the sums for node 0. */
    double flops = 9 + 45 + RESPONSE_OPERATIONS + 6 + 27 * 2 + 6 * 2;
    double plain = nanoseconds_plain(&c, BOTH, seconds);
    printf("plain tet,1,4,1,%.0f,%.0f,%.0f,%.0f,%.2f,%.2f,\n",
           nanoseconds_plain(&c, ENERGY, seconds), nanoseconds_plain(&c, GRADIENT, seconds), plain,
           flops, flops / plain, 1e9 * flops / plain / peak);
    element_set_free(&c.set);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!make_case(&c, cases[i].kind, cases[i].order, cases[i].geometry, cases[i].affine)) {
            fprintf(stderr, "a case could not be made\n");
            return 1;
        }
        operation_count count = operations(&c.set);
        double both = nanoseconds(&c, BOTH, seconds);
        printf("%s,%d,%d,%d,%.0f,%.0f,%.0f,%.0f,%.2f,%.2f,%.2f\n", cases[i].name, cases[i].order,
               c.set.nodes, c.set.elastic_points, nanoseconds(&c, ENERGY, seconds),
               nanoseconds(&c, GRADIENT, seconds), both, count.all, count.all / both,
               1e9 * count.all / both / peak, 1e9 * count.products / both / peak);
        element_set_free(&c.set);
    }
    return 0;
}
