/* Four doubles at a time: the vector extension of GCC and Clang, compiled to whatever the target
 * has. Only for hot loops over arrays that are aligned to 32 bytes and padded to a multiple of
 * four. */
#ifndef MATH_PACK4_H
#define MATH_PACK4_H

typedef double pack4 __attribute__((vector_size(32), may_alias));
/* The same without the alignment. */
typedef double pack4_loose __attribute__((vector_size(32), may_alias, aligned(8)));

#endif
