/* Allocation with counting and fault injection. All memory of the library comes from here, so that
 * a test can make the n-th allocation fail, and count allocations in a warmed-up loop. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 64-byte aligned; NULL on failure or when count * size overflows. A count of 0 gives a valid
 * pointer that must be freed. */
void *mem_alloc(size_t count, size_t size);
void *mem_calloc(size_t count, size_t size);
/* Grows or shrinks; keeps the old block on failure (returns NULL). */
void *mem_realloc(void *old, size_t count, size_t size);
void mem_free(void *pointer);

/* Copies a string; NULL on failure. */
char *mem_strdup(const char *text);

/* Test hooks. */
uint64_t mem_allocation_count(void);    /* calls of alloc/calloc/realloc so far in this process */
void mem_fail_after(int64_t successes); /* the allocation after that many fails, once; -1 = never */
bool mem_failure_happened(void);        /* true since the last mem_fail_after if one was injected */

#endif
