#include "mesh/cell.h"

static const int corners_of_simplex[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int corners_of_cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                          {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

/* Edges and faces in the order and direction in which Gmsh puts the nodes on them. */
static const int edges_of_edge[1][2] = {{0, 1}};
static const int edges_of_triangle[3][2] = {{0, 1}, {1, 2}, {2, 0}};
static const int edges_of_quad[4][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
static const int edges_of_tet[6][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}};
static const int edges_of_hex[12][2] = {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3},
                                        {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}};
static const int faces_of_tet[4][4] = {{0, 2, 1, -1}, {0, 1, 3, -1}, {0, 3, 2, -1}, {3, 1, 2, -1}};
static const int faces_of_hex[6][4] = {{0, 3, 2, 1}, {0, 1, 5, 4}, {0, 4, 7, 3},
                                       {1, 2, 6, 5}, {2, 3, 7, 6}, {4, 5, 6, 7}};

int cell_face_count(cell_kind kind) { return kind == CELL_TET ? 4 : kind == CELL_HEX ? 6 : 0; }

const int *cell_face(cell_kind kind, int face)
{
    return kind == CELL_TET ? faces_of_tet[face] : faces_of_hex[face];
}

int cell_edge_count(cell_kind kind)
{
    static const int counts[] = {0, 1, 3, 4, 6, 12};
    return counts[kind];
}

const int *cell_edge(cell_kind kind, int edge)
{
    switch (kind) {
    case CELL_TRIANGLE: return edges_of_triangle[edge];
    case CELL_QUAD: return edges_of_quad[edge];
    case CELL_TET: return edges_of_tet[edge];
    case CELL_HEX: return edges_of_hex[edge];
    default: return edges_of_edge[edge];
    }
}

/* A list of lattice points that is being filled. */
typedef struct point_list {
    int (*points)[3];
    int count;
} point_list;

static void add_point(point_list *list, const int p[3])
{
    for (int k = 0; k < 3; k++) list->points[list->count][k] = p[k];
    list->count++;
}

/* The points strictly between a and b, steps apart. */
static void add_between(point_list *list, const int a[3], const int b[3], int steps)
{
    for (int s = 1; s < steps; s++) {
        int p[3];
        for (int k = 0; k < 3; k++) p[k] = a[k] + (b[k] - a[k]) / steps * s;
        add_point(list, p);
    }
}

/* The points inside a triangle whose sides have `steps` steps: up to order 4 that is one point, or
 * three that form a triangle with the same corner order. */
static void add_inside(point_list *list, const int a[3], const int b[3], const int c[3], int steps)
{
    for (int i = 0; steps >= 3 && i < (steps == 3 ? 1 : 3); i++) {
        int p[3];
        for (int k = 0; k < 3; k++) {
            int u = (b[k] - a[k]) / steps, v = (c[k] - a[k]) / steps;
            p[k] = a[k] + u * (i == 1 ? 2 : 1) + v * (i == 2 ? 2 : 1);
        }
        add_point(list, p);
    }
}

static void simplex_lattice(cell_kind kind, int order, point_list *list)
{
    int corner[4][3], corners = cell_corner_count(kind);
    for (int i = 0; i < corners; i++) {
        for (int k = 0; k < 3; k++) corner[i][k] = order * corners_of_simplex[i][k];
        add_point(list, corner[i]);
    }
    for (int e = 0; e < cell_edge_count(kind); e++) {
        const int *edge = cell_edge(kind, e);
        add_between(list, corner[edge[0]], corner[edge[1]], order);
    }
    if (kind == CELL_TRIANGLE) add_inside(list, corner[0], corner[1], corner[2], order);
    for (int f = 0; f < cell_face_count(kind); f++) {
        const int *face = cell_face(kind, f);
        add_inside(list, corner[face[0]], corner[face[1]], corner[face[2]], order);
    }
    if (kind == CELL_TET && order == 4) add_point(list, (int[3]){1, 1, 1});
}

/* Quads and hexes: corners, then centres of edges, faces and the cell. */
static void cube_lattice(cell_kind kind, int order, point_list *list)
{
    int corners = cell_corner_count(kind);
    int corner[8][3];
    for (int i = 0; i < corners; i++) {
        for (int k = 0; k < 3; k++) corner[i][k] = order * corners_of_cube[i][k];
        add_point(list, corner[i]);
    }
    if (order == 1) return;
    for (int e = 0; e < cell_edge_count(kind); e++) {
        const int *edge = cell_edge(kind, e);
        add_between(list, corner[edge[0]], corner[edge[1]], order);
    }
    for (int f = 0; f < cell_face_count(kind); f++) {
        const int *face = cell_face(kind, f);
        add_between(list, corner[face[0]], corner[face[2]], order);
    }
    add_between(list, corner[0], corner[kind == CELL_HEX ? 6 : 2], order);
}

int cell_order(cell_kind kind, int node_count)
{
    for (int order = 1; order <= 4 && node_count > 0; order++)
        if (cell_node_count(kind, order) == node_count) return order;
    return 0;
}

int cell_lattice(cell_kind kind, int order, int lattice[CELL_MAX_NODES][3])
{
    if (cell_node_count(kind, order) == 0) return 0;
    point_list list = {.points = lattice};
    if (kind == CELL_QUAD || kind == CELL_HEX)
        cube_lattice(kind, order, &list);
    else
        simplex_lattice(kind, order, &list);
    return list.count;
}

int cell_reversal(cell_kind kind, int order, int permutation[CELL_MAX_NODES])
{
    int lattice[CELL_MAX_NODES][3];
    int count = cell_lattice(kind, order, lattice);
    for (int i = 0; i < count; i++) {
        /* Edges are turned round; everything else has its first two directions swapped. */
        int wanted[3] = {lattice[i][1], lattice[i][0], lattice[i][2]};
        if (kind == CELL_EDGE) {
            wanted[0] = order - lattice[i][0];
            wanted[1] = 0;
        }
        for (int j = 0; j < count; j++)
            if (lattice[j][0] == wanted[0] && lattice[j][1] == wanted[1] &&
                lattice[j][2] == wanted[2])
                permutation[i] = j;
    }
    return count;
}

void cell_reverse(cell_block *block, size_t c, const int *permutation)
{
    int32_t old[CELL_MAX_NODES];
    int32_t *nodes = block->nodes + c * (size_t)block->nodes_per_cell;
    for (int i = 0; i < block->nodes_per_cell; i++) old[i] = nodes[i];
    for (int i = 0; i < block->nodes_per_cell; i++) nodes[i] = old[permutation[i]];
}
