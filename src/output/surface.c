#include "output/surface.h"

#include "mesh/vtk_cells.h"

#include <stdlib.h>
#include <string.h>

/* ---- faces of higher order ---- */

enum { MAX_ORDER = 4, MAX_FACE_NODES = 15 };

/* One flat piece of a face, as positions in the cell's node list. */
typedef struct piece {
    uint8_t nodes[3];
    uint8_t hidden;
} piece;

typedef struct face_pieces {
    int count;
    piece pieces[MAX_ORDER * MAX_ORDER];
} face_pieces;

/* Position in the cell of the node with i, j steps from face corner a towards b and c. */
static uint8_t lattice_node(int counts[VTK_MAX_NODES][4], int node_count, const int corners[3],
                            int order, int i, int j)
{
    int wanted[4] = {0};
    wanted[corners[0]] = order - i - j;
    wanted[corners[1]] = i;
    wanted[corners[2]] = j;
    for (int n = 0; n < node_count; n++)
        if (memcmp(counts[n], wanted, sizeof wanted) == 0) return (uint8_t)n;
    return 0;
}

/* Cuts the face of a triangle or tet into order^2 triangles; inner lines are hidden. */
static void cut_face(cell_kind kind, int order, const int corners[3], face_pieces *out)
{
    int counts[VTK_MAX_NODES][4];
    int n = simplex_node_counts(kind, order, counts);
    out->count = 0;
    for (int j = 0; j < order; j++)
        for (int i = 0; i + j < order; i++) {
            uint8_t a = lattice_node(counts, n, corners, order, i, j);
            uint8_t b = lattice_node(counts, n, corners, order, i + 1, j);
            uint8_t c = lattice_node(counts, n, corners, order, i, j + 1);
            int hidden = (i + j + 1 < order ? 1 : 0) | (i > 0 ? 2 : 0) | (j > 0 ? 4 : 0);
            out->pieces[out->count++] = (piece){{a, b, c}, (uint8_t)hidden};
            if (i + j + 1 == order) continue;
            uint8_t d = lattice_node(counts, n, corners, order, i + 1, j + 1);
            out->pieces[out->count++] = (piece){{b, d, c}, 7};
        }
}

/* ---- boundaries of solids ---- */

/* A face of a solid, recognised by its sorted corners. */
typedef struct solid_face {
    int32_t key[4]; /* key[3] is -1 for triangles */
    int32_t cell;   /* in its block */
    int32_t face;
} solid_face;

static const int tet_faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {3, 1, 2}};
static const int hex_faces[6][4] = {{0, 3, 2, 1}, {0, 1, 5, 4}, {0, 4, 7, 3},
                                    {1, 2, 6, 5}, {2, 3, 7, 6}, {4, 5, 6, 7}};

static void sort_key(int32_t *key, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && key[j] < key[j - 1]; j--) {
            int32_t swap = key[j];
            key[j] = key[j - 1];
            key[j - 1] = swap;
        }
}

static int compare_faces(const void *a, const void *b)
{
    const solid_face *p = a, *q = b;
    for (int i = 0; i < 4; i++)
        if (p->key[i] != q->key[i]) return p->key[i] < q->key[i] ? -1 : 1;
    return p->cell != q->cell ? (p->cell < q->cell ? -1 : 1) : p->face - q->face;
}

static int compare_order(const void *a, const void *b)
{
    const solid_face *p = a, *q = b;
    return p->cell != q->cell ? (p->cell < q->cell ? -1 : 1) : p->face - q->face;
}

static bool same_key(const solid_face *a, const solid_face *b)
{
    return memcmp(a->key, b->key, sizeof a->key) == 0;
}

/* Keeps the faces that one cell has alone, in the order of the cells. */
static size_t keep_boundary(solid_face *faces, size_t count)
{
    size_t kept = 0;
    qsort(faces, count, sizeof *faces, compare_faces);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && same_key(&faces[i], &faces[next]);) next++;
        if (next == i + 1) faces[kept++] = faces[i];
    }
    qsort(faces, kept, sizeof *faces, compare_order);
    return kept;
}

static void list_faces(const cell_block *block, solid_face *faces)
{
    int per_cell = block->kind == CELL_TET ? 4 : 6, corners = block->kind == CELL_TET ? 3 : 4;
    for (size_t c = 0; c < block->count; c++)
        for (int f = 0; f < per_cell; f++) {
            solid_face *face = &faces[c * (size_t)per_cell + (size_t)f];
            const int *local = block->kind == CELL_TET ? tet_faces[f] : hex_faces[f];
            const int32_t *nodes = block->nodes + c * (size_t)block->nodes_per_cell;
            face->key[3] = -1;
            for (int k = 0; k < corners; k++) face->key[k] = nodes[local[k]];
            sort_key(face->key, corners);
            face->cell = (int32_t)c;
            face->face = f;
        }
}

/* ---- collecting ---- */

static bool push_pieces(surface *s, const face_pieces *pieces, const int32_t *nodes, int32_t cell)
{
    for (int i = 0; i < pieces->count; i++) {
        const piece *p = &pieces->pieces[i];
        surface_triangle t = {
            {nodes[p->nodes[0]], nodes[p->nodes[1]], nodes[p->nodes[2]]}, cell, p->hidden};
        if (!array_push(&s->triangles, t)) return false;
    }
    return true;
}

static bool push_quad(surface *s, const int32_t *nodes, const int corners[4], int32_t cell)
{
    int32_t a = nodes[corners[0]], b = nodes[corners[1]], c = nodes[corners[2]],
            d = nodes[corners[3]];
    return array_push(&s->triangles, (surface_triangle){{a, b, c}, cell, 2}) &&
           array_push(&s->triangles, (surface_triangle){{a, c, d}, cell, 4});
}

static bool add_solids(surface *s, const cell_block *block, int32_t first_cell)
{
    size_t per_cell = block->kind == CELL_TET ? 4 : 6;
    solid_face *faces = mem_alloc(block->count * per_cell, sizeof *faces);
    if (!faces) return false;
    list_faces(block, faces);
    size_t count = keep_boundary(faces, block->count * per_cell);
    face_pieces pieces[4] = {{0}};
    for (int f = 0; f < 4 && block->kind == CELL_TET; f++)
        cut_face(CELL_TET, block->order, tet_faces[f], &pieces[f]);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        const int32_t *nodes = block->nodes + (size_t)faces[i].cell * (size_t)block->nodes_per_cell;
        int32_t cell = first_cell + faces[i].cell;
        good = block->kind == CELL_TET ? push_pieces(s, &pieces[faces[i].face], nodes, cell)
                                       : push_quad(s, nodes, hex_faces[faces[i].face], cell);
    }
    mem_free(faces);
    return good;
}

static bool add_flat(surface *s, const cell_block *block, int32_t first_cell)
{
    static const int corners[4] = {0, 1, 2, 3};
    face_pieces pieces = {0};
    if (block->kind == CELL_TRIANGLE) cut_face(CELL_TRIANGLE, block->order, corners, &pieces);
    for (size_t i = 0; i < block->count; i++) {
        const int32_t *nodes = block->nodes + i * (size_t)block->nodes_per_cell;
        int32_t cell = first_cell + (int32_t)i;
        if (!(block->kind == CELL_TRIANGLE ? push_pieces(s, &pieces, nodes, cell)
                                           : push_quad(s, nodes, corners, cell)))
            return false;
    }
    return true;
}

/* Nodes of a line of higher order: the two ends, then the inner ones from the first end on. */
static bool add_lines(surface *s, const cell_block *block, int32_t first_cell)
{
    for (size_t i = 0; i < block->count; i++) {
        const int32_t *nodes = block->nodes + i * (size_t)block->nodes_per_cell;
        int32_t cell = first_cell + (int32_t)i, before = nodes[0];
        for (int k = 2; k <= block->nodes_per_cell; k++) {
            int32_t next = k < block->nodes_per_cell ? nodes[k] : nodes[1];
            if (!array_push(&s->lines, (surface_line){{before, next}, cell})) return false;
            before = next;
        }
    }
    return true;
}

static bool add_points(surface *s, const cell_block *block, int32_t first_cell)
{
    for (size_t i = 0; i < block->count; i++)
        if (!array_push(&s->points, (surface_point){block->nodes[i], first_cell + (int32_t)i}))
            return false;
    return true;
}

static bool add_block(surface *s, const cell_block *block, int32_t first_cell)
{
    switch (block->kind) {
    case CELL_POINT: return add_points(s, block, first_cell);
    case CELL_EDGE: return add_lines(s, block, first_cell);
    case CELL_TRIANGLE:
    case CELL_QUAD: return add_flat(s, block, first_cell);
    case CELL_TET:
    case CELL_HEX: return add_solids(s, block, first_cell);
    }
    return true;
}

abut_status surface_extract(surface *s, const frame *f, abut_error *err)
{
    array_clear(&s->triangles);
    array_clear(&s->lines);
    array_clear(&s->points);
    int32_t first_cell = 0;
    for (size_t b = 0; b < f->block_count; b++) {
        if (!add_block(s, &f->blocks[b], first_cell))
            return error_memory(err, "finding the surface of a frame");
        first_cell += (int32_t)f->blocks[b].count;
    }
    return ABUT_OK;
}

void surface_free(surface *s)
{
    array_free(&s->triangles);
    array_free(&s->lines);
    array_free(&s->points);
}
