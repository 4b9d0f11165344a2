#include "measure/stress_fields.h"

#include "base/parallel.h"
#include "fem/node_fit.h"
#include "math/svd.h"
#include "measure/thin_cells.h"
#include "term/dilatation.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    int first, components;
    bool cells_only;
} rows[STRESS_FIELDS] = {[STRESS_CAUCHY] = {FIELD_CAUCHY_STRESS, 0, 6, false},
                         [STRESS_SECOND_PIOLA] = {FIELD_SECOND_PIOLA_STRESS, 6, 6, false},
                         [STRESS_STRETCHES] = {FIELD_PRINCIPAL_STRETCHES, 12, 3, false},
                         [STRESS_ENERGY] = {FIELD_ENERGY_DENSITY, 15, 1, false},
                         [STRESS_VON_MISES] = {FIELD_VON_MISES, 16, 1, false},
                         [STRESS_PLASTIC] = {FIELD_PLASTIC_STRAIN, 17, 1, false},
                         [STRESS_DISSIPATED] = {FIELD_DISSIPATED_ENERGY, 18, 1, false},
                         [STRESS_EQUIVALENT] = {FIELD_STRESS, 16, 1, true},
                         [STRESS_LARGEST] = {FIELD_STRETCH, 12, 1, true}};

/* ---- one point ---- */

static void store_tensor(mat3 a, double out[6])
{
    const double symmetric[6] = {a.m[0][0],
                                 a.m[1][1],
                                 a.m[2][2],
                                 0.5 * (a.m[0][1] + a.m[1][0]),
                                 0.5 * (a.m[1][2] + a.m[2][1]),
                                 0.5 * (a.m[0][2] + a.m[2][0])};
    memcpy(out, symmetric, sizeof symmetric);
}

static double von_mises(const double t[6])
{
    double a = t[0] - t[1], b = t[1] - t[2], c = t[2] - t[0];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3 * (t[3] * t[3] + t[4] * t[4] + t[5] * t[5]));
}

void stress_numbers(const elastic_parameters *material, const material_point *point, mat3 f,
                    double out[STRESS_NUMBERS])
{
    mat3 u, v, p;
    double s[3];
    out[17] = out[18] = 0;
    if (material->parts) {
        material_point_evaluate(material, point, f, false, &out[15], &p, NULL, NULL);
        out[17] = point->state[STATE_PLASTIC_STRAIN];
        out[18] = point->state[STATE_DISSIPATED];
    } else {
        elastic_evaluate(material, f, false, &out[15], &p, NULL);
    }
    store_tensor(mat3_scale(1 / mat3_determinant(f), mat3_mul(p, mat3_transpose(f))), out);
    store_tensor(mat3_mul(mat3_inverse(f), p), out + 6);
    svd3(f, &u, s, &v);
    memcpy(out + 12, s, sizeof s);
    out[16] = von_mises(out);
}

/* A sheet whose thickness stays. */
static void sheet_numbers(const membrane_parameters *material, const vec3 f[2], double *out)
{
    vec3 p[2];
    membrane_stress(material, f[0], f[1], p);
    double a = vec3_dot(f[0], f[0]), b = vec3_dot(f[1], f[1]), d = vec3_dot(f[0], f[1]);
    double area = vec3_norm(vec3_cross(f[0], f[1]));
    mat3 sigma = mat3_add(mat3_outer(p[0], f[0]), mat3_outer(p[1], f[1]));
    store_tensor(mat3_scale(1 / area, sigma), out);
    /* S = (F^T F)^-1 F^T P */
    double m[2][2];
    for (int k = 0; k < 2; k++) {
        double x = vec3_dot(f[0], p[k]), y = vec3_dot(f[1], p[k]);
        m[0][k] = (b * x - d * y) / (area * area);
        m[1][k] = (a * y - d * x) / (area * area);
    }
    const double second[6] = {m[0][0], m[1][1], 0, 0.5 * (m[0][1] + m[1][0]), 0, 0};
    memcpy(out + 6, second, sizeof second);
    double mean = (a + b) / 2, half = hypot((a - b) / 2, d);
    out[12] = sqrt(mean + half);
    out[13] = area / out[12];
    out[14] = 1;
    out[15] = membrane_energy(material, f[0], f[1]);
    out[16] = von_mises(out);
    out[17] = out[18] = 0;
}

/* Section and volume of a segment's rod at rest. */
static double segment_area(const model *m, size_t e)
{
    const codim_elements *c = &m->codim;
    double width = m->bodies.data[m->body.data[c->segments.data[2 * e]]].width;
    return 0.25 * 3.14159265358979323846 * width * width;
}

/* A rod whose section stays: sigma = E (l / l0 - 1) along it. */
static void segment_numbers(const model *m, const double *x, size_t e, double *out)
{
    const codim_elements *c = &m->codim;
    const int32_t *ends = &c->segments.data[2 * e];
    const segment_rest *rest = &c->segment_rest.data[e];
    vec3 along = vec3_sub(vec3_load(x + 3 * (size_t)ends[1]), vec3_load(x + 3 * (size_t)ends[0]));
    double length = vec3_norm(along), stretch = length / rest->length;
    double young = rest->stiffness * rest->length / segment_area(m, e);
    double stress = young * (stretch - 1);
    vec3 unit = vec3_scale(1 / length, along);
    store_tensor(mat3_scale(stress, mat3_outer(unit, unit)), out);
    const double other[STRESS_NUMBERS - 6] = {
        stress / stretch, 0, 0, 0, 0, 0, stretch, 1, 1, 0.5 * stress * (stretch - 1), fabs(stress)};
    memcpy(out + 6, other, sizeof other);
}

/* ---- elements and nodes ---- */

static void add_to_node(stress_fields *f, int32_t block, double weight, const double *numbers)
{
    double *sum = f->nodes.data + STRESS_NUMBERS * (size_t)block;
    for (int k = 0; k < STRESS_NUMBERS; k++) sum[k] += weight * numbers[k];
    f->weight.data[block] += weight;
}

typedef struct tet_work {
    const stepper *s;
    double *out;
} tet_work;

static void tet_range(void *context, size_t begin, size_t end)
{
    const tet_work *w = context;
    const model *m = w->s->model;
    for (size_t e = begin; e < end; e++) {
        const elastic_parameters *material = &m->bodies.data[m->tet_body.data[e]].material;
        material_point point =
            point_state(elastic_state_of(&w->s->elastic->state, 0), material, e, 0);
        stress_numbers(material, &point, model_tet_deformation(m, e, w->s->state.x),
                       w->out + STRESS_NUMBERS * e);
    }
}

static void measure_tets(stress_fields *f, const stepper *s)
{
    const model *m = s->model;
    tet_work work = {s, f->tets.data};
    parallel_for(m->tet_count, 256, tet_range, &work);
    for (size_t e = 0; e < m->tet_count; e++) {
        tet4_rest room;
        for (size_t k = 0; k < 4; k++)
            add_to_node(f, m->tets.data[4 * e + k], model_tet_rest(m, e, &room)->volume,
                        f->tets.data + STRESS_NUMBERS * e);
    }
}

/* What the mean dilatation of an element adds to the numbers of a point. */
static void add_pressure(mat3 f, double pressure, double energy, double *out)
{
    double second[6], j = mat3_determinant(f);
    mat3 inverse = mat3_inverse(f);
    store_tensor(mat3_scale(pressure * j, mat3_mul(inverse, mat3_transpose(inverse))), second);
    for (int k = 0; k < 3; k++) out[k] += pressure;
    for (int k = 0; k < 6; k++) out[6 + k] += second[k];
    out[15] += energy;
}

/* The numbers at all points of an element; returns its volume and their mean. */
static double measure_points(const stepper *s, const element_set *set, size_t e, double *values,
                             double *mean)
{
    int group = ELASTIC_SET_GROUP + (int)(set - s->model->sets.data);
    double u[3 * ELEMENT_MAX_STRIDE], volume = 0;
    element_gather(set, e, s->state.x, s->model->rest.data, u);
    memset(mean, 0, STRESS_NUMBERS * sizeof *mean);
    double pressure = dilatation_pressure(set, e, s->state.x, s->model->rest.data);
    double energy = dilatation_energy(set, e, s->state.x, s->model->rest.data);
    for (int i = 0; i < set->elastic_points; i++) {
        double *at = values + STRESS_NUMBERS * i;
        double measure = element_measure(set, e, i);
        material_point point =
            point_state(elastic_state_of(&s->elastic->state, group), &set->material.data[e], e, i);
        mat3 f = element_deformation(set, e, u, i);
        stress_numbers(&set->material.data[e], &point, f, at);
        if (set->material.data[e].mean_lambda > 0) add_pressure(f, pressure, energy, at);
        for (int k = 0; k < STRESS_NUMBERS; k++) mean[k] += measure * at[k];
        volume += measure;
    }
    for (int k = 0; k < STRESS_NUMBERS; k++) mean[k] /= volume;
    return volume;
}

static abut_status measure_set(stress_fields *f, const stepper *s, const element_set *set,
                               double *out, abut_error *err)
{
    int points = set->elastic_points;
    double *fit = mem_alloc((size_t)(set->nodes * points), sizeof *fit);
    double *values = mem_alloc((size_t)(STRESS_NUMBERS * points), sizeof *values);
    bool ok = fit && values && node_fit_make(set, fit);
    for (size_t e = 0; ok && e < set->count; e++) {
        double volume = measure_points(s, set, e, values, out + STRESS_NUMBERS * e);
        for (int a = 0; a < set->nodes; a++) {
            double at[STRESS_NUMBERS] = {0};
            for (int i = 0; i < points; i++)
                for (int k = 0; k < STRESS_NUMBERS; k++)
                    at[k] += fit[a * points + i] * values[STRESS_NUMBERS * i + k];
            at[16] = von_mises(at);
            add_to_node(f, set->blocks.data[e * (size_t)set->nodes + (size_t)a], volume, at);
        }
    }
    mem_free(fit);
    mem_free(values);
    return ok ? ABUT_OK : error_memory(err, "measuring stresses");
}

static void measure_thin(stress_fields *f, const stepper *s)
{
    const codim_elements *c = &s->model->codim;
    for (size_t e = 0; e < c->triangles.count / 3; e++) {
        const int32_t *blocks = c->triangles.data + 3 * e;
        vec3 corners[3], gradient[2];
        double *out = f->triangles.data + STRESS_NUMBERS * e;
        for (size_t k = 0; k < 3; k++) corners[k] = vec3_load(s->state.x + 3 * (size_t)blocks[k]);
        tri3_deformation(&c->triangle_rest.data[e], corners, gradient);
        sheet_numbers(&s->model->bodies.data[c->triangle_body.data[e]].membrane, gradient, out);
        for (int k = 0; k < 3; k++) add_to_node(f, blocks[k], c->triangle_rest.data[e].area, out);
    }
    for (size_t e = 0; e < c->segments.count / 2; e++) {
        double *out = f->segments.data + STRESS_NUMBERS * e;
        segment_numbers(s->model, s->state.x, e, out);
        for (int k = 0; k < 2; k++)
            add_to_node(f, c->segments.data[2 * e + (size_t)k], c->segment_rest.data[e].length,
                        out);
    }
}

static bool make_room(stress_fields *f, const model *m)
{
    size_t elements = 0, blocks = m->rest.count;
    for (size_t i = 0; i < m->sets.count; i++) elements += m->sets.data[i].count;
    bool ok = array_resize(&f->tets, STRESS_NUMBERS * m->tet_count + 1) &&
              array_resize(&f->sets, STRESS_NUMBERS * elements + 1) &&
              array_resize(&f->triangles, STRESS_NUMBERS * m->codim.triangles.count / 3 + 1) &&
              array_resize(&f->segments, STRESS_NUMBERS * m->codim.segments.count / 2 + 1) &&
              array_resize(&f->nodes, STRESS_NUMBERS * blocks + 1) &&
              array_resize(&f->weight, blocks + 1);
    if (!ok) return false;
    memset(f->nodes.data, 0, STRESS_NUMBERS * blocks * sizeof(double));
    memset(f->weight.data, 0, blocks * sizeof(double));
    return true;
}

abut_status stress_fields_measure(stress_fields *f, const stepper *s, abut_error *err)
{
    const model *m = s->model;
    if (!make_room(f, m)) return error_memory(err, "measuring stresses");
    double *out = f->sets.data;
    measure_tets(f, s);
    measure_thin(f, s);
    for (size_t i = 0; i < m->sets.count; i++) {
        TRY(measure_set(f, s, &m->sets.data[i], out, err));
        out += STRESS_NUMBERS * m->sets.data[i].count;
    }
    for (size_t b = 0; b < m->rest.count; b++)
        for (int k = 0; k < STRESS_NUMBERS; k++) {
            double *value = &f->nodes.data[STRESS_NUMBERS * b + (size_t)k];
            *value = f->weight.data[b] > 0 ? *value / f->weight.data[b] : NAN;
        }
    return ABUT_OK;
}

/* ---- frames ---- */

/* Component k of a field at a surface vertex that follows several nodes. */
static double at_vertex(const stress_fields *f, const collision_surface *surface, int32_t vertex,
                        size_t k)
{
    const surface_row *row = &surface->rows.data[vertex];
    if (row->kind == ROW_NODE) return f->nodes.data[STRESS_NUMBERS * (size_t)row->block + k];
    if (row->kind == ROW_RIGID) return NAN;
    double sum = 0;
    for (int32_t i = row->first; i < row->first + row->count; i++) {
        const row_entry *entry = &surface->entries.data[i];
        sum += entry->weight * f->nodes.data[STRESS_NUMBERS * (size_t)entry->block + k];
    }
    return sum;
}

/* Copies the components of a field from the numbers of elements. */
static void copy(const double *from, size_t element, int field, double *to)
{
    memcpy(to, from + STRESS_NUMBERS * element + rows[field].first,
           (size_t)rows[field].components * sizeof *to);
}

/* The cells of a frame; out is NaN where they are no elements. */
static bool fill_cells(stress_fields *f, int field, const model_frame *mf, const model *m,
                       double *out)
{
    size_t n = (size_t)rows[field].components, at = frame_first_cell(mf, mf->tets.data);
    for (size_t e = 0; e < m->tet_count; e++)
        if (!m->bodies.data[m->tet_body.data[e]].by_surface)
            copy(f->tets.data, e, field, out + n * at++);
    for (int corners = 3; corners >= 2; corners--) {
        const int32_t *drawn = corners == 3 ? mf->triangles.data : mf->edges.data;
        size_t count = (corners == 3 ? mf->triangles.count : mf->edges.count) / (size_t)corners;
        if (!array_resize(&f->element, count + 1) ||
            !thin_cells_find(mf, m, corners, f->element.data))
            return false;
        at = frame_first_cell(mf, drawn);
        for (size_t i = 0; i < count; i++)
            if (f->element.data[i] >= 0)
                copy(corners == 3 ? f->triangles.data : f->segments.data,
                     (size_t)f->element.data[i], field, out + n * (at + i));
    }
    return true;
}

abut_status stress_fields_add(stress_fields *f, unsigned wanted, const model_frame *mf,
                              const model *m, frame *out, abut_error *err)
{
    size_t cells = frame_cell_count(out);
    for (int k = 0; k < STRESS_FIELDS; k++) {
        if (!(wanted >> k & 1)) continue;
        size_t n = (size_t)rows[k].components, first = (size_t)rows[k].first;
        if (!array_resize(&f->cells[k], n * cells + 1) ||
            !array_resize(&f->points[k], n * out->point_count + 1))
            return error_memory(err, "computing the fields of a frame");
        for (size_t i = 0; i < n * cells; i++) f->cells[k].data[i] = NAN;
        if (!fill_cells(f, k, mf, m, f->cells[k].data))
            return error_memory(err, "computing the fields of a frame");
        frame_add_doubles(out, FRAME_CELLS, rows[k].name, (int)n, f->cells[k].data);
        for (size_t i = 0; !rows[k].cells_only && i < out->point_count; i++) {
            int32_t source = mf->source.data[i];
            for (size_t c = 0; c < n; c++)
                f->points[k].data[n * i + c] =
                    source >= 0 ? f->nodes.data[STRESS_NUMBERS * (size_t)source + first + c]
                                : at_vertex(f, &m->surface, -1 - source, first + c);
        }
        if (!rows[k].cells_only)
            frame_add_doubles(out, FRAME_POINTS, rows[k].name, (int)n, f->points[k].data);
    }
    return ABUT_OK;
}

abut_status stress_fields_add_volume(stress_fields *f, unsigned wanted, const volume_frame *vf,
                                     frame *out, abut_error *err)
{
    size_t cells = frame_cell_count(out);
    for (int k = 0; k < STRESS_FIELDS; k++) {
        if (!(wanted >> k & 1)) continue;
        size_t n = (size_t)rows[k].components;
        if (!array_resize(&f->volume_cells[k], n * cells + 1) ||
            !array_resize(&f->volume_points[k], n * out->point_count + 1))
            return error_memory(err, "computing the fields of a frame");
        for (size_t e = 0; e < cells; e++)
            copy(f->sets.data, e, k, f->volume_cells[k].data + n * e);
        for (size_t i = 0; i < out->point_count; i++)
            copy(f->nodes.data, (size_t)vf->node.data[i], k, f->volume_points[k].data + n * i);
        frame_add_doubles(out, FRAME_CELLS, rows[k].name, (int)n, f->volume_cells[k].data);
        if (!rows[k].cells_only)
            frame_add_doubles(out, FRAME_POINTS, rows[k].name, (int)n, f->volume_points[k].data);
    }
    return ABUT_OK;
}

void stress_fields_free(stress_fields *f)
{
    array_free(&f->tets);
    array_free(&f->sets);
    array_free(&f->triangles);
    array_free(&f->segments);
    array_free(&f->nodes);
    array_free(&f->weight);
    array_free(&f->element);
    for (int k = 0; k < STRESS_FIELDS; k++) {
        array_free(&f->cells[k]);
        array_free(&f->points[k]);
        array_free(&f->volume_cells[k]);
        array_free(&f->volume_points[k]);
    }
}
