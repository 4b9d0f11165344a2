#include "mesh/generate_check.h"

abut_status check_length(const char *shape, const char *name, double value, abut_error *err)
{
    if (isfinite(value) && value > 0.0) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INPUT, shape, "%s is %g; it must be positive and finite", name,
                     value);
}

abut_status check_count(const char *shape, const char *name, int value, int least, abut_error *err)
{
    if (value >= least) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INPUT, shape, "%s is %d; it must be at least %d", name, value,
                     least);
}

abut_status check_product(const char *shape, const char *what, const double *factors, int count,
                          abut_error *err)
{
    double product = 1.0; /* far above int32 it is rounded, which does not matter here */
    for (int i = 0; i < count; i++) product *= factors[i];
    if (product <= INT32_MAX) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INPUT, shape, "%.0f %s are too many: at most %d are allowed",
                     product, what, INT32_MAX);
}

abut_status start_mesh(mesh *m, size_t vertices, cell_kind kind, size_t cells, int32_t **nodes,
                       abut_error *err)
{
    cell_block *block;
    abut_status status = mesh_init(m, vertices, err);
    if (status == ABUT_OK) status = mesh_add_block(m, kind, 1, cells, false, &block, err);
    if (status != ABUT_OK) {
        mesh_free(m);
        return status;
    }
    *nodes = block->nodes;
    return ABUT_OK;
}

void split_prism(const int32_t bottom[3], const int32_t top[3], int32_t *tets)
{
    /* Turn the prism until the smallest vertex is a[0]: by rotating, and upside down when it is in
     * the top (which reverses the triangles too, to keep the handedness). */
    int smallest = 0;
    int32_t v[6] = {bottom[0], bottom[1], bottom[2], top[0], top[1], top[2]};
    for (int i = 1; i < 6; i++)
        if (v[i] < v[smallest]) smallest = i;
    int32_t a[3], b[3];
    int step = smallest < 3 ? 1 : 2, turn = smallest % 3;
    for (int i = 0; i < 3; i++) {
        int from = (turn + step * i) % 3;
        a[i] = smallest < 3 ? bottom[from] : top[from];
        b[i] = smallest < 3 ? top[from] : bottom[from];
    }
    /* Two sides have their diagonals at a[0]; the opposite side a1 a2 b2 b1 has one of two. */
    int32_t low = a[1] < b[2] ? a[1] : b[2], other = a[2] < b[1] ? a[2] : b[1];
    int32_t result[12] = {a[0], b[1], b[2], b[0]};
    if (low < other) { /* diagonal a1 - b2 */
        int32_t rest[8] = {a[0], a[1], a[2], b[2], a[0], a[1], b[2], b[1]};
        for (int i = 0; i < 8; i++) result[4 + i] = rest[i];
    } else { /* diagonal a2 - b1 */
        int32_t rest[8] = {a[0], a[1], a[2], b[1], a[0], b[1], a[2], b[2]};
        for (int i = 0; i < 8; i++) result[4 + i] = rest[i];
    }
    for (int i = 0; i < 12; i++) tets[i] = result[i];
}
