#include "term/elastic_by.h"

#include "material/law.h"
#include "term/element_energy.h"

#include <string.h>

void elastic_moduli(const elastic_parameters *of, double *young, double *poisson)
{
    *young = of->mu * (3 * of->lambda + 2 * of->mu) / (of->lambda + of->mu);
    *poisson = of->lambda / (2 * (of->lambda + of->mu));
}

bool elastic_derivative(const elastic_parameters *of, term_parameter by, elastic_parameters *out)
{
    double young, poisson;
    elastic_moduli(of, &young, &poisson);
    if (elastic_laws[of->model]->parameter_count > 0) return false;
    if (by == TERM_POISSON && of->terms > 0) return false;
    *out = *of;
    out->barrier = 0; /* against inversion: no modulus of the law */
    if (by == TERM_YOUNG) {
        out->mu /= young;
        out->lambda /= young;
        out->bulk /= young;
        for (int k = 0; k < of->terms; k++) out->coefficient[k] /= young;
        return true;
    }
    double up = 1 + poisson, down = 1 - 2 * poisson;
    out->mu = -young / (2 * up * up);
    out->lambda = young * (1 + 2 * poisson * poisson) / (up * up * down * down);
    return true;
}

static abut_status refuse(const model *m, int32_t body, abut_error *err)
{
    return error_set(err, ABUT_ERROR_UNSUPPORTED, "",
                     "body \"%s\": no derivative by this modulus for the law \"%s\"",
                     m->bodies.data[body].name,
                     elastic_law_words[m->bodies.data[body].material.model]);
}

static double dot_stencil(const int32_t *blocks, int width, const double *w, const double *gradient)
{
    double sum = 0;
    for (int i = 0; i < 3 * width; i++)
        sum += w[3 * (size_t)blocks[i / 3] + (size_t)(i % 3)] * gradient[i];
    return sum;
}

static abut_status tets_by_parameter(const model *m, const evaluation *ev, const double *x,
                                     term_parameter by, const double *w, double *out,
                                     abut_error *err)
{
    for (size_t e = 0; e < m->tet_count; e++) {
        elastic_parameters material;
        vec3 position[4], gradient[4];
        tet4_rest rest;
        int32_t body = m->tet_body.data[e];
        if (!elastic_derivative(&m->bodies.data[body].material, by, &material))
            return refuse(m, body, err);
        rest = *model_tet_rest(m, e, &rest);
        rest.volume *= ev->force_factor;
        for (size_t k = 0; k < 4; k++)
            position[k] = vec3_load(x + 3 * (size_t)m->tets.data[4 * e + k]);
        tet4_evaluate(&rest, &material, position, false, gradient, NULL);
        out[e] = dot_stencil(m->tets.data + 4 * e, 4, w, (const double *)gradient);
    }
    return ABUT_OK;
}

/* The set with other materials: everything else is shared. */
static abut_status set_by_parameter(const model *m, const element_set *s, const evaluation *ev,
                                    const double *x, term_parameter by, const double *w,
                                    double *out, abut_error *err)
{
    element_set other = *s;
    size_t scalars = 3 * (size_t)s->nodes;
    other.material.data = mem_alloc(s->count, sizeof *other.material.data);
    double *gradient = mem_alloc(s->count * scalars, sizeof *gradient);
    abut_status status =
        other.material.data && gradient ? ABUT_OK : error_memory(err, "differentiating forces");
    for (size_t e = 0; status == ABUT_OK && e < s->count; e++)
        if (!elastic_derivative(&s->material.data[e], by, &other.material.data[e]))
            status = refuse(m, s->body.data[e], err);
    if (status == ABUT_OK) {
        elements_derivatives(m, &other, x, NULL, ev->force_factor, false, 0, s->count, gradient,
                             NULL);
        for (size_t e = 0; e < s->count; e++)
            out[e] = dot_stencil(s->blocks.data + e * (size_t)s->nodes, s->nodes, w,
                                 gradient + e * scalars);
    }
    mem_free(other.material.data);
    mem_free(gradient);
    return status;
}

abut_status elastic_by_parameter(const term *base, const evaluation *ev, int group, const double *x,
                                 term_parameter by, const double *w, double *out, abut_error *err)
{
    const model *m = ((const elastic_term *)base)->model;
    if (group < ELASTIC_SET_GROUP) return tets_by_parameter(m, ev, x, by, w, out, err);
    return set_by_parameter(m, &m->sets.data[group - ELASTIC_SET_GROUP], ev, x, by, w, out, err);
}

/* With F, W the gradients of positions and of w at rest, P the stress and Q its change by W:
 * d(V P : W) / dX_a = V ((P : W) I - F^T Q - W^T P) g_a, g_a the gradient of node a at rest. */
static void tet_by_rest(const tet4_rest *rest, const elastic_parameters *material, const vec3 *x,
                        const vec3 *w, vec3 out[4])
{
    double hessian[81];
    mat3 f = tet4_deformation(rest, x), big_w = tet4_deformation(rest, w), q, sum;
    mat3 p = elastic_stress(material, f);
    elastic_hessian(material, f, false, hessian);
    double work = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            q.m[i][j] = 0;
            for (int k = 0; k < 9; k++)
                q.m[i][j] += hessian[9 * (3 * i + j) + k] * big_w.m[k / 3][k % 3];
            work += p.m[i][j] * big_w.m[i][j];
        }
    sum = mat3_add(mat3_mul(mat3_transpose(f), q), mat3_mul(mat3_transpose(big_w), p));
    sum = mat3_sub(mat3_scale(work, mat3_identity()), sum);
    out[0] = (vec3){0};
    for (int a = 0; a < 3; a++) { /* row a of Dm^-1 is the gradient of node a + 1 */
        vec3 g = {rest->dm_inverse.m[a][0], rest->dm_inverse.m[a][1], rest->dm_inverse.m[a][2]};
        out[a + 1] = vec3_scale(rest->volume, mat3_mul_vec(sum, g));
        out[0] = vec3_sub(out[0], out[a + 1]);
    }
}

void elastic_by_rest(const term *base, const evaluation *ev, int group, const double *x,
                     const double *w, double *out)
{
    const model *m = ((const elastic_term *)base)->model;
    for (size_t e = 0; group < ELASTIC_SET_GROUP && e < m->tet_count; e++) {
        const int32_t *nodes = m->tets.data + 4 * e;
        vec3 position[4], weight[4], part[4];
        tet4_rest rest;
        rest = *model_tet_rest(m, e, &rest);
        rest.volume *= ev->force_factor;
        for (int k = 0; k < 4; k++) {
            position[k] = vec3_load(x + 3 * (size_t)nodes[k]);
            weight[k] = vec3_load(w + 3 * (size_t)nodes[k]);
        }
        tet_by_rest(&rest, &m->bodies.data[m->tet_body.data[e]].material, position, weight, part);
        for (int k = 0; k < 4; k++) {
            double *at = out + 3 * (size_t)nodes[k];
            vec3_store(at, vec3_add(vec3_load(at), part[k]));
        }
    }
}
