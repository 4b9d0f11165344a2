/* OFF: a header, the vertices and the polygons, which become fans of triangles. What follows the
 * coordinates or indices on a line (normals, colours) is skipped. */
#include "mesh/read.h"

static abut_status read_header(scan *s, size_t *vertices, size_t *faces)
{
    static const char *const words[] = {"OFF", "COFF", "NOFF", "CNOFF", "STOFF"};
    scan_token word = scan_word(s);
    bool known = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) known |= token_is(word, words[i]);
    if (!known)
        return scan_fail(s, word.text, "expected OFF, found %s", scan_found(s, word.text).text);
    if (scan_accept(s, "BINARY"))
        return scan_unsupported(s, s->p, "binary OFF files cannot be read");
    TRY(scan_count(s, "number of vertices", 6, vertices));
    TRY(scan_count(s, "number of faces", 4, faces));
    scan_skip_line(s); /* the number of edges, which means nothing */
    if (*vertices == 0) return scan_fail(s, word.text, "the file has no vertices");
    return ABUT_OK;
}

static abut_status read_face(scan *s, mesh_builder *b, builder_block *triangles)
{
    int64_t corners, first = 0, last = 0, vertex;
    TRY(scan_integer(s, "number of corners of a face", 3, INT32_MAX, &corners));
    for (int64_t i = 0; i < corners; i++) {
        TRY(scan_integer(s, "vertex of a face", 0, (int64_t)b->vertices.count - 1, &vertex));
        if (i == 0) first = vertex;
        if (i >= 2) {
            int32_t *nodes = builder_cell(triangles, 0);
            if (!nodes) return scan_memory(s);
            nodes[0] = (int32_t)first;
            nodes[1] = (int32_t)last;
            nodes[2] = (int32_t)vertex;
        }
        last = vertex;
    }
    scan_skip_line(s);
    return ABUT_OK;
}

abut_status read_off(scan *s, mesh_builder *b)
{
    size_t vertices, faces;
    s->comment = '#';
    TRY(read_header(s, &vertices, &faces));
    if (!array_reserve(&b->vertices, vertices)) return scan_memory(s);
    for (size_t i = 0; i < vertices; i++) {
        double x[3];
        for (int k = 0; k < 3; k++) TRY(scan_real(s, "a coordinate", &x[k]));
        b->vertices.data[b->vertices.count++] = vec3_load(x);
        scan_skip_line(s);
        scan_release(s);
    }
    builder_block *triangles = builder_find(b, CELL_TRIANGLE, 1);
    for (size_t i = 0; i < faces; i++) {
        TRY(read_face(s, b, triangles));
        scan_release(s);
    }
    return ABUT_OK;
}
