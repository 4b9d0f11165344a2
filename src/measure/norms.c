#include "measure/norms.h"

#include "term/element_energy.h"

#include <math.h>

displacement_norms norms_measure(const model *m, const double *x)
{
    double l2 = 0, semi = 0, linf = 0;
    for (size_t e = 0; e < m->tet_count; e++) {
        vec3 u[4], total = {0};
        double squares = 0;
        for (size_t k = 0; k < 4; k++) {
            size_t node = (size_t)m->tets.data[4 * e + k];
            u[k] = vec3_sub(vec3_load(x + 3 * node), m->rest.data[node]);
            total = vec3_add(total, u[k]);
            squares += vec3_norm2(u[k]);
            linf = fmax(linf, vec3_max_abs(u[k]));
        }
        mat3 du =
            mat3_from_columns(vec3_sub(u[1], u[0]), vec3_sub(u[2], u[0]), vec3_sub(u[3], u[0]));
        tet4_rest room;
        const tet4_rest *shape = model_tet_rest(m, e, &room);
        l2 += shape->volume / 20 * (squares + vec3_norm2(total));
        semi += shape->volume * mat3_norm2(mat3_mul(du, shape->dm_inverse));
    }
    for (size_t i = 0; i < m->sets.count; i++)
        elements_add_norms(m, &m->sets.data[i], x, &l2, &semi, &linf);
    return (displacement_norms){
        .l2 = sqrt(l2), .h1 = sqrt(l2 + semi), .h1_semi = sqrt(semi), .linf = linf};
}
