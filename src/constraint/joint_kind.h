/* Kinds of joints: what of the two sides is joined, and which coordinates are left. A new
 * kind that is made of these parts is one line of joint_kind_list.h. */
#ifndef CONSTRAINT_JOINT_KIND_H
#define CONSTRAINT_JOINT_KIND_H

/* Rows of c(x) = 0, with d = p_B - p_A. Directions are constrained as differences (three rows of
 * rank two): the two dot products a_A.n_B, a_A.b_B have a second root, with the axes reversed, and
 * no force at a right angle. */
enum {
    HOLDS_POINT = 1,    /* d */
    HOLDS_LINE = 2,     /* n_A.d, b_A.d */
    HOLDS_PLANE = 4,    /* a_A.d */
    HOLDS_AXIS = 8,     /* a_B - a_A */
    HOLDS_FRAME = 16,   /* n_B - n_A, b_B - b_A, a_B - a_A */
    HOLDS_CROSS = 32,   /* a_A.n_B: two axes at a right angle */
    HOLDS_LENGTH = 64,  /* |d| - L */
    HOLDS_SCREW = 128,  /* a_A.d - lead alpha / (2 pi) */
    HOLDS_COUPLED = 256 /* y_1 - ratio y_2 - offset of two other joints; no sides of its own */
};

/* Coordinates, whether they are free or not. */
enum {
    HAS_TURN = 1,   /* alpha = atan2(b_A.n_B - n_A.b_B, n_A.n_B + b_A.b_B), without jumps */
    HAS_SLIDE = 2,  /* a_A.d */
    HAS_LENGTH = 4, /* |d| - L, instead of the slide */
    NEEDS_AXIS = 8, /* not a coordinate: an axis must be given */
    NEEDS_LEAD = 16,
    NEEDS_AXIS2 = 32
};

typedef struct joint_kind {
    const char *name;
    unsigned holds;
    unsigned has;
    const char *doc;
} joint_kind;

extern const joint_kind joint_kinds[]; /* ends with a NULL name */
extern const char *const joint_kind_words[];

/* Number of a kind; -1: there is none. */
int joint_kind_named(const char *name);

#endif
