/* Adding the derivatives of many small stencils up to a gradient and a sparse matrix in compressed
 * rows, in the unknowns of a collision mesh. Contributions are gathered as in the solver
 * (linear/scatter.h): the same bits for any number of threads. */
#ifndef TOOLKIT_STENCIL_ASSEMBLY_H
#define TOOLKIT_STENCIL_ASSEMBLY_H

#include "linear/scatter.h"
#include "toolkit/collision_mesh.h"

enum { SOURCE_MAX_GROUPS = 8 };

/* Stencils of equal width: `width` vertices each. */
typedef struct source_group {
    int width;
    size_t count;
    const int32_t *vertices;
} source_group;

typedef struct stencil_source {
    int group_count;
    source_group groups[SOURCE_MAX_GROUPS];
    /* gradient: 3 width values per stencil; blocks: the blocks a <= b of the Hessian, 9 values
     * each, in row order. Either may be NULL. */
    void (*derivatives)(const void *context, int group, size_t begin, size_t end, double *gradient,
                        double *blocks);
    const void *context;
} stencil_source;

/* Scratch memory, kept from call to call; zero-initialised before first use. */
typedef struct stencil_assembly {
    ARRAY(double) buffer, vertex_gradient;
    ARRAY(int32_t) number, used, renumbered; /* of vertices that occur in stencils */
    key_list keys, missing;
    scatter_map map;
    block_matrix matrix;
    csr_matrix vertex_matrix, product;
} stencil_assembly;

void stencil_assembly_free(stencil_assembly *a);

/* gradient: abut_collision_mesh_dofs values, overwritten. */
abut_status assemble_gradient(stencil_assembly *a, const stencil_source *source,
                              const abut_collision_mesh *mesh, double *gradient, abut_error *error);
/* The symmetric matrix, all of it or only entries with column >= row. */
abut_status assemble_hessian(stencil_assembly *a, const stencil_source *source,
                             const abut_collision_mesh *mesh, bool upper, csr_matrix *out,
                             abut_error *error);

/* What an abut_matrix holds. */
struct abut_matrix {
    csr_matrix csr;
};

#endif
