#include "measure/frame_fields.h"

#include "body/follower.h"
#include "contact/contact_force.h"

#include <string.h>

/* ---- forces ---- */

/* Forces on vertices that follow nodes go to the nodes. */
static void forces_to_blocks(const collision_surface *surface, const vec3 *vertex, vec3 *block)
{
    for (size_t i = 0; i < surface->rows.count; i++) {
        const surface_row *row = &surface->rows.data[i];
        int32_t node = surface_vertex_node(surface, i);
        if (node >= 0) block[node] = vec3_add(block[node], vertex[i]);
        if (node >= 0 || row->kind != ROW_COMBINATION) continue;
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

/* Bits of the fields of elements. */
static unsigned of_elements(unsigned wanted)
{
    unsigned bits = wanted / (unsigned)FRAME_STRESS_FIRST;
    if (wanted & FRAME_STRESS) bits |= 1u << STRESS_EQUIVALENT;
    if (wanted & FRAME_STRETCH) bits |= 1u << STRESS_LARGEST;
    return bits;
}

abut_status frame_fields_choose(frame_fields *fields, const model_frame *mf, const stepper *s,
                                unsigned wanted, frame *f, abut_error *err)
{
    if (!(wanted & FRAME_VELOCITY)) drop(f, FIELD_VELOCITY);
    if (!(wanted & FRAME_DISPLACEMENT)) drop(f, FIELD_DISPLACEMENT);
    if (wanted & FRAME_CONTACT_FORCE && !add_forces(fields, mf, s, f))
        return error_memory(err, "computing the fields of a frame");
    for (int k = 0; k < CONTACT_FIELDS; k++)
        if (wanted & (unsigned)FRAME_CONTACT_FIRST << k)
            TRY(contact_fields_add(&fields->contact, (contact_field)k, mf, s, f, err));
    unsigned elements = of_elements(wanted);
    if (elements == 0) return ABUT_OK;
    TRY(stress_fields_measure(&fields->stresses, s, err));
    return stress_fields_add(&fields->stresses, elements, mf, s->model, f, err);
}

abut_status frame_fields_choose_volume(frame_fields *fields, const volume_frame *vf,
                                       const stepper *s, unsigned wanted, frame *f, abut_error *err)
{
    unsigned elements = of_elements(wanted);
    if (elements == 0) return ABUT_OK;
    TRY(stress_fields_measure(&fields->stresses, s, err));
    return stress_fields_add_volume(&fields->stresses, elements, vf, f, err);
}

void frame_fields_free(frame_fields *fields)
{
    array_free(&fields->vertex_force);
    array_free(&fields->block_force);
    array_free(&fields->force);
    contact_fields_free(&fields->contact);
    stress_fields_free(&fields->stresses);
}
