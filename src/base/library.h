/* Shared libraries that are loaded when they are first needed, because most runs never do: what
 * they bring along would otherwise cost every start time and memory. */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct library {
    void *handle;
    char failure[200]; /* why it cannot be used; empty: it can */
} library;

/* Loads the first of two names that works (the second may be NULL). */
void library_open(library *l, const char *name, const char *other_name);

/* Puts the address of a function into the pointer at `slot`; NULL and a failure, if it is missing.
 */
void library_need(library *l, const char *function, void *slot);

/* The same for a function that may be missing. Returns whether it is there. */
bool library_find(library *l, const char *function, void *slot);

#endif
