/* What the files of the stepper share. */
#ifndef MLCP_SOLVER_H
#define MLCP_SOLVER_H

#include "mlcp/mlcp.h"

/* A vector over the unknowns: displacements, and three entries per contact. */
typedef struct mlcp_vector {
    double *u; /* 3 per free block */
    double *c; /* normal, two tangential per contact; 0 for rows that are off */
} mlcp_vector;

enum { MLCP_VECTORS = 6 };

struct mlcp_solver {
    const model *model;
    problem *problem;
    contact_term *contact;
    const friction_term *friction;
    mlcp_options options;
    ARRAY(mlcp_contact) contacts;
    candidate_set candidates;
    row_product product;
    vec3 *start, *end; /* surface vertices at the start of the step, and where u leads them */
    double h;
    int pass;              /* of the step under way */
    const double *x_start; /* coordinates, during a step */
    double *x_end;
    size_t n; /* 3 free blocks */
    double *b, *u, *diagonal, *scratch;
    ARRAY(double) memory[2 * MLCP_VECTORS]; /* of the vectors */
    mlcp_vector r, z, p, bp, q, bz;
    ARRAY(int32_t) by_vertex_start, by_vertex;
    ARRAY(int32_t) mark;
};

/* rows.c */
double mlcp_gap(const mlcp_solver *s, const mlcp_contact *c);
void mlcp_slip(const mlcp_solver *s, const mlcp_contact *c, double slip[2]);
void mlcp_apply(const mlcp_solver *s, const mlcp_vector *in, const mlcp_vector *out);
/* r = d - B y for the present u and multipliers. */
void mlcp_residual(mlcp_solver *s);
void mlcp_precondition(const mlcp_solver *s, mlcp_preconditioner kind, const mlcp_vector *in,
                       const mlcp_vector *out);
/* Scales of the rows, and how often each is there. */
abut_status mlcp_prepare_rows(mlcp_solver *s, abut_error *err);
/* Gap and slip at u = 0, from the geometry of the contact. */
void mlcp_set_constants(mlcp_solver *s, mlcp_contact *c);

/* states.c: true when a state or a sliding force has changed. iteration 0: look at all. */
bool mlcp_evaluate(mlcp_solver *s, double residual, int iteration);

/* detect.c */
abut_status mlcp_find_candidates(mlcp_solver *s, abut_error *err);
abut_status mlcp_begin_contacts(mlcp_solver *s, abut_error *err);
/* New contacts on the way from start to end; candidates are found again where the way leaves what
 * they were found for. */
abut_status mlcp_detect(mlcp_solver *s, bool *added, abut_error *err);
/* Geometry at the end of the step for contacts whose distance there is not what it should be. */
abut_status mlcp_linearise(mlcp_solver *s, int pass, bool *changed, abut_error *err);
/* Largest part of the way that is free of contact. */
double mlcp_free_part(const mlcp_solver *s);
void mlcp_update_end(mlcp_solver *s);

#endif
