#include "sim/remesh_join.h"

#include "scene/body_shapes.h"
#include "scene/build_solid.h"

#include <string.h>

void joined_bodies_free(joined_bodies *j)
{
    mem_free(j->rest);
    mem_free(j->cells);
    mem_free(j->attribute);
    mem_free(j->flags);
    for (size_t k = 0; k < CARRY_MAX_FIELDS + FIELD_STATE; k++) mem_free(j->fields[k]);
    mem_free(j->first_flag);
    mem_free(j->flag_axes);
    mem_free(j->remeshed);
    mem_free(j->vertex_of_block);
    array_free(&j->attributes);
    array_free(&j->materials);
    array_free(&j->tractions);
    local_mesh_free(&j->mesh);
}

static const body_shape *shape_of(const joined_bodies *j, size_t i)
{
    return j->sim->scene->bodies[i].remesh ? &j->sim->remesh->shapes.bodies[i] : NULL;
}

static abut_status allocate(joined_bodies *j, abut_error *err)
{
    const abut_sim *sim = j->sim;
    bool planar = sim->scene->planar;
    for (size_t i = 0; i < sim->scene->body_count; i++) {
        if (!shape_of(j, i)) continue;
        simplex_mesh m = simplex_view(&shape_of(j, i)->shape, planar);
        if (shape_of(j, i)->set_words > j->flag_words) j->flag_words = shape_of(j, i)->set_words;
        j->vertex_count += m.vertex_count;
        j->cell_count += m.cell_count;
    }
    size_t flags = 0;
    j->first_flag = mem_calloc(sim->scene->body_count + 1, sizeof *j->first_flag);
    for (size_t i = 0; j->first_flag && i < sim->scene->body_count; i++) {
        const body_def *def = &sim->scene->bodies[i];
        j->first_flag[i] = flags;
        flags += def->dirichlet.fix_count + def->loads.force_count + def->loads.surface_load_count;
    }
    j->flag_axes = mem_calloc(flags + 1, sizeof *j->flag_axes);
    state_array arrays[CARRY_MAX_FIELDS];
    j->field_count =
        FIELD_STATE + motion_arrays(&j->sim->stepper->state, "", arrays, CARRY_MAX_FIELDS);
    size_t corners = planar ? 3 : 4;
    j->rest = mem_alloc(j->vertex_count + 1, sizeof *j->rest);
    j->flags = mem_calloc((j->vertex_count + 1) * j->flag_words, sizeof *j->flags);
    j->cells = mem_alloc(corners * j->cell_count + 1, sizeof *j->cells);
    j->attribute = mem_alloc(j->cell_count + 1, sizeof *j->attribute);
    j->remeshed = mem_calloc(sim->stepper->model->bodies.count + 1, 1);
    size_t blocks = sim->stepper->model->rest.count;
    j->vertex_of_block = mem_alloc(blocks + 1, sizeof *j->vertex_of_block);
    bool ok = j->rest && j->flags && j->cells && j->attribute && j->first_flag && j->flag_axes &&
              j->remeshed && j->vertex_of_block;
    for (size_t b = 0; ok && b < blocks; b++) j->vertex_of_block[b] = -1;
    for (size_t k = 0; ok && k < j->field_count; k++) {
        j->fields[k] = mem_alloc(j->vertex_count + 1, sizeof **j->fields);
        ok = j->fields[k] != NULL;
    }
    return ok ? ABUT_OK : error_memory(err, "remeshing");
}

/* The attribute of cells of a body with a tag, made if it is new. */
static abut_status attribute_of(joined_bodies *j, size_t i, int32_t tag, int32_t *out,
                                abut_error *err)
{
    for (size_t a = 0; a < j->attributes.count; a++)
        if (j->attributes.data[a].body == i && j->attributes.data[a].tag == tag) {
            *out = (int32_t)a;
            return ABUT_OK;
        }
    const body_def *def = &j->sim->scene->bodies[i];
    const material_def *material = tag > 0 ? &def->solid.regions[tag - 1].material : &def->material;
    remesh_material made = {.body = (int32_t)built_body(j->sim->scene, i),
                            .material = build_material(material),
                            .density = material->density,
                            .first_flag = j->first_flag[i]};
    *out = (int32_t)j->attributes.count;
    if (!array_push(&j->attributes, (attribute_def){i, tag}) || !array_push(&j->materials, made))
        return error_memory(err, "remeshing");
    return ABUT_OK;
}

static abut_status add_body(joined_bodies *j, size_t i, size_t *vertex, size_t *cell,
                            abut_error *err)
{
    const stepper *s = j->sim->stepper;
    const body_shape *shape = shape_of(j, i);
    bool planar = s->model->planar;
    const cell_block *cells = mesh_find(&shape->shape, planar ? CELL_TRIANGLE : CELL_TET);
    size_t n = shape->shape.vertex_count, corners = planar ? 3 : 4,
           built = built_body(j->sim->scene, i);
    size_t first = (size_t)s->model->bodies.data[built].first_block;
    j->remeshed[built] = 1;
    memcpy(j->rest + *vertex, shape->shape.vertices, n * sizeof *j->rest);
    for (size_t v = 0; v < n; v++)
        memcpy(j->flags + (*vertex + v) * j->flag_words, shape->sets + v * shape->set_words,
               shape->set_words * sizeof *j->flags);
    for (size_t k = 0; k < corners * cells->count; k++)
        j->cells[corners * *cell + k] = cells->nodes[k] + (int32_t)*vertex;
    for (size_t c = 0; c < cells->count; c++)
        TRY(attribute_of(j, i, cells->tags ? cells->tags[c] : 0, &j->attribute[*cell + c], err));
    state_array arrays[CARRY_MAX_FIELDS];
    size_t count = motion_arrays(&j->sim->stepper->state, "", arrays, CARRY_MAX_FIELDS);
    for (size_t v = 0; v < n; v++) j->vertex_of_block[first + v] = (int32_t)(*vertex + v);
    memcpy(j->fields[FIELD_X] + *vertex, s->x + 3 * first, n * sizeof(vec3));
    memcpy(j->fields[FIELD_SAFE] + *vertex, s->x + 3 * first, n * sizeof(vec3));
    memcpy(j->fields[FIELD_PREDICTOR] + *vertex, s->inertia->x_tilde + 3 * first, n * sizeof(vec3));
    for (size_t k = 0; k < count; k++)
        memcpy(j->fields[FIELD_STATE + k] + *vertex, arrays[k].doubles + 3 * first,
               n * sizeof(vec3));
    *vertex += n;
    *cell += cells->count;
    return ABUT_OK;
}

/* Rest area of the facets that a load is spread over. */
static abut_status loaded_area(const joined_bodies *j, size_t i, size_t set, double *area,
                               abut_error *err)
{
    const body_shape *shape = shape_of(j, i);
    side_list sides = {0};
    *area = 0;
    abut_status status = remembered_sides(shape, j->sim->scene->planar, set, &sides, err);
    for (size_t k = 0; status == ABUT_OK && k < sides.count; k++)
        *area += side_area(&shape->shape, &sides.data[k], j->sim->scene->planar);
    array_free(&sides);
    return status;
}

/* Middle of the nodes of a set at rest, where a traction that varies in space is evaluated. */
static vec3 middle_of_set(const body_shape *shape, size_t set)
{
    vec3 sum = {0};
    double count = 0;
    for (size_t v = 0; v < shape->shape.vertex_count; v++)
        if (shape_vertex_in(shape, v, set)) {
            sum = vec3_add(sum, shape->shape.vertices[v]);
            count++;
        }
    return vec3_scale(count > 0 ? 1 / count : 0, sum);
}

static abut_status add_tractions(joined_bodies *j, size_t i, abut_error *err)
{
    const body_def *def = &j->sim->scene->bodies[i];
    const stepper *s = j->sim->stepper;
    for (size_t k = 0; k < def->loads.surface_load_count; k++) {
        const surface_load_def *l = &def->loads.surface_loads[k];
        if (!time_within(s->time, l->from, l->until)) continue;
        size_t set = def->dirichlet.fix_count + def->loads.force_count + k;
        vec3 x = middle_of_set(shape_of(j, i), set);
        double end = s->scratch.span.end;
        remesh_traction t = {set,
                             {expression_value(l->value[0], x.x, x.y, x.z, end),
                              expression_value(l->value[1], x.x, x.y, x.z, end),
                              expression_value(l->value[2], x.x, x.y, x.z, end)},
                             (int32_t)built_body(j->sim->scene, i)};
        if (!array_push(&j->tractions, t)) return error_memory(err, "remeshing");
    }
    return ABUT_OK;
}

/* Flags, the axes that they fix, and the loads on them, in this step. */
static abut_status add_sets(joined_bodies *j, abut_error *err)
{
    const scene_def *scene = j->sim->scene;
    const stepper *s = j->sim->stepper;
    size_t condition_at = 0, load_at = 0;
    for (size_t i = 0; i < scene->body_count; i++) {
        const body_def *def = &scene->bodies[i];
        if (!def->enabled || body_rows[def->type]->whole) continue;
        for (size_t k = 0; k < def->dirichlet.fix_count; k++, condition_at++) {
            const condition *c = &s->dirichlet.conditions.data[condition_at];
            if (def->remesh && condition_active(c, s->time))
                j->flag_axes[j->first_flag[i] + k] = (uint8_t)c->axes;
        }
        if (body_rows[def->type]->obstacle || def->sequence.given) condition_at++;
        for (size_t k = 0; k < def->loads.force_count; k++, load_at++) {
            const load *l = &s->loads.nodes.data[load_at];
            if (!def->remesh || !time_within(s->time, l->from, l->until)) continue;
            double area;
            TRY(loaded_area(j, i, def->dirichlet.fix_count + k, &area, err));
            if (!(area > 0)) continue;
            remesh_traction t = {def->dirichlet.fix_count + k,
                                 vec3_scale((double)l->nodes.count / area, l->force),
                                 (int32_t)built_body(scene, i)};
            if (!array_push(&j->tractions, t)) return error_memory(err, "remeshing");
        }
        if (def->remesh) TRY(add_tractions(j, i, err));
    }
    return ABUT_OK;
}

abut_status bodies_join(joined_bodies *j, abut_error *err)
{
    const abut_sim *sim = j->sim;
    size_t vertex = 0, cell = 0;
    TRY(allocate(j, err));
    TRY(add_sets(j, err));
    for (size_t i = 0; i < sim->scene->body_count; i++)
        if (shape_of(j, i)) TRY(add_body(j, i, &vertex, &cell, err));
    bool position[CARRY_MAX_FIELDS + FIELD_STATE] = {[FIELD_X] = true, [FIELD_SAFE] = true};
    for (size_t k = FIELD_STATE; k < j->field_count; k++)
        position[k] = carried_position(&sim->stepper->state, k - FIELD_STATE);
    local_definition def = {.dimension = sim->scene->planar ? 2 : 3,
                            .vertex_count = j->vertex_count,
                            .cell_count = j->cell_count,
                            .rest = j->rest,
                            .cells = j->cells,
                            .attribute = j->attribute,
                            .flags = j->flags,
                            .flag_words = j->flag_words,
                            .field_count = (int)j->field_count,
                            .fields = (const vec3 *const *)j->fields,
                            .is_position = position,
                            .smooth = !sim->remesh->pinched};
    return local_mesh_import(&j->mesh, &def, err);
}
