#include "base/array.h"

#include <string.h>

bool array_reserve_bytes(void **data, size_t *capacity, size_t needed, size_t item_size)
{
    if (needed <= *capacity && *data) return true;
    size_t grown = *capacity + *capacity / 2 + 16;
    if (grown < needed) grown = needed;
    void *bigger = mem_realloc(*data, grown, item_size);
    if (!bigger) return false;
    *data = bigger;
    *capacity = grown;
    return true;
}
