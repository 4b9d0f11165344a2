/* Ground truth of the scalable CCD data set: swept candidates hold every pair of its box files, and
 * tight ones every pair that collides. Numbers in the box files: vertices first, then edges (sorted
 * by greater, then lesser vertex), then faces. */
#include "base/file.h"
#include "base/parallel.h"
#include "broad/candidates.h"
#include "mesh/mesh_io.h"
#include "mesh/topology.h"
#include "test.h"

static int compare_edges(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    int greater = (x[1] > y[1]) - (x[1] < y[1]);
    return greater ? greater : (x[0] > y[0]) - (x[0] < y[0]);
}

static bool listed(const pair_list *list, int32_t first, int32_t second)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        index_pair p = list->data[middle];
        if (p.first < first || (p.first == first && p.second < second))
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->count && list->data[low].first == first && list->data[low].second == second;
}

/* Checks one box file; returns the number of pairs, and in *colliding how many collide. */
static size_t check_boxes(const char *boxes_path, const char *truth_path, int32_t first_offset,
                          int32_t second_offset, const pair_list *loose, const pair_list *tight,
                          size_t *colliding)
{
    abut_error err = {0};
    file_bytes boxes, truth;
    CHECK_OK(file_read(boxes_path, &boxes, &err), err);
    CHECK_OK(file_read(truth_path, &truth, &err), err);
    const char *at = boxes.data, *answer = truth.data;
    size_t count = 0, missing = 0, missing_hits = 0;
    for (;;) {
        at += strcspn(at, "0123456789");
        if (!*at) break;
        char *rest;
        int32_t a = (int32_t)strtol(at, &rest, 10) - first_offset;
        at = rest + strcspn(rest, "0123456789");
        int32_t b = (int32_t)strtol(at, &rest, 10) - second_offset;
        at = rest;
        answer += strcspn(answer, "tf");
        bool hit = *answer == 't';
        answer += *answer ? strspn(answer, "truefals") : 0;
        bool swap = first_offset == second_offset && a > b;
        missing += !listed(loose, swap ? b : a, swap ? a : b);
        missing_hits += hit && !listed(tight, swap ? b : a, swap ? a : b);
        *colliding += hit;
        count++;
    }
    CHECK(missing == 0);
    CHECK(missing_hits == 0);
    file_free(&boxes);
    file_free(&truth);
    return count;
}

static void check_frame(const char *name, int frame, size_t ee_expected, size_t vf_expected)
{
    char from_path[4096], to_path[4096], boxes[4096], truth[4096];
    const char *data = test_data_folder();
    abut_error err = {0};
    mesh from = {0}, to = {0};
    snprintf(from_path, sizeof from_path, "%s/ccd-scalable/%s/frames/%d.ply", data, name, frame);
    snprintf(to_path, sizeof to_path, "%s/ccd-scalable/%s/frames/%d.ply", data, name, frame + 1);
    CHECK_OK(mesh_read(from_path, NULL, &from, &err), err);
    CHECK_OK(mesh_read(to_path, NULL, &to, &err), err);
    const cell_block *block = mesh_find(&from, CELL_TRIANGLE);
    const int32_t(*triangles)[3] = (const int32_t(*)[3])block->nodes;
    int32_t(*edges)[2];
    size_t edge_count;
    CHECK_OK(unique_edges(triangles, block->count, NULL, 0, &edges, &edge_count, &err), err);
    qsort(edges, edge_count, sizeof *edges, compare_edges);

    broad_surface surface = {.vertex_count = from.vertex_count,
                             .edge_count = edge_count,
                             .edges = (const int32_t(*)[2])edges,
                             .triangle_count = block->count,
                             .triangles = triangles};
    broad_phase *broad = NULL;
    candidate_set loose = {0}, tight = {0};
    CHECK_OK(broad_create(&surface, &broad, &err), err);
    broad_query q = {.y = from.vertices, .end = to.vertices};
    CHECK_OK(broad_candidates(broad, &q, &loose, &err), err);
    q.tight = true;
    CHECK_OK(broad_candidates(broad, &q, &tight, &err), err);
    CHECK(candidate_set_count(&tight) < candidate_set_count(&loose) / 2);

    int32_t vertices = (int32_t)from.vertex_count, faces = vertices + (int32_t)edge_count;
    size_t colliding = 0;
    const char *kinds[2] = {"ee", "vf"};
    for (int i = 0; i < 2; i++) {
        snprintf(boxes, sizeof boxes, "%s/ccd-scalable/%s/boxes/%d%s.json", data, name, frame,
                 kinds[i]);
        snprintf(truth, sizeof truth, "%s/ccd-scalable/%s/mma_bool/%d%s_mma_bool.json", data, name,
                 frame, kinds[i]);
        size_t count =
            i == 0 ? check_boxes(boxes, truth, vertices, vertices, &loose.ee, &tight.ee, &colliding)
                   : check_boxes(boxes, truth, 0, faces, &loose.vt, &tight.vt, &colliding);
        CHECK(count == (i == 0 ? ee_expected : vf_expected));
    }
    printf("%s: %zu candidates, %zu when tight, %zu of %zu known pairs collide\n", name,
           candidate_set_count(&loose), candidate_set_count(&tight), colliding,
           ee_expected + vf_expected);
    candidate_set_free(&loose);
    candidate_set_free(&tight);
    broad_destroy(broad);
    mem_free(edges);
    mesh_free(&from);
    mesh_free(&to);
}

TEST(cloth_funnel) { check_frame("cloth-funnel", 227, 263, 92); }
TEST(rod_twist) { check_frame("rod-twist", 3036, 4370, 801); }

int main(void)
{
    if (!test_data_folder()) SKIP_ALL("the data folder is absent");
    RUN(cloth_funnel);
    RUN(rod_twist);
    return TEST_END();
}
