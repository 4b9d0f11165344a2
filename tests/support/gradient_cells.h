/* Gradients of whole runs against central differences: a table of cells, each a parameter of a kind
 * of body, with an integrator, without contact, with contact, or with friction. */
#ifndef SUPPORT_GRADIENT_CELLS_H
#define SUPPORT_GRADIENT_CELLS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct gradient_cell {
    const char *body;        /* "tet", "p2", "rigid", "affine", "shell", "rod", "particles" */
    int contact;             /* 0: none; 1: without friction; 2: with friction */
    const char *integrator;  /* as in scenes */
    const char *kind, *name; /* of the parameter; scalar: which of its numbers */
    size_t scalar;
    bool quick; /* belongs to the short list */
} gradient_cell;

extern const gradient_cell gradient_cells[];
extern const size_t gradient_cell_count;

/* The scene of a cell as text, in room of `capacity`. */
void gradient_cell_scene(const gradient_cell *c, char *text, size_t capacity);
/* Relative difference between the gradient and the best of three central differences; infinite,
 * with a message, when something failed. */
double gradient_cell_error(const gradient_cell *c, char *message, size_t capacity);

/* The largest difference between derivatives backwards and forwards, of the largest of them (and
 * 1e-3, below which differences are those of rounding). */
double gradient_cell_forward_error(const gradient_cell *c, char *message, size_t capacity);

#endif
