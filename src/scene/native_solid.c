#include "scene/native_solid.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static abut_status read_nodes(const json_t *list, boundary_def *out, abut_error *err)
{
    out->node_count = json_array_size(list);
    out->nodes = mem_calloc(out->node_count + 1, sizeof *out->nodes);
    if (!out->nodes) return error_memory(err, "reading the scene");
    for (size_t i = 0; i < out->node_count; i++)
        out->nodes[i] = (int32_t)json_integer_value(json_array_get(list, i));
    return ABUT_OK;
}

abut_status native_read_transform(const json_t *object, boundary_def *out, abut_error *err)
{
    static const char *const words[] = {"all", "box", "sphere", "cylinder", "side", "nodes"};
    const json_t *cells = json_object_get(object, "cells");
    out->kind = cells ? BOUNDARY_NODES : BOUNDARY_ALL;
    if (cells) return read_nodes(cells, out, err);
    while (!json_object_get(object, words[out->kind])) out->kind++;
    const json_t *value = json_object_get(object, words[out->kind]);
    switch (out->kind) {
    case BOUNDARY_ALL: break;
    case BOUNDARY_BOX:
        out->a = native_to_vector(json_array_get(value, 0));
        out->b = native_to_vector(json_array_get(value, 1));
        break;
    case BOUNDARY_SPHERE: out->a = native_get_vector(value, "center"); break;
    case BOUNDARY_CYLINDER:
        out->a = native_get_vector(value, "from");
        out->b = native_get_vector(value, "to");
        break;
    case BOUNDARY_SIDE:
        out->a = native_get_vector(value, "point");
        out->b = native_get_vector(value, "normal");
        break;
    case BOUNDARY_NODES: return read_nodes(value, out, err);
    }
    out->radius = json_number_value(json_object_get(value, "radius"));
    return ABUT_OK;
}

abut_status native_read_boundaries(const json_t *list, body_def *out, abut_error *err)
{
    size_t count = json_array_size(list);
    if (count == 0) return ABUT_OK;
    out->loads.boundaries = mem_calloc(count, sizeof *out->loads.boundaries);
    if (!out->loads.boundaries) return error_memory(err, "reading the scene");
    out->loads.boundary_count = count;
    for (size_t i = 0; i < count; i++) {
        const json_t *object = json_array_get(list, i);
        out->loads.boundaries[i].number =
            (int32_t)json_integer_value(json_object_get(object, "number"));
        TRY(native_read_transform(object, &out->loads.boundaries[i], err));
    }
    return ABUT_OK;
}

static abut_status read_expression(const json_t *item, expression **out, abut_error *err)
{
    if (json_is_string(item)) return expression_parse(json_string_value(item), out, err);
    *out = expression_constant(json_number_value(item));
    return *out ? ABUT_OK : error_memory(err, "reading the scene");
}

static abut_status read_surface_load(const json_t *object, surface_load_def *out, abut_error *err)
{
    static const char *const words[] = {"traction", "normal", "pressure"};
    const json_t *part = json_object_get(object, "boundary");
    out->whole = !part;
    out->number = (int32_t)json_integer_value(part);
    out->from = json_number_value(json_object_get(object, "from"));
    const json_t *until = json_object_get(object, "until");
    out->until = until ? json_number_value(until) : INFINITY;
    while (!json_object_get(object, words[out->kind])) out->kind++;
    const json_t *value = json_object_get(object, words[out->kind]);
    if (out->kind != LOAD_TRACTION) return read_expression(value, &out->value[0], err);
    for (size_t k = 0; k < 3; k++)
        TRY(read_expression(json_array_get(value, k), &out->value[k], err));
    return ABUT_OK;
}

abut_status native_read_surface_loads(const json_t *list, body_def *out, abut_error *err)
{
    size_t count = json_array_size(list);
    if (count == 0) return ABUT_OK;
    out->loads.surface_loads = mem_calloc(count, sizeof *out->loads.surface_loads);
    if (!out->loads.surface_loads) return error_memory(err, "reading the scene");
    out->loads.surface_load_count = count;
    for (size_t i = 0; i < count; i++)
        TRY(read_surface_load(json_array_get(list, i), &out->loads.surface_loads[i], err));
    return ABUT_OK;
}

void native_free_solid(body_def *body)
{
    for (size_t i = 0; i < body->loads.boundary_count; i++)
        mem_free(body->loads.boundaries[i].nodes);
    mem_free(body->loads.boundaries);
    for (size_t i = 0; i < body->loads.surface_load_count; i++)
        for (int k = 0; k < 3; k++) expression_free(body->loads.surface_loads[i].value[k]);
    mem_free(body->loads.surface_loads);
    for (size_t i = 0; i < body->solid.region_count; i++)
        mem_free(body->solid.regions[i].place.nodes);
    mem_free(body->solid.regions);
}
