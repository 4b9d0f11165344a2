#include "constraint/features.h"

#include "body/rigid.h"

#include <string.h>

static int side_block_count(const model *m, const joint_side *s)
{
    if (s->kind == SIDE_WORLD) return 0;
    if (s->kind == SIDE_NODES) return s->count;
    return m->rigids.data[s->rigid].affine ? 4 : 2;
}

int joint_blocks(const model *m, const model_joint *j, int32_t blocks[JOINT_MAX_BLOCKS])
{
    int count = 0;
    for (int k = 0; k < 2; k++) {
        const joint_side *s = &j->side[k];
        int n = side_block_count(m, s);
        for (int i = 0; i < n; i++)
            blocks[count++] =
                s->kind == SIDE_NODES ? s->blocks[i] : m->rigids.data[s->rigid].block + i;
    }
    return count;
}

/* A feature in the frame of the body: the arm of the point, or a direction. */
static vec3 local_feature(const model *m, const joint_side *s, int which)
{
    vec3 v = which == FEATURE_POINT ? s->point : mat3_column(s->triad, which - 1);
    return s->kind == SIDE_BODY ? mat3_mul_vec(m->rigids.data[s->rigid].frame, v) : v;
}

/* Coordinates x + s p of a side's blocks, one after the other; p may be NULL. */
static void gather(const model *m, const joint_side *side, const double *x, const double *p,
                   double s, double local[3 * JOINT_SIDE_BLOCKS])
{
    int n = side_block_count(m, side);
    for (int i = 0; i < n; i++) {
        size_t at = 3 * (size_t)(side->kind == SIDE_NODES ? side->blocks[i]
                                                          : m->rigids.data[side->rigid].block + i);
        for (size_t c = 0; c < 3; c++) local[3 * i + (int)c] = x[at + c] + (p ? s * p[at + c] : 0);
    }
}

static void side_features(const model *m, const joint_side *s, const double *local, double *u)
{
    mat3 q = mat3_identity();
    vec3 c = {0};
    if (s->kind == SIDE_BODY) {
        rigid_body body = m->rigids.data[s->rigid];
        body.block = 0;
        q = rigid_frame(&body, local);
        c = vec3_load(local);
    }
    for (int f = 0; f < FEATURES; f++) {
        vec3 v = mat3_mul_vec(q, local_feature(m, s, f));
        vec3_store(u + 3 * f, f == FEATURE_POINT ? vec3_add(c, v) : v);
    }
    if (s->kind != SIDE_NODES) return;
    vec3 p = s->point; /* an offset */
    for (int i = 0; i < s->count; i++) p = vec3_mul_add(p, s->weights[i], vec3_load(local + 3 * i));
    vec3_store(u, p);
}

void joint_features_along(const model *m, const model_joint *j, const double *x, const double *p,
                          double s, double u[JET_SIZE])
{
    for (int k = 0; k < 2; k++) {
        double local[3 * JOINT_SIDE_BLOCKS];
        gather(m, &j->side[k], x, p, s, local);
        side_features(m, &j->side[k], local, u + 3 * FEATURES * k);
    }
}

void joint_features(const model *m, const model_joint *j, const double *x, double u[JET_SIZE])
{
    joint_features_along(m, j, x, NULL, 0, u);
}

/* Identity times a factor into rows `row`, columns `column`. */
static void put_identity(feature_map *map, int row, int column, double factor)
{
    for (int c = 0; c < 3; c++) map->jacobian[row + c][column + c] = factor;
}

static void map_rigid(const model *m, const joint_side *s, const double *x, int row, int column,
                      feature_map *map)
{
    const rigid_body *body = &m->rigids.data[s->rigid];
    mat3 first[3];
    put_identity(map, row, column, 1);
    if (!body->affine) rigid_frame_first(body, x, first);
    for (int f = 0; f < FEATURES; f++) {
        vec3 v = local_feature(m, s, f);
        for (int k = 0; k < 3; k++) {
            if (body->affine) {
                put_identity(map, row + 3 * f, column + 3 * (k + 1), vec3_get(v, k));
                continue;
            }
            vec3 d = mat3_mul_vec(first[k], v);
            for (int c = 0; c < 3; c++)
                map->jacobian[row + 3 * f + c][column + 3 + k] = vec3_get(d, c);
        }
    }
}

void joint_feature_map(const model *m, const model_joint *j, const double *x, feature_map *out)
{
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 2; k++) {
        const joint_side *s = &j->side[k];
        int row = 3 * FEATURES * k, column = 3 * out->blocks;
        if (s->kind == SIDE_BODY) map_rigid(m, s, x, row, column, out);
        for (int i = 0; s->kind == SIDE_NODES && i < s->count; i++)
            put_identity(out, row, column + 3 * i, s->weights[i]);
        out->blocks += side_block_count(m, s);
    }
    out->scalars = 3 * out->blocks;
}

void features_pull_gradient(const feature_map *map, const double g[JET_SIZE], double *gradient)
{
    memset(gradient, 0, (size_t)map->scalars * sizeof *gradient);
    for (int u = 0; u < JET_SIZE; u++) {
        if (g[u] == 0) continue;
        for (int i = 0; i < map->scalars; i++) gradient[i] += g[u] * map->jacobian[u][i];
    }
}

/* hessian += g . d2 features, which only rotations have. */
static void add_second(const model *m, const joint_side *s, const double *x, const double *g, int n,
                       int at, double *hessian)
{
    if (s->kind != SIDE_BODY || m->rigids.data[s->rigid].affine) return;
    mat3 second[3][3];
    rigid_frame_second(&m->rigids.data[s->rigid], x, second);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            for (int f = 0; f < FEATURES; f++)
                hessian[(at + k) * n + at + l] += vec3_dot(
                    vec3_load(g + 3 * f), mat3_mul_vec(second[k][l], local_feature(m, s, f)));
}

void features_pull_hessian(const model *m, const model_joint *j, const double *x,
                           const feature_map *map, const double g[JET_SIZE],
                           const double h[JET_SIZE][JET_SIZE], double *hessian)
{
    int n = map->scalars;
    double right[JET_SIZE][JOINT_MAX_SCALARS] = {{0}};
    for (int u = 0; u < JET_SIZE; u++)
        for (int v = 0; v < JET_SIZE; v++) {
            if (h[u][v] == 0) continue;
            for (int i = 0; i < n; i++) right[u][i] += h[u][v] * map->jacobian[v][i];
        }
    memset(hessian, 0, (size_t)(n * n) * sizeof *hessian);
    for (int u = 0; u < JET_SIZE; u++)
        for (int i = 0; i < n; i++) {
            if (map->jacobian[u][i] == 0) continue;
            for (int k = 0; k < n; k++) hessian[i * n + k] += map->jacobian[u][i] * right[u][k];
        }
    int at = 0;
    for (int k = 0; k < 2; k++) {
        add_second(m, &j->side[k], x, g + 3 * FEATURES * k, n, at + 3, hessian);
        at += 3 * side_block_count(m, &j->side[k]);
    }
}
