#include "constraint/joint_rank.h"

#include "constraint/joint_item.h"

#include <math.h>
#include <string.h>

/* Loops of more scalars than this are not looked at: dense rows would take too long. */
enum { MOST_COLUMNS = 1800 };
/* A row whose part beyond the span of the others is smaller than this is in their span. */
static const double DEPENDENT = 1e-8;

typedef struct rank_work {
    const model *m;
    const double *x;
    const uint8_t *prescribed;
    int32_t *degree;    /* per rigid body: joints that are left at it */
    uint8_t *taken_off; /* per joint */
    int32_t *column;    /* per block: first column, -1: none */
    size_t columns, basis_count;
    ARRAY(double) basis; /* orthonormal rows */
    joint_step *steps;
    double *multipliers;
} rank_work;

/* ---------------------------------------------------------------------------------------------- */
/* The graph                                                                                      */

static bool moves(const rank_work *w, int32_t rigid)
{
    return rigid >= 0 && !(w->prescribed && w->prescribed[rigid]);
}

/* The moving bodies of a joint; returns their number. */
static int bodies_of(const rank_work *w, size_t joint, int32_t out[4])
{
    const model_joint *j = &w->m->joints.data[joint];
    int count = 0;
    bool coupling = item_is_coupling(j);
    for (int k = 0; k < (coupling ? 4 : 2); k++) {
        const model_joint *of = coupling ? &w->m->joints.data[j->coupled[k / 2]] : j;
        const joint_side *s = &of->side[k % 2];
        if (s->kind != SIDE_BODY || !moves(w, s->rigid)) continue;
        bool seen = false;
        for (int i = 0; i < count; i++) seen = seen || out[i] == s->rigid;
        if (!seen) out[count++] = s->rigid;
    }
    return count;
}

static bool has_nodes(const model_joint *j)
{
    return j->side[0].kind == SIDE_NODES || j->side[1].kind == SIDE_NODES;
}

/* Takes off joints with a body that has no other joint, until none is left. */
static void take_off_branches(rank_work *w)
{
    size_t n = w->m->joints.count;
    int32_t body[4];
    for (size_t i = 0; i < n; i++)
        for (int k = bodies_of(w, i, body); k > 0; k--) w->degree[body[k - 1]]++;
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < n; i++) {
            if (w->taken_off[i] || item_is_coupling(&w->m->joints.data[i])) continue;
            int count = bodies_of(w, i, body);
            bool leaf = false;
            for (int k = 0; k < count; k++) leaf = leaf || w->degree[body[k]] == 1;
            if (!leaf) continue;
            for (int k = 0; k < count; k++) w->degree[body[k]]--;
            w->taken_off[i] = 1;
            again = true;
        }
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Rows                                                                                           */

static void set_column(rank_work *w, int32_t block)
{
    if (w->column[block] >= 0) return;
    w->column[block] = (int32_t)w->columns;
    w->columns += 3;
}

/* Columns of the blocks of a joint. */
static void add_columns(rank_work *w, size_t joint)
{
    int32_t blocks[ITEM_MAX_BLOCKS], body[4];
    int count = bodies_of(w, joint, body);
    for (int k = 0; k < count; k++) {
        const rigid_body *r = &w->m->rigids.data[body[k]];
        for (int b = 0; b < (r->affine ? 4 : 2); b++) set_column(w, r->block + b);
    }
    count = has_nodes(&w->m->joints.data[joint]) ? item_blocks(w->m, joint, blocks) : 0;
    for (int k = 0; k < count; k++)
        if (w->m->bodies.data[w->m->body.data[blocks[k]]].rigid < 0) set_column(w, blocks[k]);
}

/* m that points move per unit of a block's scalars. */
static double length_of(const model *m, int32_t block)
{
    int32_t rigid = m->bodies.data[m->body.data[block]].rigid;
    if (rigid < 0 || m->rigids.data[rigid].block == block) return 1;
    return m->rigids.data[rigid].radius > 0 ? m->rigids.data[rigid].radius : 1;
}

/* Row `row` of a joint over all columns; false: there is none. */
static bool make_row(const rank_work *w, size_t joint, int row, double *out)
{
    const model *m = w->m;
    const model_joint *j = &m->joints.data[joint];
    joint_set set = {m, w->steps, w->multipliers, NULL};
    double gradient[ITEM_MAX_SCALARS] = {0}, *lambda = w->multipliers + JOINT_MAX_ROWS * joint;
    int32_t blocks[ITEM_MAX_BLOCKS];
    int count = item_blocks(m, joint, blocks), rows = 1;
    lambda[row] = 1; /* the gradient of lambda . c is the row then */
    if (item_is_coupling(j)) {
        evaluation unit = evaluation_unit();
        item_derivatives(&set, joint, w->x, &unit, gradient, NULL);
    } else {
        double u[JET_SIZE];
        joint_sum sum;
        feature_map map;
        memset(&sum, 0, sizeof sum);
        sum.derivatives = true;
        sum.multiplier = lambda;
        joint_features(m, j, w->x, u);
        joint_add_rows(j, &w->steps[joint], u, &sum);
        joint_feature_map(m, j, w->x, &map);
        features_pull_gradient(&map, sum.gradient, gradient);
        rows = sum.rows;
    }
    lambda[row] = 0;
    memset(out, 0, w->columns * sizeof *out);
    for (int k = 0; k < 3 * count; k++)
        if (w->column[blocks[k / 3]] >= 0)
            out[w->column[blocks[k / 3]] + k % 3] = gradient[k] / length_of(m, blocks[k / 3]);
    return row < rows;
}

static double norm_of(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

/* What is left of a unit row without the basis rows from `first` on; twice is enough. */
static double reduce(const rank_work *w, size_t first, double *row)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t b = first; b < w->basis_count; b++) {
            const double *q = w->basis.data + b * w->columns;
            double dot = 0;
            for (size_t i = 0; i < w->columns; i++) dot += q[i] * row[i];
            for (size_t i = 0; i < w->columns; i++) row[i] -= dot * q[i];
        }
    return norm_of(row, w->columns);
}

/* Independent rows of a joint, beyond the basis rows from `first` on; they join the basis. */
static abut_status add_joint(rank_work *w, size_t joint, size_t first, int *rank, abut_error *err)
{
    *rank = 0;
    for (int row = 0; row < JOINT_MAX_ROWS; row++) {
        size_t at = w->basis_count * w->columns;
        if (!array_resize(&w->basis, at + w->columns + 1))
            return error_memory(err, "looking for redundant joints");
        double *next = w->basis.data + at;
        if (!make_row(w, joint, row, next)) break;
        double size = norm_of(next, w->columns);
        if (!(size > 0)) continue;
        for (size_t i = 0; i < w->columns; i++) next[i] /= size;
        double left = reduce(w, first, next);
        if (left <= DEPENDENT) continue;
        for (size_t i = 0; i < w->columns; i++) next[i] /= left;
        w->basis_count++;
        ++*rank;
    }
    return ABUT_OK;
}

/* The rank of a joint alone, and beyond all before it. */
static abut_status look_at(rank_work *w, size_t joint, joint_rank *out, abut_error *err)
{
    size_t before = w->basis_count;
    int own, more;
    TRY(add_joint(w, joint, before, &own, err));
    w->basis_count = before;
    more = own;
    if (!w->taken_off[joint]) TRY(add_joint(w, joint, 0, &more, err));
    out->rank += (size_t)more;
    redundant_joint found = {(int32_t)joint, own, own - more};
    if (more < own && !array_push(&out->redundant, found))
        return error_memory(err, "looking for redundant joints");
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */

static abut_status find(rank_work *w, joint_rank *out, abut_error *err)
{
    const model *m = w->m;
    for (size_t i = 0; i < m->rest.count; i++) w->column[i] = -1;
    for (size_t i = 0; i < m->joints.count; i++) w->steps[i].h = 1;
    for (size_t i = 0; i < m->rigids.count; i++)
        if (moves(w, (int32_t)i)) out->dofs += m->rigids.data[i].affine ? 12 : 6;
    take_off_branches(w);
    for (size_t i = 0; i < m->joints.count; i++) /* of the loops */
        if (!w->taken_off[i] && !has_nodes(&m->joints.data[i])) add_columns(w, i);
    out->complete = w->columns <= MOST_COLUMNS;
    for (size_t i = 0; out->complete && i < m->joints.count; i++) {
        if (has_nodes(&m->joints.data[i])) continue;
        if (!w->taken_off[i]) TRY(look_at(w, i, out, err));
    }
    size_t columns = w->columns;
    for (size_t i = 0; i < m->joints.count; i++) { /* branches: on columns of their own */
        if (!w->taken_off[i] || has_nodes(&m->joints.data[i])) continue;
        for (size_t b = 0; b < m->rest.count; b++) w->column[b] = -1;
        w->columns = w->basis_count = 0;
        add_columns(w, i);
        TRY(look_at(w, i, out, err));
    }
    w->columns = columns;
    out->mobility = out->dofs - out->rank;
    return ABUT_OK;
}

abut_status joint_rank_find(const model *m, const double *x, const uint8_t *prescribed,
                            joint_rank *out, abut_error *err)
{
    size_t joints = m->joints.count + 1;
    *out = (joint_rank){0};
    rank_work w = {.m = m, .x = x, .prescribed = prescribed};
    w.degree = mem_calloc(m->rigids.count + 1, sizeof *w.degree);
    w.taken_off = mem_calloc(joints, 1);
    w.column = mem_calloc(m->rest.count + 1, sizeof *w.column);
    w.steps = mem_calloc(joints, sizeof *w.steps);
    w.multipliers = mem_calloc(JOINT_MAX_ROWS * joints, sizeof *w.multipliers);
    bool ok = w.degree && w.taken_off && w.column && w.steps && w.multipliers;
    abut_status status =
        ok ? find(&w, out, err) : error_memory(err, "looking for redundant joints");
    mem_free(w.degree);
    mem_free(w.taken_off);
    mem_free(w.column);
    mem_free(w.steps);
    mem_free(w.multipliers);
    array_free(&w.basis);
    if (status != ABUT_OK) joint_rank_free(out);
    return status;
}

void joint_rank_free(joint_rank *r) { array_free(&r->redundant); }
