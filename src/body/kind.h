/* The kinds of bodies as one table: what a kind is to the model, which keys of scenes it has, and
 * how a scene makes such a body. The model and what is above it ask a row for a property and never
 * compare kinds. The functions of a row are called by scene/ and the command; their files are there
 * (scene/kind_*.c), as they read the definitions of a scene. */
#ifndef BODY_KIND_H
#define BODY_KIND_H

#include "base/status.h"
#include "material/law.h"

#include <stdbool.h>
#include <stddef.h>

/* Numbers of the kinds: rows of the tables body_rows and body_kind_words. */
typedef enum body_kind {
#define BODY_KIND(constant, row, word) BODY_##constant,
#include "body/kind_list.h"
} body_kind;

/* Keys of bodies in scenes, by what a body must have for them (scene/schema_table_body.c). */
enum {
    KEYS_MATERIAL = 1 << 0,   /* material */
    KEYS_DENSITY = 1 << 1,    /* density */
    KEYS_SIMULATED = 1 << 2,  /* velocity, angular_velocity, fix, force */
    KEYS_NODES = 1 << 3,      /* velocity_field, weights; parts of fix and force */
    KEYS_BOUNDARY = 1 << 4,   /* boundary */
    KEYS_SEQUENCE = 1 << 5,   /* sequence */
    KEYS_WHOLE = 1 << 6,      /* motion */
    KEYS_OBSTACLE = 1 << 7,   /* displacement */
    KEYS_RIGID = 1 << 8,      /* total_mass, mass_from, poses; parts of fix and force */
    KEYS_AFFINE = 1 << 9,     /* orthogonality */
    KEYS_SOLID = 1 << 10,     /* mass, order, surface, regions, surface_loads, ... */
    KEYS_SHELL = 1 << 11,     /* shell */
    KEYS_ROD = 1 << 12,       /* rod */
    KEYS_PARTICLES = 1 << 13, /* particles */
    KEYS_PARAMETERS = 1 << 14 /* parameters: those of the row */
};

typedef enum body_need { NEEDS_NOTHING, NEEDS_MATERIAL, NEEDS_DENSITY } body_need;

/* Cells that the mesh must have: one of these. None: vertices are enough. */
typedef struct body_cells {
    unsigned kinds; /* bits 1 << cell_kind */
    const char *names;
} body_cells;

enum { BODY_MAX_PARAMETERS = 8 };

struct body_def;
struct body_source; /* scene/body_source.h */
struct mesh;
struct model;
struct model_body;
struct scene_def;
struct stepper;

typedef struct body_row {
    bool obstacle;  /* its motion is given: no unknowns */
    bool solid;     /* elements of volume with an elastic law */
    bool whole;     /* rigid or affine: no nodes; fixed, moved and loaded as a whole */
    bool inelastic; /* goes with split strain limits, whose projection knows no elasticity */
    unsigned keys;  /* KEYS_* */
    body_need needs;
    body_cells cells[2]; /* in space, in the plane */
    /* Values in body_def.own, in this order. All must be given in a scene. */
    int parameter_count;
    const law_parameter *parameters;

    /* What follows from several keys of its definition, when all are read. NULL: nothing. */
    void (*complete)(struct body_def *def);
    /* Adds it to the model: blocks, masses, elements, rows of the collision surface. */
    abut_status (*add)(const struct body_source *from, struct model *m, abut_error *err);
    /* Conditions, loads and initial velocity of a body that was added as number `built`; place: its
     * error place. NULL: by its nodes. */
    abut_status (*condition)(const struct scene_def *scene, const struct body_def *def,
                             size_t built, const char *place, struct stepper *s, double *velocity,
                             abut_error *err);
    /* What collides, where that is not the surface of the mesh itself; else *out stays empty.
     * NULL: always the mesh. */
    abut_status (*surface)(const struct scene_def *scene, size_t body, const struct mesh *shape,
                           struct mesh *out, abut_error *err);
    /* Its mass, as far as that is known before it is built; volume: of the mesh by its corners.
     * NULL: not known. */
    abut_status (*weigh)(const struct scene_def *scene, size_t body, const struct mesh *shape,
                         double volume, double *mass, abut_error *err);
    /* What its mass goes by, in words. NULL: it has none. */
    const char *(*measure)(const struct model *m, const struct model_body *body);
} body_row;

extern const body_row *const body_rows[];   /* by kind; ends with NULL */
extern const char *const body_kind_words[]; /* in scenes; ends with NULL */

/* The row of a word of scenes, or NULL. */
const body_row *body_row_named(const char *word);

#endif
