#include "sim/remesh_join.h"

#include <string.h>

typedef struct parting {
    const joined_bodies *j;
    const local_export *e;
    int32_t *number;  /* per vertex: within its body */
    size_t *vertices; /* per body of the scene */
    size_t *cells;
    bool *changed, *nested;
} parting;

static abut_status part_body(const parting *p, size_t i, body_change *out, abut_error *err)
{
    const local_export *e = p->e;
    bool planar = e->dimension == 2;
    size_t corners = planar ? 3 : 4, n = p->vertices[i], at = 0;
    *out = (body_change){.changed = true,
                         .nested = p->nested[i],
                         .field_count = (size_t)e->field_count - FIELD_STATE};
    TRY(mesh_init(&out->now.shape, n, err));
    cell_block *block;
    TRY(mesh_add_block(&out->now.shape, planar ? CELL_TRIANGLE : CELL_TET, 1, p->cells[i], true,
                       &block, err));
    size_t words = p->j->sim->remesh->shapes.bodies[i].set_words;
    out->now.set_words = words;
    out->now.sets = mem_alloc((n + 1) * words, sizeof *out->now.sets);
    out->next = mem_alloc(3 * n + 1, sizeof *out->next);
    out->safe = mem_alloc(3 * n + 1, sizeof *out->safe);
    bool ok = out->now.sets && out->next && out->safe;
    for (size_t k = 0; ok && k < out->field_count; k++) {
        out->field[k] = mem_alloc(3 * n + 1, sizeof *out->field[k]);
        ok = out->field[k] != NULL;
    }
    if (!ok) return error_memory(err, "remeshing");
    for (size_t c = 0; c < e->cell_count; c++) {
        const attribute_def *attribute = &p->j->attributes.data[e->attribute[c]];
        if (attribute->body != i) continue;
        for (size_t k = 0; k < corners; k++) {
            int32_t v = e->cells[corners * c + k];
            size_t to = (size_t)p->number[v];
            block->nodes[corners * at + k] = (int32_t)to;
            out->now.shape.vertices[to] = e->rest[v];
            memcpy(out->now.sets + to * words, e->flags + (size_t)v * e->flag_words,
                   words * sizeof *e->flags);
            vec3_store(out->next + 3 * to, e->fields[FIELD_X][v]);
            vec3_store(out->safe + 3 * to, e->fields[FIELD_SAFE][v]);
            for (size_t f = 0; f < out->field_count; f++)
                vec3_store(out->field[f] + 3 * to, e->fields[FIELD_STATE + f][v]);
        }
        block->tags[at++] = attribute->tag;
    }
    return ABUT_OK;
}

/* Bodies do not share vertices: the body of a vertex is that of its cells. */
static void count_parts(parting *p, const int32_t *body_of_vertex)
{
    const local_export *e = p->e;
    for (size_t v = 0; v < e->vertex_count; v++)
        p->number[v] = (int32_t)p->vertices[body_of_vertex[v]]++;
    for (size_t c = 0; c < e->cell_count; c++) {
        size_t i = p->j->attributes.data[e->attribute[c]].body;
        p->cells[i]++;
        p->changed[i] = p->changed[i] || !e->cell_kept[c];
        p->nested[i] = p->nested[i] && e->cell_origin[c] >= 0;
    }
}

abut_status bodies_part(const joined_bodies *j, const local_export *e, body_change *changes,
                        abut_error *err)
{
    size_t bodies = j->sim->scene->body_count, corners = (size_t)e->dimension + 1;
    parting p = {.j = j,
                 .e = e,
                 .number = mem_alloc(e->vertex_count + 1, sizeof *p.number),
                 .vertices = mem_calloc(bodies + 1, sizeof *p.vertices),
                 .cells = mem_calloc(bodies + 1, sizeof *p.cells),
                 .changed = mem_calloc(bodies + 1, sizeof *p.changed),
                 .nested = mem_alloc(bodies + 1, sizeof *p.nested)};
    int32_t *body = mem_calloc(e->vertex_count + 1, sizeof *body);
    bool ok = p.number && p.vertices && p.cells && p.changed && p.nested && body;
    for (size_t i = 0; ok && i < bodies; i++) p.nested[i] = true;
    for (size_t c = 0; ok && c < e->cell_count; c++)
        for (size_t k = 0; k < corners; k++)
            body[e->cells[corners * c + k]] = (int32_t)j->attributes.data[e->attribute[c]].body;
    if (ok) count_parts(&p, body);
    abut_status status = ok ? ABUT_OK : error_memory(err, "remeshing");
    for (size_t i = 0; status == ABUT_OK && i < bodies; i++)
        if (p.changed[i]) status = part_body(&p, i, &changes[i], err);
    mem_free(p.number);
    mem_free(p.vertices);
    mem_free(p.cells);
    mem_free(p.changed);
    mem_free(p.nested);
    mem_free(body);
    return status;
}
