#include "fill/fill.h"

#include "base/memory.h"
#include "fill/cage.h"

#include <math.h>
#include <string.h>

const char *const fill_method_words[] = {"cage", "gmsh", NULL};
const char *const fill_collide_words[] = {"auto", "surface", "cage", NULL};

fill_options fill_defaults(void)
{
    return (fill_options){.cells = 20, .winding = 0.5, .weld = -1, .graded = true};
}

void fill_free(fill_result *r)
{
    mesh_free(&r->solid);
    mesh_free(&r->surface);
    mem_free(r->share);
    mem_free(r->tet_group);
    mem_free(r->vertex_group);
    memset(r, 0, sizeof *r);
}

/* ---- repair ---- */

static abut_status repair(const mesh *in, const fill_options *options, fill_result *out,
                          shell_list *shells, abut_error *err)
{
    TRY(surface_take(in, options->weld, &out->surface, &out->taken, err));
    double diagonal = vec3_norm(vec3_sub(out->taken.high, out->taken.low));
    TRY(shells_orient(&out->surface, shells, &out->shells, err));
    TRY(surface_holes(&out->surface, options->close * diagonal, &out->holes, err));
    if (out->holes.added) { /* what is closed now may be told apart better */
        size_t flipped = out->shells.flipped;
        shells_free(shells);
        TRY(shells_orient(&out->surface, shells, &out->shells, err));
        out->shells.flipped += flipped;
    }
    TRY(surface_count_edges(surface_triangles(&out->surface), surface_triangle_count(&out->surface),
                            &out->cage.edges, err));
    int32_t(*pairs)[2];
    TRY(surface_crossings(&out->surface, &pairs, &out->cage.crossings, &out->cage.first_crossing,
                          err));
    shells_group(&out->surface, (const int32_t(*)[2])pairs, out->cage.crossings, shells,
                 &out->shells);
    mem_free(pairs);
    return ABUT_OK;
}

abut_status fill_repair(const mesh *in, const fill_options *options, fill_result *out,
                        abut_error *err)
{
    memset(out, 0, sizeof *out);
    shell_list shells = {0};
    abut_status status = repair(in, options, out, &shells, err);
    shells_free(&shells);
    if (status != ABUT_OK) fill_free(out);
    return status;
}

/* ---- filling ---- */

static double surface_area(const mesh *m)
{
    double sum = 0;
    const int32_t(*t)[3] = surface_triangles(m);
    for (size_t i = 0; i < surface_triangle_count(m); i++) {
        vec3 a = m->vertices[t[i][0]], b = m->vertices[t[i][1]], c = m->vertices[t[i][2]];
        sum += 0.5 * vec3_norm(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
    }
    return sum;
}

static double cell_size(const fill_options *options, const surface_report *taken)
{
    vec3 size = vec3_sub(taken->high, taken->low);
    double longest = fmax(size.x, fmax(size.y, size.z));
    return options->size > 0 ? options->size : longest / options->cells;
}

/* The cage of every group of shells, one after the other; *group: which one each tet is of. */
static abut_status make_cages(const mesh *surface, const shell_list *shells, size_t groups,
                              const cage_options *options, stuffing *out, int32_t **group,
                              abut_error *err)
{
    const int32_t(*t)[3] = surface_triangles(surface);
    size_t count = surface_triangle_count(surface), tets = 0;
    int32_t(*own)[3] = mem_alloc(count, sizeof *own);
    abut_status status = own ? ABUT_OK : error_memory(err, "filling a surface");
    for (size_t g = 0; status == ABUT_OK && g < groups; g++) {
        size_t n = 0;
        for (size_t i = 0; i < count; i++)
            if (groups == 1 || shells->data[shells->of_vertex[t[i][0]]].group == (int32_t)g)
                memcpy(own[n++], t[i], sizeof *own);
        surface_edges edges;
        status = surface_count_edges((const int32_t(*)[3])own, n, &edges, err);
        if (status == ABUT_OK)
            status = cage_add(surface->vertices, (const int32_t(*)[3])own, n, edges.unbalanced == 0,
                              options, out, err);
        int32_t *more =
            status == ABUT_OK ? mem_realloc(*group, out->tets.count + 1, sizeof **group) : NULL;
        if (!more) {
            if (status == ABUT_OK) status = error_memory(err, "filling a surface");
            break;
        }
        *group = more;
        for (; tets < out->tets.count; tets++) more[tets] = (int32_t)g;
    }
    mem_free(own);
    return status;
}

/* The tets as a mesh without unused vertices, and their shares. */
static abut_status take_tets(const stuffing *s, double offset, fill_result *out, abut_error *err)
{
    size_t count = s->tets.count, used = 0;
    int32_t *number = mem_alloc(s->vertices.count, sizeof *number);
    out->share = mem_alloc(count, sizeof *out->share);
    if (!number || !out->share) {
        mem_free(number);
        return error_memory(err, "filling a surface");
    }
    for (size_t v = 0; v < s->vertices.count; v++) number[v] = -1;
    for (size_t i = 0; i < 4 * count; i++) {
        int32_t *to = &number[s->tets.data[i / 4][i % 4]];
        if (*to < 0) *to = (int32_t)used++;
    }
    cell_block *block = NULL;
    abut_status status = mesh_init(&out->solid, used, err);
    if (status == ABUT_OK)
        status = mesh_add_block(&out->solid, CELL_TET, 1, count, false, &block, err);
    for (size_t v = 0; status == ABUT_OK && v < s->vertices.count; v++)
        if (number[v] >= 0) out->solid.vertices[number[v]] = s->vertices.data[v];
    for (size_t i = 0; status == ABUT_OK && i < count; i++) {
        double value[4];
        for (int k = 0; k < 4; k++) {
            int32_t v = s->tets.data[i][k];
            block->nodes[4 * i + (size_t)k] = number[v];
            value[k] = s->value.data[v] - offset;
        }
        out->share[i] = positive_share(value);
    }
    mem_free(number);
    return status;
}

static double volume_of_tet(const mesh *m, size_t tet)
{
    const int32_t *n = m->blocks[0].nodes + 4 * tet;
    vec3 a = m->vertices[n[0]];
    vec3 b = vec3_sub(m->vertices[n[1]], a), c = vec3_sub(m->vertices[n[2]], a),
         d = vec3_sub(m->vertices[n[3]], a);
    return vec3_dot(b, vec3_cross(c, d)) / 6;
}

/* Volume within a closed surface that does not cross itself, and whose inner shells are hollow;
 * NAN else: then the cells must tell. */
static double enclosed_volume(const fill_result *r, const shell_list *shells)
{
    double sum = 0;
    if (r->cage.edges.unbalanced || r->cage.crossings || r->shells.unions) return NAN;
    for (size_t s = 0; s < shells->count; s++)
        sum += shells->data[s].turned ? -shells->data[s].volume : shells->data[s].volume;
    return sum;
}

/* Cells have at least this share of mass and stiffness, else they would be dust. */
static const double LEAST_SHARE = 0.05;

/* Lifts small shares and scales all so that the volume within the surface is right. */
static void settle_shares(fill_result *r, double enclosed)
{
    size_t count = r->solid.blocks[0].count;
    double within = 0, lifted = 0;
    for (size_t i = 0; i < count; i++) {
        double volume = volume_of_tet(&r->solid, i);
        within += r->share[i] * volume;
        r->share[i] = fmax(r->share[i], LEAST_SHARE);
        lifted += r->share[i] * volume;
    }
    r->cage.solid_volume = isfinite(enclosed) ? enclosed : within;
    double factor = lifted > 0 ? r->cage.solid_volume / lifted : 1;
    for (size_t i = 0; i < count; i++) r->share[i] *= factor;
}

static abut_status number_vertices(fill_result *r, const shell_list *shells, abut_error *err)
{
    if (r->shells.groups == 1) { /* no need to tell them apart */
        mem_free(r->tet_group);
        r->tet_group = NULL;
        return ABUT_OK;
    }
    r->vertex_group = mem_alloc(r->surface.vertex_count, sizeof *r->vertex_group);
    if (!r->vertex_group) return error_memory(err, "filling a surface");
    for (size_t v = 0; v < r->surface.vertex_count; v++)
        r->vertex_group[v] = shells->data[shells->of_vertex[v]].group;
    return ABUT_OK;
}

static abut_status check_sheet(const fill_result *r, abut_error *err)
{
    double area = surface_area(&r->surface), thickness = 2 * r->cage.solid_volume / area;
    if (thickness > 0.02 * r->cage.size) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INPUT, "",
                     "the surface encloses hardly anything (%.3g m3 within %.3g m2, %.3g m thick, "
                     "cells of %.3g m): it looks like a sheet, for which there is the type "
                     "\"shell\"; or ask for smaller cells",
                     r->cage.solid_volume, area, thickness, r->cage.size);
}

static abut_status nothing_inside(const fill_result *r, abut_error *err)
{
    return error_set(err, ABUT_ERROR_INPUT, "",
                     "no point of a lattice with cells of %.3g m is within the surface (%zu "
                     "triangles, %zu edges of one triangle only): ask for smaller cells, or use "
                     "the type \"shell\" if it is a sheet",
                     r->cage.size, r->taken.triangles, r->cage.edges.border);
}

/* An embedding cage is larger than the solid by this many cells, so that corners and edges of the
 * surface lie in it: half a cell leaves some outside, a whole one is heavier for nothing. */
static const double OFFSET = 0.75;

static abut_status make_cage(fill_result *r, const fill_options *options, const shell_list *shells,
                             abut_error *err)
{
    cage_options how = {r->cage.size, r->cage.embedded ? OFFSET * r->cage.size : 0,
                        options->winding, options->graded};
    size_t groups = r->cage.embedded ? r->shells.groups : 1;
    stuffing s = {0};
    r->shells.groups = groups;
    abut_status status = make_cages(&r->surface, shells, groups, &how, &s, &r->tet_group, err);
    if (status == ABUT_OK && s.tets.count == 0) status = nothing_inside(r, err);
    if (status == ABUT_OK)
        status = cage_drop_crumbs(&s, r->tet_group, &r->cage.dropped, &r->cage.pieces, err);
    r->cage.cut_edges = s.cut_edges;
    r->cage.moved_nodes = s.moved_nodes;
    if (status == ABUT_OK) status = take_tets(&s, how.offset, r, err);
    stuffing_free(&s);
    TRY(status);
    mesh_tet_quality(&r->solid, &r->cage.quality);
    if (r->cage.embedded) {
        settle_shares(r, enclosed_volume(r, shells));
        TRY(check_sheet(r, err));
    } else {
        r->cage.solid_volume = r->cage.quality.volume;
        mem_free(r->share);
        r->share = NULL;
    }
    return number_vertices(r, shells, err);
}

static abut_status conform(fill_result *r, const shell_list *shells, abut_error *err)
{
    if (r->cage.edges.border || r->cage.edges.nonmanifold || r->cage.edges.unbalanced)
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "gmsh needs a closed surface, but %zu edges belong to one triangle only "
                         "and %zu to more than two; close it (\"close\" of the scene, --repair of "
                         "abut mesh) or use the method \"cage\"",
                         r->cage.edges.border, r->cage.edges.nonmanifold);
    if (r->cage.crossings)
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "gmsh needs a surface that does not cross itself, but this one does in "
                         "%zu places, first at (%.6g, %.6g, %.6g); use the method \"cage\"",
                         r->cage.crossings, r->cage.first_crossing.x, r->cage.first_crossing.y,
                         r->cage.first_crossing.z);
    if (r->shells.unions)
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "gmsh needs shells that do not lie in solids; use the method \"cage\"");
    TRY(fill_gmsh(&r->surface, shells, r->shells.groups, r->cage.size, &r->solid, err));
    mesh_tet_quality(&r->solid, &r->cage.quality);
    r->cage.solid_volume = r->cage.quality.volume;
    r->cage.pieces = r->shells.groups;
    r->shells.groups = 1;
    return ABUT_OK;
}

static abut_status fill(fill_result *r, const fill_options *options, const shell_list *shells,
                        abut_error *err)
{
    r->cage.size = cell_size(options, &r->taken);
    if (options->method == FILL_GMSH) {
        TRY(conform(r, shells, err));
    } else {
        r->cage.embedded = options->collide == FILL_COLLIDE_SURFACE ||
                           (options->collide == FILL_COLLIDE_AUTO && r->cage.crossings == 0);
        if (r->cage.embedded && r->cage.crossings)
            return error_set(err, ABUT_ERROR_INPUT, "",
                             "the surface crosses or touches itself in %zu places, first at (%.6g, "
                             "%.6g, %.6g), and cannot collide; let the cage collide instead",
                             r->cage.crossings, r->cage.first_crossing.x, r->cage.first_crossing.y,
                             r->cage.first_crossing.z);
        TRY(make_cage(r, options, shells, err));
    }
    if (r->cage.quality.inverted)
        return error_set(err, ABUT_ERROR_INTERNAL, "", "%zu of %zu tetrahedra have no volume",
                         r->cage.quality.inverted, r->cage.quality.count);
    return ABUT_OK;
}

abut_status fill_surface(const mesh *in, const fill_options *options, fill_result *out,
                         abut_error *err)
{
    memset(out, 0, sizeof *out);
    shell_list shells = {0};
    abut_status status = repair(in, options, out, &shells, err);
    if (status == ABUT_OK) status = fill(out, options, &shells, err);
    shells_free(&shells);
    if (status != ABUT_OK) fill_free(out);
    return status;
}
