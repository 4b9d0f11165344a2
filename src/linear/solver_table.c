/* The table of linear solvers, and nothing else, so that a program with solvers of its own can
 * bring another. */
#include "linear/solver.h"

#define LINEAR_SOLVER(row, word) extern const linear_class linear_##row;
#include "linear/solver_list.h"

const linear_class *const linear_classes[] = {
#define LINEAR_SOLVER(row, word) &linear_##row,
#include "linear/solver_list.h"
    NULL};

const char *const linear_solver_words[] = {"auto",
#define LINEAR_SOLVER(row, word) word,
#include "linear/solver_list.h"
                                           NULL};
