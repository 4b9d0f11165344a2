/* The linear solvers, one row each: name of its linear_class, word of scenes. A new one is one file
 * that defines its class (solver.h), and one row here. Included where a list of all is made; no
 * include guard. */
LINEAR_SOLVER(direct, "direct")
LINEAR_SOLVER(cholmod, "cholmod")
LINEAR_SOLVER(pcg, "pcg")
LINEAR_SOLVER(ic, "ic")
LINEAR_SOLVER(multigrid, "multigrid")
LINEAR_SOLVER(petsc, "petsc")
LINEAR_SOLVER(petsc_mumps, "petsc-mumps")
LINEAR_SOLVER(petsc_gamg, "petsc-gamg")
LINEAR_SOLVER(petsc_hypre, "petsc-hypre")
LINEAR_SOLVER(petsc_icc, "petsc-icc")
LINEAR_SOLVER(petsc_bjacobi, "petsc-bjacobi")
#ifdef ABUT_EXTEND_SOLVERS /* rows of a program that brings solvers of its own (tests/extend) */
#include ABUT_EXTEND_SOLVERS
#endif
#undef LINEAR_SOLVER
