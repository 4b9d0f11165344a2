/* The elements of planar bodies, and of others that are drawn by their surface, in the folder
 * `volume` of a run: linear triangles and tets must not be inverted. */
#include "verify/verify_volume.h"

#include "base/file.h"
#include "geometry/check_exact.h"
#include "output/series.h"

static bool inverted(const frame *f, const cell_block *block, size_t c)
{
    const int32_t *n = block->nodes + c * (size_t)block->nodes_per_cell;
    const vec3 *x = f->points;
    if (block->kind == CELL_TRIANGLE) return check_area_sign(2, x[n[0]], x[n[1]], x[n[2]]) <= 0;
    vec3 right[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return check_volume_sign(x[n[0]], x[n[1]], x[n[2]], x[n[3]]) !=
           check_volume_sign(right[0], right[1], right[2], right[3]);
}

static void check_frame(run_verification *v, const frame *f)
{
    const frame_field *body = frame_find(f, FRAME_POINTS, FIELD_BODY);
    for (size_t b = 0; b < f->block_count; b++) {
        const cell_block *block = &f->blocks[b];
        if (block->order != 1 || (block->kind != CELL_TRIANGLE && block->kind != CELL_TET))
            continue;
        for (size_t c = 0; c < block->count; c++) {
            if (!inverted(f, block, c)) continue;
            int32_t owner = body && body->ints
                                ? body->ints[block->nodes[c * (size_t)block->nodes_per_cell]]
                                : -1;
            bool allowed = owner >= 0 && (size_t)owner < v->verifier.setup.body_count &&
                           v->verifier.setup.invertible[owner];
            if (allowed)
                v->allowed_inverted++;
            else
                v->inverted++;
        }
    }
}

abut_status verify_volume(run_verification *v, const char *folder, abut_error *err)
{
    char path[4096];
    path_join(path, sizeof path, folder, "volume");
    if (!v->verifier.names || !file_exists(path)) return ABUT_OK;
    frame_series series;
    TRY(series_find(&series, path, err));
    abut_status status = ABUT_OK;
    for (size_t i = 0; status == ABUT_OK && i < series.entries.count; i++) {
        stored_frame stored;
        series_path(&series, i, path, sizeof path);
        size_t before = v->inverted;
        status = frame_read(path, &stored, err);
        if (status != ABUT_OK) break;
        bool right = true; /* indices of cells are checked by the reader of meshes only */
        for (size_t b = 0; b < stored.frame.block_count; b++) {
            const cell_block *block = &stored.frame.blocks[b];
            for (size_t k = 0; k < block->count * (size_t)block->nodes_per_cell; k++)
                right = right && block->nodes[k] >= 0 &&
                        (size_t)block->nodes[k] < stored.frame.point_count;
        }
        if (right)
            check_frame(v, &stored.frame);
        else
            status = error_set(err, ABUT_ERROR_INPUT, path, "a cell has nodes that do not exist");
        if (v->inverted > before) v->bad_frames++;
        stored_frame_free(&stored);
    }
    series_close(&series);
    return status;
}
