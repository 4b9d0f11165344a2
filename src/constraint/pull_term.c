#include "constraint/pull_term.h"

#include "base/memory.h"
#include "body/follower.h"
#include "body/rigid.h"
#include "constraint/follow.h"
#include "constraint/joint_make.h"
#include "math/eigen.h"

#include <string.h>

enum { WIDTH = JOINT_SIDE_BLOCKS, SCALARS = 3 * WIDTH };

typedef struct pull_term {
    term base;
    const model *model;
    pull now;
    int32_t blocks[WIDTH]; /* of the side; -1 behind its last */
    vec3 start;            /* of the point, at the start of the step */
    double h;
} pull_term;

/* Spring and damper together are one spring: its stiffness, and the force at the point, both
 * without factors of the integrator. */
static double joint_stiffness(const pull_term *t)
{
    return t->now.stiffness + (t->h > 0 ? t->now.damping / t->h : 0);
}

static vec3 slope(const pull_term *t, const double *x)
{
    vec3 y = side_position(t->model, &t->now.side, x);
    vec3 out = vec3_scale(t->now.stiffness, vec3_sub(y, t->now.target));
    return t->h > 0 ? vec3_mul_add(out, t->now.damping / t->h, vec3_sub(y, t->start)) : out;
}

static double value(const term *base, const evaluation *ev, const double *x)
{
    const pull_term *t = (const pull_term *)base;
    if (!t->now.active) return 0;
    vec3 y = side_position(t->model, &t->now.side, x);
    double energy = 0.5 * t->now.stiffness * vec3_norm2(vec3_sub(y, t->now.target));
    if (t->h > 0) energy += 0.5 * t->now.damping / t->h * vec3_norm2(vec3_sub(y, t->start));
    return ev->force_factor * energy;
}

/* J^T k J, and for a rotation the curvature of the point under the force. */
static void dense_hessian(const pull_term *t, const evaluation *ev, const double *x, double *dense)
{
    side_part parts[JOINT_SIDE_BLOCKS];
    int count = side_derivatives(t->model, &t->now.side, x, parts);
    double k = ev->force_factor * joint_stiffness(t);
    memset(dense, 0, SCALARS * SCALARS * sizeof *dense);
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++) {
            mat3 block = mat3_mul(mat3_transpose(parts[a].by), parts[b].by);
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    dense[(3 * a + r) * SCALARS + 3 * b + c] = k * block.m[r][c];
        }
    mat3 bend =
        side_curvature(t->model, &t->now.side, x, vec3_scale(ev->force_factor, slope(t, x)));
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) dense[(3 + r) * SCALARS + 3 + c] += bend.m[r][c];
    if (!ev->exact) psd_project(SCALARS, dense);
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)group;
    const pull_term *t = (const pull_term *)base;
    if (begin == end) return;
    if (gradient) {
        side_part parts[JOINT_SIDE_BLOCKS];
        int count = side_derivatives(t->model, &t->now.side, x, parts);
        vec3 g = vec3_scale(ev->force_factor, slope(t, x));
        memset(gradient, 0, SCALARS * sizeof *gradient);
        for (int a = 0; a < count; a++) vec3_store(gradient + 3 * a, mat3_tmul_vec(parts[a].by, g));
    }
    if (hessian) {
        double dense[SCALARS * SCALARS];
        dense_hessian(t, ev, x, dense);
        stencil_store_blocks(WIDTH, dense, hessian);
    }
}

static void begin_step(term *base, const term_step *at)
{
    pull_term *t = (pull_term *)base;
    t->h = at->h;
    if (t->now.active) t->start = side_position(t->model, &t->now.side, at->x);
}

static void destroy(term *base) { mem_free(base); }

static const term_class pull_class = {.name = "pull",
                                      .value = value,
                                      .derivatives = derivatives,
                                      .begin_step = begin_step,
                                      .destroy = destroy};

const term_row pull_row = {.damping = TERM_UNDAMPED};

abut_status pull_create(const model *m, term **out, abut_error *err)
{
    pull_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "pulling at a body");
    t->base.class = &pull_class;
    t->base.dynamic = true;
    t->base.group_count = 1;
    t->base.groups[0] = (stencil_group){WIDTH, 0, t->blocks};
    t->model = m;
    *out = &t->base;
    return ABUT_OK;
}

void pull_set(term *base, const pull *p)
{
    pull_term *t = (pull_term *)base;
    const joint_side *s = &p->side;
    t->now = *p;
    t->base.groups[0].count = p->active ? 1 : 0;
    int count = s->kind == SIDE_NODES ? s->count : 0;
    int32_t first = 0;
    if (p->active && s->kind == SIDE_BODY) {
        const rigid_body *body = &t->model->rigids.data[s->rigid];
        count = body->affine ? 4 : 2;
        first = body->block;
    }
    for (int k = 0; k < WIDTH; k++)
        t->blocks[k] = k >= count ? -1 : s->kind == SIDE_BODY ? first + k : s->blocks[k];
}

bool pull_side(const model *m, int32_t block, int32_t vertex, joint_side *out)
{
    if (block < 0) block = surface_vertex_node(&m->surface, (size_t)vertex);
    if (block >= 0) {
        int32_t led = model_follower_of(m, block);
        *out = led >= 0 ? m->joints.data[led].side[0] : joint_side_node(block);
        return out->kind != SIDE_WORLD;
    }
    const model_body *body = &m->bodies.data[m->surface.vertex_body.data[vertex]];
    if (body->rigid >= 0) {
        vec3 at; /* rows are where the body is at the start */
        collision_surface_some_positions(&m->surface, (const double *)m->rest.data, &vertex, 1,
                                         &at);
        *out = joint_side_at(m, body->rigid, at, mat3_identity());
        return true;
    }
    int32_t blocks[ROW_MAX_BLOCKS];
    const surface_row *row = &m->surface.rows.data[vertex];
    int count = surface_row_blocks(&m->surface, vertex, blocks);
    if (row->kind != ROW_COMBINATION || count > JOINT_SIDE_BLOCKS) return false;
    *out = (joint_side){
        .kind = SIDE_NODES, .rigid = -1, .count = row->count, .triad = mat3_identity()};
    for (int k = 0; k < row->count; k++) {
        out->blocks[k] = m->surface.entries.data[row->first + k].block;
        out->weights[k] = m->surface.entries.data[row->first + k].weight;
    }
    if ((size_t)vertex < m->surface.offsets.count) out->point = m->surface.offsets.data[vertex];
    return true;
}
