/* The table of time integrators, and nothing else, so that a program with one of its own can bring
 * another. */
#include "step/integrator.h"

#define INTEGRATOR(constant, row, word) extern const integrator_rule row##_rule;
#include "step/integrator_list.h"

const integrator_rule *const integrator_rules[] = {
#define INTEGRATOR(constant, row, word) &row##_rule,
#include "step/integrator_list.h"
    NULL};

const char *const integrator_words[] = {
#define INTEGRATOR(constant, row, word) word,
#include "step/integrator_list.h"
    NULL};
