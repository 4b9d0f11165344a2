#include "measure/frame_fields.h"

#include "base/parallel.h"
#include "contact/contact_force.h"
#include "math/svd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- cells ---- */

/* Von Mises' equivalent, sqrt(3/2) times the norm of the deviator, of sigma / scale. */
static double equivalent(mat3 sigma, double scale)
{
    double mean = 0, sum = 0;
    for (int i = 0; i < 3; i++) mean += sigma.m[i][i] / 3;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double deviator = sigma.m[i][k] - (i == k ? mean : 0);
            sum += deviator * deviator;
        }
    return sqrt(1.5 * sum) / fabs(scale);
}

/* Of sigma = P F^T / J. */
static double von_mises(const elastic_parameters *material, mat3 f)
{
    return equivalent(mat3_mul(elastic_stress(material, f), mat3_transpose(f)),
                      mat3_determinant(f));
}

typedef struct cell_work {
    const model *model;
    const double *x;
    double *stress, *stretch; /* of the tets, or NULL */
} cell_work;

static void measure_cells(void *context, size_t begin, size_t end)
{
    const cell_work *w = context;
    const model *m = w->model;
    for (size_t e = begin; e < end; e++) {
        vec3 corners[4];
        for (size_t k = 0; k < 4; k++)
            corners[k] = vec3_load(w->x + 3 * (size_t)m->tets.data[4 * e + k]);
        tet4_rest room;
        mat3 f = tet4_deformation(model_tet_rest(m, e, &room), corners);
        if (w->stress) w->stress[e] = von_mises(&m->bodies.data[m->tet_body.data[e]].material, f);
        if (w->stretch) {
            mat3 u, v;
            double s[3];
            svd3(f, &u, s, &v);
            w->stretch[e] = s[0];
        }
    }
}

/* Nodes of a shell's triangle or a rod's segment in ascending order (the third of a segment is -1),
 * and its number. */
typedef struct element_key {
    int32_t nodes[3], element;
} element_key;

static element_key make_key(const int32_t *nodes, int count, int32_t element)
{
    element_key key = {{-1, -1, -1}, element};
    for (int i = 0; i < count; i++) {
        int k = i;
        for (; k > 0 && key.nodes[k - 1] > nodes[i]; k--) key.nodes[k] = key.nodes[k - 1];
        key.nodes[k] = nodes[i];
    }
    return key;
}

static int compare_keys(const void *a, const void *b)
{
    const element_key *p = a, *q = b;
    for (int i = 0; i < 3; i++)
        if (p->nodes[i] != q->nodes[i]) return p->nodes[i] < q->nodes[i] ? -1 : 1;
    return 0;
}

/* Three-dimensional Cauchy stress of a sheet whose thickness stays. */
static double sheet_von_mises(const membrane_parameters *material, const vec3 f[2])
{
    vec3 p[2];
    membrane_stress(material, f[0], f[1], p);
    mat3 sigma = mat3_add(mat3_outer(p[0], f[0]), mat3_outer(p[1], f[1]));
    return equivalent(sigma, vec3_norm(vec3_cross(f[0], f[1])));
}

static void measure_triangle(const stepper *s, size_t element, double *stress, double *stretch)
{
    const codim_elements *c = &s->model->codim;
    vec3 corners[3], f[2];
    for (size_t k = 0; k < 3; k++)
        corners[k] = vec3_load(s->state.x + 3 * (size_t)c->triangles.data[3 * element + k]);
    tri3_deformation(&c->triangle_rest.data[element], corners, f);
    double a = vec3_dot(f[0], f[0]), b = vec3_dot(f[1], f[1]), d = vec3_dot(f[0], f[1]);
    *stretch = sqrt((a + b) / 2 + hypot((a - b) / 2, d)); /* of F^T F */
    *stress = sheet_von_mises(&s->model->bodies.data[c->triangle_body.data[element]].membrane, f);
}

static void measure_segment(const stepper *s, size_t element, double *stretch)
{
    const codim_elements *c = &s->model->codim;
    const int32_t *ends = &c->segments.data[2 * element];
    vec3 along = vec3_sub(vec3_load(s->state.x + 3 * (size_t)ends[1]),
                          vec3_load(s->state.x + 3 * (size_t)ends[0]));
    *stretch = vec3_norm(along) / c->segment_rest.data[element].length;
}

/* Cells of a frame that are elements of shells or rods. Frames hold the collision surface, whose
 * order need not be that of the elements. */
static bool measure_thin(const model_frame *mf, const stepper *s, int corners, double *stress,
                         double *stretch)
{
    const codim_elements *c = &s->model->codim;
    const int32_t *nodes = corners == 3 ? c->triangles.data : c->segments.data;
    size_t elements = (corners == 3 ? c->triangles.count : c->segments.count) / (size_t)corners;
    const int32_t *drawn = corners == 3 ? mf->triangles.data : mf->edges.data;
    size_t cells = (corners == 3 ? mf->triangles.count : mf->edges.count) / (size_t)corners;
    if (elements == 0 || cells == 0) return true;
    element_key *keys = mem_alloc(elements, sizeof *keys);
    if (!keys) return false;
    for (size_t e = 0; e < elements; e++)
        keys[e] = make_key(nodes + (size_t)corners * e, corners, (int32_t)e);
    qsort(keys, elements, sizeof *keys, compare_keys);
    for (size_t i = 0; i < cells; i++) {
        int32_t blocks[3];
        for (int k = 0; k < corners; k++)
            blocks[k] = mf->source.data[drawn[(size_t)corners * i + (size_t)k]];
        element_key wanted = make_key(blocks, corners, 0);
        const element_key *found = bsearch(&wanted, keys, elements, sizeof *keys, compare_keys);
        if (!found) continue;
        if (corners == 3)
            measure_triangle(s, (size_t)found->element, &stress[i], &stretch[i]);
        else
            measure_segment(s, (size_t)found->element, &stretch[i]);
    }
    mem_free(keys);
    return true;
}

/* First cell of a kind in the order of the frame's blocks. */
static size_t first_cell(const model_frame *mf, const int32_t *nodes)
{
    size_t cell = 0;
    for (size_t b = 0; b < mf->block_count; b++) {
        if (mf->blocks[b].nodes == nodes) return cell;
        cell += mf->blocks[b].count;
    }
    return cell;
}

static bool add_cell_fields(frame_fields *fields, const model_frame *mf, const stepper *s,
                            unsigned wanted, frame *f)
{
    size_t cells = frame_cell_count(f), tets = first_cell(mf, mf->tets.data);
    if (!array_resize(&fields->stress, cells + 1) || !array_resize(&fields->stretch, cells + 1))
        return false;
    double *stress = fields->stress.data, *stretch = fields->stretch.data;
    for (size_t i = 0; i < cells; i++) stress[i] = stretch[i] = NAN;
    cell_work work = {s->model, s->state.x, wanted & FRAME_STRESS ? stress + tets : NULL,
                      wanted & FRAME_STRETCH ? stretch + tets : NULL};
    parallel_for(s->model->tet_count, 256, measure_cells, &work);
    size_t triangles = first_cell(mf, mf->triangles.data), edges = first_cell(mf, mf->edges.data);
    if (!measure_thin(mf, s, 3, stress + triangles, stretch + triangles) ||
        !measure_thin(mf, s, 2, stress + edges, stretch + edges))
        return false;
    if (wanted & FRAME_STRESS) frame_add_doubles(f, FRAME_CELLS, FIELD_STRESS, 1, stress);
    if (wanted & FRAME_STRETCH) frame_add_doubles(f, FRAME_CELLS, FIELD_STRETCH, 1, stretch);
    return true;
}

/* ---- forces ---- */

/* Forces on vertices that follow nodes go to the nodes. */
static void forces_to_blocks(const collision_surface *surface, const vec3 *vertex, vec3 *block)
{
    for (size_t i = 0; i < surface->rows.count; i++) {
        const surface_row *row = &surface->rows.data[i];
        if (row->kind == ROW_NODE) block[row->block] = vec3_add(block[row->block], vertex[i]);
        if (row->kind != ROW_COMBINATION) continue;
        for (int32_t k = row->first; k < row->first + row->count; k++) {
            const row_entry *entry = &surface->entries.data[k];
            block[entry->block] = vec3_mul_add(block[entry->block], entry->weight, vertex[i]);
        }
    }
}

static bool add_forces(frame_fields *fields, const model_frame *mf, const stepper *s, frame *f)
{
    size_t vertices = s->model->surface.rows.count, blocks = s->model->rest.count;
    if (!array_resize(&fields->vertex_force, vertices + 1) ||
        !array_resize(&fields->block_force, blocks + 1) ||
        !array_resize(&fields->force, f->point_count + 1))
        return false;
    memset(fields->vertex_force.data, 0, vertices * sizeof(vec3));
    memset(fields->block_force.data, 0, blocks * sizeof(vec3));
    if (s->mlcp.solver)
        mlcp_add_forces(s->mlcp.solver, fields->vertex_force.data);
    else if (s->contact)
        contact_add_forces(s->contact, s->friction, &s->evaluation, stepper_contact_factor(s),
                           fields->vertex_force.data);
    forces_to_blocks(&s->model->surface, fields->vertex_force.data, fields->block_force.data);
    for (size_t i = 0; i < f->point_count; i++) {
        int32_t source = mf->source.data[i];
        fields->force.data[i] =
            source >= 0 ? fields->block_force.data[source] : fields->vertex_force.data[-1 - source];
    }
    frame_add_doubles(f, FRAME_POINTS, FIELD_CONTACT_FORCE, 3, (double *)fields->force.data);
    return true;
}

/* ---- choice ---- */

static void drop(frame *f, const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->field_count; i++)
        if (strcmp(f->fields[i].name, name) != 0) f->fields[kept++] = f->fields[i];
    f->field_count = kept;
}

abut_status frame_fields_choose(frame_fields *fields, const model_frame *mf, const stepper *s,
                                unsigned wanted, frame *f, abut_error *err)
{
    if (!(wanted & FRAME_VELOCITY)) drop(f, FIELD_VELOCITY);
    if (!(wanted & FRAME_DISPLACEMENT)) drop(f, FIELD_DISPLACEMENT);
    bool good = true;
    if (wanted & (FRAME_STRESS | FRAME_STRETCH)) good = add_cell_fields(fields, mf, s, wanted, f);
    if (good && wanted & FRAME_CONTACT_FORCE) good = add_forces(fields, mf, s, f);
    if (!good) return error_memory(err, "computing the fields of a frame");
    for (int k = 0; k < CONTACT_FIELDS; k++)
        if (wanted & (unsigned)FRAME_CONTACT_FIRST << k)
            TRY(contact_fields_add(&fields->contact, (contact_field)k, mf, s, f, err));
    return ABUT_OK;
}

void frame_fields_free(frame_fields *fields)
{
    array_free(&fields->stress);
    array_free(&fields->stretch);
    array_free(&fields->vertex_force);
    array_free(&fields->block_force);
    array_free(&fields->force);
    contact_fields_free(&fields->contact);
}
