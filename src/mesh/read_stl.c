/* STL, text and binary: triangles that repeat their vertices. Normals are ignored. */
#include "mesh/read.h"

#include <strings.h>

static abut_status add_triangle(scan *s, mesh_builder *b)
{
    size_t n = b->vertices.count;
    if (n > INT32_MAX) return scan_fail(s, s->p, "more than %d vertices", INT32_MAX);
    int32_t *nodes = builder_cell(builder_find(b, CELL_TRIANGLE, 1), 0);
    if (!nodes) return scan_memory(s);
    for (int i = 0; i < 3; i++) nodes[i] = (int32_t)n - 3 + i;
    return ABUT_OK;
}

/* ---- binary -------------------------------------------------------------------------------- */

static abut_status read_binary(scan *s, mesh_builder *b)
{
    enum { HEADER = 80, TRIANGLE = 50 };
    bool swap = machine_is_big_endian();
    const char *header;
    s->binary = true;
    TRY(scan_bytes(s, "the header", 1, HEADER + 4, &header));
    size_t count = load_u32(header + HEADER, swap);
    if (count == 0) return scan_fail(s, header + HEADER, "the file has no triangles");
    if (count > INT32_MAX / 3 || count * TRIANGLE != scan_left(s))
        return scan_fail(s, header + HEADER,
                         "the file announces %zu triangles of %d bytes, but has %zu bytes for them",
                         count, TRIANGLE, scan_left(s));
    if (!array_reserve(&b->vertices, 3 * count) ||
        !builder_reserve(builder_find(b, CELL_TRIANGLE, 1), count))
        return scan_memory(s);
    for (size_t i = 0; i < count; i++, s->p += TRIANGLE) {
        for (int v = 0; v < 3; v++) {
            const char *at = s->p + 12 * (v + 1);
            vec3 x = {load_f32(at, swap), load_f32(at + 4, swap), load_f32(at + 8, swap)};
            if (!vec3_is_finite(x))
                return scan_fail(s, at, "a vertex is at (%g, %g, %g); it must be finite", x.x, x.y,
                                 x.z);
            b->vertices.data[b->vertices.count++] = x;
        }
        TRY(add_triangle(s, b));
        scan_release(s);
    }
    return ABUT_OK;
}

/* ---- text ---------------------------------------------------------------------------------- */

static bool accept(scan *s, const char *word)
{
    const char *before = s->p;
    scan_token token = scan_word(s);
    if (token.length == strlen(word) && strncasecmp(token.text, word, token.length) == 0)
        return true;
    s->p = before;
    return false;
}

static abut_status expect(scan *s, const char *word)
{
    if (accept(s, word)) return ABUT_OK;
    scan_ends(s);
    return scan_fail(s, s->p, "expected %s, found %s", word, scan_found(s, s->p).text);
}

static abut_status read_facet(scan *s, mesh_builder *b)
{
    TRY(expect(s, "normal"));
    for (int i = 0; i < 3; i++) {
        scan_token component = scan_word(s); /* nan and the like are common and do no harm */
        if (component.length == 0) return scan_fail(s, s->p, "the file ends within a facet");
    }
    TRY(expect(s, "outer"));
    TRY(expect(s, "loop"));
    for (int v = 0; v < 3; v++) {
        double x[3];
        TRY(expect(s, "vertex"));
        for (int i = 0; i < 3; i++) TRY(scan_real(s, "a coordinate", &x[i]));
        if (!array_push(&b->vertices, vec3_load(x))) return scan_memory(s);
    }
    TRY(expect(s, "endloop"));
    TRY(expect(s, "endfacet"));
    return add_triangle(s, b);
}

static abut_status read_solid(scan *s, mesh_builder *b)
{
    TRY(expect(s, "solid"));
    scan_skip_line(s); /* its name */
    while (accept(s, "facet")) {
        TRY(read_facet(s, b));
        scan_release(s);
    }
    scan_ends(s);
    if (!accept(s, "endsolid"))
        return scan_fail(s, s->p, "expected facet or endsolid, found %s", scan_found(s, s->p).text);
    scan_skip_line(s);
    return ABUT_OK;
}

/* Binary files may begin with "solid" too: then the size gives them away, or a 0 byte does. */
static bool is_text(const scan *s)
{
    size_t size = scan_left(s);
    if (size >= 84 && 84 + 50 * (uint64_t)load_u32(s->p + 80, machine_is_big_endian()) == size)
        return false;
    scan copy = *s;
    return accept(&copy, "solid") && !memchr(s->p, 0, size < 1000 ? size : 1000);
}

abut_status read_stl(scan *s, mesh_builder *b)
{
    if (!is_text(s)) return read_binary(s, b);
    while (!scan_ends(s)) TRY(read_solid(s, b));
    if (b->vertices.count == 0) return scan_fail(s, s->p, "the file has no triangles");
    return ABUT_OK;
}
