#include "measure/probe_find.h"

#include "fem/lagrange.h"

#include <math.h>

/* A point is taken to be in a cell from which it is no further out than this share of it. */
static const double OUTSIDE = 1e-6;

typedef struct found {
    double distance;         /* outside of the cell, in units of it; negative inside */
    const cell_block *cells; /* of the frame */
    size_t cell;
    double xi[3];
} found;

static bool is_cube(cell_kind kind) { return kind == CELL_QUAD || kind == CELL_HEX; }

/* How far xi is outside the reference cell. */
static double outside(cell_kind kind, const double *xi)
{
    double most = -INFINITY, sum = 0;
    for (int k = 0; k < cell_dimension(kind); k++) {
        most = fmax(most, -xi[k]);
        if (is_cube(kind)) most = fmax(most, xi[k] - 1);
        sum += xi[k];
    }
    return is_cube(kind) ? most : fmax(most, sum - 1);
}

/* g(xi) = target by Newton's method from the middle; false when it does not converge. */
static bool invert(cell_kind kind, int order, const vec3 *nodes, vec3 target, double xi[3])
{
    int dimension = cell_dimension(kind);
    for (int k = 0; k < 3; k++)
        xi[k] = k >= dimension ? 0 : is_cube(kind) ? 0.5 : 1.0 / (dimension + 1);
    for (int i = 0; i < 40; i++) {
        mat3 j;
        vec3 r = vec3_sub(lagrange_position(kind, order, nodes, xi, &j), target);
        if (dimension == 2) {
            r.z = 0;
            j.m[0][2] = j.m[1][2] = j.m[2][0] = j.m[2][1] = 0;
            j.m[2][2] = 1;
        }
        if (!(fabs(mat3_determinant(j)) > 0)) return false;
        vec3 step = mat3_mul_vec(mat3_inverse(j), r);
        double size = vec3_norm(step);
        if (!(size < 1e3)) return false;
        xi[0] -= step.x;
        xi[1] -= step.y;
        xi[2] -= step.z;
        if (size < 1e-13) return true;
    }
    return false;
}

/* Looks for the target in the cells of a block whose points have the rest positions `rest`. */
static void search(const cell_block *cells, const int32_t *body, const vec3 *rest, int32_t wanted,
                   vec3 target, found *best)
{
    for (size_t c = 0; c < cells->count; c++) {
        const int32_t *points = cells->nodes + c * (size_t)cells->nodes_per_cell;
        vec3 nodes[CELL_MAX_NODES];
        double xi[3];
        if (body[points[0]] != wanted) continue;
        for (int a = 0; a < cells->nodes_per_cell; a++) nodes[a] = rest[points[a]];
        if (!invert(cells->kind, cells->order, nodes, target, xi)) continue;
        double distance = outside(cells->kind, xi);
        if (distance < best->distance) *best = (found){distance, cells, c, {xi[0], xi[1], xi[2]}};
    }
}

static bool take_cell(probe *p, const found *at)
{
    double value[CELL_MAX_NODES];
    const cell_block *cells = at->cells;
    lagrange_evaluate(cells->kind, cells->order, at->xi, value, NULL);
    for (int a = 0; a < cells->nodes_per_cell; a++)
        if (!array_push(&p->points,
                        cells->nodes[at->cell * (size_t)cells->nodes_per_cell + (size_t)a]) ||
            !array_push(&p->weights, value[a]))
            return false;
    return true;
}

static bool take_nearest(probe *p, const model_frame *f)
{
    double least = INFINITY;
    int32_t nearest = -1;
    for (size_t i = 0; i < f->source.count; i++) {
        double d = vec3_norm2(vec3_sub(f->rest.data[i], p->def->place.a));
        if (f->body.data[i] != p->body || !(d < least)) continue;
        least = d;
        nearest = (int32_t)i;
    }
    return nearest < 0 || array_push(&p->points, nearest);
}

static abut_status find_cell(probe *p, const model_frame *surface, const volume_frame *volume,
                             const vec3 *volume_rest, const model *m, abut_error *err)
{
    found best = {.distance = INFINITY};
    const model_body *body = &m->bodies.data[p->body];
    for (size_t b = 0; p->volume && b < volume->blocks.count; b++)
        search(&volume->blocks.data[b], volume->body.data, volume_rest, p->body, p->def->place.a,
               &best);
    for (size_t b = 0; !p->volume && b < surface->block_count; b++)
        if (surface->blocks[b].kind == CELL_TET)
            search(&surface->blocks[b], surface->body.data, surface->rest.data, p->body,
                   p->def->place.a, &best);
    bool solid = p->volume || (body->tet_count > 0 && !body->by_surface);
    if (solid && !(best.distance <= OUTSIDE))
        return error_set(err, ABUT_ERROR_INPUT, "output.probes",
                         "the point (%g, %g, %g) of the probe \"%s\" is in no cell of the body "
                         "\"%s\" at the start",
                         p->def->place.a.x, p->def->place.a.y, p->def->place.a.z, p->def->name,
                         p->def->body);
    bool ok = solid ? take_cell(p, &best) : take_nearest(p, surface);
    return ok ? ABUT_OK : error_memory(err, "preparing probes");
}

static bool holds(const probe_def *def, vec3 p)
{
    vec3 a = def->place.a, b = def->place.b;
    if (def->kind == PROBE_ALL) return true;
    if (def->kind == PROBE_SPHERE)
        return vec3_norm2(vec3_sub(p, a)) <= def->place.radius * def->place.radius;
    return p.x >= a.x && p.x <= b.x && p.y >= a.y && p.y <= b.y && p.z >= a.z && p.z <= b.z;
}

static abut_status find_region(probe *p, const model_frame *surface, const volume_frame *volume,
                               const vec3 *volume_rest, abut_error *err)
{
    size_t count = p->volume ? volume->node.count : surface->source.count;
    const int32_t *body = p->volume ? volume->body.data : surface->body.data;
    const vec3 *rest = p->volume ? volume_rest : surface->rest.data;
    for (size_t i = 0; i < count; i++)
        if (body[i] == p->body && holds(p->def, rest[i]) && !array_push(&p->points, (int32_t)i))
            return error_memory(err, "preparing probes");
    if (p->points.count > 0) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INPUT, "output.probes",
                     "the region of the probe \"%s\" holds no node of the body \"%s\" at the start",
                     p->def->name, p->def->body);
}

abut_status probe_find_points(probe *p, const model_frame *surface, const volume_frame *volume,
                              const model *m, abut_error *err)
{
    vec3 *rest = mem_alloc(volume->node.count + 1, sizeof *rest);
    if (!rest) return error_memory(err, "preparing probes");
    for (size_t i = 0; i < volume->node.count; i++) rest[i] = m->rest.data[volume->node.data[i]];
    abut_status status = p->def->kind == PROBE_AT ? find_cell(p, surface, volume, rest, m, err)
                                                  : find_region(p, surface, volume, rest, err);
    mem_free(rest);
    return status;
}
