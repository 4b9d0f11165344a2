/* A mesh format that abut does not have: clouds of points, one line "x y z" each. This file, and
 * one row of formats.h, is all that it takes. */
#include "mesh/read.h"

static abut_status read_xyz(scan *s, mesh_builder *b)
{
    s->comment = '#';
    while (!scan_ends(s)) {
        double x[3];
        for (int i = 0; i < 3; i++) {
            if (scan_line_ends(s))
                return scan_fail(s, s->p, "a point has %d numbers; 3 are needed", i);
            TRY(scan_real(s, "a point", &x[i]));
        }
        int32_t *node = builder_cell(builder_find(b, CELL_POINT, 1), 0);
        if (!node || !array_push(&b->vertices, vec3_load(x))) return scan_memory(s);
        *node = (int32_t)(b->vertices.count - 1);
        if (!scan_line_ends(s))
            return scan_fail(s, s->p, "expected the end of the line, found %s",
                             scan_found(s, s->p).text);
        scan_release(s);
    }
    return b->vertices.count > 0 ? ABUT_OK : scan_fail(s, s->end, "the file has no points");
}

const mesh_format_row xyz_format = {.name = "XYZ", .extensions = {"xyz"}, .read = read_xyz};
