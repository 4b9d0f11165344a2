/* PLY, text and binary of both byte orders: elements vertex (x, y, z), face (vertex_indices;
 * polygons become fans of triangles) and edge (vertex1, vertex2). Other elements and properties are
 * skipped. */
#include "mesh/read.h"

typedef enum ply_type {
    PLY_I8,
    PLY_U8,
    PLY_I16,
    PLY_U16,
    PLY_I32,
    PLY_U32,
    PLY_F32,
    PLY_F64
} ply_type;

static const struct {
    const char *names[2];
    size_t size;
} ply_types[] = {[PLY_I8] = {{"char", "int8"}, 1},      [PLY_U8] = {{"uchar", "uint8"}, 1},
                 [PLY_I16] = {{"short", "int16"}, 2},   [PLY_U16] = {{"ushort", "uint16"}, 2},
                 [PLY_I32] = {{"int", "int32"}, 4},     [PLY_U32] = {{"uint", "uint32"}, 4},
                 [PLY_F32] = {{"float", "float32"}, 4}, [PLY_F64] = {{"double", "float64"}, 8}};

typedef struct ply_property {
    scan_token name;
    ply_type type;
    bool list;
    ply_type count_type;
} ply_property;

typedef struct ply_element {
    scan_token name;
    const char *at;
    int64_t count;
    size_t first, last; /* range of its properties */
} ply_element;

typedef struct ply_reader {
    scan *s;
    mesh_builder *b;
    bool binary, swap;
    ARRAY(ply_element) elements;
    ARRAY(ply_property) properties;
    ARRAY(int32_t) corners;
    int64_t largest;
    const char *largest_at;
} ply_reader;

/* ---- header -------------------------------------------------------------------------------- */

static abut_status read_type(ply_reader *r, ply_type *out)
{
    scan_token word = scan_line_word(r->s);
    for (size_t t = 0; t < sizeof ply_types / sizeof *ply_types; t++)
        for (int n = 0; n < 2; n++)
            if (token_is(word, ply_types[t].names[n])) {
                *out = (ply_type)t;
                return ABUT_OK;
            }
    return scan_fail(r->s, word.text, "expected a type such as float or int, found %s",
                     scan_found(r->s, word.text).text);
}

static abut_status read_format(ply_reader *r)
{
    scan_token word = scan_line_word(r->s);
    if (token_is(word, "ascii")) return ABUT_OK;
    r->binary = true;
    if (token_is(word, "binary_little_endian"))
        r->swap = machine_is_big_endian();
    else if (token_is(word, "binary_big_endian"))
        r->swap = !machine_is_big_endian();
    else
        return scan_fail(r->s, word.text,
                         "the format is %s; allowed are ascii, binary_little_endian and "
                         "binary_big_endian",
                         scan_found(r->s, word.text).text);
    return ABUT_OK;
}

static abut_status read_element(ply_reader *r)
{
    ply_element element = {.name = scan_line_word(r->s), .first = r->properties.count};
    element.last = element.first;
    scan_line_ends(r->s);
    element.at = r->s->p;
    TRY(scan_integer(r->s, "number of elements", 0, INT32_MAX, &element.count));
    return array_push(&r->elements, element) ? ABUT_OK : scan_memory(r->s);
}

static abut_status read_property(ply_reader *r, const char *at)
{
    ply_property property = {.list = false};
    if (r->elements.count == 0) return scan_fail(r->s, at, "a property comes before any element");
    const char *before = r->s->p;
    if (token_is(scan_line_word(r->s), "list")) {
        property.list = true;
        TRY(read_type(r, &property.count_type));
        if (property.count_type == PLY_F32 || property.count_type == PLY_F64)
            return scan_fail(r->s, at, "the length of a list must be a whole number");
    } else {
        r->s->p = before;
    }
    TRY(read_type(r, &property.type));
    property.name = scan_line_word(r->s);
    if (!array_push(&r->properties, property)) return scan_memory(r->s);
    r->elements.data[r->elements.count - 1].last++;
    return ABUT_OK;
}

static abut_status read_header(ply_reader *r)
{
    scan *s = r->s;
    TRY(scan_expect(s, "ply"));
    bool have_format = false;
    for (;;) {
        if (scan_ends(s)) return scan_fail(s, s->p, "the header has no end_header");
        scan_token word = scan_line_word(s);
        if (token_is(word, "end_header")) break;
        if (token_is(word, "format")) {
            TRY(read_format(r));
            have_format = true;
        } else if (token_is(word, "element")) {
            TRY(read_element(r));
        } else if (token_is(word, "property")) {
            TRY(read_property(r, word.text));
        } else if (!token_is(word, "comment") && !token_is(word, "obj_info")) {
            return scan_fail(s, word.text, "expected element, property or end_header, found %s",
                             scan_found(s, word.text).text);
        }
        scan_skip_line(s);
    }
    if (!have_format) return scan_fail(s, s->p, "the header has no line \"format\"");
    scan_skip_line(s);
    s->binary = r->binary;
    return ABUT_OK;
}

/* ---- values -------------------------------------------------------------------------------- */

static double load_value(const char *p, ply_type type, bool swap)
{
    switch (type) {
    case PLY_I8: return (signed char)*p;
    case PLY_U8: return (unsigned char)*p;
    case PLY_I16: return (int16_t)load_u16(p, swap);
    case PLY_U16: return load_u16(p, swap);
    case PLY_I32: return (int32_t)load_u32(p, swap);
    case PLY_U32: return load_u32(p, swap);
    case PLY_F32: return (double)load_f32(p, swap);
    case PLY_F64: return load_f64(p, swap);
    }
    return 0.0;
}

static abut_status read_value(ply_reader *r, ply_type type, const char *what, double *out)
{
    if (!r->binary) return scan_real(r->s, what, out);
    const char *at;
    TRY(scan_bytes(r->s, what, 1, ply_types[type].size, &at));
    *out = load_value(at, type, r->swap);
    if (!isfinite(*out)) return scan_fail(r->s, at, "%s is %g; it must be finite", what, *out);
    return ABUT_OK;
}

/* A value that is not used may be anything, nan too. */
static abut_status skip_value(ply_reader *r, ply_type type)
{
    if (r->binary) {
        const char *ignored;
        return scan_bytes(r->s, "the value of a property", 1, ply_types[type].size, &ignored);
    }
    if (scan_word(r->s).length == 0)
        return scan_fail(r->s, r->s->p, "the file ends within a list of values");
    return ABUT_OK;
}

static abut_status read_whole(ply_reader *r, ply_type type, const char *what, int64_t high,
                              int64_t *out)
{
    double value;
    const char *at = r->s->p;
    *out = 0;
    TRY(read_value(r, type, what, &value));
    if (!(value >= 0 && value <= (double)high) || value != floor(value))
        return scan_fail(r->s, at, "%s is %g; allowed are whole numbers from 0 to %lld", what,
                         value, (long long)high);
    *out = (int64_t)value;
    return ABUT_OK;
}

static abut_status read_list_length(ply_reader *r, const ply_property *property, size_t *out)
{
    int64_t length;
    const char *at = r->s->p;
    TRY(read_whole(r, property->count_type, "length of a list", INT32_MAX, &length));
    TRY(scan_check_count(r->s, at, length, "length of a list",
                         r->binary ? ply_types[property->type].size : 2));
    *out = (size_t)length;
    return ABUT_OK;
}

static abut_status skip_property(ply_reader *r, const ply_property *property)
{
    size_t length = 1;
    if (property->list) TRY(read_list_length(r, property, &length));
    for (size_t i = 0; i < length; i++) TRY(skip_value(r, property->type));
    return ABUT_OK;
}

/* ---- elements ------------------------------------------------------------------------------ */

static abut_status read_vertex_index(ply_reader *r, ply_type type, int32_t *out)
{
    int64_t index;
    const char *at = r->s->p;
    TRY(read_whole(r, type, "vertex index", INT32_MAX - 1, &index));
    if (index > r->largest) {
        if (!r->binary)
            while (at < r->s->p && scan_is_space(*at)) at++;
        r->largest = index, r->largest_at = at;
    }
    *out = (int32_t)index;
    return ABUT_OK;
}

static abut_status read_vertex(ply_reader *r, const ply_element *element)
{
    double x[3] = {0, 0, 0};
    for (size_t p = element->first; p < element->last; p++) {
        const ply_property *property = &r->properties.data[p];
        int axis =
            property->name.length == 1 && !property->list ? property->name.text[0] - 'x' : -1;
        if (axis >= 0 && axis < 3)
            TRY(read_value(r, property->type, "a coordinate", &x[axis]));
        else
            TRY(skip_property(r, property));
    }
    r->b->vertices.data[r->b->vertices.count++] = vec3_load(x);
    return ABUT_OK;
}

static abut_status add_face(ply_reader *r)
{
    size_t count = r->corners.count;
    cell_kind kind = count == 1 ? CELL_POINT : count == 2 ? CELL_EDGE : CELL_TRIANGLE;
    if (count == 0) return scan_fail(r->s, r->s->p, "a face has no vertices");
    builder_block *block = builder_find(r->b, kind, 1);
    if (count >= 3)
        return builder_polygon(block, r->corners.data, count) ? ABUT_OK : scan_memory(r->s);
    int32_t *nodes = builder_cell(block, 0);
    if (!nodes) return scan_memory(r->s);
    memcpy(nodes, r->corners.data, count * sizeof *nodes);
    return ABUT_OK;
}

static abut_status read_face(ply_reader *r, const ply_element *element)
{
    for (size_t p = element->first; p < element->last; p++) {
        const ply_property *property = &r->properties.data[p];
        if (!property->list || !(token_is(property->name, "vertex_indices") ||
                                 token_is(property->name, "vertex_index"))) {
            TRY(skip_property(r, property));
            continue;
        }
        size_t length;
        TRY(read_list_length(r, property, &length));
        if (!array_resize(&r->corners, length)) return scan_memory(r->s);
        for (size_t i = 0; i < length; i++)
            TRY(read_vertex_index(r, property->type, &r->corners.data[i]));
        TRY(add_face(r));
    }
    return ABUT_OK;
}

static abut_status read_edge(ply_reader *r, const ply_element *element)
{
    int32_t *nodes = builder_cell(builder_find(r->b, CELL_EDGE, 1), 0);
    if (!nodes) return scan_memory(r->s);
    for (size_t p = element->first; p < element->last; p++) {
        const ply_property *property = &r->properties.data[p];
        if (!property->list && token_is(property->name, "vertex1"))
            TRY(read_vertex_index(r, property->type, &nodes[0]));
        else if (!property->list && token_is(property->name, "vertex2"))
            TRY(read_vertex_index(r, property->type, &nodes[1]));
        else
            TRY(skip_property(r, property));
    }
    return ABUT_OK;
}

static abut_status skip_element(ply_reader *r, const ply_element *element)
{
    for (size_t p = element->first; p < element->last; p++)
        TRY(skip_property(r, &r->properties.data[p]));
    return ABUT_OK;
}

/* Which properties an element has, of two names; all must be there exactly once. */
static bool has_property(const ply_reader *r, const ply_element *element, const char *name,
                         bool list)
{
    int found = 0;
    for (size_t p = element->first; p < element->last; p++)
        found += r->properties.data[p].list == list && token_is(r->properties.data[p].name, name);
    return found == 1;
}

static size_t least_bytes(const ply_reader *r, const ply_element *element)
{
    size_t bytes = 0;
    for (size_t p = element->first; p < element->last; p++) {
        const ply_property *property = &r->properties.data[p];
        bytes +=
            !r->binary ? 2 : ply_types[property->list ? property->count_type : property->type].size;
    }
    return bytes;
}

typedef abut_status (*element_reader)(ply_reader *r, const ply_element *element);

static abut_status choose_reader(ply_reader *r, const ply_element *element, element_reader *out)
{
    *out = skip_element;
    if (token_is(element->name, "vertex")) {
        if (!has_property(r, element, "x", false) || !has_property(r, element, "y", false))
            return scan_fail(r->s, element->at, "vertices need the properties x and y, once each");
        if (!array_reserve(&r->b->vertices, r->b->vertices.count + (size_t)element->count))
            return scan_memory(r->s);
        *out = read_vertex;
    } else if (token_is(element->name, "face")) {
        if (has_property(r, element, "vertex_indices", true) ==
            has_property(r, element, "vertex_index", true))
            return scan_fail(r->s, element->at, "faces need one property list vertex_indices");
        *out = read_face;
    } else if (token_is(element->name, "edge")) {
        if (!has_property(r, element, "vertex1", false) ||
            !has_property(r, element, "vertex2", false))
            return scan_fail(r->s, element->at, "edges need the properties vertex1 and vertex2");
        *out = read_edge;
    } else if (token_is(element->name, "tristrips") && element->count > 0) {
        return scan_unsupported(r->s, element->at, "triangle strips in PLY files cannot be read");
    }
    return ABUT_OK;
}

static abut_status read_elements(ply_reader *r)
{
    for (size_t e = 0; e < r->elements.count; e++) {
        const ply_element *element = &r->elements.data[e];
        element_reader reader;
        size_t bytes = least_bytes(r, element);
        if (bytes == 0) continue; /* elements without properties are nothing */
        TRY(scan_check_count(r->s, element->at, element->count, "number of elements", bytes));
        if (element->count == 0) continue;
        TRY(choose_reader(r, element, &reader));
        for (int64_t i = 0; i < element->count; i++) {
            TRY(reader(r, element));
            scan_release(r->s);
        }
    }
    return ABUT_OK;
}

static abut_status read_all(ply_reader *r)
{
    TRY(read_header(r));
    TRY(read_elements(r));
    size_t vertices = r->b->vertices.count;
    if (vertices == 0) return scan_fail(r->s, r->s->p, "the file has no vertices");
    if (r->largest >= (int64_t)vertices)
        return scan_fail(r->s, r->largest_at,
                         "vertex %lld (counted from 0) is used, but the file has only %zu",
                         (long long)r->largest, vertices);
    return ABUT_OK;
}

abut_status read_ply(scan *s, mesh_builder *b)
{
    ply_reader r = {.s = s, .b = b, .largest = -1};
    abut_status status = read_all(&r);
    array_free(&r.elements);
    array_free(&r.properties);
    array_free(&r.corners);
    return status;
}
