/* The incremental potential as the judge of local operations (remesh/criterion.h): all bodies that
 * are remeshed become one local mesh with everything that the potential of the step needs, and come
 * back body by body. */
#include "sim/remesh_methods.h"

#include "remesh/criterion.h"
#include "scene/body_shapes.h"
#include "scene/build_solid.h"

#include <math.h>
#include <string.h>

/* Fields of the local mesh: the solution on the old mesh, which is relaxed, the predictor, the
 * solution once more, which is interpolated only; then those of motion_arrays, positions first. */
enum { FIELD_X = 0, FIELD_PREDICTOR = 1, FIELD_SAFE = 2, FIELD_STATE = 3 };
enum { MAX_PATIENCE = 8 }; /* times `every` */
/* Part of the vertices that have to go for collapses alone to be worth it. */
static const double NOTABLY_SMALLER = 0.05;

/* One value of `attribute`: a material of a body. */
typedef struct attribute_def {
    size_t body; /* of the scene */
    int32_t tag; /* of its cells */
} attribute_def;

typedef struct joined {
    abut_sim *sim;
    size_t vertex_count, cell_count;
    vec3 *rest;
    int32_t *cells, *attribute;
    uint64_t *flags;
    vec3 *fields[CARRY_MAX_FIELDS + FIELD_STATE];
    size_t field_count;
    size_t *first_flag; /* per body of the scene, in flag_axes */
    uint8_t *remeshed;
    int32_t *vertex_of_block; /* of the scene's model, -1: not remeshed */
    uint8_t *flag_axes;       /* per entry of fix, force and surface_loads of all bodies */
    ARRAY(attribute_def) attributes;
    ARRAY(remesh_material) materials;
    ARRAY(remesh_traction) tractions;
    local_mesh mesh;
} joined;

static void joined_free(joined *j)
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

static const body_shape *shape_of(const joined *j, size_t i)
{
    return j->sim->scene->bodies[i].remesh ? &j->sim->remesh->shapes.bodies[i] : NULL;
}

static abut_status allocate(joined *j, abut_error *err)
{
    const abut_sim *sim = j->sim;
    bool planar = sim->scene->planar;
    for (size_t i = 0; i < sim->scene->body_count; i++) {
        if (!shape_of(j, i)) continue;
        simplex_mesh m = simplex_view(&shape_of(j, i)->shape, planar);
        j->vertex_count += m.vertex_count;
        j->cell_count += m.cell_count;
    }
    size_t flags = 0;
    j->first_flag = mem_calloc(sim->scene->body_count + 1, sizeof *j->first_flag);
    for (size_t i = 0; j->first_flag && i < sim->scene->body_count; i++) {
        const body_def *def = &sim->scene->bodies[i];
        j->first_flag[i] = flags;
        flags += def->fix_count + def->force_count + def->surface_load_count;
    }
    j->flag_axes = mem_calloc(flags + 1, sizeof *j->flag_axes);
    state_array arrays[CARRY_MAX_FIELDS];
    j->field_count =
        FIELD_STATE + motion_arrays(&j->sim->stepper->state, "", arrays, CARRY_MAX_FIELDS);
    size_t corners = planar ? 3 : 4;
    j->rest = mem_alloc(j->vertex_count + 1, sizeof *j->rest);
    j->flags = mem_calloc(j->vertex_count + 1, sizeof *j->flags);
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
static abut_status attribute_of(joined *j, size_t i, int32_t tag, int32_t *out, abut_error *err)
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

static abut_status add_body(joined *j, size_t i, size_t *vertex, size_t *cell, abut_error *err)
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
    memcpy(j->flags + *vertex, shape->sets, n * sizeof *j->flags);
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
static abut_status loaded_area(const joined *j, size_t i, size_t set, double *area, abut_error *err)
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
        if (shape->sets[v] >> set & 1) {
            sum = vec3_add(sum, shape->shape.vertices[v]);
            count++;
        }
    return vec3_scale(count > 0 ? 1 / count : 0, sum);
}

static abut_status add_tractions(joined *j, size_t i, abut_error *err)
{
    const body_def *def = &j->sim->scene->bodies[i];
    const stepper *s = j->sim->stepper;
    for (size_t k = 0; k < def->surface_load_count; k++) {
        const surface_load_def *l = &def->surface_loads[k];
        if (!time_within(s->time, l->from, l->until)) continue;
        size_t set = def->fix_count + def->force_count + k;
        vec3 x = middle_of_set(shape_of(j, i), set);
        double end = s->time + s->options.h;
        remesh_traction t = {(int)set,
                             {expression_value(l->value[0], x.x, x.y, x.z, end),
                              expression_value(l->value[1], x.x, x.y, x.z, end),
                              expression_value(l->value[2], x.x, x.y, x.z, end)},
                             (int32_t)built_body(j->sim->scene, i)};
        if (!array_push(&j->tractions, t)) return error_memory(err, "remeshing");
    }
    return ABUT_OK;
}

/* Flags, what they hold, and what pulls at them, in this step. */
static abut_status add_sets(joined *j, abut_error *err)
{
    const scene_def *scene = j->sim->scene;
    const stepper *s = j->sim->stepper;
    size_t condition_at = 0, load_at = 0;
    for (size_t i = 0; i < scene->body_count; i++) {
        const body_def *def = &scene->bodies[i];
        if (!def->enabled || body_rows[def->type]->whole) continue;
        for (size_t k = 0; k < def->fix_count; k++, condition_at++) {
            const condition *c = &s->conditions.data[condition_at];
            if (def->remesh && condition_active(c, s->time))
                j->flag_axes[j->first_flag[i] + k] = (uint8_t)c->axes;
        }
        if (body_rows[def->type]->obstacle || def->sequence_folder) condition_at++;
        for (size_t k = 0; k < def->force_count; k++, load_at++) {
            const load *l = &s->loads.data[load_at];
            if (!def->remesh || !time_within(s->time, l->from, l->until)) continue;
            double area;
            TRY(loaded_area(j, i, def->fix_count + k, &area, err));
            if (!(area > 0)) continue;
            remesh_traction t = {(int)(def->fix_count + k),
                                 vec3_scale((double)l->nodes.count / area, l->force),
                                 (int32_t)built_body(scene, i)};
            if (!array_push(&j->tractions, t)) return error_memory(err, "remeshing");
        }
        if (def->remesh) TRY(add_tractions(j, i, err));
    }
    return ABUT_OK;
}

static abut_status join(joined *j, abut_error *err)
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
                            .field_count = (int)j->field_count,
                            .fields = (const vec3 *const *)j->fields,
                            .is_position = position,
                            .smooth = !sim->remesh->pinched};
    return local_mesh_import(&j->mesh, &def, err);
}

/* ---- back ---- */

typedef struct parting {
    const joined *j;
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
    out->now.sets = mem_alloc(n + 1, sizeof *out->now.sets);
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
            out->now.sets[to] = e->flags[v];
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

static abut_status part(const joined *j, const local_export *e, body_change *changes,
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

/* ---- the method ---- */

static remesh_options options_of(const abut_sim *sim)
{
    const remesh_def *def = &sim->scene->remesh;
    remesh_options o = remesh_default_options();
    double shortest = INFINITY;
    for (size_t i = 0; i < sim->scene->body_count; i++)
        if (sim->scene->bodies[i].remesh) shortest = fmin(shortest, sim->remesh->shortest[i]);
    o.split = def->split;
    o.collapse = def->collapse;
    o.swap = def->swap;
    o.smooth = def->smooth;
    o.split_tolerance = def->split_tolerance;
    o.collapse_tolerance = o.quality_tolerance = -def->collapse_tolerance;
    o.screening = def->screening;
    o.split_threshold = def->split_threshold;
    o.collapse_threshold = def->collapse_threshold;
    o.split_depth = o.collapse_depth = def->depth;
    o.min_length = def->min_edge;
    o.max_collapse_length = def->max_edge * shortest;
    o.max_cells = (size_t)def->max_cells;
    o.min_quality = def->quality;
    return o;
}

static remesh_problem problem_of(const joined *j)
{
    const stepper *s = j->sim->stepper;
    double h = motion_rule(&s->state)->is_static ? 1 : s->options.h;
    return (remesh_problem){.scene = s->model,
                            .contact = s->contact,
                            .friction = s->friction,
                            .x = s->x,
                            .start = s->start,
                            .remeshed = j->remeshed,
                            .vertex_of_block = j->vertex_of_block,
                            .material_count = j->materials.count,
                            .materials = j->materials.data,
                            .mass_factor = s->evaluation.mass_factor,
                            .force_factor = s->evaluation.load_factor,
                            .kappa = s->evaluation.kappa,
                            .gravity = s->options.gravity,
                            .traction_count = j->tractions.count,
                            .tractions = j->tractions.data,
                            .flag_axes = j->flag_axes,
                            .field_x = FIELD_X,
                            .field_predictor = FIELD_PREDICTOR,
                            .field_start = s->contact ? FIELD_STATE : -1,
                            .field_safe = s->contact ? FIELD_SAFE : 0,
                            .lag = s->options.friction_iterations == 1 ? LAG_AT_START : LAG_AT_END,
                            .tolerance = s->options.tolerance * h,
                            .memory = &j->sim->remesh->memory};
}

static void take_report(const remesh_report *r, remesh_counts *counts)
{
    counts->splits += r->split.accepted;
    counts->collapses += r->collapse.accepted;
    counts->swaps += r->swap.accepted;
    counts->smoothings += r->smooth.accepted;
    counts->attempts += r->split.tried + r->collapse.tried + r->swap.tried + r->smooth.tried;
}

/* Whether all changes together are worth another solution of the step. */
static bool is_worth_it(const abut_sim *sim, const remesh_report *r)
{
    double gained = r->split.gained + r->swap.gained + r->smooth.gained;
    return gained >= sim->scene->remesh.least_gain * r->potential ||
           (double)r->collapse.accepted > NOTABLY_SMALLER * (double)r->vertices_before;
}

/* When nothing was to be gained, the next look has time. */
static void wait_for_more(abut_sim *sim, bool worth, double energy)
{
    sim_remesh *r = sim->remesh;
    r->patience = worth ? 1 : r->patience < MAX_PATIENCE ? 2 * r->patience : MAX_PATIENCE;
    r->last = sim->stepper->state.steps + 1;
    r->next = r->last + r->patience * sim->scene->remesh.every;
    r->look[1] = energy;
}

abut_status remesh_by_energy(abut_sim *sim, body_change *changes, remesh_counts *counts,
                             abut_error *err)
{
    joined j = {.sim = sim};
    local_export e = {0};
    remesh_report report = {0};
    abut_status status = join(&j, err);
    if (status == ABUT_OK && j.cell_count > 0) {
        remesh_problem potential = problem_of(&j);
        remesh_options options = options_of(sim);
        status = remesh_step(&j.mesh, &potential, &options, &sim->log, &report, err);
        take_report(&report, counts);
    }
    if (report.full && !sim->remesh->said_full) {
        sim->remesh->said_full = true;
        log_message(&sim->log, ABUT_LOG_WARNING,
                    "the meshes have reached remesh.max_cells (%d) and are not refined further",
                    sim->scene->remesh.max_cells);
    }
    size_t kept = counts->splits + counts->collapses + counts->swaps + counts->smoothings;
    bool worth = is_worth_it(sim, &report);
    wait_for_more(sim, worth, report.potential);
    if (!worth) {
        *counts = (remesh_counts){.attempts = counts->attempts};
        kept = 0;
    }
    if (status == ABUT_OK && kept > 0) {
        status = local_mesh_export(&j.mesh, &e, err);
        if (status == ABUT_OK) status = part(&j, &e, changes, err);
        local_export_free(&e);
    }
    joined_free(&j);
    return status;
}
