#include "term/row_stencils.h"

#include "math/eigen.h"
#include "math/rotation.h"

#include <string.h>

const int row_group_width[ROW_GROUPS] = {2,  4,  6,  8,   12,  16,           24,
                                         32, 48, 80, 160, 320, ROW_MAX_WIDTH};

void row_stencils_free(row_stencils *r)
{
    for (int k = 0; k < ROW_GROUPS; k++) {
        array_free(&r->items[k]);
        array_free(&r->blocks[k]);
    }
}

void row_stencils_clear(row_stencils *r)
{
    for (int k = 0; k < ROW_GROUPS; k++) {
        array_clear(&r->items[k]);
        array_clear(&r->blocks[k]);
    }
}

abut_status row_stencils_add(row_stencils *r, const collision_surface *s, row_item item,
                             const int32_t *vertex, int count, abut_error *err)
{
    int32_t unique[4 * ROW_MAX_BLOCKS], blocks[ROW_MAX_BLOCKS];
    int n = 0;
    for (int k = 0; k < count; k++) {
        int m = surface_row_blocks(s, vertex[k], blocks);
        for (int j = 0; j < m; j++) {
            int i = 0;
            while (i < n && unique[i] != blocks[j]) i++;
            if (i == n) unique[n++] = blocks[j];
        }
    }
    int group = 0;
    while (group < ROW_GROUPS && row_group_width[group] < n) group++;
    if (group == ROW_GROUPS)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "",
                         "a contact involves %d nodes; up to %d are supported", n, ROW_MAX_WIDTH);
    bool ok = array_push(&r->items[group], item);
    for (int i = 0; ok && i < row_group_width[group]; i++)
        ok = array_push(&r->blocks[group], i < n ? unique[i] : -1);
    return ok ? ABUT_OK : error_memory(err, "listing contacts");
}

void row_stencils_publish(const row_stencils *r, term *t, int first)
{
    for (int k = 0; k < ROW_GROUPS; k++)
        t->groups[first + k] =
            (stencil_group){row_group_width[k], r->items[k].count, r->blocks[k].data};
}

abut_status rigid_pose_list_update(rigid_pose_list *poses, const collision_surface *s,
                                   const double *x, abut_error *err)
{
    if (!array_resize(poses, s->poses.count)) return error_memory(err, "updating rigid frames");
    for (size_t i = 0; i < s->poses.count; i++) {
        vec3 theta = vec3_load(x + 3 * (size_t)s->poses.data[i] + 3);
        rotation_first(theta, poses->data[i].first);
        rotation_second(theta, poses->data[i].second);
    }
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Chain rule                                                                                     */

/* dy / dx_block of one vertex with respect to one of its blocks: a multiple of the identity, or the
 * matrix of a rotation's derivative. */
typedef struct row_factor {
    int slot;   /* of the block within the stencil */
    int vertex; /* within the stencil */
    bool is_matrix;
    double weight;
    mat3 matrix;
} row_factor;

static int find_slot(const int32_t *blocks, int32_t block)
{
    int i = 0;
    while (blocks[i] != block) i++;
    return i;
}

static mat3 rotation_jacobian(const pose_derivatives *pose, vec3 arm)
{
    mat3 j;
    for (int k = 0; k < 3; k++) {
        vec3 column = mat3_mul_vec(pose->first[k], arm);
        j.m[0][k] = column.x;
        j.m[1][k] = column.y;
        j.m[2][k] = column.z;
    }
    return j;
}

static int list_factors(const collision_surface *s, const rigid_pose_list *poses,
                        const int32_t *vertex, int count, const int32_t *blocks, row_factor *out)
{
    int n = 0;
    for (int k = 0; k < count; k++) {
        const surface_row *row = &s->rows.data[vertex[k]];
        switch (row->kind) {
        case ROW_NODE:
            out[n++] =
                (row_factor){.slot = find_slot(blocks, row->block), .vertex = k, .weight = 1};
            break;
        case ROW_COMBINATION:
            for (int j = 0; j < row->count; j++) {
                const row_entry *e = &s->entries.data[row->first + j];
                out[n++] = (row_factor){
                    .slot = find_slot(blocks, e->block), .vertex = k, .weight = e->weight};
            }
            break;
        case ROW_RIGID:
            out[n++] =
                (row_factor){.slot = find_slot(blocks, row->block), .vertex = k, .weight = 1};
            out[n++] = (row_factor){
                .slot = find_slot(blocks, row->block + 1),
                .vertex = k,
                .is_matrix = true,
                .matrix = rotation_jacobian(&poses->data[row->first], s->arms.data[vertex[k]])};
            break;
        }
    }
    return n;
}

/* f_a^T h f_b for the block h_(ab) of a dense matrix with n columns. */
static mat3 chain_rule_block(const row_factor *a, const row_factor *b, const double *h, int n)
{
    mat3 block;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) block.m[r][c] = h[(3 * a->vertex + r) * n + 3 * b->vertex + c];
    if (a->is_matrix) block = mat3_mul(mat3_transpose(a->matrix), block);
    if (b->is_matrix) block = mat3_mul(block, b->matrix);
    double weight = (a->is_matrix ? 1 : a->weight) * (b->is_matrix ? 1 : b->weight);
    return weight == 1 ? block : mat3_scale(weight, block);
}

/* Index of the block (a, b), a <= b, among the upper blocks of a stencil. */
static size_t upper_index(int width, int a, int b)
{
    return (size_t)(a * width - a * (a - 1) / 2 + b - a);
}

static void add_block(double *to, mat3 block)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) to[3 * r + c] += block.m[r][c];
}

/* sum over the force g of g . d2y / dtheta2, for one rigid vertex. */
static mat3 rotation_curvature(const pose_derivatives *pose, vec3 arm, vec3 g)
{
    mat3 h;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            h.m[i][j] = h.m[j][i] = vec3_dot(g, mat3_mul_vec(pose->second[i][j], arm));
    return h;
}

/* Adds the curvature of rigid rows to the diagonal blocks, projected where asked for: one matrix
 * per frame. Together with the projected Hessian of the vertices the result is positive
 * semi-definite; projecting the whole would be sharper, but costs more than the iterations that it
 * saves. */
static void add_curvature(const collision_surface *s, const rigid_pose_list *poses,
                          const int32_t *vertex, int count, const int32_t *blocks, int width,
                          const double *g, bool project, double *hessian)
{
    bool done[4] = {false};
    for (int k = 0; k < count; k++) {
        const surface_row *row = &s->rows.data[vertex[k]];
        if (row->kind != ROW_RIGID || done[k]) continue;
        mat3 curvature = mat3_zero();
        for (int l = k; l < count; l++) {
            const surface_row *other = &s->rows.data[vertex[l]];
            if (other->kind != ROW_RIGID || other->first != row->first) continue;
            done[l] = true;
            curvature = mat3_add(curvature,
                                 rotation_curvature(&poses->data[row->first],
                                                    s->arms.data[vertex[l]], vec3_load(g + 3 * l)));
        }
        if (project) psd_project3(&curvature);
        int slot = find_slot(blocks, row->block + 1);
        add_block(hessian + 9 * upper_index(width, slot, slot), curvature);
    }
}

void row_chain_rule(const collision_surface *s, const rigid_pose_list *poses, const int32_t *vertex,
                    int count, const int32_t *blocks, int width, const double *g, const double *h,
                    bool project, double *gradient, double *hessian)
{
    row_factor factors[4 * ROW_MAX_BLOCKS];
    int n = list_factors(s, poses, vertex, count, blocks, factors);
    if (gradient) {
        memset(gradient, 0, 3 * (size_t)width * sizeof *gradient);
        for (int i = 0; i < n; i++) {
            const row_factor *f = &factors[i];
            vec3 part = vec3_load(g + 3 * f->vertex);
            part = f->is_matrix ? mat3_tmul_vec(f->matrix, part) : vec3_scale(f->weight, part);
            double *to = gradient + 3 * f->slot;
            vec3_store(to, vec3_add(vec3_load(to), part));
        }
    }
    if (!hessian) return;
    memset(hessian, 0, 9 * upper_index(width, width, width) * sizeof *hessian);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (factors[i].slot <= factors[j].slot)
                add_block(hessian + 9 * upper_index(width, factors[i].slot, factors[j].slot),
                          chain_rule_block(&factors[i], &factors[j], h, 3 * count));
    add_curvature(s, poses, vertex, count, blocks, width, g, project, hessian);
}
