/* What is simulated, constant after it was built: coordinate blocks, elements, the collision
 * surface.
 *
 * Every node of every body owns one block of three coordinates, obstacles included: which of them
 * are unknowns is decided per step. Bodies whose blocks are not positions of nodes (rigid, affine)
 * are drawn and measured by the vertices of their collision surface. The collision surface is one
 * linear mesh whose vertices follow the blocks through rows (body/collision_surface.h). */
#ifndef BODY_MODEL_H
#define BODY_MODEL_H

#include "base/array.h"
#include "base/status.h"
#include "base/words.h"
#include "body/cavity.h"
#include "body/codim.h"
#include "body/collision_surface.h"
#include "body/flow.h"
#include "body/joint.h"
#include "body/kind.h"
#include "fem/elements.h"
#include "fem/tet4.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

/* What the mass of a rigid or affine body is spread over. Automatic: the volume that the triangles
 * enclose; an open sheet by area; without triangles the edges by length; without edges every point
 * alike. */
#define RIGID_WEIGHS(ROW)                                                                          \
    ROW(WEIGH_AUTOMATIC, "automatic")                                                              \
    ROW(WEIGH_VOLUME, "volume")                                                                    \
    ROW(WEIGH_AREA, "area")                                                                        \
    ROW(WEIGH_LENGTH, "edges")                                                                     \
    ROW(WEIGH_POINTS, "points")
typedef enum rigid_weigh { RIGID_WEIGHS(WORD_CONSTANT) } rigid_weigh;
extern const char *const rigid_weigh_words[];

/* A body without nodes of its own (body/rigid.h). Blocks: q and the rotation vector, or c and the
 * columns of A. */
typedef struct rigid_body {
    int32_t body;  /* number of the body in the model */
    int32_t block; /* first of its blocks */
    bool affine;
    bool turns;  /* false: a point, whose rotation means nothing */
    double mass; /* kg */
    rigid_weigh weighed;
    size_t open_edges; /* of a surface that may enclose no volume, unless its area was asked for */
    vec3 center;       /* at the start */
    mat3 moment;       /* J = int X X^T dm in the body frame; made definite for straight rods */
    mat3 frame;        /* B: vectors of the body at the start are B X in its frame; I at first */
    double radius;     /* largest distance of a vertex from the centre */
    vec3 reach;        /* largest |X| along each axis */
    double stiffness;  /* affine: J, factor on |A^T A - I|^2 */
} rigid_body;

/* The part of the collision surface that is a body's. */
typedef struct body_surface {
    size_t first_triangle, triangle_count;
    size_t first_edge, edge_count;
    size_t free_edge_first; /* edges of the body from here on belong to no triangle */
    size_t first_vertex, vertex_count;
} body_surface;

typedef struct model_body {
    char *name;
    body_kind kind;
    int32_t first_block, block_count;
    int32_t angle_count; /* further blocks behind these: angles of the edges of a twisted rod */
    size_t first_tet, tet_count;
    body_surface surface;
    elastic_parameters material;
    membrane_parameters membrane; /* shells */
    strain_limit limit;           /* shells */
    double density;
    double damping;       /* s; factor on the stiffness, Rayleigh's beta */
    double bend_damping;  /* s; that of bending, shells and rods */
    double friction;      /* negative: the scene's */
    double offset;        /* xi: thickness in contact, m */
    double width;         /* diameter of rods and particles, m; else 0 */
    bool consistent_mass; /* of its elements; deformable bodies only */
    bool nodal;           /* its blocks are positions of nodes */
    bool by_surface;      /* drawn by its collision surface, which is finer than its cells */
    bool no_self_contact; /* its surface cannot meet itself */
    int collision_group;  /* bodies of one group do not meet; -1: none */
    size_t mesh_vertex_count;
    int32_t *block_of_vertex; /* mesh vertex -> block, -1 for vertices that no cell uses */
    int32_t rigid;            /* number among the rigid and affine bodies, or -1 */
} model_body;

typedef struct model {
    ARRAY(vec3) rest;   /* position of every block at the start */
    ARRAY(double) mass; /* lumped mass of every block */
    /* Part of the mass of each block that is no element's; shorter than the others: 0 from there.
     */
    ARRAY(double) added_mass;
    ARRAY(int32_t) body; /* body of every block */
    ARRAY(model_body) bodies;
    size_t tet_count; /* linear tets, 4 blocks each */
    ARRAY(int32_t) tets;
    ARRAY(tet4_rest) tet_rest; /* their rest shapes; none on ranks, see model_tet_rest */
    ARRAY(int32_t) tet_body;
    ARRAY(rigid_body) rigids; /* rigid and affine bodies */
    ARRAY(element_set) sets;  /* all other elements, by kind and orders */
    /* Integral of density x basis function of every block and added mass, what body forces act on:
     * the lumped mass for linear elements, not always positive for others. Made by model_finish. */
    ARRAY(double) load_mass;
    codim_elements codim; /* shells, rods, stitches */
    ARRAY(model_joint) joints;
    ARRAY(model_cavity) cavities;
    ARRAY(model_wind) winds;
    ARRAY(model_water) waters;
    collision_surface surface;
    bool planar;   /* two-dimensional: all z stay 0, surfaces are edges */
    double extent; /* l: diagonal of the bounding box of the simulated bodies at the start; of a
                      lone particle: its diameter */
    bool built;
} model;

void model_free(model *m);

/* The rest shape of a tet: stored, or made in *room. Where a run is divided over ranks they are not
 * kept, because every rank would hold all of them for the few that it computes with. */
static inline const tet4_rest *model_tet_rest(const model *m, size_t tet, tet4_rest *room)
{
    if (m->tet_rest.count > 0) return &m->tet_rest.data[tet];
    vec3 x[4];
    for (size_t k = 0; k < 4; k++) x[k] = m->rest.data[m->tets.data[4 * tet + k]];
    tet4_rest_make(x, room);
    return room;
}

static inline mat3 model_tet_deformation(const model *m, size_t tet, const double *x)
{
    vec3 corners[4];
    tet4_rest room;
    for (size_t k = 0; k < 4; k++)
        corners[k] = vec3_load(x + 3 * (size_t)m->tets.data[4 * tet + k]);
    return tet4_deformation(model_tet_rest(m, tet, &room), corners);
}

/* Adds a body of linear tets. Errors: inverted or flat tets (ABUT_ERROR_INFEASIBLE). */
abut_status model_add_deformable(model *m, const char *name, const mesh *shape,
                                 elastic_parameters material, double density, abut_error *err);
/* Adds a kinematic surface, wires or points: whatever the mesh holds. */
abut_status model_add_obstacle(model *m, const char *name, const mesh *shape, abut_error *err);

typedef struct shell_definition {
    membrane_parameters membrane;
    strain_limit limit;
    double density, thickness;
    double rigidity; /* E t^3 / (12 (1 - nu^2)), N m */
    vec3 warp;       /* direction of the first material axis in the rest shape */
    bool flat;       /* bending: rest angles 0; otherwise those of the rest shape */
    bool pattern;    /* rest shape from the texture coordinates of the mesh */
    double stitch;   /* stiffness of the mesh's stitches, N/m */
} shell_definition;

/* Isotropic sheet of Young's modulus and Poisson's ratio, no limits, warp x. */
shell_definition shell_from_young(membrane_model kind, double young, double poisson, double density,
                                  double thickness);

/* A sheet of the mesh's triangles. Errors: triangles without area (ABUT_ERROR_INFEASIBLE), a start
 * beyond the strain limits. */
abut_status model_add_shell(model *m, const char *name, const mesh *shape,
                            const shell_definition *def, abut_error *err);

typedef struct rod_definition {
    double young, poisson, density, diameter; /* Poisson's ratio: only for twist */
    double stretch_scale, bend_scale;         /* factors on the two stiffnesses */
    double twist_scale;                       /* that against twist; 0: none */
} rod_definition;

/* Rods along the mesh's edges, straight at rest; at nodes of several edges every pair is a joint.
 * Errors: edges without length. */
abut_status model_add_rod(model *m, const char *name, const mesh *shape, const rod_definition *def,
                          abut_error *err);
/* One particle of radius r per mesh vertex, mass density 4/3 pi r^3. */
abut_status model_add_particles(model *m, const char *name, const mesh *shape, double density,
                                double radius, abut_error *err);

/* Adds mass to a node, beside that of the elements around it. Before model_finish. */
abut_status model_add_mass(model *m, int32_t block, double mass, abut_error *err);
static inline double model_added_mass(const model *m, size_t block)
{
    return block < m->added_mass.count ? m->added_mass.data[block] : 0;
}

/* To be called once after the last body. */
abut_status model_finish(model *m, abut_error *err);

/* True when a block is a position: of a node (not an angle of a rod), or the centre of a rigid or
 * affine body. */
static inline bool model_block_is_position(const model *m, size_t block)
{
    const model_body *body = &m->bodies.data[m->body.data[block]];
    int32_t at = (int32_t)block - body->first_block;
    return body->nodal ? at < body->block_count : at == 0;
}
/* True when a block is one of an obstacle, whose motion is given. */
static inline bool model_block_is_obstacle(const model *m, size_t block)
{
    return body_rows[m->bodies.data[m->body.data[block]].kind]->obstacle;
}
static inline int32_t model_block_count(const model *m) { return (int32_t)m->rest.count; }

#endif
