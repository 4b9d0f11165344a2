/* The row of the table of linear solvers (src/linear/solver_list.h) that only this program has. */
LINEAR_SOLVER(dense, "dense")
