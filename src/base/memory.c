#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A header in front of each block holds its size: realloc must copy, because C has no aligned one.
 */
enum { ALIGNMENT = 64 };

static atomic_uint_fast64_t allocation_count;
static atomic_int_fast64_t failure_countdown = -1;
static atomic_bool failure_happened;

static bool injected_failure(void)
{
    atomic_fetch_add(&allocation_count, 1);
    if (atomic_load(&failure_countdown) < 0) return false;
    if (atomic_fetch_sub(&failure_countdown, 1) > 0) return false;
    atomic_store(&failure_happened, true);
    return true;
}

static void *allocate(size_t bytes)
{
    if (bytes > SIZE_MAX - 2 * ALIGNMENT) return NULL;
    size_t rounded = (bytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    unsigned char *block = aligned_alloc(ALIGNMENT, rounded);
    if (!block) return NULL;
    memcpy(block, &bytes, sizeof bytes);
    return block + ALIGNMENT;
}

static size_t block_size(const void *pointer)
{
    size_t bytes;
    memcpy(&bytes, (const unsigned char *)pointer - ALIGNMENT, sizeof bytes);
    return bytes;
}

static bool overflows(size_t count, size_t size) { return size != 0 && count > SIZE_MAX / size; }

void *mem_alloc(size_t count, size_t size)
{
    if (injected_failure() || overflows(count, size)) return NULL;
    return allocate(count * size);
}

void *mem_calloc(size_t count, size_t size)
{
    void *pointer = mem_alloc(count, size);
    if (pointer) memset(pointer, 0, count * size);
    return pointer;
}

void *mem_realloc(void *old, size_t count, size_t size)
{
    if (injected_failure() || overflows(count, size)) return NULL;
    void *fresh = allocate(count * size);
    if (!fresh || !old) return fresh;
    size_t keep = block_size(old) < count * size ? block_size(old) : count * size;
    memcpy(fresh, old, keep);
    mem_free(old);
    return fresh;
}

void mem_free(void *pointer)
{
    if (pointer) free((unsigned char *)pointer - ALIGNMENT);
}

char *mem_strdup(const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = mem_alloc(length, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

uint64_t mem_allocation_count(void) { return atomic_load(&allocation_count); }

void mem_fail_after(int64_t successes)
{
    atomic_store(&failure_happened, false);
    atomic_store(&failure_countdown, successes);
}

bool mem_failure_happened(void) { return atomic_load(&failure_happened); }
