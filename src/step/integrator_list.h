/* The time integrators, one row each: constant, name of its integrator_rule, word of scenes. A new
 * one is one file that defines its rule (integrator.h), and one row here. Included where a list of
 * all is made; no include guard. */
INTEGRATOR(IMPLICIT_EULER, implicit_euler, "implicit-euler")
INTEGRATOR(NEWMARK, newmark, "newmark")
INTEGRATOR(BDF2, bdf2, "bdf2")
INTEGRATOR(QUASI_STATIC, quasi_static, "quasi-static")
INTEGRATOR(BDF1, bdf1, "bdf1")
INTEGRATOR(BDF3, bdf3, "bdf3")
INTEGRATOR(BDF4, bdf4, "bdf4")
INTEGRATOR(BDF5, bdf5, "bdf5")
INTEGRATOR(BDF6, bdf6, "bdf6")
#ifdef ABUT_EXTEND_INTEGRATORS /* rows of a program that brings its own (tests/extend) */
#include ABUT_EXTEND_INTEGRATORS
#endif
#undef INTEGRATOR
