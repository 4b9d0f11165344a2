/* Wavefront OBJ: v, f (polygons become fans of triangles), l, p, vt as rest positions, and the
 * lines "stitch v a b r" of Codim-IPC, whose indices start at 0. Everything else is skipped. */
#include "mesh/read.h"

typedef struct obj_reader {
    scan *s;
    mesh_builder *b;
    ARRAY(vec3) texture;
    ARRAY(int32_t) texture_of; /* texture index of each vertex, -1 unknown, -2 more than one */
    ARRAY(int32_t) corners;    /* of the line at hand */
    ARRAY(int32_t) corner_textures;
    bool texture_indices;       /* faces name texture coordinates of their own */
    int64_t largest, largest_t; /* highest index seen, which may be ahead of its vertex */
    const char *largest_at, *largest_t_at;
    int64_t largest_stitch;
    const char *largest_stitch_at;
} obj_reader;

/* Up to three numbers of the line; missing ones are 0. Fewer than `least` are an error. */
static abut_status read_coordinates(obj_reader *r, const char *what, int least, vec3 *out)
{
    scan *s = r->s;
    double values[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        if (scan_line_ends(s)) {
            if (i >= least) break;
            return scan_fail(s, s->p, "%s has %d numbers; at least %d are needed", what, i, least);
        }
        TRY(scan_real(s, what, &values[i]));
    }
    *out = vec3_load(values);
    return ABUT_OK;
}

/* One index, from 1 on or counted backwards from the last; 0-based in *out. */
static abut_status read_index(obj_reader *r, const char *what, size_t so_far, int64_t *out)
{
    scan *s = r->s;
    const char *at = s->p;
    int64_t index = 0;
    number_status status = number_read_int(&s->p, s->end, &index);
    if (status == NUMBER_MISSING || (s->p < s->end && !scan_is_space(*s->p) && *s->p != '/'))
        return scan_fail(s, at, "expected a %s index, found %s", what, scan_found(s, at).text);
    if (status != NUMBER_OK || index == 0 || index > INT32_MAX || index < -(int64_t)so_far)
        return scan_fail(s, at,
                         "the %s index is %s; allowed are 1 to the number of them, or -1 to -%zu",
                         what, scan_found(s, at).text, so_far);
    *out = index > 0 ? index - 1 : (int64_t)so_far + index;
    return ABUT_OK;
}

static abut_status read_corner(obj_reader *r)
{
    scan *s = r->s;
    const char *at = s->p;
    int64_t vertex, texture = -1;
    TRY(read_index(r, "vertex", r->b->vertices.count, &vertex));
    if (vertex > r->largest) r->largest = vertex, r->largest_at = at;
    if (s->p < s->end && *s->p == '/') {
        s->p++;
        if (s->p < s->end && !scan_is_space(*s->p) && *s->p != '/') {
            TRY(read_index(r, "texture", r->texture.count, &texture));
            if (texture > r->largest_t) r->largest_t = texture, r->largest_t_at = at;
            r->texture_indices = true;
        }
        while (s->p < s->end && !scan_is_space(*s->p)) s->p++; /* the normal */
    }
    if (!array_push(&r->corners, (int32_t)vertex) ||
        !array_push(&r->corner_textures, (int32_t)texture))
        return scan_memory(s);
    return ABUT_OK;
}

static abut_status read_corners(obj_reader *r, const char *what, size_t least)
{
    scan *s = r->s;
    const char *at = s->p;
    array_clear(&r->corners);
    array_clear(&r->corner_textures);
    while (!scan_line_ends(s)) TRY(read_corner(r));
    if (r->corners.count < least)
        return scan_fail(s, at, "%s has %zu vertices; at least %zu are needed", what,
                         r->corners.count, least);
    return ABUT_OK;
}

static abut_status note_textures(obj_reader *r)
{
    for (size_t i = 0; i < r->corners.count; i++) {
        size_t vertex = (size_t)r->corners.data[i];
        /* A face far ahead of its vertices must not make room for more than the file can hold. */
        if (vertex > (size_t)(r->s->end - r->s->begin)) continue;
        while (r->texture_of.count <= vertex)
            if (!array_push(&r->texture_of, -1)) return scan_memory(r->s);
        int32_t *known = &r->texture_of.data[vertex], fresh = r->corner_textures.data[i];
        if (fresh < 0 || *known == fresh) continue;
        *known = *known == -1 ? fresh : -2;
    }
    return ABUT_OK;
}

static abut_status read_face(obj_reader *r)
{
    TRY(read_corners(r, "a face", 3));
    if (r->texture_indices) TRY(note_textures(r));
    builder_block *triangles = builder_find(r->b, CELL_TRIANGLE, 1);
    if (!builder_polygon(triangles, r->corners.data, r->corners.count)) return scan_memory(r->s);
    return ABUT_OK;
}

static abut_status read_polyline(obj_reader *r)
{
    TRY(read_corners(r, "a line", 2));
    builder_block *edges = builder_find(r->b, CELL_EDGE, 1);
    for (size_t i = 1; i < r->corners.count; i++) {
        int32_t *nodes = builder_cell(edges, 0);
        if (!nodes) return scan_memory(r->s);
        nodes[0] = r->corners.data[i - 1];
        nodes[1] = r->corners.data[i];
    }
    return ABUT_OK;
}

static abut_status read_points(obj_reader *r)
{
    TRY(read_corners(r, "a point", 1));
    builder_block *points = builder_find(r->b, CELL_POINT, 1);
    for (size_t i = 0; i < r->corners.count; i++) {
        int32_t *nodes = builder_cell(points, 0);
        if (!nodes) return scan_memory(r->s);
        nodes[0] = r->corners.data[i];
    }
    return ABUT_OK;
}

static abut_status read_stitch(obj_reader *r)
{
    scan *s = r->s;
    builder_stitch stitch;
    for (int i = 0; i < 3; i++) {
        int64_t index;
        if (scan_line_ends(s))
            return scan_fail(s, s->p, "a stitch has %d values; it needs 4: v a b ratio", i);
        const char *at = s->p;
        TRY(scan_integer(s, "stitched vertex", 0, INT32_MAX - 1, &index));
        if (index > r->largest_stitch) r->largest_stitch = index, r->largest_stitch_at = at;
        stitch.vertices[i] = (int32_t)index;
    }
    if (scan_line_ends(s))
        return scan_fail(s, s->p, "a stitch has 3 values; it needs 4: v a b ratio");
    const char *at = s->p;
    TRY(scan_real(s, "stitch ratio", &stitch.ratio));
    if (!(stitch.ratio >= 0.0 && stitch.ratio <= 1.0))
        return scan_fail(s, at, "the stitch ratio is %g; it must be between 0 and 1", stitch.ratio);
    return array_push(&r->b->stitches, stitch) ? ABUT_OK : scan_memory(s);
}

static abut_status read_line(obj_reader *r)
{
    scan *s = r->s;
    scan_token word = scan_line_word(s);
    if (token_is(word, "v")) {
        vec3 x;
        TRY(read_coordinates(r, "a vertex", 2, &x));
        if (r->b->vertices.count == INT32_MAX)
            return scan_fail(s, word.text, "more than %d vertices", INT32_MAX);
        return array_push(&r->b->vertices, x) ? ABUT_OK : scan_memory(s);
    }
    if (token_is(word, "vt")) {
        vec3 x;
        TRY(read_coordinates(r, "a texture coordinate", 1, &x));
        return array_push(&r->texture, x) ? ABUT_OK : scan_memory(s);
    }
    if (token_is(word, "f")) return read_face(r);
    if (token_is(word, "l")) return read_polyline(r);
    if (token_is(word, "p")) return read_points(r);
    if (token_is(word, "stitch")) return read_stitch(r);
    return ABUT_OK;
}

static abut_status check_indices(obj_reader *r)
{
    scan *s = r->s;
    size_t vertices = r->b->vertices.count, textures = r->texture.count;
    if (vertices == 0) return scan_fail(s, s->end, "the file has no vertices (lines v x y z)");
    if (r->largest >= (int64_t)vertices)
        return scan_fail(s, r->largest_at, "vertex %lld is used, but the file has only %zu",
                         (long long)r->largest + 1, vertices);
    if (r->largest_t >= (int64_t)textures)
        return scan_fail(s, r->largest_t_at,
                         "texture coordinate %lld is used, but the file has only %zu",
                         (long long)r->largest_t + 1, textures);
    if (r->largest_stitch >= (int64_t)vertices)
        return scan_fail(s, r->largest_stitch_at,
                         "vertex %lld (counted from 0) is stitched, but the file has only %zu",
                         (long long)r->largest_stitch, vertices);
    return ABUT_OK;
}

/* Texture coordinates become the rest shape when every vertex has exactly one: by the faces, or by
 * being as many as the vertices while no face says otherwise. */
static abut_status store_rest(obj_reader *r)
{
    size_t vertices = r->b->vertices.count;
    bool in_order = r->texture.count == vertices, complete = r->texture_of.count == vertices;
    for (size_t v = 0; v < r->texture_of.count; v++) {
        int32_t texture = r->texture_of.data[v];
        complete &= texture >= 0;
        in_order &= texture == -1 || texture == (int32_t)v;
    }
    if (!in_order && !complete) return ABUT_OK;
    if (!array_resize(&r->b->rest, vertices)) return scan_memory(r->s);
    for (size_t v = 0; v < vertices; v++)
        r->b->rest.data[v] = r->texture.data[in_order ? (int32_t)v : r->texture_of.data[v]];
    return ABUT_OK;
}

static abut_status read_all(obj_reader *r)
{
    while (r->s->p < r->s->end) {
        TRY(read_line(r));
        scan_skip_line(r->s);
        scan_release(r->s);
    }
    TRY(check_indices(r));
    return store_rest(r);
}

abut_status read_obj(scan *s, mesh_builder *b)
{
    obj_reader r = {.s = s, .b = b, .largest = -1, .largest_t = -1, .largest_stitch = -1};
    s->comment = '#';
    abut_status status = read_all(&r);
    array_free(&r.texture);
    array_free(&r.texture_of);
    array_free(&r.corners);
    array_free(&r.corner_textures);
    return status;
}
