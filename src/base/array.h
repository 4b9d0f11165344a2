/* Growable arrays: ARRAY(int) list = {0}; array_push(&list, 3); array_free(&list).
 * They only ever grow, so a warmed-up loop that clears and refills them does not allocate. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>

#define ARRAY(type)                                                                                \
    struct {                                                                                       \
        type *data;                                                                                \
        size_t count, capacity;                                                                    \
    }

/* Makes room for `needed` items in all; false when out of memory (the array is unchanged). */
bool array_reserve_bytes(void **data, size_t *capacity, size_t needed, size_t item_size);

#define array_reserve(array, needed)                                                               \
    array_reserve_bytes((void **)&(array)->data, &(array)->capacity, (needed),                     \
                        sizeof *(array)->data)

/* Appends one item; false when out of memory. */
#define array_push(array, ...)                                                                     \
    (((array)->count < (array)->capacity || array_reserve(array, (array)->count + 1)) &&           \
     ((array)->data[(array)->count++] = (__VA_ARGS__), true))

/* Sets the count, growing if needed; new items are not initialised. False when out of memory. */
#define array_resize(array, new_count)                                                             \
    (array_reserve(array, (new_count)) && ((array)->count = (new_count), true))

#define array_clear(array) ((void)((array)->count = 0))

#define array_free(array)                                                                          \
    do {                                                                                           \
        mem_free((array)->data);                                                                   \
        (array)->data = NULL;                                                                      \
        (array)->count = (array)->capacity = 0;                                                    \
    } while (0)

#endif
