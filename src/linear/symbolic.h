/* Symbolic Cholesky factorisation on the graph of the 3x3 blocks.
 *
 * Given a matrix pattern and an order of elimination, finds the elimination tree, the supernodes
 * (adjacent columns of the factor with nearly the same rows, at most SUPERNODE_MAX_BLOCKS wide),
 * the rows of each, which supernodes update which, and where the blocks of the matrix go. Column
 * counts after Gilbert, Ng and Peyton (1994). All arrays only grow: an analysis of a pattern that
 * is not larger than one before allocates nothing. */
#ifndef LINEAR_SYMBOLIC_H
#define LINEAR_SYMBOLIC_H

#include "base/array.h"
#include "base/status.h"
#include "linear/block_matrix.h"

enum { SUPERNODE_MAX_BLOCKS = 32 };

typedef struct supernode {
    int32_t first, last;  /* block columns [first, last) in the order of elimination */
    int32_t parent;       /* supernode, or -1 */
    int32_t row_begin;    /* its block rows below the diagonal part are rows[row_begin .. */
    int32_t row_end;      /* .. row_end), ascending */
    int32_t update_begin; /* updates[update_begin .. update_end) change this supernode */
    int32_t update_end;
    int32_t subtree_first; /* supernodes [subtree_first, own index] are its subtree */
    size_t panel;          /* offset of its panel in the factor, in scalars */
    double work;           /* multiplications to compute it, updates included */
} supernode;

/* Rows [begin, end) (positions in symbolic.rows) of `source` are columns of the updated supernode.
 */
typedef struct supernode_update {
    int32_t source, begin, end;
} supernode_update;

/* A block of the matrix in the order of elimination. */
typedef struct permuted_block {
    int32_t row;  /* block row in the order of elimination */
    int32_t slot; /* in the matrix, shifted left by 1; bit 0: transpose it */
} permuted_block;

typedef ARRAY(int32_t) int_list;

typedef struct symbolic {
    int32_t size;
    int_list order;            /* position -> block of the matrix: refined from the one given */
    int_list position;         /* block of the matrix -> position */
    int_list column_supernode; /* position -> supernode */
    int_list rows;
    ARRAY(supernode) supernodes;
    ARRAY(supernode_update) updates;
    ARRAY(permuted_block) blocks; /* by columns: blocks[block_start[j] .. block_start[j + 1]) */
    int_list block_start;
    size_t factor_size; /* scalars in all panels, padding included */
    double work;        /* multiplications of the whole factorisation */
    int32_t max_rows;   /* most block rows below a diagonal part */
    /* scratch */
    int_list parent, count, ancestor, first, previous, child, sibling, stack, start, list, mark;
    ARRAY(struct merge_node) merge;
} symbolic;

void symbolic_free(symbolic *s);

/* order: position -> block. */
abut_status symbolic_analyse(symbolic *s, const block_matrix *a, const int32_t *order,
                             abut_error *err);

static inline size_t supernode_columns(const supernode *n)
{
    return 3 * (size_t)(n->last - n->first);
}
/* Scalar rows of its panel, which is also the stride of the columns. The last row belongs to the
 * right side: it is factorised with the matrix, which solves the lower triangular system. */
static inline size_t supernode_stride(const supernode *n)
{
    return 3 * (size_t)(n->last - n->first + n->row_end - n->row_begin) + 1;
}

#endif
