/* Lists of numbers that grow and shrink from step to step, as checkpoints keep them. */
#ifndef BASE_SAVED_NUMBERS_H
#define BASE_SAVED_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* Borrowed from whoever saved them, until the next time. */
typedef struct saved_numbers {
    const int32_t *ints;
    size_t int_count;
    const double *reals;
    size_t real_count;
} saved_numbers;

#endif
