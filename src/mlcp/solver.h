/* What the files of the stepper share. */
#ifndef MLCP_SOLVER_H
#define MLCP_SOLVER_H

#include "mlcp/matrix.h"
#include "mlcp/mlcp.h"
#include "mlcp/vertex_pairs.h"

/* A pair that meets on the path of the step. */
typedef struct mlcp_impact {
    double toi;
    ccd_kind kind;
    index_pair pair;
} mlcp_impact;

/* A vector over the unknowns: displacements, and three entries per contact. */
typedef struct mlcp_vector {
    double *u; /* 3 per free block */
    double *c; /* normal, two tangential per contact; 0 for rows that are off */
} mlcp_vector;

enum { MLCP_VECTORS = 6 };

/* Proximal point method: an active row is relaxed by this part of its own compliance for each unit
 * that its multiplier differs from that of the last solve. Near-duplicate rows then share a force
 * instead of opposing each other, and where multipliers have converged the rows are exact. */
#define MLCP_PROXIMAL 1e-3

/* Changing all states at once may cycle. When the number of rows with the wrong state has not
 * fallen for some rounds, one row changes at a time, which cannot cycle for frictionless contacts
 * (Judice and Pires' block pivoting with Murty's rule). */
typedef struct mlcp_pivoting {
    size_t best; /* fewest wrong rows so far */
    int credit;  /* rounds in which all may change without getting better */
} mlcp_pivoting;

/* The vectors of the conjugate-residual iteration. */
typedef struct mlcp_conjugate_residuals {
    ARRAY(double) memory[2 * MLCP_VECTORS]; /* of the vectors */
    mlcp_vector r, z, p, bp, q, bz;
    /* The residual without contacts, b - A u, and A z, A p: they outlast a change of states, so
     * that starting anew needs one product with A, not two. */
    ARRAY(double) products;
    double *unloaded, *az, *ap;
} mlcp_conjugate_residuals;

/* What the search for new contacts on the path of a step works with. */
typedef struct mlcp_detection {
    candidate_set candidates;
    ARRAY(double) toi; /* of candidates */
    ARRAY(mlcp_impact) impacts;
    vertex_pairs met; /* by impacts of the present detection */
} mlcp_detection;

/* Contacts by vertex: those of vertex v are contacts[start[v]] up to contacts[start[v + 1]]. */
typedef struct mlcp_contact_index {
    ARRAY(int32_t) start, contacts;
    ARRAY(int32_t) mark; /* of contacts that were looked at */
} mlcp_contact_index;

/* Memory of what mlcp_save hands out. */
typedef struct mlcp_numbers {
    ARRAY(int32_t) ints;
    ARRAY(double) reals;
} mlcp_numbers;

struct mlcp_solver {
    const model *model;
    problem *problem;
    contact_term *contact;
    const friction_term *friction;
    mlcp_options options;
    ARRAY(mlcp_contact) contacts, before; /* before the current step, or the last one */
    double h_before;
    mlcp_matrix matrix;
    vec3 *start, *end; /* surface vertices at the start of the step, and where u leads them */
    double h;          /* of the current step, or the last one; multipliers carry its square */
    int pass;          /* of the current step */
    int round;         /* of solving and changing states in this pass */
    mlcp_pivoting pivoting;
    const double *x_start; /* coordinates, during a step */
    double *x_end;
    size_t n; /* 3 free blocks */
    double *b, *u, *diagonal, *scratch;
    mlcp_conjugate_residuals cr;
    mlcp_detection found;
    mlcp_contact_index index;
    mlcp_numbers saved;
};

/* solve.c: the problem of the present rows, without looking for new contacts. */
abut_status mlcp_solve_rows(mlcp_solver *s, bool *converged, int *iterations, abut_error *err);

/* rows.c */
double mlcp_gap(const mlcp_solver *s, const mlcp_contact *c);
void mlcp_slip(const mlcp_solver *s, const mlcp_contact *c, double slip[2]);
/* product = A in.u; out = B in. */
void mlcp_apply(const mlcp_solver *s, const mlcp_vector *in, double *product,
                const mlcp_vector *out);
/* unloaded = b - A u. */
void mlcp_unload(mlcp_solver *s);
/* r = d - B y for the present multipliers, and u as it is in the residual without contacts. */
void mlcp_residual(mlcp_solver *s);
void mlcp_precondition(const mlcp_solver *s, mlcp_preconditioner kind, const mlcp_vector *in,
                       const mlcp_vector *out);
/* Scales of the rows, and how often each is there. */
abut_status mlcp_prepare_rows(mlcp_solver *s, abut_error *err);
/* Gap and slip at u = 0, from the geometry of the contact. */
void mlcp_set_constants(mlcp_solver *s, mlcp_contact *c);

/* states.c: true when a state or a sliding force has changed. During the iteration: looks from time
 * to time only. */
bool mlcp_evaluate(mlcp_solver *s, double residual, int iteration);
/* With the system solved: all rows, by the rule of mlcp_pivoting. */
bool mlcp_evaluate_solved(mlcp_solver *s);
/* Off, and its plane means nothing any more: the pair has moved past each other. */
void mlcp_leave(mlcp_contact *c);
/* Makes the present multipliers the references of the proximal term. */
void mlcp_set_reference(mlcp_contact *c);
/* The same for all contacts; true when a row was relaxed by more than the tolerance allows. */
bool mlcp_renew_references(mlcp_solver *s);

/* geometry.c */
/* Tangents for the normal; the first near `like` where that is possible. */
void mlcp_set_tangents(mlcp_contact *c, vec3 like);
/* Another normal; tangential quantities are kept as vectors. */
void mlcp_turn_frame(mlcp_contact *c, vec3 normal);
/* Closest points of a pair at given positions: signed weights, and the distance along `side`
 * (negative behind it). The normal is `side` where the pair touches. */
double mlcp_geometry_at(ccd_kind kind, const vec3 *x, vec3 side, double weight[4], vec3 *normal);
/* Weights, normal and tangents of a pair that meets at toi on its path. */
void mlcp_impact_geometry(mlcp_contact *c, const vec3 *start, const vec3 *end, double toi,
                          double tolerance);
/* Geometry from positions between the ones used and the target, as far towards the target as the
 * normal may turn. False when the normal cannot be followed at all. */
bool mlcp_blend_geometry(mlcp_contact *c, const vec3 *target);

/* detect.c */
abut_status mlcp_find_candidates(mlcp_solver *s, abut_error *err);
abut_status mlcp_begin_contacts(mlcp_solver *s, abut_error *err);
/* New contacts on the path from start to end; candidates are found again where the path leaves what
 * they were found for. */
abut_status mlcp_detect(mlcp_solver *s, bool *added, abut_error *err);
/* Geometry at the end of the step for contacts whose distance there is not between 0 and the
 * tolerance; those that have moved past their faces or edges are left. */
abut_status mlcp_linearise(mlcp_solver *s, bool *changed, abut_error *err);
/* Largest part of the path that is free of contact. */
abut_status mlcp_free_part(mlcp_solver *s, double *out, abut_error *err);
void mlcp_update_end(mlcp_solver *s);

#endif
