#include "linear/symbolic.h"

#include "linear/panel.h"

#include <string.h>

/* Set while the tree of supernodes is thinned out by merging children into their parents. */
struct merge_node {
    int32_t first, last; /* columns before merging */
    int32_t parent;      /* index in the same list, or -1 */
    int32_t into;        /* the node it was merged into, or itself */
    int32_t columns;     /* of the merged node */
    int32_t height;      /* columns and rows of the merged node's first column */
    int32_t child, sibling, final;
    double zeros; /* blocks of the merged node that are known to be zero */
};

void symbolic_free(symbolic *s)
{
    array_free(&s->order);
    array_free(&s->position);
    array_free(&s->column_supernode);
    array_free(&s->rows);
    array_free(&s->supernodes);
    array_free(&s->updates);
    array_free(&s->blocks);
    array_free(&s->block_start);
    array_free(&s->parent);
    array_free(&s->count);
    array_free(&s->ancestor);
    array_free(&s->first);
    array_free(&s->previous);
    array_free(&s->child);
    array_free(&s->sibling);
    array_free(&s->stack);
    array_free(&s->start);
    array_free(&s->list);
    array_free(&s->mark);
    array_free(&s->merge);
    memset(s, 0, sizeof *s);
}

static bool reserve_all(symbolic *s, size_t n, size_t blocks)
{
    return array_resize(&s->order, n + 1) && array_resize(&s->position, n + 1) &&
           array_resize(&s->column_supernode, n + 1) && array_resize(&s->block_start, n + 2) &&
           array_resize(&s->blocks, blocks + 1) && array_resize(&s->parent, n + 1) &&
           array_resize(&s->count, n + 1) && array_resize(&s->ancestor, n + 1) &&
           array_resize(&s->first, n + 1) && array_resize(&s->previous, n + 1) &&
           array_resize(&s->child, n + 1) && array_resize(&s->sibling, n + 1) &&
           array_resize(&s->stack, n + 1) && array_resize(&s->start, n + 2) &&
           array_resize(&s->list, blocks + 1) && array_resize(&s->mark, n + 1) &&
           array_reserve(&s->supernodes, n + 1) && array_resize(&s->merge, n + 1);
}

/* ---------------------------------------------------------------------------------------------- */
/* The permuted pattern                                                                           */

static void set_positions(symbolic *s)
{
    for (int32_t k = 0; k < s->size; k++) s->position.data[s->order.data[k]] = k;
}

/* For every row the columns left of its diagonal, into start/list. */
static void list_by_rows(symbolic *s, const block_matrix *a)
{
    int32_t n = s->size, *start = s->start.data;
    memset(start, 0, ((size_t)n + 2) * sizeof *start);
    const int32_t *position = s->position.data;
    for (int32_t j = 0; j < n; j++)
        for (int32_t k = a->column_start[j] + 1; k < a->column_start[j + 1]; k++) {
            int32_t p = position[j], q = position[a->row[k]];
            start[(p > q ? p : q) + 2]++;
        }
    for (int32_t i = 0; i < n; i++) start[i + 2] += start[i + 1];
    for (int32_t j = 0; j < n; j++)
        for (int32_t k = a->column_start[j] + 1; k < a->column_start[j + 1]; k++) {
            int32_t p = position[j], q = position[a->row[k]];
            s->list.data[start[(p > q ? p : q) + 1]++] = p > q ? q : p;
        }
}

/* For every column its blocks on and below the diagonal, into block_start/blocks. */
static void list_by_columns(symbolic *s, const block_matrix *a)
{
    int32_t n = s->size, *start = s->block_start.data;
    memset(start, 0, ((size_t)n + 2) * sizeof *start);
    const int32_t *position = s->position.data;
    for (int32_t j = 0; j < n; j++)
        for (int32_t k = a->column_start[j]; k < a->column_start[j + 1]; k++) {
            int32_t p = position[j], q = position[a->row[k]];
            start[(p > q ? q : p) + 2]++;
        }
    for (int32_t i = 0; i < n; i++) start[i + 2] += start[i + 1];
    for (int32_t j = 0; j < n; j++)
        for (int32_t k = a->column_start[j]; k < a->column_start[j + 1]; k++) {
            int32_t p = position[j], q = position[a->row[k]];
            bool turned = q < p; /* the stored block is above the diagonal now */
            s->blocks.data[start[(turned ? q : p) + 1]++] =
                (permuted_block){turned ? p : q, k << 1 | (turned ? 1 : 0)};
        }
}

/* ---------------------------------------------------------------------------------------------- */
/* Elimination tree and column counts                                                             */

/* The parent of a column is the first row below the diagonal of its factor column. */
static void find_tree(symbolic *s)
{
    int32_t *parent = s->parent.data, *ancestor = s->ancestor.data;
    for (int32_t i = 0; i < s->size; i++) {
        parent[i] = ancestor[i] = -1;
        for (int32_t k = s->start.data[i]; k < s->start.data[i + 1]; k++) {
            int32_t j = s->list.data[k];
            while (ancestor[j] != -1 && ancestor[j] != i) {
                int32_t next = ancestor[j];
                ancestor[j] = i;
                j = next;
            }
            if (ancestor[j] == -1) parent[j] = ancestor[j] = i;
        }
    }
}

enum { NO_NODE = -2 }; /* in place of a parent: not in the forest */

/* Children lists of a forest with `n` nodes; roots hang on node n. Returns the depth with which
 * next_in_postorder begins. */
static int32_t list_children(symbolic *s, int32_t n, const int32_t *parent)
{
    for (int32_t i = 0; i <= n; i++) s->child.data[i] = -1;
    for (int32_t i = n - 1; i >= 0; i--) {
        if (parent[i] == NO_NODE) continue;
        int32_t p = parent[i] < 0 ? n : parent[i];
        s->sibling.data[i] = s->child.data[p];
        s->child.data[p] = i;
    }
    s->stack.data[0] = n;
    return 1;
}

/* The next node in postorder of the tree that list_children listed; its last one is the root n,
 * which is no node. */
static int32_t next_in_postorder(symbolic *s, int32_t *depth)
{
    int32_t *stack = s->stack.data;
    for (;;) {
        int32_t node = stack[*depth - 1], child = s->child.data[node];
        if (child < 0) {
            --*depth;
            return node;
        }
        s->child.data[node] = s->sibling.data[child];
        stack[(*depth)++] = child;
    }
}

/* Renumbers the columns in postorder: a subtree becomes a range that ends with its root. */
static void sort_postorder(symbolic *s)
{
    int32_t n = s->size, *label = s->mark.data, node;
    int32_t *refined = s->count.data, *parent = s->parent.data;
    int32_t depth = list_children(s, n, parent), next = 0;
    while ((node = next_in_postorder(s, &depth)) < n) label[node] = next++;
    for (int32_t i = 0; i < n; i++) {
        refined[label[i]] = s->order.data[i];
        s->ancestor.data[label[i]] = parent[i] < 0 ? -1 : label[parent[i]];
    }
    memcpy(s->order.data, refined, (size_t)n * sizeof *refined);
    memcpy(parent, s->ancestor.data, (size_t)n * sizeof *parent);
}

static int32_t find_root(int32_t *ancestor, int32_t i)
{
    int32_t root = i;
    while (ancestor[root] != root) root = ancestor[root];
    while (ancestor[i] != root) {
        int32_t next = ancestor[i];
        ancestor[i] = root;
        i = next;
    }
    return root;
}

/* Entries of every factor column, diagonal included. The rows of the factor are subtrees of the
 * elimination tree; a column is counted where it is a leaf of a row's subtree, and a count is taken
 * back where two leaves of the same row meet. Columns are in postorder. */
static void count_columns(symbolic *s)
{
    int32_t n = s->size, *count = s->count.data, *parent = s->parent.data;
    int32_t *ancestor = s->ancestor.data, *first = s->first.data, *previous = s->previous.data;
    int32_t *latest = s->mark.data;
    for (int32_t j = 0; j < n; j++) {
        first[j] = -1;
        previous[j] = latest[j] = -1;
        ancestor[j] = j;
    }
    for (int32_t j = 0; j < n; j++) {
        count[j] = first[j] == -1 ? 1 : 0; /* leaves start with their diagonal */
        for (int32_t i = j; i != -1 && first[i] == -1; i = parent[i]) first[i] = j;
    }
    for (int32_t j = 0; j < n; j++) {
        if (parent[j] != -1) count[parent[j]]--;
        for (int32_t k = s->block_start.data[j]; k < s->block_start.data[j + 1]; k++) {
            int32_t i = s->blocks.data[k].row;
            if (i == j || first[j] <= latest[i]) continue;
            latest[i] = first[j];
            count[j]++;
            if (previous[i] != -1) count[find_root(ancestor, previous[i])]--;
            previous[i] = j;
        }
        if (parent[j] != -1) ancestor[j] = parent[j];
    }
    for (int32_t j = 0; j < n; j++)
        if (parent[j] != -1) count[parent[j]] += count[j];
}

/* ---------------------------------------------------------------------------------------------- */
/* Supernodes                                                                                     */

/* Columns whose rows are those of the column before without the diagonal: returns their number. */
static int32_t find_supernodes(symbolic *s)
{
    const int32_t *parent = s->parent.data, *count = s->count.data;
    int32_t nodes = 0;
    for (int32_t j = 0; j < s->size; j++) {
        bool joined = j > 0 && parent[j - 1] == j && count[j - 1] == count[j] + 1;
        if (!joined) s->merge.data[nodes++] = (struct merge_node){.first = j, .height = count[j]};
        struct merge_node *node = &s->merge.data[nodes - 1];
        node->last = j + 1;
        s->column_supernode.data[j] = nodes - 1;
    }
    for (int32_t k = 0; k < nodes; k++) {
        struct merge_node *node = &s->merge.data[k];
        int32_t up = parent[node->last - 1];
        node->parent = up < 0 ? -1 : s->column_supernode.data[up];
        node->into = k;
        node->columns = node->last - node->first;
        node->child = -1;
    }
    return nodes;
}

static double trapezoid(double columns, double height)
{
    return columns * (height - (columns - 1) / 2);
}

/* Whether a child may be merged into its parent: narrow supernodes are slow, so many zeros are
 * accepted in them, and few in wide ones. */
static bool worth_merging(const struct merge_node *child, const struct merge_node *parent,
                          double *zeros)
{
    int32_t columns = child->columns + parent->columns;
    double height = child->columns + parent->height;
    double added = (double)child->columns * (height - child->height);
    *zeros = child->zeros + parent->zeros + added;
    double share = *zeros / trapezoid(columns, height);
    return added == 0 || columns <= 4 ? share < 0.8 : columns <= 16 ? share < 0.25 : share < 0.1;
}

/* Children before parents; of a parent's children those first that add the fewest zeros. */
static void merge_supernodes(symbolic *s, int32_t nodes)
{
    struct merge_node *all = s->merge.data;
    for (int32_t k = nodes - 1; k >= 0; k--)
        if (all[k].parent >= 0) {
            all[k].sibling = all[all[k].parent].child;
            all[all[k].parent].child = k;
        }
    for (int32_t p = 0; p < nodes; p++) {
        for (;;) {
            int32_t best = -1;
            double least = 0, zeros;
            for (int32_t c = all[p].child; c >= 0; c = all[c].sibling) {
                if (all[c].into != c || !worth_merging(&all[c], &all[p], &zeros)) continue;
                double added = zeros - all[c].zeros;
                if (best < 0 || added < least) {
                    best = c;
                    least = added;
                }
            }
            if (best < 0) break;
            worth_merging(&all[best], &all[p], &zeros);
            all[p].zeros = zeros;
            all[p].height += all[best].columns;
            all[p].columns += all[best].columns;
            all[best].into = p;
        }
    }
}

/* Children of the merged tree, and for every merged node the list of what it consists of. */
static int32_t final_node(struct merge_node *all, int32_t k)
{
    int32_t top = k;
    while (all[top].into != top) top = all[top].into;
    while (all[k].into != top) {
        int32_t next = all[k].into;
        all[k].into = top;
        k = next;
    }
    return top;
}

/* Numbers the columns anew, a merged node's columns side by side, and cuts wide nodes. */
static abut_status number_supernodes(symbolic *s, int32_t nodes, abut_error *err)
{
    struct merge_node *all = s->merge.data;
    int32_t *member = s->first.data, *next_member = s->previous.data, *parent = s->ancestor.data;
    for (int32_t k = nodes - 1; k >= 0; k--) member[k] = -1;
    for (int32_t k = nodes - 1; k >= 0; k--) {
        int32_t top = final_node(all, k);
        next_member[k] = member[top];
        member[top] = k;
        parent[k] = NO_NODE;
    }
    for (int32_t k = 0; k < nodes; k++)
        if (all[k].into == k) parent[k] = all[k].parent < 0 ? -1 : final_node(all, all[k].parent);
    /* Postorder of the merged tree. */
    int32_t depth = list_children(s, nodes, parent), next = 0, *refined = s->mark.data, node;
    s->supernodes.count = 0;
    while ((node = next_in_postorder(s, &depth)) < nodes) {
        int32_t begin = next;
        for (int32_t m = member[node]; m >= 0; m = next_member[m])
            for (int32_t j = all[m].first; j < all[m].last; j++) refined[next++] = s->order.data[j];
        int32_t width = next - begin;
        int32_t pieces = (width + SUPERNODE_MAX_BLOCKS - 1) / SUPERNODE_MAX_BLOCKS;
        for (int32_t piece = 0; piece < pieces; piece++) {
            int32_t from = begin + (int32_t)((int64_t)width * piece / pieces);
            int32_t to = begin + (int32_t)((int64_t)width * (piece + 1) / pieces);
            for (int32_t j = from; j < to; j++)
                s->column_supernode.data[j] = (int32_t)s->supernodes.count;
            /* The parent's number is not known yet: the merged node stands in for it. */
            int32_t next_piece = (int32_t)s->supernodes.count + 1;
            supernode n = {
                .first = from, .last = to, .parent = piece + 1 < pieces ? next_piece : -2 - node};
            if (!array_push(&s->supernodes, n))
                return error_memory(err, "analysing the sparse matrix");
        }
        all[node].final = (int32_t)s->supernodes.count - pieces; /* its first piece */
    }
    memcpy(s->order.data, refined, (size_t)s->size * sizeof *refined);
    for (size_t k = 0; k < s->supernodes.count; k++) {
        supernode *n = &s->supernodes.data[k];
        if (n->parent < -1)
            n->parent = parent[-2 - n->parent] < 0 ? -1 : all[parent[-2 - n->parent]].final;
    }
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Rows, updates, work                                                                            */

/* Visits the supernodes whose rows contain i, below i's own: paths in the tree from the columns of
 * row i of the matrix upwards. mark[] holds the last row that came by. */
#define FOR_ROW_SUBTREE(s, i, node)                                                                \
    for (int32_t k_ = (s)->start.data[i]; k_ < (s)->start.data[(i) + 1]; k_++)                     \
        for (int32_t node = (s)->column_supernode.data[(s)->list.data[k_]];                        \
             node != (s)->column_supernode.data[i] && (s)->mark.data[node] != (i);                 \
             (s)->mark.data[node] = (i), node = (s)->supernodes.data[node].parent)

static abut_status find_rows(symbolic *s, abut_error *err)
{
    size_t total = 0, count = s->supernodes.count;
    for (size_t k = 0; k < count; k++) s->mark.data[k] = -1;
    for (int32_t i = 0; i < s->size; i++)
        FOR_ROW_SUBTREE(s, i, node) s->supernodes.data[node].row_end++;
    s->max_rows = 0;
    for (size_t k = 0; k < count; k++) {
        supernode *n = &s->supernodes.data[k];
        if (n->row_end > s->max_rows) s->max_rows = n->row_end;
        n->row_begin = (int32_t)total;
        total += (size_t)n->row_end;
        n->row_end = n->row_begin;
        if (total > INT32_MAX)
            return error_set(err, ABUT_ERROR_UNSUPPORTED, "",
                             "the sparse factor has too many rows (%zu)", total);
    }
    if (!array_resize(&s->rows, total + 1)) return error_memory(err, "analysing the sparse matrix");
    for (size_t k = 0; k < count; k++) s->mark.data[k] = -1;
    for (int32_t i = 0; i < s->size; i++)
        FOR_ROW_SUBTREE(s, i, node) s->rows.data[s->supernodes.data[node].row_end++] = i;
    return ABUT_OK;
}

/* The runs of a supernode's rows that belong to one and the same supernode above it. */
static int32_t run_end(const symbolic *s, const supernode *n, int32_t begin)
{
    int32_t above = s->column_supernode.data[s->rows.data[begin]], end = begin + 1;
    int32_t last = s->supernodes.data[above].last;
    while (end < n->row_end && s->rows.data[end] < last) end++;
    return end;
}

static abut_status find_updates(symbolic *s, abut_error *err)
{
    size_t total = 0, count = s->supernodes.count;
    supernode *nodes = s->supernodes.data;
    for (size_t k = 0; k < count; k++)
        for (int32_t r = nodes[k].row_begin; r < nodes[k].row_end;) {
            nodes[s->column_supernode.data[s->rows.data[r]]].update_end++;
            total++;
            r = run_end(s, &nodes[k], r);
        }
    if (total > INT32_MAX || !array_resize(&s->updates, total + 1))
        return error_memory(err, "analysing the sparse matrix");
    int32_t next = 0;
    for (size_t k = 0; k < count; k++) {
        nodes[k].update_begin = next;
        next += nodes[k].update_end;
        nodes[k].update_end = nodes[k].update_begin;
    }
    for (size_t k = 0; k < count; k++)
        for (int32_t r = nodes[k].row_begin; r < nodes[k].row_end;) {
            supernode *above = &nodes[s->column_supernode.data[s->rows.data[r]]];
            int32_t end = run_end(s, &nodes[k], r);
            s->updates.data[above->update_end++] = (supernode_update){(int32_t)k, r, end};
            r = end;
        }
    return ABUT_OK;
}

/* Lays out the panels, counts the work, finds the ranges of the subtrees. */
static void lay_out_panels(symbolic *s)
{
    s->factor_size = 0;
    s->work = 0;
    supernode *nodes = s->supernodes.data;
    for (size_t k = 0; k < s->supernodes.count; k++) nodes[k].subtree_first = (int32_t)k;
    for (size_t k = 0; k < s->supernodes.count; k++) {
        supernode *n = &nodes[k];
        double columns = (double)supernode_columns(n), height = (double)supernode_stride(n);
        n->panel = s->factor_size;
        s->factor_size += supernode_columns(n) * supernode_stride(n) + PANEL_PADDING;
        n->work = columns * columns * (height - columns * 2 / 3);
        for (int32_t u = n->update_begin; u < n->update_end; u++) {
            const supernode_update *update = &s->updates.data[u];
            const supernode *source = &nodes[update->source];
            double width = 3.0 * (update->end - update->begin);
            double rows = 3.0 * (source->row_end - update->begin);
            n->work += (double)supernode_columns(source) * width * (rows - width / 2);
        }
        s->work += n->work;
        if (n->parent >= 0 && n->subtree_first < nodes[n->parent].subtree_first)
            nodes[n->parent].subtree_first = n->subtree_first;
    }
}

abut_status symbolic_analyse(symbolic *s, const block_matrix *a, const int32_t *order,
                             abut_error *err)
{
    s->size = a->size;
    size_t n = (size_t)a->size;
    if (!reserve_all(s, n, (size_t)a->column_start[a->size]))
        return error_memory(err, "analysing the sparse matrix");
    memcpy(s->order.data, order, n * sizeof *order);
    set_positions(s);
    list_by_rows(s, a);
    find_tree(s);
    sort_postorder(s);
    set_positions(s);
    list_by_columns(s, a);
    count_columns(s);
    int32_t nodes = find_supernodes(s);
    merge_supernodes(s, nodes);
    TRY(number_supernodes(s, nodes, err));
    set_positions(s);
    list_by_rows(s, a);
    list_by_columns(s, a);
    TRY(find_rows(s, err));
    TRY(find_updates(s, err));
    lay_out_panels(s);
    return ABUT_OK;
}
