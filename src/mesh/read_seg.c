/* The segment meshes of IPC: lines "v x y z" and "s a b" with indices from 1 on. */
#include "mesh/read.h"

typedef struct seg_reader {
    scan *s;
    mesh_builder *b;
    int64_t largest;
    const char *largest_at;
} seg_reader;

static abut_status read_vertex(seg_reader *r)
{
    double x[3];
    for (int i = 0; i < 3; i++) {
        if (scan_line_ends(r->s))
            return scan_fail(r->s, r->s->p, "a vertex has %d numbers; 3 are needed", i);
        TRY(scan_real(r->s, "a vertex", &x[i]));
    }
    if (r->b->vertices.count == INT32_MAX)
        return scan_fail(r->s, r->s->p, "more than %d vertices", INT32_MAX);
    return array_push(&r->b->vertices, vec3_load(x)) ? ABUT_OK : scan_memory(r->s);
}

static abut_status read_segment(seg_reader *r)
{
    int32_t *nodes = builder_cell(builder_find(r->b, CELL_EDGE, 1), 0);
    if (!nodes) return scan_memory(r->s);
    for (int i = 0; i < 2; i++) {
        int64_t index;
        if (scan_line_ends(r->s))
            return scan_fail(r->s, r->s->p, "a segment has %d vertices; 2 are needed", i);
        const char *at = r->s->p;
        TRY(scan_integer(r->s, "vertex of a segment", 1, INT32_MAX, &index));
        if (index > r->largest) r->largest = index, r->largest_at = at;
        nodes[i] = (int32_t)(index - 1);
    }
    return ABUT_OK;
}

abut_status read_seg(scan *s, mesh_builder *b)
{
    seg_reader r = {.s = s, .b = b};
    s->comment = '#';
    while (!scan_ends(s)) {
        const char *at = s->p;
        scan_token word = scan_line_word(s);
        if (token_is(word, "v"))
            TRY(read_vertex(&r));
        else if (token_is(word, "s"))
            TRY(read_segment(&r));
        else
            return scan_fail(s, at, "expected a line v x y z or s a b, found %s",
                             scan_found(s, at).text);
        if (!scan_line_ends(s))
            return scan_fail(s, s->p, "expected the end of the line, found %s",
                             scan_found(s, s->p).text);
        scan_release(s);
    }
    if (b->vertices.count == 0) return scan_fail(s, s->end, "the file has no vertices");
    if (r.largest > (int64_t)b->vertices.count)
        return scan_fail(s, r.largest_at, "vertex %lld is used, but the file has only %zu",
                         (long long)r.largest, b->vertices.count);
    return ABUT_OK;
}
