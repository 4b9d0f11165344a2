/* What is wrong with these meshes? Lists the intersections of two boxes that overlap, and after
 * they have been pulled apart the smallest distance and the candidates for contact. */
#include <abut/abut.h>

#include <stdio.h>
#include <string.h>

enum { VERTICES = 16, TRIANGLES = 24 };

/* Corner k of a cube is (k & 1, k >> 1 & 1, k >> 2). */
static const int32_t CUBE[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                    {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                    {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

static void place_cube(double (*x)[3], double shift_x, double shift_y)
{
    for (int k = 0; k < 8; k++) {
        x[k][0] = (k & 1) + shift_x;
        x[k][1] = (k >> 1 & 1) + shift_y;
        x[k][2] = k >> 2;
    }
}

int main(void)
{
    double x[VERTICES][3];
    int32_t triangles[TRIANGLES][3];
    for (int t = 0; t < TRIANGLES; t++)
        for (int c = 0; c < 3; c++) triangles[t][c] = CUBE[t % 12][c] + (t < 12 ? 0 : 8);

    abut_collision_mesh_definition definition = abut_default_collision_mesh();
    definition.vertex_count = VERTICES;
    definition.triangles = triangles[0];
    definition.triangle_count = TRIANGLES;
    abut_error error;
    abut_collision_mesh *mesh = NULL;
    abut_candidates *candidates = NULL;
    abut_status status = abut_collision_mesh_create(&definition, &mesh, &error);

    /* Overlapping. */
    place_cube(x, 0, 0);
    place_cube(x + 8, 0.75, 0.25);
    abut_intersection found[100];
    size_t count = 0, edge_count = 0;
    if (status == ABUT_OK) status = abut_find_intersections(mesh, x[0], found, 100, &count, &error);
    const int32_t *edges = mesh ? abut_collision_mesh_edges(mesh, &edge_count) : NULL;
    printf("%zu edges, %zu intersections:\n", edge_count, count);
    for (size_t i = 0; i < count && i < 5; i++)
        if (found[i].kind == ABUT_INTERSECT_EDGE_TRIANGLE)
            printf("  edge %d-%d cuts triangle %d\n", (int)edges[2 * found[i].first],
                   (int)edges[2 * found[i].first + 1], (int)found[i].second);

    /* Apart by 0.125. */
    place_cube(x + 8, 1.125, 0.25);
    size_t left = 1, pairs = 0;
    double distance = 0;
    if (status == ABUT_OK) status = abut_find_intersections(mesh, x[0], NULL, 0, &left, &error);
    if (status == ABUT_OK)
        status = abut_smallest_distance(mesh, x[0], 1.0, &distance, NULL, &error);
    if (status == ABUT_OK) status = abut_candidates_create(&candidates, &error);
    if (status == ABUT_OK) status = abut_find_candidates(mesh, x[0], NULL, 0.2, candidates, &error);
    if (status == ABUT_OK) {
        const int32_t *list = abut_candidates_list(candidates, ABUT_POINT_TRIANGLE, &pairs);
        printf("apart by %g; %zu point-triangle candidates within 0.2, the first: %d %d\n",
               distance, pairs, (int)list[0], (int)list[1]);
    } else {
        fprintf(stderr, "%s: %s\n", error.place, error.message);
    }
    abut_candidates_destroy(candidates);
    abut_collision_mesh_destroy(mesh);
    return status == ABUT_OK && count > 0 && left == 0 && distance == 0.125 && pairs > 0 ? 0 : 1;
}
