/* Which local operations are worth it: an operation is kept only if a re-solve of the same
 * incremental potential that the time step minimises, on a patch around it with everything else
 * fixed, shows enough decrease (splits) or not too much increase (collapses) (In-timestep
 * remeshing, section 6.5; digest sections 2.4 to 2.7).
 *
 * The step is solved on the old mesh first. Its state is brought into a local mesh (local_mesh.h)
 * with at least the fields x (the solution found), the predictor and the positions at the start of
 * the step; further fields travel along. remesh_step changes that mesh in place: topology, and x
 * where the patches were relaxed. Every state in between is free of inversions, in all fields that
 * are positions, and of intersections, at the end and at the start of the step. The caller exports
 * the mesh, projects what was not nested, and solves the step again. */
#ifndef REMESH_CRITERION_H
#define REMESH_CRITERION_H

#include "base/log.h"
#include "contact/contact_term.h"
#include "contact/friction_term.h"
#include "remesh/local_mesh.h"
#include "remesh/memory.h"

/* What the cells of one attribute are made of, and which body of the scene they belong to. */
typedef struct remesh_material {
    int32_t body; /* number in the scene's model; 0 without one */
    elastic_parameters material;
    double density;    /* kg/m^3 */
    size_t first_flag; /* of its body in flag_axes: flags of vertices count per body */
} remesh_material;

/* A load on all boundary facets of a body that have a flag at all corners, N/m^2 of rest area. */
typedef struct remesh_traction {
    size_t flag; /* number of the bit */
    vec3 traction;
    int32_t body; /* as in remesh_material */
} remesh_traction;

/* Positions at which the step took normal forces and frames of friction: those at its start, or its
 * solution (field_safe, or x without one). They do not move while patches are relaxed, so that
 * friction is one potential for all patches. */
typedef enum remesh_lag { LAG_AT_START, LAG_AT_END } remesh_lag;

/* The incremental potential of the step: mass_factor / 2 |x - predictor|_M^2 (consistent mass) +
 * force_factor (elastic energy - loads) + contact + friction. All pointers are borrowed. */
typedef struct remesh_problem {
    /* The whole scene, for contact: what is not remeshed takes part as fixed geometry, where it is
     * now (x) and where it was at the start of the step (start), 3 numbers per coordinate block.
     * contact has the options, the stiffness of this step and the half-spaces; friction the
     * coefficients. NULL: none. */
    const model *scene;
    const contact_term *contact;
    const friction_term *friction;
    const double *x, *start;
    const uint8_t *remeshed; /* per body of the scene: it is in the local mesh */
    /* Vertex of the local mesh of every coordinate block of the scene, -1: none. With it contact is
     * as it was found at x; NULL: it is looked for once more. */
    const int32_t *vertex_of_block;
    size_t material_count; /* attributes are 0 .. material_count - 1 */
    const remesh_material *materials;
    double mass_factor;  /* 1; 0 if quasi-static */
    double force_factor; /* the integrator's factor on forces, alpha h^2 */
    double kappa;        /* stiffness of contact in this step */
    vec3 gravity;
    size_t traction_count;
    const remesh_traction *tractions;
    /* Axes (bits 1, 2, 4) on which a vertex with a flag is fixed: those of one body after the
     * other. */
    const uint8_t *flag_axes;
    int field_x, field_predictor, field_start; /* start: -1 without contact */
    /* A further field with the same values as x, which is only interpolated and so stays free of
     * intersections. With it x may be relaxed on surfaces without looking at contact, for the
     * caller to go from here to there with care. 0: none. */
    int field_safe;
    remesh_lag lag;
    double tolerance;      /* of the local Newton: largest entry of the direction, m */
    remesh_memory *memory; /* what did not pay in earlier steps; changed. NULL: none */
} remesh_problem;

typedef struct remesh_options {
    bool split, collapse, swap, smooth;
    /* J of potential: kept if the potential falls by more than this; collapses may have it rise
     * (negative), as may swaps and smoothing that make shapes better. */
    double split_tolerance, collapse_tolerance, quality_tolerance;
    /* Culling: candidates are edges above this share of the range of energies, or of the number of
     * edges (splits); below this share of the range in elastic and contact energy (collapses). 0
     * and 1: all edges. */
    double split_threshold, collapse_threshold;
    /* Splits that are worth less than this part of the tolerance when the new vertex alone may move
     * (to second order) are not tried. 0: all are. */
    double screening;
    int patch_rings;    /* at least that many rings around the edge; swaps, smoothing: one */
    double patch_share; /* and at least that share of the volume of all cells; not so there */
    int trial_iterations, trial_iterations_contact; /* of Newton before the decision */
    int max_iterations;                             /* after it */
    int split_depth, collapse_depth; /* generations from one edge of the imported mesh per step */
    double min_length;               /* m at rest: shorter edges are not split */
    double max_collapse_length; /* m at rest: longer ones are not collapsed; 0: shortest edge */
    size_t max_cells;           /* splits end at this size of the mesh */
    double min_quality;         /* shape that operations may leave, unless it was worse before */
} remesh_options;

remesh_options remesh_default_options(void);

typedef struct remesh_count {
    size_t candidates; /* edges (vertices) in the queue, later ones included */
    size_t screened;   /* worth too little at first sight */
    size_t tried;      /* solved locally */
    size_t accepted;
    size_t refused; /* by guards, topology, shape, intersection */
    double gained;  /* J: decrease of the potential by the accepted ones */
    double jump;    /* J: part of it that came before anything had moved (quadrature) */
} remesh_count;

typedef struct remesh_report {
    remesh_count split, collapse, swap, smooth;
    size_t cells_before, cells_after, vertices_before, vertices_after;
    size_t newton_iterations, patches;
    size_t patch_vertices; /* free ones, sum over patches */
    double potential;      /* J: elastic energy and inertia of all cells, at first */
    double seconds;
    bool full; /* max_cells was reached */
} remesh_report;

/* Tries all candidates: splits, then collapses, then swaps and smoothing, as options say. */
abut_status remesh_step(local_mesh *m, const remesh_problem *q, const remesh_options *options,
                        const logger *log, remesh_report *report, abut_error *err);

/* The potential of the whole mesh at field x divided by the force factor, J; relaxes it first to
 * the tolerance when asked to (the solution of the step with all else fixed). */
abut_status remesh_potential(local_mesh *m, const remesh_problem *q, bool relax, double *potential,
                             abut_error *err);

#endif
