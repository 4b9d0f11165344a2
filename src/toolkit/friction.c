/* The functions of contact.h on friction. */
#include "base/parallel.h"
#include "contact/friction_stencil.h"
#include "toolkit/active_set.h"

#include <math.h>
#include <string.h>

/* Lists by kind of stencil; nearly parallel edges have no sliding direction. */
enum { FRICTION_KINDS = 4 };
static const stencil_list LIST_OF[FRICTION_KINDS] = {LIST_PP, LIST_PE, LIST_PT, LIST_EE};

struct abut_friction {
    const abut_collision_mesh *mesh; /* NULL before the first lagging */
    ARRAY(friction_stencil) lists[FRICTION_KINDS];
    ARRAY(int32_t) vertices[FRICTION_KINDS];
    ARRAY(vec3) moved; /* displacements of the vertices */
    stencil_assembly assembly;
};

abut_status abut_friction_create(abut_friction **out, abut_error *error)
{
    *out = mem_calloc(1, sizeof **out);
    return *out ? ABUT_OK : error_memory(error, "making a friction potential");
}

void abut_friction_destroy(abut_friction *f)
{
    if (!f) return;
    for (int k = 0; k < FRICTION_KINDS; k++) {
        array_free(&f->lists[k]);
        array_free(&f->vertices[k]);
    }
    array_free(&f->moved);
    stencil_assembly_free(&f->assembly);
    mem_free(f);
}

/* ---- Lagging -------------------------------------------------------------------------------- */

static abut_status check_coefficients(const abut_collision_mesh *mesh,
                                      const abut_friction_options *o, abut_error *error)
{
    if (!(isfinite(o->coefficient) && o->coefficient >= 0))
        return error_set(error, ABUT_ERROR_INPUT, "coefficient", "%g is not allowed, only >= 0",
                         o->coefficient);
    if (!o->group_coefficients) return ABUT_OK;
    size_t n = mesh->group_count;
    if (n == 0)
        return error_set(error, ABUT_ERROR_INPUT, "group_coefficients",
                         "the collision mesh was made without group_count");
    for (size_t i = 0; i < n * n; i++) {
        double mu = o->group_coefficients[i];
        if (!(isfinite(mu) && mu >= 0))
            return error_set(error, ABUT_ERROR_INPUT, "group_coefficients",
                             "%g for groups %zu and %zu is not allowed, only >= 0", mu, i / n,
                             i % n);
        if (mu != o->group_coefficients[i % n * n + i / n])
            return error_set(error, ABUT_ERROR_INPUT, "group_coefficients",
                             "groups %zu and %zu have two different values", i / n, i % n);
    }
    for (size_t v = 0; mesh->group && v < mesh->vertex_count; v++)
        if ((size_t)mesh->group[v] >= n)
            return error_set(error, ABUT_ERROR_INPUT, "group_coefficients",
                             "vertex %zu is in group %d, but there are only %zu groups", v,
                             (int)mesh->group[v], n);
    return ABUT_OK;
}

static double coefficient_of(const abut_collision_mesh *mesh, const abut_friction_options *o,
                             int32_t a, int32_t b)
{
    if (!o->group_coefficients) return o->coefficient;
    size_t first = mesh->group ? (size_t)mesh->group[a] : 0;
    size_t second = mesh->group ? (size_t)mesh->group[b] : 0;
    return o->group_coefficients[first * mesh->group_count + second];
}

static abut_status lag_list(abut_friction *f, int k, const abut_active_set *set,
                            const barrier_law *law, const abut_friction_options *o,
                            abut_error *error)
{
    stencil_list list = LIST_OF[k];
    stencil_kind kind = stencil_list_kind[list];
    size_t width = (size_t)stencil_list_width[list];
    int second = kind == STENCIL_EE ? 2 : 1;
    array_clear(&f->lists[k]);
    array_clear(&f->vertices[k]);
    for (size_t i = 0; i < set->set.lists[list].count; i++) {
        const contact_stencil *c = &set->set.lists[list].data[i];
        double mu = coefficient_of(set->mesh, o, c->vertex[0], c->vertex[second]);
        if (mu <= 0) continue;
        friction_stencil s = {
            .force = mu * barrier_normal_force(law, c->distance2, c->thickness, c->multiplicity)};
        vec3 x[4];
        stencil_positions(c, (int)width, set->y.data, x);
        memcpy(s.vertex, c->vertex, sizeof s.vertex);
        s.frame = tangent_frame_of(kind, x);
        bool ok = array_push(&f->lists[k], s) &&
                  array_reserve(&f->vertices[k], f->vertices[k].count + width);
        if (!ok) return error_memory(error, "lagging friction");
        memcpy(f->vertices[k].data + f->vertices[k].count, c->vertex, width * sizeof *c->vertex);
        f->vertices[k].count += width;
    }
    return ABUT_OK;
}

abut_status abut_friction_lag(abut_friction *f, const abut_active_set *set,
                              const abut_barrier *barrier, const abut_friction_options *options,
                              abut_error *error)
{
    barrier_law law;
    f->mesh = NULL;
    TRY(barrier_law_of(set, barrier, &law, error));
    TRY(check_coefficients(set->mesh, options, error));
    for (int k = 0; k < FRICTION_KINDS; k++) TRY(lag_list(f, k, set, &law, options, error));
    f->mesh = set->mesh;
    return ABUT_OK;
}

/* ---- Looking at it -------------------------------------------------------------------------- */

size_t abut_friction_count(const abut_friction *f)
{
    size_t count = 0;
    for (int k = 0; f->mesh && k < FRICTION_KINDS; k++) count += f->lists[k].count;
    return count;
}

bool abut_friction_get(const abut_friction *f, size_t index, abut_friction_contact *out)
{
    for (int k = 0; f->mesh && k < FRICTION_KINDS; k++) {
        if (index >= f->lists[k].count) {
            index -= f->lists[k].count;
            continue;
        }
        const friction_stencil *s = &f->lists[k].data[index];
        *out = (abut_friction_contact){
            .kind = stencil_pair_kind(LIST_OF[k]), .vertices = {-1, -1, -1, -1}, .force = s->force};
        for (int i = 0; i < s->frame.count; i++) {
            out->vertices[i] = s->vertex[i];
            out->weights[i] = s->frame.weight[i];
        }
        for (int i = 0; i < 2; i++) vec3_store(out->tangent[i], s->frame.column[i]);
        return true;
    }
    return false;
}

/* ---- Potential ------------------------------------------------------------------------------ */

typedef struct friction_work {
    const abut_friction *f;
    friction_law law;
    int list;
} friction_work;

_Static_assert((int)ABUT_FRICTION_C1 == FRICTION_C1 && (int)ABUT_FRICTION_C0 == FRICTION_C0 &&
                   (int)ABUT_FRICTION_C2 == FRICTION_C2,
               "one order for one concept");
const char *const *abut_friction_kind_words(void) { return friction_kind_words; }

static abut_status prepare(abut_friction *f, const abut_friction_law *law, const double *start,
                           const double *positions, friction_work *work, abut_error *error)
{
    if (!f->mesh)
        return error_set(error, ABUT_ERROR_INPUT, "friction", "abut_friction_lag comes first");
    if ((int)law->kind < 0 || (int)law->kind > ABUT_FRICTION_C2)
        return error_set(error, ABUT_ERROR_INPUT, "kind", "%d is no kind of friction",
                         (int)law->kind);
    if (!(isfinite(law->eps) && law->eps > 0))
        return error_set(error, ABUT_ERROR_INPUT, "eps", "%g is not allowed, only > 0", law->eps);
    *work = (friction_work){.f = f, .law = {(friction_kind)law->kind, law->eps, 1}};
    size_t n = f->mesh->vertex_count;
    if (!array_resize(&f->moved, n)) return error_memory(error, "measuring displacements");
    for (size_t v = 0; v < n; v++) {
        vec3 moved = vec3_sub(vec3_load(positions + 3 * v), vec3_load(start + 3 * v));
        if (!(isfinite(moved.x) && isfinite(moved.y) && isfinite(moved.z)))
            return error_set(error, ABUT_ERROR_INPUT, "positions", "vertex %zu is not finite", v);
        f->moved.data[v] = moved;
    }
    return ABUT_OK;
}

static double list_value(void *context, size_t begin, size_t end)
{
    const friction_work *w = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++)
        sum += friction_stencil_value(&w->law, &w->f->lists[w->list].data[i], w->f->moved.data);
    return sum;
}

abut_status abut_friction_value(abut_friction *f, const abut_friction_law *law, const double *start,
                                const double *positions, double *value, abut_error *error)
{
    friction_work work;
    TRY(prepare(f, law, start, positions, &work, error));
    *value = 0;
    for (int k = 0; k < FRICTION_KINDS; k++) {
        work.list = k;
        *value += parallel_sum(f->lists[k].count, list_value, &work);
    }
    return ABUT_OK;
}

static void friction_derivatives(const void *context, int group, size_t begin, size_t end,
                                 double *gradient, double *blocks)
{
    const friction_work *w = context;
    size_t width = (size_t)stencil_list_width[LIST_OF[group]], pairs = width * (width + 1) / 2;
    for (size_t i = begin; i < end; i++) {
        const friction_stencil *stencil = &w->f->lists[group].data[i];
        mat3 core =
            friction_stencil_derivatives(&w->law, stencil, w->f->moved.data,
                                         gradient ? gradient + (i - begin) * 3 * width : NULL);
        if (blocks) friction_store_blocks(stencil, core, blocks + (i - begin) * 9 * pairs);
    }
}

static stencil_source source_of(const friction_work *work)
{
    stencil_source source = {
        .group_count = FRICTION_KINDS, .derivatives = friction_derivatives, .context = work};
    for (int k = 0; k < FRICTION_KINDS; k++)
        source.groups[k] = (source_group){stencil_list_width[LIST_OF[k]], work->f->lists[k].count,
                                          work->f->vertices[k].data};
    return source;
}

abut_status abut_friction_gradient(abut_friction *f, const abut_friction_law *law,
                                   const double *start, const double *positions, double *gradient,
                                   abut_error *error)
{
    friction_work work;
    TRY(prepare(f, law, start, positions, &work, error));
    stencil_source source = source_of(&work);
    return assemble_gradient(&f->assembly, &source, f->mesh, gradient, error);
}

abut_status abut_friction_hessian(abut_friction *f, const abut_friction_law *law,
                                  const double *start, const double *positions,
                                  const abut_hessian_options *options, abut_matrix *matrix,
                                  abut_error *error)
{
    friction_work work;
    TRY(prepare(f, law, start, positions, &work, error));
    stencil_source source = source_of(&work);
    return assemble_hessian(&f->assembly, &source, f->mesh, options && options->upper, &matrix->csr,
                            error);
}
