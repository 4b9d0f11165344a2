#include "constraint/led_term.h"

#include "base/array.h"
#include "body/rigid.h"
#include "constraint/follow.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

/* Stencils of other terms, and what they become: as wide as the next of these. */
enum { INNER_MAX = ELEMENT_MAX_NODES, CLASSES = 12 };
static const int class_width[CLASSES] = {2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 40, 64};

typedef struct led_item {
    const term *of;
    int group;
    size_t stencil;
} led_item;

typedef struct led_class {
    ARRAY(led_item) items;
    ARRAY(int32_t) blocks;
} led_class;

/* A rigid body whose rotation followers depend on. */
typedef struct led_turn {
    int32_t rigid;
    ARRAY(led_item) items;
} led_turn;

typedef struct led_term {
    term base;
    const model *model;
    int32_t *follower_of; /* per block: the joint, or -1 */
    led_class classes[CLASSES];
    ARRAY(led_turn) turns;
    ARRAY(int32_t) turn_blocks;
} led_term;

/* Of the inertia of a leader that the curvature may take away from the Hessian: what joints leave
 * (constraint/joint_term.c), less a little. */
static const double SHARE = 0.4;

static const int32_t *stencil_of(const led_item *item, int *width)
{
    const stencil_group *g = &item->of->groups[item->group];
    *width = g->width;
    return g->blocks + item->stencil * (size_t)g->width;
}

static const joint_side *leader_of(const led_term *t, int32_t block)
{
    int32_t f = block >= 0 ? t->follower_of[block] : -1;
    return f >= 0 ? &t->model->joints.data[f].side[0] : NULL;
}

static bool counts(const evaluation *ev, const led_item *item)
{
    return !(ev->without & term_bit(item->of));
}

/* ---------------------------------------------------------------------------------------------- */
/* Derivatives                                                                                    */

/* How one block of a stencil depends on the unknown ones. */
typedef struct led_block {
    bool follows;
    int count;
    int slot[JOINT_SIDE_BLOCKS];
    mat3 by[JOINT_SIDE_BLOCKS];
} led_block;

static int find_slot(const int32_t *blocks, int count, int32_t block)
{
    int k = 0;
    while (k < count && blocks[k] != block) k++;
    return k;
}

static void relate(const led_term *t, const int32_t *inner, int width, const int32_t *blocks,
                   int wide, const double *x, led_block *out)
{
    for (int a = 0; a < width; a++) {
        const joint_side *leader = leader_of(t, inner[a]);
        side_part parts[JOINT_SIDE_BLOCKS];
        out[a].follows = leader != NULL;
        out[a].count = inner[a] < 0 ? 0 : 1;
        if (leader) out[a].count = side_derivatives(t->model, leader, x, parts);
        for (int k = 0; k < out[a].count; k++) {
            out[a].slot[k] = find_slot(blocks, wide, leader ? parts[k].block : inner[a]);
            out[a].by[k] = leader ? parts[k].by : mat3_identity();
        }
    }
}

static size_t upper_index(int width, int a, int b)
{
    return (size_t)(a * width - a * (a - 1) / 2 + b - a);
}

static mat3 inner_block(const double *h, int width, int a, int b)
{
    mat3 out;
    const double *from = h + 9 * (a <= b ? upper_index(width, a, b) : upper_index(width, b, a));
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) out.m[r][c] = a <= b ? from[3 * r + c] : from[3 * c + r];
    return out;
}

/* hessian += J_a^T H_ab J_b. */
static void pull_block(const led_block *a, const led_block *b, mat3 h, int wide, double *hessian)
{
    for (int i = 0; i < a->count; i++) {
        mat3 left = mat3_mul(mat3_transpose(a->by[i]), h);
        for (int k = 0; k < b->count; k++) {
            if (a->slot[i] > b->slot[k]) continue;
            mat3 block = mat3_mul(left, b->by[k]);
            double *to = hessian + 9 * upper_index(wide, a->slot[i], b->slot[k]);
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) to[3 * r + c] += block.m[r][c];
        }
    }
}

static void pull(const led_term *t, const led_item *item, const int32_t *blocks, int wide,
                 const evaluation *ev, const double *x, double *gradient, double *hessian)
{
    double g[3 * INNER_MAX], h[9 * INNER_MAX * (INNER_MAX + 1) / 2];
    led_block related[INNER_MAX];
    int width;
    const int32_t *inner = stencil_of(item, &width);
    if (gradient) memset(gradient, 0, 3 * (size_t)wide * sizeof *gradient);
    if (hessian) memset(hessian, 0, 9 * upper_index(wide, wide, wide) * sizeof *hessian);
    if (!counts(ev, item)) return;
    relate(t, inner, width, blocks, wide, x, related);
    item->of->class->derivatives(item->of, ev, item->group, x, item->stencil, item->stencil + 1,
                                 gradient ? g : NULL, hessian ? h : NULL);
    for (int a = 0; gradient && a < width; a++)
        for (int k = 0; related[a].follows && k < related[a].count; k++) {
            double *to = gradient + 3 * related[a].slot[k];
            vec3 part = mat3_tmul_vec(related[a].by[k], vec3_load(g + 3 * a));
            vec3_store(to, vec3_add(vec3_load(to), part));
        }
    for (int a = 0; hessian && a < width; a++)
        for (int b = 0; b < width; b++)
            if (related[a].follows || related[b].follows)
                pull_block(&related[a], &related[b], inner_block(h, width, a, b), wide, hessian);
}

/* The curvature of a rigid leader's rotation under the forces on its followers. */
static void turn_derivatives(const led_term *t, const led_turn *turn, const evaluation *ev,
                             const double *x, double *hessian)
{
    const model *m = t->model;
    const rigid_body *body = &m->rigids.data[turn->rigid];
    mat3 sum = mat3_zero();
    for (size_t i = 0; i < turn->items.count; i++) {
        const led_item *item = &turn->items.data[i];
        double g[3 * INNER_MAX];
        int width;
        const int32_t *inner = stencil_of(item, &width);
        if (!counts(ev, item)) continue;
        item->of->class->derivatives(item->of, ev, item->group, x, item->stencil, item->stencil + 1,
                                     g, NULL);
        for (int a = 0; a < width; a++) {
            const joint_side *leader = leader_of(t, inner[a]);
            if (leader && leader->kind == SIDE_BODY && leader->rigid == turn->rigid)
                sum = mat3_add(sum, side_curvature(m, leader, x, vec3_load(g + 3 * a)));
        }
    }
    if (!ev->exact) {
        double inertia[6][6] = {{0}};
        mat3 own;
        rigid_inertia_matrix(body, x, &inertia[0][0], 6);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) own.m[r][c] = inertia[3 + r][3 + c];
        own = mat3_scale(SHARE * ev->mass_factor, own);
        sum = mat3_add(sum, own);
        psd_project3(&sum);
        sum = mat3_sub(sum, own);
    }
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) hessian[3 * r + c] = sum.m[r][c];
}

static double value(const term *base, const evaluation *ev, const double *x)
{
    (void)base;
    (void)ev;
    (void)x;
    return 0;
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    const led_term *t = (const led_term *)base;
    size_t wide = (size_t)base->groups[group].width, doubles = 9 * wide * (wide + 1) / 2;
    for (size_t i = begin; i < end; i++) {
        double *g = gradient ? gradient + 3 * wide * (i - begin) : NULL;
        double *h = hessian ? hessian + doubles * (i - begin) : NULL;
        if (group < CLASSES) {
            const led_class *c = &t->classes[group];
            pull(t, &c->items.data[i], c->blocks.data + wide * i, (int)wide, ev, x, g, h);
            continue;
        }
        if (g) memset(g, 0, 3 * sizeof *g);
        if (h) turn_derivatives(t, &t->turns.data[i], ev, x, h);
    }
}

static void destroy(term *base)
{
    led_term *t = (led_term *)base;
    for (int k = 0; k < CLASSES; k++) {
        array_free(&t->classes[k].items);
        array_free(&t->classes[k].blocks);
    }
    for (size_t i = 0; i < t->turns.count; i++) array_free(&t->turns.data[i].items);
    array_free(&t->turns);
    array_free(&t->turn_blocks);
    mem_free(t->follower_of);
    mem_free(t);
}

static const term_class led_class_of_terms = {
    .name = "followers", .value = value, .derivatives = derivatives, .destroy = destroy};

void led_follow(const term *t, double *x)
{
    if (t->class == &led_class_of_terms) followers_place(((const led_term *)t)->model, x);
}

void led_direct(const term *t, const double *x, double *p)
{
    if (t->class == &led_class_of_terms) followers_direct(((const led_term *)t)->model, x, p);
}

/* ---------------------------------------------------------------------------------------------- */
/* Making                                                                                         */

static bool note_turn(led_term *t, int32_t rigid, const led_item *item)
{
    size_t k = 0;
    while (k < t->turns.count && t->turns.data[k].rigid != rigid) k++;
    if (k == t->turns.count) {
        led_turn turn = {.rigid = rigid};
        if (!array_push(&t->turns, turn) ||
            !array_push(&t->turn_blocks, t->model->rigids.data[rigid].block + 1))
            return false;
    }
    led_turn *turn = &t->turns.data[k];
    if (turn->items.count > 0) { /* a stencil with several followers counts once */
        const led_item *last = &turn->items.data[turn->items.count - 1];
        if (last->of == item->of && last->group == item->group && last->stencil == item->stencil)
            return true;
    }
    return array_push(&turn->items, *item);
}

/* The blocks that replace a stencil's: its own, then those that lead; 0: no follower. */
static int expand(const led_term *t, const int32_t *inner, int width, int32_t *out, bool *follows)
{
    const model *m = t->model;
    int count = 0;
    *follows = false;
    for (int pass = 0; pass < 2; pass++)
        for (int a = 0; a < width; a++) {
            const joint_side *leader = leader_of(t, inner[a]);
            int32_t blocks[JOINT_SIDE_BLOCKS] = {inner[a]};
            int n = inner[a] >= 0 ? 1 : 0;
            if ((leader != NULL) != (pass == 1)) continue;
            if (leader) {
                *follows = true;
                n = leader->kind == SIDE_NODES ? leader->count : 0;
                if (leader->kind == SIDE_BODY) n = m->rigids.data[leader->rigid].affine ? 4 : 2;
                for (int k = 0; k < n; k++)
                    blocks[k] = leader->kind == SIDE_NODES
                                    ? leader->blocks[k]
                                    : m->rigids.data[leader->rigid].block + k;
            }
            for (int k = 0; k < n; k++)
                if (find_slot(out, count, blocks[k]) == count) out[count++] = blocks[k];
        }
    return count;
}

static abut_status add_stencil(led_term *t, led_item item, abut_error *err)
{
    int32_t out[JOINT_SIDE_BLOCKS * INNER_MAX];
    int width, kind = 0;
    const int32_t *inner = stencil_of(&item, &width);
    if (width > INNER_MAX) return ABUT_OK; /* contact alone has such; it follows by its rows */
    bool follows;
    int count = expand(t, inner, width, out, &follows);
    if (!follows || count == 0) return ABUT_OK;
    while (kind < CLASSES && class_width[kind] < count) kind++;
    if (kind == CLASSES)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "",
                         "an element with attached nodes depends on %d others; up to %d are "
                         "supported",
                         count, class_width[CLASSES - 1]);
    bool ok = array_push(&t->classes[kind].items, item);
    for (int k = 0; ok && k < class_width[kind]; k++)
        ok = array_push(&t->classes[kind].blocks, k < count ? out[k] : -1);
    for (int a = 0; ok && a < width; a++) {
        const joint_side *leader = leader_of(t, inner[a]);
        if (leader && leader->kind == SIDE_BODY && !t->model->rigids.data[leader->rigid].affine)
            ok = note_turn(t, leader->rigid, &item);
    }
    return ok ? ABUT_OK : error_memory(err, "attaching nodes");
}

static abut_status fill(led_term *t, term *const *terms, int count, abut_error *err)
{
    for (int i = 0; i < count; i++)
        for (int g = 0; !terms[i]->dynamic && g < terms[i]->group_count; g++)
            for (size_t e = 0; e < terms[i]->groups[g].count; e++)
                TRY(add_stencil(t, (led_item){terms[i], g, e}, err));
    for (int k = 0; k < CLASSES; k++)
        t->base.groups[t->base.group_count++] =
            (stencil_group){class_width[k], t->classes[k].items.count, t->classes[k].blocks.data};
    t->base.groups[t->base.group_count++] = (stencil_group){1, t->turns.count, t->turn_blocks.data};
    return ABUT_OK;
}

abut_status led_create(const model *m, term *const *terms, int count, term **out, abut_error *err)
{
    led_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "attaching nodes");
    t->base = (term){.class = &led_class_of_terms};
    t->model = m;
    t->follower_of = model_follower_map(m);
    abut_status status =
        t->follower_of ? fill(t, terms, count, err) : error_memory(err, "attaching nodes");
    if (status == ABUT_OK)
        *out = &t->base;
    else
        destroy(&t->base);
    return status;
}
