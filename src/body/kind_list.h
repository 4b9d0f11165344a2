/* The kinds of bodies, one row each: constant, name of its body_row, word of scenes. A new kind is
 * one file that defines its row (kind.h), and one row here. Included where a list of all is made;
 * no include guard. */
BODY_KIND(DEFORMABLE, deformable, "deformable")
BODY_KIND(OBSTACLE, obstacle, "obstacle")
BODY_KIND(SHELL, shell, "shell")
BODY_KIND(ROD, rod, "rod")
BODY_KIND(PARTICLES, particles, "particles")
BODY_KIND(RIGID, rigid, "rigid")
BODY_KIND(AFFINE, affine, "affine")
#ifdef ABUT_EXTEND_BODIES /* rows of a program that brings kinds of its own (tests/extend) */
#include ABUT_EXTEND_BODIES
#endif
#undef BODY_KIND
