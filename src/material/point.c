#include "material/point.h"

#include "material/fibre.h"
#include "material/plastic.h"

#include <math.h>
#include <string.h>

/* ---- state ---- */

static size_t branch_at(const material_parts *parts, size_t branch)
{
    return STATE_TENSORS + 9 * (parts->plastic.given + branch);
}

static size_t direction_at(const material_parts *parts, size_t family)
{
    return branch_at(parts, parts->branch_count) + 3 * family;
}

size_t material_state_size(const material_parts *parts)
{
    return direction_at(parts, parts->family_count);
}

static mat3 load_tensor(const double *from)
{
    mat3 out;
    memcpy(out.m, from, 9 * sizeof *from);
    return out;
}

static void store_tensor(mat3 a, double *to) { memcpy(to, a.m, 9 * sizeof *to); }

bool material_state_init(const material_parts *parts, vec3 place, double *state)
{
    state[STATE_DISSIPATED] = state[STATE_PLASTIC_STRAIN] = 0;
    for (size_t at = STATE_TENSORS; at < direction_at(parts, 0); at += 9)
        store_tensor(mat3_identity(), state + at);
    for (size_t k = 0; k < parts->family_count; k++) {
        expression *const *along = parts->family[k].direction;
        vec3 d = {expression_value(along[0], place.x, place.y, place.z, 0),
                  expression_value(along[1], place.x, place.y, place.z, 0),
                  expression_value(along[2], place.x, place.y, place.z, 0)};
        double length = vec3_norm(d);
        if (!(length > 0 && isfinite(length))) return false;
        vec3_store(state + direction_at(parts, k), vec3_scale(1 / length, d));
    }
    return true;
}

/* The inverse of a growth along the axes, and its determinant. */
static mat3 inverse_growth(const material_moment *moment, double *determinant)
{
    mat3 out = mat3_zero();
    *determinant = 1;
    for (int k = 0; k < 3; k++) {
        out.m[k][k] = 1 / moment->growth[k];
        *determinant *= moment->growth[k];
    }
    return out;
}

static double relaxation(const viscous_branch *branch, double h) { return exp(-h / branch->time); }

/* Fi^-1 exp(-by d) with its determinant kept 1. */
static void flow(const log_strain *e, double by, double *tensor)
{
    mat3 next = mat3_mul(load_tensor(tensor), log_strain_exponential(e, -by, e->deviator));
    store_tensor(mat3_scale(1 / cbrt(mat3_determinant(next)), next), tensor);
}

void material_state_advance(const elastic_parameters *material, const material_moment *moment,
                            mat3 f, double *state)
{
    const material_parts *parts = material->parts;
    double grown, dissipated = 0;
    mat3 elastic = mat3_mul(f, inverse_growth(moment, &grown));
    log_strain e;
    if (parts->plastic.given &&
        log_strain_of(mat3_mul(elastic, load_tensor(state + STATE_TENSORS)), &e)) {
        plastic_increment step = plastic_return(&parts->plastic, material->mu, e.size,
                                                state[STATE_PLASTIC_STRAIN], moment->h);
        if (step.strain > 0) {
            flow(&e, sqrt(1.5) * step.strain / e.size, state + STATE_TENSORS);
            state[STATE_PLASTIC_STRAIN] += step.strain;
            dissipated += step.dissipated;
        }
    }
    for (size_t k = 0; k < parts->branch_count; k++) {
        double *tensor = state + branch_at(parts, k);
        if (!log_strain_of(mat3_mul(elastic, load_tensor(tensor)), &e)) continue;
        double g = relaxation(&parts->branch[k], moment->h);
        flow(&e, 1 - g, tensor);
        dissipated += 2 * parts->branch[k].shear * g * (1 - g) * e.size * e.size;
    }
    state[STATE_DISSIPATED] += grown * dissipated;
}

/* ---- evaluation ---- */

/* What is added up over the parts; stresses by F G^-1. */
typedef struct sums {
    double energy;
    mat3 stress;
    row9 *hessian;
    mat3 turn; /* of gradients at rest into those of F G^-1 */
} sums;

/* Adds a part whose energy is one of F G^-1 `inner`. */
static void add_part(sums *s, double energy, const mat3 *stress, const mat3 *inner,
                     elastic_spectrum *spectrum)
{
    s->energy += energy;
    if (stress) s->stress = mat3_add(s->stress, mat3_mul(*stress, mat3_transpose(*inner)));
    if (!spectrum) return;
    row9 rows[9];
    spectrum->v = mat3_mul(mat3_mul(s->turn, *inner), spectrum->v);
    spectrum_expand(spectrum, rows);
    for (int k = 0; k < 9; k++) s->hessian[k] = row9_add(s->hessian[k], 1, &rows[k]);
}

static void add_base(const elastic_parameters *material, const double *state, double h, mat3 f,
                     bool project, bool wants_stress, sums *out)
{
    const material_parts *parts = material->parts;
    double energy;
    mat3 stress, inner = mat3_identity();
    elastic_spectrum spectrum;
    mat3 *p = wants_stress ? &stress : NULL;
    elastic_spectrum *c = out->hessian ? &spectrum : NULL;
    if (parts->plastic.given) {
        inner = load_tensor(state + STATE_TENSORS);
        plastic_evaluate(material, &parts->plastic, mat3_mul(f, inner), state[STATE_PLASTIC_STRAIN],
                         h, project, &energy, p, c);
    } else {
        elastic_evaluate(material, f, project, &energy, p, c);
    }
    add_part(out, energy, p, &inner, c);
}

static void add_branch(const viscous_branch *branch, const double *tensor, double h, mat3 f,
                       bool project, bool wants_stress, sums *out)
{
    mat3 stress, inner = load_tensor(tensor);
    elastic_spectrum spectrum;
    log_strain e;
    if (!log_strain_of(mat3_mul(f, inner), &e)) {
        out->energy = INFINITY;
        return;
    }
    log_moduli moduli = {.shear = relaxation(branch, h) * branch->shear};
    log_strain_response(&e, &moduli, project, wants_stress ? &stress : NULL,
                        out->hessian ? &spectrum : NULL);
    add_part(out, moduli.shear * e.size * e.size, wants_stress ? &stress : NULL, &inner,
             out->hessian ? &spectrum : NULL);
}

void material_point_evaluate(const elastic_parameters *material, const material_point *point,
                             mat3 f, bool project, double *energy, mat3 *stress, const mat3 *turn,
                             row9 *hessian)
{
    const material_parts *parts = material->parts;
    const material_moment *moment = point->moment;
    double grown;
    mat3 shrink = inverse_growth(moment, &grown), elastic = mat3_mul(f, shrink);
    sums all = {.stress = mat3_zero(), .hessian = hessian};
    if (hessian) {
        all.turn = mat3_mul(*turn, shrink);
        memset(hessian, 0, 9 * sizeof *hessian);
    }
    add_base(material, point->state, moment->h, elastic, project, stress != NULL, &all);
    for (size_t k = 0; k < parts->branch_count; k++)
        add_branch(&parts->branch[k], point->state + branch_at(parts, k), moment->h, elastic,
                   project, stress != NULL, &all);
    fibre_sums fibres = {&all.energy, stress ? &all.stress : NULL, hessian};
    for (size_t k = 0; k < parts->family_count; k++)
        fibre_add(&parts->family[k], vec3_load(point->state + direction_at(parts, k)),
                  moment->tension[k], elastic, all.turn, &fibres);
    if (energy) *energy = grown * all.energy;
    if (stress) *stress = mat3_scale(grown, mat3_mul(all.stress, shrink));
    for (int k = 0; hessian && grown != 1 && k < 9; k++)
        hessian[k] = row9_scale(grown, &hessian[k]);
}
