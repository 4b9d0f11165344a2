#include "scene/body_shapes.h"

#include "scene/body_mesh.h"
#include "scene/build_solid.h"
#include "scene/select.h"

#include <stdio.h>
#include <string.h>

abut_status remembered_sides(const body_shape *now, bool planar, size_t set, side_list *out,
                             abut_error *err)
{
    side_list all = {0};
    abut_status status = boundary_sides(&now->shape, planar ? 2 : 3, &all, err);
    for (size_t i = 0; status == ABUT_OK && i < all.count; i++) {
        bool inside = true;
        for (int k = 0; k < 4 && all.data[i].corner[k] >= 0; k++)
            inside = inside && shape_vertex_in(now, (size_t)all.data[i].corner[k], set);
        if (inside && !array_push(out, all.data[i])) status = error_memory(err, "finding sides");
    }
    array_free(&all);
    return status;
}

double side_area(const mesh *m, const cell_side *side, bool planar)
{
    vec3 a = m->vertices[side->corner[0]], b = vec3_sub(m->vertices[side->corner[1]], a);
    if (planar) return vec3_norm(b);
    return 0.5 * vec3_norm(vec3_cross(b, vec3_sub(m->vertices[side->corner[2]], a)));
}

abut_status share_by_area(const body_shape *now, bool planar, size_t set, load *l, abut_error *err)
{
    side_list sides = {0};
    size_t corners = planar ? 2 : 3;
    TRY(remembered_sides(now, planar, set, &sides, err));
    double *area = mem_calloc(now->shape.vertex_count + 1, sizeof *area), total = 0;
    bool ok = area != NULL;
    for (size_t i = 0; ok && i < sides.count; i++) {
        double part = side_area(&now->shape, &sides.data[i], planar);
        for (size_t k = 0; k < corners; k++)
            area[sides.data[i].corner[k]] += part / (double)corners;
        total += part;
    }
    for (size_t v = 0; ok && total > 0 && v < now->shape.vertex_count; v++)
        if (shape_vertex_in(now, v, set))
            ok = array_push(&l->share, (double)l->nodes.count * area[v] / total);
    mem_free(area);
    array_free(&sides);
    return ok ? ABUT_OK : error_memory(err, "spreading a load");
}

/* ---- the start ---- */

void body_shapes_free(body_shapes *shapes)
{
    for (size_t i = 0; shapes->bodies && i < shapes->count; i++) {
        mesh_free(&shapes->bodies[i].shape);
        mem_free(shapes->bodies[i].sets);
    }
    mem_free(shapes->bodies);
    *shapes = (body_shapes){0};
}

static abut_status refuse(const scene_def *scene, size_t i, const char *what, abut_error *err)
{
    char place[256];
    snprintf(place, sizeof place, "%s: bodies[%zu].mesh", scene->path, i);
    return error_set(err, ABUT_ERROR_UNSUPPORTED, place,
                     "%s; only linear %s are remeshed (give the body \"remesh\": false to keep its "
                     "mesh)",
                     what, scene->planar ? "triangles" : "tetrahedra");
}

/* Only the cells of the body, all in one block, and only vertices that they use. */
static abut_status reduce(const scene_def *scene, size_t i, const mesh *m, mesh *out,
                          int32_t *number, abut_error *err)
{
    cell_kind kind = scene->planar ? CELL_TRIANGLE : CELL_TET;
    size_t cells = 0, corners = scene->planar ? 3 : 4, used = 0;
    bool tags = scene->bodies[i].solid.region_count > 0;
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        bool solid = block->kind == CELL_TET || block->kind == CELL_HEX ||
                     (scene->planar && (block->kind == CELL_TRIANGLE || block->kind == CELL_QUAD));
        if (!solid || block->count == 0) continue;
        if (block->kind != kind || block->order != 1)
            return refuse(scene, i, "the mesh has other cells, or cells of a higher order", err);
        cells += block->count;
        for (size_t k = 0; k < corners * block->count; k++) number[block->nodes[k]] = 1;
    }
    for (size_t v = 0; v < m->vertex_count; v++) number[v] = number[v] ? (int32_t)used++ : -1;
    TRY(mesh_init(out, used, err));
    for (size_t v = 0; v < m->vertex_count; v++)
        if (number[v] >= 0) out->vertices[number[v]] = m->vertices[v];
    cell_block *to;
    abut_status status = mesh_add_block(out, kind, 1, cells, tags, &to, err);
    size_t at = 0;
    for (int b = 0; status == ABUT_OK && b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        if (block->kind != kind) continue;
        for (size_t c = 0; c < block->count; c++, at++) {
            for (size_t k = 0; k < corners; k++)
                to->nodes[corners * at + k] = number[block->nodes[corners * c + k]];
            if (tags) to->tags[at] = solid_cell_region(&scene->bodies[i], m, block, c, at);
        }
    }
    if (status != ABUT_OK) mesh_free(out);
    return status;
}

/* Triangles in the plane run counter-clockwise. */
static void orient(mesh *m)
{
    cell_block *cells = &m->blocks[0];
    for (size_t c = 0; cells->kind == CELL_TRIANGLE && c < cells->count; c++) {
        int32_t *n = cells->nodes + 3 * c, keep = n[1];
        vec3 a = m->vertices[n[0]], b = vec3_sub(m->vertices[n[1]], a),
             d = vec3_sub(m->vertices[n[2]], a);
        if (b.x * d.y - b.y * d.x >= 0) continue;
        n[1] = n[2];
        n[2] = keep;
    }
}

static void mark(body_shape *b, int32_t vertex, size_t set)
{
    bits_add(b->sets + (size_t)vertex * b->set_words, set);
}

static abut_status mark_set(const scene_def *scene, size_t i, const mesh *m,
                            const selector_def *selector, const char *field, size_t entry,
                            size_t set, const int32_t *number, body_shape *out, abut_error *err)
{
    int32_t *nodes;
    size_t count;
    abut_status status = select_nodes(selector, &scene->bodies[i], m, &nodes, &count, err);
    if (status != ABUT_OK) {
        char place[256];
        snprintf(place, sizeof place, "%s: bodies[%zu].%s[%zu].nodes", scene->path, i, field,
                 entry);
        return error_add_place(err, place, status);
    }
    for (size_t k = 0; k < count; k++)
        if (number[nodes[k]] >= 0) mark(out, number[nodes[k]], set);
    mem_free(nodes);
    return ABUT_OK;
}

/* Corners of the sides that a load on the surface acts on. */
static abut_status mark_sides(const scene_def *scene, size_t i, const mesh *m,
                              const surface_load_def *def, size_t set, const int32_t *number,
                              body_shape *out, abut_error *err)
{
    side_list sides = {0};
    TRY(select_sides(&scene->bodies[i], m, def->on_part ? &def->number : NULL, &sides, err));
    for (size_t k = 0; k < sides.count; k++)
        for (int c = 0; c < 4 && sides.data[k].corner[c] >= 0; c++)
            mark(out, number[sides.data[k].corner[c]], set);
    array_free(&sides);
    return ABUT_OK;
}

static abut_status take(const scene_def *scene, size_t i, const mesh *m, int32_t *number,
                        body_shape *out, abut_error *err)
{
    const body_def *def = &scene->bodies[i];
    TRY(reduce(scene, i, m, &out->shape, number, err));
    orient(&out->shape);
    size_t fixes = def->dirichlet.fix_count, forces = def->loads.force_count,
           surfaces = def->loads.surface_load_count;
    out->set_words = bits_words(fixes + forces + surfaces);
    out->sets = mem_calloc((out->shape.vertex_count + 1) * out->set_words, sizeof *out->sets);
    if (!out->sets) return error_memory(err, "preparing remeshing");
    for (size_t k = 0; k < fixes; k++)
        TRY(mark_set(scene, i, m, &def->dirichlet.fixes[k].nodes, "fix", k, k, number, out, err));
    for (size_t k = 0; k < forces; k++)
        TRY(mark_set(scene, i, m, &def->loads.forces[k].nodes, "force", k, fixes + k, number, out,
                     err));
    for (size_t k = 0; k < surfaces; k++)
        TRY(mark_sides(scene, i, m, &def->loads.surface_loads[k], fixes + forces + k, number, out,
                       err));
    return ABUT_OK;
}

abut_status body_shapes_init(body_shapes *shapes, const scene_def *scene, abut_error *err)
{
    *shapes =
        (body_shapes){scene->body_count, mem_calloc(scene->body_count + 1, sizeof *shapes->bodies)};
    abut_status status = shapes->bodies ? ABUT_OK : error_memory(err, "preparing remeshing");
    for (size_t i = 0; status == ABUT_OK && i < scene->body_count; i++) {
        if (!scene->bodies[i].remesh) continue;
        mesh m;
        status = scene_body_mesh(scene, i, &m, err);
        if (status != ABUT_OK) break;
        if (body_fill_embedded(scene, i)) {
            mesh_free(&m);
            status = refuse(scene, i,
                            "its surface lies in a cage, where \"collide\" of \"fill\" is "
                            "not \"cage\"",
                            err);
            break;
        }
        int32_t *number = mem_calloc(m.vertex_count + 1, sizeof *number);
        status = number ? take(scene, i, &m, number, &shapes->bodies[i], err)
                        : error_memory(err, "preparing remeshing");
        mem_free(number);
        mesh_free(&m);
    }
    if (status != ABUT_OK) body_shapes_free(shapes);
    return status;
}
