/* VTU, VTK's XML format for unstructured grids: points, cells, a tag per cell (CellData "tag",
 * "physical", "gmsh:physical" or "medit:ref") and rest positions (PointData "rest"). Several pieces
 * are joined. */
#include "mesh/vtk_assembly.h"
#include "mesh/vtu_data.h"

enum { MAX_DEPTH = 16 };

typedef enum array_role {
    ROLE_POINTS,
    ROLE_CONNECTIVITY,
    ROLE_OFFSETS,
    ROLE_TYPES,
    ROLE_TAGS,
    ROLE_REST,
    ROLE_COUNT
} array_role;

static const char *const role_names[ROLE_COUNT] = {"the points", "connectivity", "offsets",
                                                   "types",      "the tags",     "the rest shape"};

/* An array of a piece, as its tag describes it. */
typedef struct array_source {
    bool present, appended;
    uint64_t offset; /* when appended */
    int64_t components;
    vtu_source source;
    const char *at;
} array_source;

typedef struct vtu_piece {
    int64_t points, cells;
    const char *at;
    array_source arrays[ROLE_COUNT];
} vtu_piece;

typedef struct vtu_reader {
    scan *s;
    mesh_builder *b;
    vtk_assembly assembly;
    bool swap, compressed;
    size_t header_size;
    ARRAY(vtu_piece) pieces;
    scan_token stack[MAX_DEPTH]; /* the open elements */
    int depth;
    const char *appended; /* where the data behind the XML begin, or NULL */
    bool appended_raw;
    size_t consumed; /* bytes of the file that were decoded so far */
    ARRAY(int32_t) nodes;
} vtu_reader;

/* ---- XML ----------------------------------------------------------------------------------- */

/* A tag: its name and its attributes, up to the closing bracket. */
typedef struct xml_tag {
    const char *at;
    scan_token name;
    const char *begin, *end; /* of the attributes */
    bool closing;            /* </name> */
    bool empty;              /* <name/> */
} xml_tag;

static bool is_name_end(char c) { return scan_is_space(c) || c == '>' || c == '/' || c == '='; }

/* The next tag; comments, declarations and text before it are skipped. *found is false at the end
 * of the file. */
static abut_status next_tag(scan *s, xml_tag *tag, bool *found)
{
    *found = false;
    for (;;) {
        const char *open = memchr(s->p, '<', scan_left(s));
        if (!open) {
            s->p = s->end;
            return ABUT_OK;
        }
        s->p = open;
        bool comment = scan_left(s) >= 4 && memcmp(open, "<!--", 4) == 0;
        if (!comment && !(scan_left(s) >= 2 && (open[1] == '?' || open[1] == '!'))) break;
        const char *stop =
            comment ? memmem(open, scan_left(s), "-->", 3) : memchr(open, '>', scan_left(s));
        if (!stop) return scan_fail(s, open, "a comment or declaration has no end");
        s->p = stop + (comment ? 3 : 1);
    }
    *tag = (xml_tag){.at = s->p++};
    if (s->p < s->end && *s->p == '/') tag->closing = true, s->p++;
    tag->name.text = s->p;
    while (s->p < s->end && !is_name_end(*s->p)) s->p++;
    tag->name.length = (size_t)(s->p - tag->name.text);
    tag->begin = s->p;
    char quote = 0;
    for (; s->p < s->end && (quote || *s->p != '>'); s->p++) {
        if (quote && *s->p == quote)
            quote = 0;
        else if (!quote && (*s->p == '"' || *s->p == '\''))
            quote = *s->p;
    }
    if (s->p == s->end) return scan_fail(s, tag->at, "a tag has no end");
    tag->end = s->p++;
    tag->empty = tag->end > tag->begin && tag->end[-1] == '/';
    *found = true;
    return ABUT_OK;
}

/* The value of an attribute; length 0 and text NULL when there is none. */
static scan_token attribute(const xml_tag *tag, const char *name)
{
    const char *p = tag->begin;
    while (p < tag->end) {
        while (p < tag->end && scan_is_space(*p)) p++;
        scan_token key = {p, 0};
        while (p < tag->end && !is_name_end(*p)) p++;
        key.length = (size_t)(p - key.text);
        while (p < tag->end && (scan_is_space(*p) || *p == '=')) p++;
        if (p < tag->end && (*p == '"' || *p == '\'')) {
            char quote = *p++;
            scan_token value = {p, 0};
            while (p < tag->end && *p != quote) p++;
            value.length = (size_t)(p - value.text);
            if (p < tag->end) p++;
            if (token_is(key, name)) return value;
        } else if (p < tag->end && key.length == 0) {
            p++;
        }
    }
    return (scan_token){NULL, 0};
}

static abut_status whole_attribute(vtu_reader *r, const xml_tag *tag, const char *name,
                                   int64_t missing, int64_t high, int64_t *out)
{
    scan_token value = attribute(tag, name);
    *out = missing;
    if (!value.text) {
        if (missing >= 0) return ABUT_OK;
        return scan_fail(r->s, tag->at, "the attribute %s is missing", name);
    }
    const char *p = value.text, *end = value.text + value.length;
    if (number_read_int(&p, end, out) != NUMBER_OK || p != end || *out < 0 || *out > high)
        return scan_fail(
            r->s, tag->at, "the attribute %s is '%.*s'; allowed are whole numbers from 0 to %lld",
            name, value.length > 40 ? 40 : (int)value.length, value.text, (long long)high);
    return ABUT_OK;
}

/* ---- the structure of the file ------------------------------------------------------------- */

static abut_status read_file_tag(vtu_reader *r, const xml_tag *tag)
{
    scan_token type = attribute(tag, "type"), order = attribute(tag, "byte_order");
    scan_token header = attribute(tag, "header_type"), compressor = attribute(tag, "compressor");
    scan_token version = attribute(tag, "version");
    if (!token_is(type, "UnstructuredGrid"))
        return scan_unsupported(
            r->s, tag->at, "the type of the file is '%.*s'; only UnstructuredGrid can be read",
            type.length > 40 ? 40 : (int)type.length, type.text ? type.text : "");
    r->swap = token_is(order, "BigEndian") != machine_is_big_endian();
    r->header_size = token_is(header, "UInt64") ? 8 : 4;
    r->compressed = compressor.length > 0;
    if (r->compressed && !token_is(compressor, "vtkZLibDataCompressor"))
        return scan_unsupported(
            r->s, tag->at, "the compressor is '%.*s'; only vtkZLibDataCompressor can be read",
            compressor.length > 40 ? 40 : (int)compressor.length, compressor.text);
    double number = 0.0;
    const char *p = version.text;
    if (p) number_read_double(&p, p + version.length, &number);
    r->assembly.old_hexahedra = number < 2.2;
    return ABUT_OK;
}

static abut_status read_piece_tag(vtu_reader *r, const xml_tag *tag)
{
    vtu_piece piece = {.at = tag->at};
    TRY(whole_attribute(r, tag, "NumberOfPoints", -1, INT32_MAX, &piece.points));
    TRY(whole_attribute(r, tag, "NumberOfCells", -1, INT32_MAX, &piece.cells));
    return array_push(&r->pieces, piece) ? ABUT_OK : scan_memory(r->s);
}

/* What an array is for, by the element around it and its name; ROLE_COUNT: nothing. */
static array_role role_of(const vtu_reader *r, scan_token name)
{
    static const struct {
        const char *parent, *name;
        array_role role;
    } roles[] = {{"Cells", "connectivity", ROLE_CONNECTIVITY},
                 {"Cells", "offsets", ROLE_OFFSETS},
                 {"Cells", "types", ROLE_TYPES},
                 {"CellData", "tag", ROLE_TAGS},
                 {"CellData", "physical", ROLE_TAGS},
                 {"CellData", "gmsh:physical", ROLE_TAGS},
                 {"CellData", "medit:ref", ROLE_TAGS},
                 {"PointData", "rest", ROLE_REST}};
    if (r->depth == 0) return ROLE_COUNT;
    scan_token parent = r->stack[r->depth - 1];
    if (token_is(parent, "Points")) return ROLE_POINTS;
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (token_is(parent, roles[i].parent) && token_is(name, roles[i].name))
            return roles[i].role;
    return ROLE_COUNT;
}

static abut_status read_array_tag(vtu_reader *r, const xml_tag *tag)
{
    scan *s = r->s;
    array_role role = role_of(r, attribute(tag, "Name"));
    if (role == ROLE_COUNT || r->pieces.count == 0) return ABUT_OK;
    array_source *array = &r->pieces.data[r->pieces.count - 1].arrays[role];
    if (array->present) {
        if (role == ROLE_TAGS) return ABUT_OK; /* the first of several names */
        return scan_fail(s, tag->at, "a second array for %s", role_names[role]);
    }
    scan_token type = attribute(tag, "type"), format = attribute(tag, "format");
    *array = (array_source){.present = true, .at = tag->at};
    vtu_source *source = &array->source;
    if (!vtu_number_type(type, &source->type))
        return scan_fail(s, tag->at,
                         "the type of %s is '%.*s'; allowed are Int8 to UInt64, Float32 "
                         "and Float64",
                         role_names[role], type.length > 40 ? 40 : (int)type.length,
                         type.text ? type.text : "");
    TRY(whole_attribute(r, tag, "NumberOfComponents", 1, 64, &array->components));
    source->swap = r->swap;
    source->compressed = r->compressed;
    source->header_size = r->header_size;
    if (token_is(format, "appended")) {
        int64_t offset;
        TRY(whole_attribute(r, tag, "offset", -1, INT64_MAX, &offset));
        array->appended = true;
        array->offset = (uint64_t)offset;
        return ABUT_OK;
    }
    if (!token_is(format, "ascii") && !token_is(format, "binary"))
        return scan_fail(s, tag->at, "the format of %s is not ascii, binary or appended",
                         role_names[role]);
    source->encoding = token_is(format, "ascii") ? VTU_TEXT : VTU_BASE64;
    source->begin = source->end = s->p;
    if (tag->empty) return ABUT_OK;
    source->end = memchr(s->p, '<', scan_left(s));
    if (!source->end) return scan_fail(s, tag->at, "the file ends within %s", role_names[role]);
    s->p = source->end;
    return ABUT_OK;
}

/* The data begin behind an underscore. */
static abut_status read_appended_tag(vtu_reader *r, const xml_tag *tag)
{
    scan *s = r->s;
    scan_token encoding = attribute(tag, "encoding");
    r->appended_raw = token_is(encoding, "raw");
    if (!r->appended_raw && !token_is(encoding, "base64"))
        return scan_fail(s, tag->at, "the encoding of AppendedData is not raw or base64");
    if (scan_ends(s) || *s->p != '_')
        return scan_fail(s, s->p, "expected _ in front of the appended data, found %s",
                         scan_found(s, s->p).text);
    r->appended = s->p + 1;
    return ABUT_OK;
}

static abut_status close_element(vtu_reader *r, const xml_tag *tag)
{
    if (r->depth == 0 || r->stack[r->depth - 1].length != tag->name.length ||
        memcmp(r->stack[r->depth - 1].text, tag->name.text, tag->name.length) != 0)
        return scan_fail(r->s, tag->at, "%s closes an element that is not open",
                         scan_found(r->s, tag->at).text);
    r->depth--;
    return ABUT_OK;
}

static abut_status read_structure(vtu_reader *r)
{
    scan *s = r->s;
    xml_tag tag;
    bool found, have_file = false;
    for (;;) {
        TRY(next_tag(s, &tag, &found));
        if (!found) break;
        if (tag.closing) {
            TRY(close_element(r, &tag));
            continue;
        }
        if (!have_file && !token_is(tag.name, "VTKFile"))
            return scan_fail(s, tag.at, "expected <VTKFile, found %s", scan_found(s, tag.at).text);
        if (token_is(tag.name, "VTKFile")) {
            TRY(read_file_tag(r, &tag));
            have_file = true;
        } else if (token_is(tag.name, "Piece")) {
            TRY(read_piece_tag(r, &tag));
        } else if (token_is(tag.name, "DataArray")) {
            TRY(read_array_tag(r, &tag));
        } else if (token_is(tag.name, "AppendedData")) {
            return read_appended_tag(r, &tag); /* what follows is no XML */
        }
        if (tag.empty) continue;
        if (r->depth == MAX_DEPTH) return scan_fail(s, tag.at, "elements are nested too deeply");
        r->stack[r->depth++] = tag.name;
    }
    if (!have_file) return scan_fail(s, s->p, "the file has no element VTKFile");
    if (r->depth > 0)
        return scan_fail(s, s->p, "the file ends within the element %s",
                         scan_found(s, r->stack[r->depth - 1].text).text);
    return ABUT_OK;
}

/* ---- the arrays ---------------------------------------------------------------------------- */

static abut_status load_array(vtu_reader *r, array_source *array, array_role role, int64_t tuples,
                              vtu_values *out)
{
    scan *s = r->s;
    *out = (vtu_values){0};
    vtu_source *source = &array->source;
    if (array->appended) {
        if (!r->appended) return scan_fail(s, array->at, "the file has no AppendedData");
        if (array->offset > (uint64_t)(s->end - r->appended))
            return scan_fail(s, array->at, "the offset of %s is %llu, beyond the end of the file",
                             role_names[role], (unsigned long long)array->offset);
        source->encoding = r->appended_raw ? VTU_RAW : VTU_BASE64;
        source->begin = r->appended + array->offset;
        source->end = s->end;
    }
    TRY(vtu_decode(s, role_names[role], source, out));
    r->consumed += out->consumed;
    if (r->consumed / 2 > (size_t)(s->end - s->begin)) {
        vtu_values_free(out);
        return scan_fail(s, array->at, "the same data are used for many arrays");
    }
    if (tuples < 0 || out->count == (size_t)(tuples * array->components)) return ABUT_OK;
    size_t count = out->count;
    vtu_values_free(out);
    return scan_fail(s, array->at, "%zu numbers for %s, but %lld are needed", count,
                     role_names[role], (long long)(tuples * array->components));
}

static abut_status add_points(vtu_reader *r, vtu_piece *piece)
{
    scan *s = r->s;
    array_source *array = &piece->arrays[ROLE_POINTS];
    vtu_values values;
    if (!array->present) return scan_fail(s, piece->at, "a piece has no points");
    if (array->components != 3)
        return scan_fail(s, array->at, "points have %lld components; they need 3",
                         (long long)array->components);
    TRY(load_array(r, array, ROLE_POINTS, piece->points, &values));
    size_t count = (size_t)piece->points, first = r->b->vertices.count;
    abut_status status = ABUT_OK;
    if (first + count > INT32_MAX)
        status = scan_fail(s, piece->at, "more than %d points", INT32_MAX);
    else if (!array_reserve(&r->b->vertices, first + count))
        status = scan_memory(s);
    for (size_t i = 0; i < count && status == ABUT_OK; i++) {
        vec3 x = {vtu_real(&values, 3 * i), vtu_real(&values, 3 * i + 1),
                  vtu_real(&values, 3 * i + 2)};
        if (!vec3_is_finite(x))
            status = scan_fail(s, array->at, "point %zu is at (%g, %g, %g); it must be finite", i,
                               x.x, x.y, x.z);
        r->b->vertices.data[r->b->vertices.count++] = x;
    }
    vtu_values_free(&values);
    return status;
}

/* A rest shape counts only when every piece has one. */
static abut_status add_rest(vtu_reader *r, vtu_piece *piece)
{
    scan *s = r->s;
    array_source *array = &piece->arrays[ROLE_REST];
    vtu_values values;
    if (!array->present || array->components != 3) return ABUT_OK;
    TRY(load_array(r, array, ROLE_REST, piece->points, &values));
    abut_status status = ABUT_OK;
    size_t count = (size_t)piece->points;
    if (!array_reserve(&r->b->rest, r->b->rest.count + count)) status = scan_memory(s);
    for (size_t i = 0; i < count && status == ABUT_OK; i++) {
        vec3 x = {vtu_real(&values, 3 * i), vtu_real(&values, 3 * i + 1),
                  vtu_real(&values, 3 * i + 2)};
        if (!vec3_is_finite(x))
            status = scan_fail(s, array->at, "the rest position of point %zu is not finite", i);
        r->b->rest.data[r->b->rest.count++] = x;
    }
    vtu_values_free(&values);
    return status;
}

typedef struct piece_cells {
    vtu_values connectivity, offsets, types, tags;
} piece_cells;

static abut_status add_cell(vtu_reader *r, const vtu_piece *piece, const piece_cells *cells,
                            size_t cell, size_t first_point, int64_t *position)
{
    scan *s = r->s;
    const char *at = piece->arrays[ROLE_CONNECTIVITY].at;
    int64_t end, type, node, tag = 0;
    if (!vtu_whole(&cells->offsets, cell, &end) || end < *position ||
        end > (int64_t)cells->connectivity.count)
        return scan_fail(s, piece->arrays[ROLE_OFFSETS].at,
                         "the offset of cell %zu does not lie between the one before and %zu", cell,
                         cells->connectivity.count);
    if (!vtu_whole(&cells->types, cell, &type))
        return scan_fail(s, piece->arrays[ROLE_TYPES].at, "the type of cell %zu is no whole number",
                         cell);
    if (cells->tags.count > 0 &&
        (!vtu_whole(&cells->tags, cell, &tag) || tag < INT32_MIN || tag > INT32_MAX))
        return scan_fail(s, piece->arrays[ROLE_TAGS].at, "the tag of cell %zu is no whole number",
                         cell);
    array_clear(&r->nodes);
    if (!array_reserve(&r->nodes, (size_t)(end - *position))) return scan_memory(s);
    for (; *position < end; ++*position) {
        if (!vtu_whole(&cells->connectivity, (size_t)*position, &node) || node < 0 ||
            node >= piece->points)
            return scan_fail(s, at, "cell %zu uses a point that is not among 0 to %lld", cell,
                             (long long)piece->points - 1);
        r->nodes.data[r->nodes.count++] = (int32_t)(node + (int64_t)first_point);
    }
    return vtk_add_cell(&r->assembly, at, type, r->nodes.data, r->nodes.count, (int32_t)tag);
}

static abut_status load_cells(vtu_reader *r, vtu_piece *piece, piece_cells *cells)
{
    array_source *a = piece->arrays;
    for (int role = ROLE_CONNECTIVITY; role <= ROLE_TYPES; role++)
        if (!a[role].present)
            return scan_fail(r->s, piece->at, "a piece has no array %s", role_names[role]);
    TRY(load_array(r, &a[ROLE_CONNECTIVITY], ROLE_CONNECTIVITY, -1, &cells->connectivity));
    TRY(load_array(r, &a[ROLE_OFFSETS], ROLE_OFFSETS, piece->cells, &cells->offsets));
    TRY(load_array(r, &a[ROLE_TYPES], ROLE_TYPES, piece->cells, &cells->types));
    if (!a[ROLE_TAGS].present || a[ROLE_TAGS].components != 1) return ABUT_OK;
    return load_array(r, &a[ROLE_TAGS], ROLE_TAGS, piece->cells, &cells->tags);
}

static abut_status add_cells(vtu_reader *r, vtu_piece *piece, size_t first_point)
{
    if (piece->cells == 0) return ABUT_OK;
    piece_cells cells = {0};
    int64_t position = 0;
    abut_status status = load_cells(r, piece, &cells);
    for (size_t c = 0; c < (size_t)piece->cells && status == ABUT_OK; c++)
        status = add_cell(r, piece, &cells, c, first_point, &position);
    vtu_values_free(&cells.connectivity);
    vtu_values_free(&cells.offsets);
    vtu_values_free(&cells.types);
    vtu_values_free(&cells.tags);
    return status;
}

static abut_status read_all(vtu_reader *r)
{
    TRY(read_structure(r));
    for (size_t i = 0; i < r->pieces.count; i++) {
        vtu_piece *piece = &r->pieces.data[i];
        size_t first_point = r->b->vertices.count;
        if (piece->points == 0 && piece->cells == 0) continue;
        TRY(add_points(r, piece));
        TRY(add_rest(r, piece));
        TRY(add_cells(r, piece, first_point));
    }
    if (r->b->vertices.count == 0) return scan_fail(r->s, r->s->p, "the file has no points");
    return ABUT_OK;
}

abut_status read_vtu(scan *s, mesh_builder *b)
{
    vtu_reader r = {.s = s, .b = b, .assembly = {.s = s, .b = b}};
    abut_status status = read_all(&r);
    array_free(&r.pieces);
    array_free(&r.nodes);
    return status;
}
