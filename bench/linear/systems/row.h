/* The row of the table of linear solvers (src/linear/solver_list.h) that only bench_systems has. */
LINEAR_SOLVER(compare, "compare")
