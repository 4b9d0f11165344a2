/* Legacy VTK files, text and binary: unstructured grids and polygonal data, in the layout before
 * and after version 5. Reading stops at the data of points and cells. */
#include "mesh/vtk_assembly.h"

#include <strings.h>

typedef enum vtk_type {
    VTK_I8,
    VTK_U8,
    VTK_I16,
    VTK_U16,
    VTK_I32,
    VTK_U32,
    VTK_I64,
    VTK_F32,
    VTK_F64
} vtk_type;

static const struct {
    const char *name;
    vtk_type type;
    size_t size;
} vtk_types[] = {
    {"double", VTK_F64, 8},       {"float", VTK_F32, 4},          {"int", VTK_I32, 4},
    {"vtktypeint64", VTK_I64, 8}, {"long", VTK_I64, 8},           {"unsigned_long", VTK_I64, 8},
    {"vtkidtype", VTK_I64, 8},    {"vtktypeint32", VTK_I32, 4},   {"unsigned_int", VTK_U32, 4},
    {"short", VTK_I16, 2},        {"unsigned_short", VTK_U16, 2}, {"char", VTK_I8, 1},
    {"unsigned_char", VTK_U8, 1}};

typedef ARRAY(int64_t) long_array;

typedef struct vtk_reader {
    scan *s;
    mesh_builder *b;
    vtk_assembly assembly;
    bool binary, swap, polydata;
    bool have_points;
    long_array offsets, connectivity; /* cell i has the nodes offsets[i] .. offsets[i+1] */
    bool have_cells;
    const char *cells_at;
    ARRAY(int32_t) nodes;
} vtk_reader;

/* Case does not count in keywords and types. */
static bool is_word(scan_token token, const char *word)
{
    return token.length == strlen(word) && strncasecmp(token.text, word, token.length) == 0;
}

static abut_status read_type(vtk_reader *r, vtk_type *type, size_t *size)
{
    scan_token word = scan_word(r->s);
    for (size_t i = 0; i < sizeof vtk_types / sizeof *vtk_types; i++)
        if (is_word(word, vtk_types[i].name)) {
            *type = vtk_types[i].type;
            *size = vtk_types[i].size;
            return ABUT_OK;
        }
    return scan_fail(r->s, word.text, "expected a type such as double or int, found %s",
                     scan_found(r->s, word.text).text);
}

static double load_value(const char *p, vtk_type type, bool swap)
{
    switch (type) {
    case VTK_I8: return (signed char)*p;
    case VTK_U8: return (unsigned char)*p;
    case VTK_I16: return (int16_t)load_u16(p, swap);
    case VTK_U16: return load_u16(p, swap);
    case VTK_I32: return (int32_t)load_u32(p, swap);
    case VTK_U32: return load_u32(p, swap);
    case VTK_I64: return (double)(int64_t)load_u64(p, swap);
    case VTK_F32: return (double)load_f32(p, swap);
    case VTK_F64: return load_f64(p, swap);
    }
    return 0.0;
}

/* ---- points -------------------------------------------------------------------------------- */

static abut_status read_points(vtk_reader *r)
{
    scan *s = r->s;
    size_t count, size;
    vtk_type type;
    if (r->have_points) return scan_fail(s, s->p, "a second section POINTS; one is allowed");
    r->have_points = true;
    scan_ends(s);
    const char *at = s->p;
    TRY(scan_count(s, "number of points", 0, &count));
    TRY(read_type(r, &type, &size));
    TRY(scan_check_count(s, at, (int64_t)count, "number of points", r->binary ? 3 * size : 6));
    if (!array_reserve(&r->b->vertices, count)) return scan_memory(s);
    if (r->binary) scan_skip_line(s);
    for (size_t i = 0; i < count; i++) {
        double x[3];
        if (r->binary) {
            const char *bytes;
            TRY(scan_bytes(s, "the points", 3, size, &bytes));
            for (int k = 0; k < 3; k++) x[k] = load_value(bytes + (size_t)k * size, type, r->swap);
            if (!vec3_is_finite(vec3_load(x)))
                return scan_fail(s, bytes, "point %zu is at (%g, %g, %g); it must be finite", i,
                                 x[0], x[1], x[2]);
        } else {
            for (int k = 0; k < 3; k++) TRY(scan_real(s, "a coordinate", &x[k]));
        }
        r->b->vertices.data[r->b->vertices.count++] = vec3_load(x);
        scan_release(s);
    }
    return ABUT_OK;
}

/* ---- cells --------------------------------------------------------------------------------- */

/* Whole numbers, appended to the list. */
static abut_status read_longs(vtk_reader *r, const char *what, size_t count, size_t size,
                              long_array *out)
{
    scan *s = r->s;
    if (!array_reserve(out, out->count + count)) return scan_memory(s);
    if (r->binary) {
        const char *bytes;
        TRY(scan_bytes(s, what, count, size, &bytes));
        for (size_t i = 0; i < count; i++)
            out->data[out->count++] = size == 8
                                          ? (int64_t)load_u64(bytes + 8 * i, r->swap)
                                          : (int64_t)(int32_t)load_u32(bytes + 4 * i, r->swap);
        return ABUT_OK;
    }
    for (size_t i = 0; i < count; i++) {
        TRY(scan_integer(s, what, INT64_MIN, INT64_MAX, &out->data[out->count]));
        out->count++;
    }
    return ABUT_OK;
}

/* Before version 5.1: each cell is its number of nodes and the nodes. */
static abut_status read_old_cells(vtk_reader *r, size_t count, size_t size)
{
    scan *s = r->s;
    long_array values = {0};
    const char *at = s->p;
    abut_status status = read_longs(r, "the cells", size, 4, &values);
    if (status == ABUT_OK &&
        (!array_reserve(&r->offsets, count + 1) || !array_reserve(&r->connectivity, size)))
        status = scan_memory(s);
    size_t used = 0;
    if (status == ABUT_OK) r->offsets.data[r->offsets.count++] = 0;
    for (size_t c = 0; c < count && status == ABUT_OK; c++) {
        int64_t nodes = used < size ? values.data[used] : -1;
        if (nodes < 0 || (size_t)nodes > size - used - 1) {
            status = scan_fail(s, at, "cell %zu does not fit into the %zu numbers of its section",
                               c, size);
            break;
        }
        for (int64_t i = 0; i < nodes; i++)
            r->connectivity.data[r->connectivity.count++] = values.data[used + 1 + (size_t)i];
        used += (size_t)nodes + 1;
        r->offsets.data[r->offsets.count++] = (int64_t)r->connectivity.count;
    }
    if (status == ABUT_OK && used != size)
        status = scan_fail(s, at, "%zu cells take %zu numbers, but the section announces %zu",
                           count, used, size);
    array_free(&values);
    return status;
}

/* From version 5.1 on: an array of offsets and one of nodes. */
static abut_status read_new_cells(vtk_reader *r, size_t count, size_t size)
{
    scan *s = r->s;
    static const char *const words[] = {"OFFSETS", "CONNECTIVITY"};
    for (int part = 0; part < 2; part++) {
        vtk_type type;
        size_t bytes;
        scan_token word = scan_word(s);
        if (!is_word(word, words[part]))
            return scan_fail(s, word.text, "expected %s, found %s", words[part],
                             scan_found(s, word.text).text);
        TRY(read_type(r, &type, &bytes));
        if (type != VTK_I64 && type != VTK_I32)
            return scan_fail(s, word.text, "%s must be vtktypeint64 or int", words[part]);
        if (r->binary) scan_skip_line(s);
        TRY(read_longs(r, words[part], part == 0 ? count : size, bytes,
                       part == 0 ? &r->offsets : &r->connectivity));
    }
    if (count == 0) return ABUT_OK;
    for (size_t i = 0; i < count; i++)
        if (r->offsets.data[i] < (i ? r->offsets.data[i - 1] : 0) ||
            r->offsets.data[i] > (int64_t)size)
            return scan_fail(s, r->cells_at,
                             "offset %zu of the cells is %lld; offsets must rise "
                             "from 0 to %zu",
                             i, (long long)r->offsets.data[i], size);
    if (r->offsets.data[0] != 0 || r->offsets.data[count - 1] != (int64_t)size)
        return scan_fail(s, r->cells_at, "the offsets of the cells must run from 0 to %zu", size);
    return ABUT_OK;
}

static abut_status read_cells(vtk_reader *r)
{
    scan *s = r->s;
    size_t count, size;
    array_clear(&r->offsets);
    array_clear(&r->connectivity);
    TRY(scan_count(s, "number of cells", r->binary ? 4 : 2, &count));
    TRY(scan_count(s, "size of the cells", r->binary ? 4 : 2, &size));
    r->cells_at = s->p;
    const char *before = s->p;
    bool new_layout = is_word(scan_word(s), "OFFSETS");
    s->p = before;
    if (new_layout) return read_new_cells(r, count, size);
    if (r->binary) scan_skip_line(s);
    return read_old_cells(r, count, size);
}

static abut_status add_cell(vtk_reader *r, size_t cell, int64_t type)
{
    size_t first = (size_t)r->offsets.data[cell], last = (size_t)r->offsets.data[cell + 1];
    array_clear(&r->nodes);
    if (!array_reserve(&r->nodes, last - first)) return scan_memory(r->s);
    for (size_t i = first; i < last; i++) {
        int64_t node = r->connectivity.data[i];
        if (node < 0 || (size_t)node >= r->b->vertices.count)
            return scan_fail(r->s, r->cells_at,
                             "cell %zu uses point %lld (counted from 0), but there are only %zu",
                             cell, (long long)node, r->b->vertices.count);
        r->nodes.data[r->nodes.count++] = (int32_t)node;
    }
    return vtk_add_cell(&r->assembly, r->cells_at, type, r->nodes.data, r->nodes.count, 0);
}

static abut_status read_cell_types(vtk_reader *r)
{
    scan *s = r->s;
    size_t count, cells = r->offsets.count ? r->offsets.count - 1 : 0;
    long_array types = {0};
    const char *at = s->p;
    TRY(scan_count(s, "number of cell types", r->binary ? 4 : 2, &count));
    if (!r->have_cells) return scan_fail(s, at, "CELL_TYPES comes before CELLS");
    if (count != cells)
        return scan_fail(s, at, "there are %zu cell types, but %zu cells", count, cells);
    if (r->binary) scan_skip_line(s);
    abut_status status = read_longs(r, "the cell types", count, 4, &types);
    for (size_t c = 0; c < cells && status == ABUT_OK; c++) status = add_cell(r, c, types.data[c]);
    array_free(&types);
    r->have_cells = false;
    return status;
}

static abut_status read_poly_cells(vtk_reader *r, int64_t type)
{
    TRY(read_cells(r));
    for (size_t c = 0; c + 1 < r->offsets.count; c++) TRY(add_cell(r, c, type));
    return ABUT_OK;
}

/* ---- sections ------------------------------------------------------------------------------ */

/* METADATA runs to an empty line. */
static void skip_metadata(scan *s)
{
    scan_skip_line(s);
    while (s->p < s->end && !scan_line_ends(s)) scan_skip_line(s);
}

/* FIELD name n, then n arrays, each "name components tuples type" and its values. */
static abut_status skip_field(vtk_reader *r)
{
    scan *s = r->s;
    size_t arrays;
    scan_word(s);
    TRY(scan_count(s, "number of arrays", 8, &arrays));
    for (size_t i = 0; i < arrays; i++) {
        size_t components, tuples, size;
        vtk_type type;
        if (scan_accept(s, "METADATA")) skip_metadata(s);
        scan_token name = scan_word(s);
        TRY(scan_count(s, "number of components", 0, &components));
        TRY(scan_count(s, "number of tuples", 0, &tuples));
        scan_token type_word = scan_word(s);
        if (is_word(type_word, "string"))
            return scan_unsupported(s, name.text, "arrays of strings before the cells");
        s->p = type_word.text;
        TRY(read_type(r, &type, &size));
        if (components * tuples > scan_left(s))
            return scan_fail(s, name.text, "the file ends within an array of a field");
        if (r->binary) {
            const char *ignored;
            scan_skip_line(s);
            TRY(scan_bytes(s, "a field", components * tuples, size, &ignored));
            continue;
        }
        for (size_t k = 0; k < components * tuples; k++)
            if (scan_word(s).length == 0)
                return scan_fail(s, s->p, "the file ends within an array of a field");
    }
    return ABUT_OK;
}

static abut_status read_section(vtk_reader *r, bool *done)
{
    static const struct {
        const char *word;
        int64_t type;
    } parts[] = {{"VERTICES", VTK_POLYVERTEX},
                 {"LINES", VTK_POLYLINE},
                 {"POLYGONS", VTK_POLYGON},
                 {"TRIANGLE_STRIPS", VTK_STRIP}};
    scan *s = r->s;
    scan_token word = scan_word(s);
    if (is_word(word, "POINTS")) return read_points(r);
    if (is_word(word, "METADATA")) return skip_metadata(s), ABUT_OK;
    if (is_word(word, "FIELD")) return skip_field(r);
    if (is_word(word, "POINT_DATA") || is_word(word, "CELL_DATA")) {
        *done = true;
        return ABUT_OK;
    }
    if (!r->polydata && is_word(word, "CELLS")) {
        r->have_cells = true;
        return read_cells(r);
    }
    if (!r->polydata && is_word(word, "CELL_TYPES")) return read_cell_types(r);
    for (int i = 0; i < 4 && r->polydata; i++)
        if (is_word(word, parts[i].word)) return read_poly_cells(r, parts[i].type);
    return scan_fail(s, word.text, "expected a section such as POINTS or CELLS, found %s",
                     scan_found(s, word.text).text);
}

static abut_status read_header(vtk_reader *r)
{
    scan *s = r->s;
    static const char start[] = "# vtk DataFile Version";
    double version;
    if (scan_left(s) < sizeof start || memcmp(s->p, start, sizeof start - 1) != 0)
        return scan_fail(s, s->p, "expected \"%s\", found %s", start, scan_found(s, s->p).text);
    s->p += sizeof start - 1;
    TRY(scan_real(s, "the version of the format", &version));
    r->assembly.old_hexahedra = version < 5.1;
    scan_skip_line(s);
    scan_skip_line(s); /* the title */
    scan_token word = scan_word(s);
    r->binary = is_word(word, "BINARY");
    r->swap = !machine_is_big_endian();
    if (!r->binary && !is_word(word, "ASCII"))
        return scan_fail(s, word.text, "expected ASCII or BINARY, found %s",
                         scan_found(s, word.text).text);
    s->binary = r->binary;
    word = scan_word(s);
    if (!is_word(word, "DATASET"))
        return scan_fail(s, word.text, "expected DATASET, found %s", scan_found(s, word.text).text);
    word = scan_word(s);
    r->polydata = is_word(word, "POLYDATA");
    if (!r->polydata && !is_word(word, "UNSTRUCTURED_GRID"))
        return scan_unsupported(s, word.text,
                                "the data set is %s; UNSTRUCTURED_GRID and POLYDATA can be read",
                                scan_found(s, word.text).text);
    return ABUT_OK;
}

static abut_status read_all(vtk_reader *r)
{
    bool done = false;
    TRY(read_header(r));
    while (!done && !scan_ends(r->s)) TRY(read_section(r, &done));
    if (r->b->vertices.count == 0) return scan_fail(r->s, r->s->p, "the file has no points");
    if (r->have_cells) return scan_fail(r->s, r->s->p, "CELLS without CELL_TYPES");
    return ABUT_OK;
}

abut_status read_vtk(scan *s, mesh_builder *b)
{
    vtk_reader r = {.s = s, .b = b, .assembly = {.s = s, .b = b}};
    abut_status status = read_all(&r);
    array_free(&r.offsets);
    array_free(&r.connectivity);
    array_free(&r.nodes);
    return status;
}
