/* How the problems and terms of a test are evaluated; tests set what they need. */
#ifndef SUPPORT_EVALUATION_H
#define SUPPORT_EVALUATION_H

#include "term/term.h"

static evaluation test_evaluation = {
    .force_factor = 1, .load_factor = 1, .mass_factor = 1, .h = 1, .kappa = 1};

#endif
