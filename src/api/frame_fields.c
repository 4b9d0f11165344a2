#include "api/frame_fields.h"

#include "base/parallel.h"
#include "contact/contact_force.h"
#include "math/svd.h"

#include <math.h>
#include <string.h>

/* ---- cells ---- */

/* sqrt(3/2) times the norm of the deviator of sigma = P F^T / J. */
static double von_mises(const elastic_parameters *material, mat3 f)
{
    mat3 sigma = mat3_mul(elastic_stress(material, f), mat3_transpose(f));
    double j = mat3_determinant(f), mean = 0, sum = 0;
    for (int i = 0; i < 3; i++) mean += sigma.m[i][i] / 3;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double deviator = sigma.m[i][k] - (i == k ? mean : 0);
            sum += deviator * deviator;
        }
    return sqrt(1.5 * sum) / fabs(j);
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
        mat3 f = tet4_deformation(&m->tet_rest.data[e], corners);
        if (w->stress) w->stress[e] = von_mises(&m->bodies.data[m->tet_body.data[e]].material, f);
        if (w->stretch) {
            mat3 u, v;
            double s[3];
            svd3(f, &u, s, &v);
            w->stretch[e] = s[0];
        }
    }
}

/* First cell of the linear tets in the order of the frame's blocks. */
static size_t first_tet(const model_frame *mf)
{
    size_t cell = 0;
    for (size_t b = 0; b < mf->block_count; b++) {
        if (mf->blocks[b].nodes == mf->tets.data) return cell;
        cell += mf->blocks[b].count;
    }
    return cell;
}

static bool add_cell_fields(frame_fields *fields, const model_frame *mf, const stepper *s,
                            unsigned wanted, frame *f)
{
    size_t cells = frame_cell_count(f), tets = first_tet(mf);
    if (!array_resize(&fields->stress, cells + 1) || !array_resize(&fields->stretch, cells + 1))
        return false;
    for (size_t i = 0; i < cells; i++) fields->stress.data[i] = fields->stretch.data[i] = NAN;
    cell_work work = {s->model, s->state.x,
                      wanted & FRAME_STRESS ? fields->stress.data + tets : NULL,
                      wanted & FRAME_STRETCH ? fields->stretch.data + tets : NULL};
    parallel_for(s->model->tet_count, 256, measure_cells, &work);
    if (work.stress) frame_add_doubles(f, FRAME_CELLS, FIELD_STRESS, 1, fields->stress.data);
    if (work.stretch) frame_add_doubles(f, FRAME_CELLS, FIELD_STRETCH, 1, fields->stretch.data);
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
    /* The stiffness carries the integrator's factor on forces, as the elastic weight does. */
    double weight = s->elastic->base.weight;
    if (s->contact)
        contact_add_forces(s->contact, s->friction, weight > 0 ? weight : 1,
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
    return good ? ABUT_OK : error_memory(err, "computing the fields of a frame");
}

void frame_fields_free(frame_fields *fields)
{
    array_free(&fields->stress);
    array_free(&fields->stretch);
    array_free(&fields->vertex_force);
    array_free(&fields->block_force);
    array_free(&fields->force);
}
