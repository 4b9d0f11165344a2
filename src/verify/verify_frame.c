#include "verify/verify_frame.h"

#include "geometry/check_attached.h"

#include "mesh/topology.h"
#include "verify/verify_internal.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The frame as a mesh that borrows its arrays. */
static abut_status borrow_mesh(const frame *f, mesh *out, abut_error *err)
{
    memset(out, 0, sizeof *out);
    if (f->block_count > MESH_MAX_BLOCKS)
        return error_set(err, ABUT_ERROR_INPUT, "", "the frame has %zu blocks of cells, at most %d",
                         f->block_count, MESH_MAX_BLOCKS);
    out->vertex_count = f->point_count;
    out->vertices = (vec3 *)(uintptr_t)f->points;
    out->block_count = (int)f->block_count;
    memcpy(out->blocks, f->blocks, f->block_count * sizeof *f->blocks);
    return mesh_validate(out, err);
}

static abut_status bodies_of(const frame *f, const verify_setup *setup, const int32_t **out,
                             abut_error *err)
{
    const frame_field *field = frame_find(f, FRAME_POINTS, FIELD_BODY);
    if (!field || !field->ints || field->components != 1)
        return error_set(err, ABUT_ERROR_INPUT, "", "the frame has no field \"%s\" of its points",
                         FIELD_BODY);
    for (size_t i = 0; i < f->point_count; i++)
        if (field->ints[i] < 0 || (size_t)field->ints[i] >= setup->body_count)
            return error_set(err, ABUT_ERROR_INPUT, "",
                             "point %zu belongs to body %d, but the scene has %zu bodies", i,
                             (int)field->ints[i], setup->body_count);
    *out = field->ints;
    return ABUT_OK;
}

abut_status verify_keep(verify_problems *problems, size_t most, verify_problem problem,
                        abut_error *err)
{
    if (problems->count >= most) return ABUT_OK;
    return array_push(problems, problem) ? ABUT_OK : error_memory(err, "listing problems");
}

/* ---- Contact ---- */

static abut_status keep_pair(const frame *f, const check_surface *surface, const check_pair *pair,
                             size_t most, verify_problems *problems, abut_error *err)
{
    verify_problem problem = {
        .kind = VERIFY_INTERSECTION, .pair = pair->kind, .step = f->step, .tet = -1};
    int32_t first[3], second[3];
    problem.first_count = check_pair_vertices(surface, pair, first, second, &problem.second_count);
    memcpy(problem.first, first, problem.first_count * sizeof *first);
    memcpy(problem.second, second, problem.second_count * sizeof *second);
    problem.first_body = surface->body[first[0]];
    problem.second_body = surface->body[problem.second[0]];
    check_locate(surface, pair, &problem.position, &problem.depth);
    return verify_keep(problems, most, problem, err);
}

/* Pairs within their thickness; the distance beyond it is not measured again but located. */
static abut_status check_thickness(const frame *f, const check_surface *surface,
                                   const verify_setup *setup, size_t most, verify_result *result,
                                   verify_problems *problems, abut_error *err)
{
    check_pair *pairs;
    if (!setup->thickness) return ABUT_OK;
    TRY(check_too_close(surface, setup->thickness, setup->body_count, &pairs, &result->too_close,
                        err));
    abut_status status = ABUT_OK;
    for (size_t i = 0; status == ABUT_OK && i < result->too_close; i++) {
        size_t before = problems->count;
        status = keep_pair(f, surface, &pairs[i], most, problems, err);
        if (problems->count == before) continue;
        verify_problem *problem = &problems->data[before];
        problem->kind = VERIFY_TOO_CLOSE;
        problem->depth =
            0.5 * (setup->thickness[problem->first_body] + setup->thickness[problem->second_body]);
    }
    mem_free(pairs);
    return status;
}

static abut_status check_pairs(const frame *f, const check_surface *surface,
                               const verify_setup *setup, size_t most, verify_result *result,
                               verify_problems *problems, abut_error *err)
{
    check_pair *pairs;
    double radius = setup->radius;
    if (setup->candidates)
        TRY(check_listed(surface, setup->candidates, setup->candidate_count, &pairs,
                         &result->intersections, err));
    else
        TRY(check_intersections(surface, &pairs, &result->intersections, err));
    abut_status status = ABUT_OK;
    for (size_t i = 0; status == ABUT_OK && i < result->intersections; i++)
        status = keep_pair(f, surface, &pairs[i], most, problems, err);
    mem_free(pairs);
    TRY(status);
    result->min_distance = 0;
    if (result->intersections > 0) return ABUT_OK;
    check_gap gap = {.distance = INFINITY};
    if (radius > 0) TRY(check_min_distance(surface, radius, &gap, err));
    result->min_distance = gap.distance;
    return ABUT_OK;
}

static abut_status check_planes(const frame *f, const check_surface *surface,
                                const verify_setup *setup, size_t most, verify_result *result,
                                verify_problems *problems, abut_error *err)
{
    for (size_t i = 0; i < surface->point_count; i++) {
        int32_t v = surface->points[i], body = surface->body[v];
        if (surface->body_flags[body] & CHECK_BODY_OBSTACLE) continue;
        for (size_t k = 0; k < setup->plane_count; k++) {
            const verify_plane *plane = &setup->planes[k];
            vec3 x = surface->vertices[v];
            double height = vec3_dot(plane->normal, vec3_sub(x, plane->origin));
            if (height <= setup->radius) result->min_distance = fmin(result->min_distance, height);
            double least = setup->thickness ? 0.5 * setup->thickness[body] : 0;
            if (height > least) continue;
            result->behind_planes++;
            verify_problem problem = {.kind = VERIFY_BEHIND_PLANE,
                                      .step = f->step,
                                      .first = {v},
                                      .first_count = 1,
                                      .first_body = body,
                                      .second_body = (int32_t)k,
                                      .tet = -1,
                                      .position = x,
                                      .depth = least - height};
            TRY(verify_keep(problems, most, problem, err));
        }
    }
    result->min_distance = fmax(result->min_distance, 0);
    return ABUT_OK;
}

/* Whether a point and a tet do not collide: their bodies, or nodes that are attached. */
static bool is_attached_to(const check_surface *surface, int32_t vertex, const int32_t *tet)
{
    int32_t own = surface->body[vertex], other = surface->body[tet[0]];
    return check_excludes(surface, own, other) || check_attached(surface, &vertex, 1, other) ||
           check_attached(surface, tet, 4, own);
}

static abut_status check_inside_tets(const frame *f, const check_surface *surface,
                                     const cell_block *block, const uint8_t *turned, size_t most,
                                     verify_result *result, verify_problems *problems,
                                     abut_error *err)
{
    check_inside *found;
    size_t count, stride = (size_t)block->nodes_per_cell;
    TRY(check_points_inside(f->points, surface->points, surface->point_count, block->nodes, stride,
                            block->count, &found, &count, err));
    abut_status status = ABUT_OK;
    for (size_t i = 0; status == ABUT_OK && i < count; i++) {
        /* What is attached has common points, which rounding may put inside. */
        const int32_t *tet = block->nodes + (size_t)found[i].tet * stride;
        if (is_attached_to(surface, found[i].vertex, tet)) continue;
        if (turned[surface->body[block->nodes[(size_t)found[i].tet * stride]]]) {
            result->allowed_inside++;
            continue;
        }
        result->inside++;
        verify_problem problem = {.kind = VERIFY_INSIDE,
                                  .step = f->step,
                                  .first = {found[i].vertex},
                                  .first_count = 1,
                                  .second_count = 4,
                                  .first_body = surface->body[found[i].vertex],
                                  .tet = -1,
                                  .position = f->points[found[i].vertex]};
        memcpy(problem.second, block->nodes + (size_t)found[i].tet * stride, sizeof problem.second);
        problem.second_body = surface->body[problem.second[0]];
        status = verify_keep(problems, most, problem, err);
    }
    mem_free(found);
    return status;
}

static check_surface surface_of(const vec3 *points, size_t count, const surface_parts *parts,
                                const int32_t *body, const verify_setup *setup)
{
    return (check_surface){.vertices = points,
                           .vertex_count = count,
                           .triangles = (const int32_t(*)[3])parts->triangles,
                           .triangle_count = parts->triangle_count,
                           .edges = (const int32_t(*)[2])parts->edges,
                           .edge_count = parts->edge_count,
                           .points = parts->points,
                           .point_count = parts->point_count,
                           .body = body,
                           .body_flags = setup->body_flags,
                           .body_group = setup->body_group,
                           .excluded = (const int32_t(*)[2])setup->excluded,
                           .excluded_count = setup->excluded_count,
                           .only = setup->only};
}

abut_status verify_surface(const frame *f, surface_parts *out, abut_error *err)
{
    mesh m;
    TRY(borrow_mesh(f, &m, err));
    return mesh_surface(&m, out, err);
}

abut_status verify_candidates(const frame *f, const verify_setup *setup, const surface_parts *parts,
                              const vec3 *low, const vec3 *high, check_pair **pairs, size_t *count,
                              abut_error *err)
{
    const int32_t *body = NULL;
    *pairs = NULL;
    *count = 0;
    TRY(bodies_of(f, setup, &body, err));
    check_surface surface = surface_of(f->points, f->point_count, parts, body, setup);
    return check_candidates_in(&surface, low, high, pairs, count, err);
}

/* ---- Paths ---- */

abut_status verify_meetings(const frame *f, const verify_setup *setup, const surface_parts *parts,
                            const check_path *path, check_meeting **meetings, size_t *count,
                            size_t *looked_at, abut_error *err)
{
    const int32_t *body = NULL;
    *meetings = NULL;
    *count = 0;
    TRY(bodies_of(f, setup, &body, err));
    check_surface surface = surface_of(f->points, f->point_count, parts, body, setup);
    check_path thick = *path;
    for (size_t b = 0; setup->thickness && b < setup->body_count; b++)
        if (setup->thickness[b] > 0) thick.thickness = setup->thickness;
    return check_along_path(&surface, &thick, meetings, count, looked_at, err);
}

/* Where the points of a meeting are at that moment; on the chords where bodies turn. */
static void points_of_meeting(const surface_parts *parts, const check_path *path,
                              const check_meeting *meeting, size_t count, vec3 *out)
{
    const vec3 *a = path->configurations + meeting->piece * count, *b = a + count;
    double t = meeting->time;
    int32_t v[6];
    size_t n = verify_meeting_points(parts, meeting, v);
    for (size_t i = 0; i < n; i++)
        out[v[i]] = vec3_add(vec3_scale(1 - t, a[v[i]]), vec3_scale(t, b[v[i]]));
}

abut_status verify_list_meetings(const frame *f, const verify_setup *setup,
                                 const surface_parts *parts, const check_path *path,
                                 const check_meeting *meetings, size_t count, size_t most,
                                 verify_problems *problems, abut_error *err)
{
    const int32_t *body = NULL;
    if (count == 0) return ABUT_OK;
    TRY(bodies_of(f, setup, &body, err));
    vec3 *points = mem_alloc(f->point_count + 1, sizeof *points);
    if (!points) return error_memory(err, "listing problems");
    check_surface surface = surface_of(points, f->point_count, parts, body, setup);
    abut_status status = ABUT_OK;
    for (size_t i = 0; status == ABUT_OK && i < count && problems->count < most; i++) {
        size_t at = problems->count;
        points_of_meeting(parts, path, &meetings[i], f->point_count, points);
        status = keep_pair(f, &surface, &meetings[i].pair, most, problems, err);
        if (status != ABUT_OK) break;
        problems->data[at].kind = VERIFY_MEETING;
        problems->data[at].on_path = true;
    }
    mem_free(points);
    return status;
}

size_t verify_meeting_points(const surface_parts *parts, const check_meeting *meeting,
                             int32_t points[6])
{
    check_surface surface = {.triangles = (const int32_t(*)[3])parts->triangles,
                             .edges = (const int32_t(*)[2])parts->edges};
    int32_t second[3];
    size_t more, count = check_pair_vertices(&surface, &meeting->pair, points, second, &more);
    memcpy(points + count, second, more * sizeof *second);
    return count + more;
}

/* ---- A moment ---- */

static abut_status check_contact(const frame *f, const mesh *m, const int32_t *body,
                                 const uint8_t *turned, const verify_setup *setup, size_t most,
                                 verify_result *result, verify_problems *problems, abut_error *err)
{
    surface_parts own = {0};
    if (!setup->parts) TRY(mesh_surface(m, &own, err));
    check_surface surface =
        surface_of(m->vertices, m->vertex_count, setup->parts ? setup->parts : &own, body, setup);
    abut_status status = check_pairs(f, &surface, setup, most, result, problems, err);
    if (status == ABUT_OK)
        status = check_thickness(f, &surface, setup, most, result, problems, err);
    if (status == ABUT_OK) status = check_planes(f, &surface, setup, most, result, problems, err);
    for (size_t b = 0; status == ABUT_OK && b < f->block_count && !setup->surface_only; b++)
        if (f->blocks[b].kind == CELL_TET && f->blocks[b].order == 1)
            status =
                check_inside_tets(f, &surface, &f->blocks[b], turned, most, result, problems, err);
    if (!setup->parts) surface_parts_free(&own);
    return status;
}

/* ---- Inversion ---- */

/* turned: set for bodies that may have inverted tets and do. */
static abut_status check_tets(const frame *f, const cell_block *block, const int32_t *body,
                              const verify_setup *setup, uint8_t *turned, int32_t first_tet,
                              size_t most, verify_result *result, verify_problems *problems,
                              abut_error *err)
{
    int32_t *inverted;
    size_t count;
    TRY(check_inverted_tets(f->points, f->point_count, block->nodes, (size_t)block->nodes_per_cell,
                            block->count, &inverted, &count, err));
    abut_status status = ABUT_OK;
    for (size_t i = 0; status == ABUT_OK && i < count; i++) {
        const int32_t *nodes = block->nodes + (size_t)inverted[i] * (size_t)block->nodes_per_cell;
        if (setup->invertible && setup->invertible[body[nodes[0]]]) {
            turned[body[nodes[0]]] = 1;
            result->allowed_inverted++;
            continue;
        }
        result->inverted++;
        verify_problem problem = {.kind = VERIFY_INVERTED,
                                  .step = f->step,
                                  .first_count = 4,
                                  .first_body = body[nodes[0]],
                                  .second_body = -1,
                                  .tet = first_tet + inverted[i]};
        memcpy(problem.first, nodes, sizeof problem.first);
        vec3 p[4];
        for (int k = 0; k < 4; k++) {
            p[k] = f->points[nodes[k]];
            problem.position = vec3_mul_add(problem.position, 0.25, p[k]);
        }
        problem.depth = -tet_volume(p[0], p[1], p[2], p[3]);
        status = verify_keep(problems, most, problem, err);
    }
    mem_free(inverted);
    return status;
}

abut_status verify_frame(const frame *f, const verify_setup *setup, size_t most,
                         verify_result *result, verify_problems *problems, abut_error *err)
{
    *result = (verify_result){.step = f->step, .time = f->time, .min_distance = INFINITY};
    mesh m;
    const int32_t *body = NULL;
    TRY(borrow_mesh(f, &m, err));
    TRY(bodies_of(f, setup, &body, err));
    uint8_t *turned = mem_calloc(setup->body_count + 1, 1);
    abut_status status = turned ? ABUT_OK : error_memory(err, "checking a frame");
    int32_t first_tet = 0;
    for (size_t b = 0; status == ABUT_OK && b < f->block_count; b++) {
        if (f->blocks[b].kind != CELL_TET || setup->surface_only) continue;
        status = check_tets(f, &f->blocks[b], body, setup, turned, first_tet, most, result,
                            problems, err);
        first_tet += (int32_t)f->blocks[b].count;
    }
    if (status == ABUT_OK) status = verify_strains(f, body, setup, most, result, problems, err);
    if (status == ABUT_OK && setup->contact && f->point_count > 0)
        status = check_contact(f, &m, body, turned, setup, most, result, problems, err);
    mem_free(turned);
    return status;
}
