/* Reader of the VTU files that abut writes: XML header, raw appended data, zlib blocks. Every size
 * and offset of the file is checked before it is used. */
#include "base/array.h"
#include "base/file.h"
#include "mesh/vtk_cells.h"
#include "mesh/zlib_memory.h"
#include "output/frame.h"

#include <string.h>

/* ---- the XML header ---- */

enum { MAX_ARRAYS = 64, MAX_ATTRIBUTES = 16 };

typedef enum section { IN_NOTHING, IN_FIELD, IN_POINT, IN_CELL, IN_POINTS, IN_CELLS } section;

typedef struct text {
    const char *at;
    size_t length;
} text;

typedef struct tag {
    text name;
    int attribute_count;
    struct {
        text name, value;
    } attributes[MAX_ATTRIBUTES];
} tag;

/* One DataArray of the header. */
typedef struct stored_array {
    section section;
    char name[64], type[16];
    int components;
    uint64_t offset, tuples; /* tuples: of field data only */
} stored_array;

typedef struct vtu_file {
    const char *path;
    file_bytes bytes;
    const unsigned char *data; /* appended bytes, without the underscore */
    size_t data_size;
    bool has_piece;
    uint64_t point_count, cell_count;
    int array_count;
    stored_array arrays[MAX_ARRAYS];
} vtu_file;

static bool text_is(text t, const char *word)
{
    return t.length == strlen(word) && memcmp(t.at, word, t.length) == 0;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Reads attributes up to the end of the tag; false when they are malformed. */
static bool read_attributes(const char *at, const char *end, tag *t)
{
    t->attribute_count = 0;
    for (;;) {
        while (at < end && (is_space(*at) || *at == '/' || *at == '?')) at++;
        if (at == end) return true;
        const char *equals = memchr(at, '=', (size_t)(end - at));
        if (!equals || equals + 1 >= end || equals[1] != '"') return false;
        const char *close = memchr(equals + 2, '"', (size_t)(end - equals - 2));
        if (!close || t->attribute_count == MAX_ATTRIBUTES) return false;
        t->attributes[t->attribute_count].name = (text){at, (size_t)(equals - at)};
        t->attributes[t->attribute_count++].value =
            (text){equals + 2, (size_t)(close - equals - 2)};
        at = close + 1;
    }
}

/* Next tag at or after *at; false at the end or, with *broken set, when the header is malformed. */
static bool next_tag(const char **at, const char *end, tag *t, bool *broken)
{
    const char *open = memchr(*at, '<', (size_t)(end - *at));
    if (!open) return false;
    const char *close = memchr(open, '>', (size_t)(end - open));
    const char *name = open + 1, *after = name;
    while (close && after < close && !is_space(*after)) after++;
    t->name = (text){name, (size_t)(after - name)};
    if (!close || !read_attributes(after, close, t)) {
        *broken = true;
        return false;
    }
    *at = close + 1;
    return true;
}

static text attribute(const tag *t, const char *name)
{
    for (int i = 0; i < t->attribute_count; i++)
        if (text_is(t->attributes[i].name, name)) return t->attributes[i].value;
    return (text){"", 0};
}

/* A count attribute; `missing` when it is not there, UINT64_MAX when it is not a number. */
static uint64_t attribute_count(const tag *t, const char *name, uint64_t missing)
{
    text value = attribute(t, name);
    uint64_t number = 0;
    if (value.length == 0) return missing;
    for (size_t i = 0; i < value.length; i++) {
        if (value.at[i] < '0' || value.at[i] > '9' || number > UINT64_MAX / 20) return UINT64_MAX;
        number = number * 10 + (uint64_t)(value.at[i] - '0');
    }
    return number;
}

/* Copies an attribute, undoing the escapes of the writer; false when it does not fit. */
static bool copy_text(text from, char *to, size_t size)
{
    static const struct {
        const char *code;
        char letter;
    } escapes[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}};
    size_t n = 0;
    for (size_t i = 0; i < from.length; n++) {
        if (n + 1 >= size) return false;
        to[n] = from.at[i];
        size_t step = 1;
        for (size_t k = 0; k < sizeof escapes / sizeof *escapes; k++) {
            size_t length = strlen(escapes[k].code);
            if (from.length - i >= length && memcmp(from.at + i, escapes[k].code, length) == 0)
                to[n] = escapes[k].letter, step = length;
        }
        i += step;
    }
    to[n] = 0;
    return true;
}

static section section_of(text name)
{
    if (text_is(name, "FieldData")) return IN_FIELD;
    if (text_is(name, "PointData")) return IN_POINT;
    if (text_is(name, "CellData")) return IN_CELL;
    if (text_is(name, "Points")) return IN_POINTS;
    return text_is(name, "Cells") ? IN_CELLS : IN_NOTHING;
}

static abut_status damaged(const vtu_file *file, const char *what, abut_error *err)
{
    return error_set(err, ABUT_ERROR_INPUT, file->path, "%s: damaged, or not a file of abut", what);
}

static abut_status check_dialect(const vtu_file *file, const tag *t, abut_error *err)
{
    static const char *const expected[][2] = {{"type", "UnstructuredGrid"},
                                              {"byte_order", "LittleEndian"},
                                              {"header_type", "UInt64"},
                                              {"compressor", "vtkZLibDataCompressor"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        text found = attribute(t, expected[i][0]);
        if (!text_is(found, expected[i][1]))
            return error_set(err, ABUT_ERROR_INPUT, file->path,
                             "VTU attribute %s is \"%.*s\"; frames of abut have \"%s\"",
                             expected[i][0], (int)(found.length < 40 ? found.length : 40), found.at,
                             expected[i][1]);
    }
    return ABUT_OK;
}

static abut_status note_array(vtu_file *file, const tag *t, section in, abut_error *err)
{
    if (file->array_count == MAX_ARRAYS) return damaged(file, "more than 64 arrays", err);
    stored_array *a = &file->arrays[file->array_count++];
    a->section = in;
    uint64_t components = attribute_count(t, "NumberOfComponents", 1);
    a->components = (int)components;
    a->offset = attribute_count(t, "offset", UINT64_MAX);
    a->tuples = attribute_count(t, "NumberOfTuples", 0);
    if (!copy_text(attribute(t, "Name"), a->name, sizeof a->name) ||
        !copy_text(attribute(t, "type"), a->type, sizeof a->type) || components < 1 ||
        components > 64 || a->offset >= file->data_size ||
        !text_is(attribute(t, "format"), "appended"))
        return damaged(file, "a DataArray of the header", err);
    return ABUT_OK;
}

static abut_status note_tag(vtu_file *file, const tag *t, section *in, abut_error *err)
{
    if (text_is(t->name, "VTKFile")) return check_dialect(file, t, err);
    if (section_of(t->name) != IN_NOTHING) {
        *in = section_of(t->name);
    } else if (text_is(t->name, "DataArray")) {
        return note_array(file, t, *in, err);
    } else if (text_is(t->name, "Piece")) {
        if (file->has_piece) return damaged(file, "more than one piece", err);
        file->has_piece = true;
        file->point_count = attribute_count(t, "NumberOfPoints", UINT64_MAX);
        file->cell_count = attribute_count(t, "NumberOfCells", UINT64_MAX);
        if (file->point_count > INT32_MAX || file->cell_count > INT32_MAX)
            return damaged(file, "the number of points or cells", err);
    }
    return ABUT_OK;
}

/* Finds the appended data and lists the arrays. */
static abut_status parse_header(vtu_file *file, abut_error *err)
{
    const char *start = file->bytes.data, *end = start + file->bytes.size;
    const char *appended = memmem(start, file->bytes.size, "<AppendedData", 13);
    const char *underscore = appended ? memchr(appended, '_', (size_t)(end - appended)) : NULL;
    if (!underscore || !memmem(start, (size_t)(appended - start), "<VTKFile", 8))
        return error_set(err, ABUT_ERROR_INPUT, file->path,
                         "is not a VTU file with appended data, as abut writes them");
    file->data = (const unsigned char *)underscore + 1;
    file->data_size = (size_t)(end - underscore - 1);
    section in = IN_NOTHING;
    bool broken = false;
    tag t;
    while (next_tag(&start, appended, &t, &broken)) TRY(note_tag(file, &t, &in, err));
    if (broken || !file->has_piece) return damaged(file, "the XML header", err);
    return ABUT_OK;
}

static abut_status open_vtu(const char *path, vtu_file *file, abut_error *err)
{
    memset(file, 0, sizeof *file);
    file->path = path;
    TRY(file_read(path, &file->bytes, err));
    return parse_header(file, err);
}

/* ---- the data ---- */

/* Z_OK when exactly `size` bytes came out. */
static int inflate_block(const unsigned char *from, size_t packed, unsigned char *to, size_t size)
{
    z_stream z = {.zalloc = zlib_alloc, .zfree = zlib_free};
    if (inflateInit(&z) != Z_OK) return Z_MEM_ERROR;
    z.next_in = (Bytef *)from;
    z.avail_in = (uInt)packed;
    z.next_out = to;
    z.avail_out = (uInt)size;
    int result = inflate(&z, Z_FINISH);
    bool whole = result == Z_STREAM_END && z.total_out == size;
    inflateEnd(&z);
    return whole ? Z_OK : result == Z_MEM_ERROR ? Z_MEM_ERROR : Z_DATA_ERROR;
}

typedef struct block_list {
    uint64_t count, size, last; /* last: bytes in the last block */
    const unsigned char *lengths, *packed;
    size_t total; /* unpacked bytes of all blocks */
} block_list;

static uint64_t load_u64(const unsigned char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Reads the header in front of the blocks; false when it cannot be true. */
static bool find_blocks(const vtu_file *file, uint64_t offset, block_list *list)
{
    size_t room = file->data_size - offset;
    if (room < 24) return false;
    const unsigned char *at = file->data + offset;
    list->count = load_u64(at);
    list->size = load_u64(at + 8);
    list->last = load_u64(at + 16);
    if (list->count > (room - 24) / 8 || list->size > 1u << 30 || list->last > list->size)
        return false;
    if (list->last == 0) list->last = list->size;
    list->lengths = at + 24;
    list->packed = at + 24 + 8 * list->count;
    list->total = list->count ? (list->count - 1) * list->size + list->last : 0;
    size_t left = room - 24 - 8 * list->count, packed = 0;
    for (uint64_t b = 0; b < list->count; b++) {
        uint64_t length = load_u64(list->lengths + 8 * b);
        if (length > left - packed) return false;
        packed += length;
    }
    /* zlib never shrinks more than 1032 to 1: do not reserve what cannot come out. */
    return list->total / 1040 <= packed;
}

static const stored_array *find_array(const vtu_file *file, section in, const char *name)
{
    for (int i = 0; i < file->array_count; i++)
        if (file->arrays[i].section == in && (!name || strcmp(file->arrays[i].name, name) == 0))
            return &file->arrays[i];
    return NULL;
}

/* Unpacks an array of `values` items (SIZE_MAX: as many as there are, returned in *count). */
static abut_status unpack(const vtu_file *file, const stored_array *a, size_t item_size,
                          size_t values, void **out, size_t *count, abut_error *err)
{
    block_list list;
    *out = NULL;
    if (!find_blocks(file, a->offset, &list) || list.total % item_size != 0 ||
        (values != SIZE_MAX && list.total != values * item_size))
        return damaged(file, a->name, err);
    unsigned char *bytes = mem_alloc(list.total, 1);
    if (!bytes) return error_memory(err, "reading a frame");
    const unsigned char *from = list.packed;
    for (uint64_t b = 0; b < list.count; b++) {
        uint64_t packed = load_u64(list.lengths + 8 * b);
        int result = inflate_block(from, packed, bytes + b * list.size,
                                   b + 1 < list.count ? list.size : list.last);
        from += packed;
        if (result == Z_OK) continue;
        mem_free(bytes);
        return result == Z_MEM_ERROR ? error_memory(err, "reading a frame")
                                     : damaged(file, a->name, err);
    }
    *out = bytes;
    if (count) *count = list.total / item_size;
    return ABUT_OK;
}

/* ---- cells ---- */

typedef struct cell_arrays {
    int64_t *connectivity, *offsets;
    uint8_t *types;
    size_t node_count, cell_count;
    int64_t point_count;
} cell_arrays;

static size_t cell_size(const cell_arrays *c, size_t cell)
{
    return (size_t)(c->offsets[cell] - (cell > 0 ? c->offsets[cell - 1] : 0));
}

static bool offsets_are_good(const cell_arrays *c)
{
    int64_t before = 0;
    for (size_t i = 0; i < c->cell_count; i++) {
        if (c->offsets[i] <= before || c->offsets[i] > (int64_t)c->node_count ||
            c->offsets[i] - before > VTK_MAX_NODES)
            return false;
        before = c->offsets[i];
    }
    return before == (int64_t)c->node_count;
}

/* Copies cells first..first+count-1 (of one type and size) into a block, in our node order. */
static bool fill_block(const cell_arrays *c, size_t first, cell_block *block)
{
    int permutation[VTK_MAX_NODES];
    vtk_node_order(block->kind, block->order, permutation);
    size_t nodes = (size_t)block->nodes_per_cell;
    const int64_t *from = c->connectivity + (first > 0 ? c->offsets[first - 1] : 0);
    for (size_t i = 0; i < block->count; i++)
        for (size_t k = 0; k < nodes; k++) {
            int64_t node = from[i * nodes + k];
            if (node < 0 || node >= c->point_count) return false;
            block->nodes[i * nodes + (size_t)permutation[k]] = (int32_t)node;
        }
    return true;
}

typedef ARRAY(cell_block) block_array;

/* Groups runs of cells of one type and size into blocks. */
static abut_status group_cells(const vtu_file *file, const cell_arrays *c, block_array *blocks,
                               abut_error *err)
{
    for (size_t first = 0, next; first < c->cell_count; first = next) {
        size_t nodes = cell_size(c, first);
        for (next = first + 1; next < c->cell_count; next++)
            if (c->types[next] != c->types[first] || cell_size(c, next) != nodes) break;
        cell_block block = {.nodes_per_cell = (int)nodes, .count = next - first};
        if (!vtk_cell_kind(c->types[first], (int)nodes, &block.kind, &block.order))
            return error_set(err, ABUT_ERROR_INPUT, file->path,
                             "cell %zu has VTK type %d with %zu nodes, which abut does not know",
                             first, c->types[first], nodes);
        block.nodes = mem_alloc(block.count * nodes, sizeof *block.nodes);
        if (!block.nodes || !array_push(blocks, block)) {
            mem_free(block.nodes);
            return error_memory(err, "reading the cells of a frame");
        }
        if (!fill_block(c, first, &block)) return damaged(file, "connectivity", err);
    }
    return ABUT_OK;
}

static abut_status unpack_cells(const vtu_file *file, cell_arrays *c, abut_error *err)
{
    const stored_array *connectivity = find_array(file, IN_CELLS, "connectivity");
    const stored_array *offsets = find_array(file, IN_CELLS, "offsets");
    const stored_array *types = find_array(file, IN_CELLS, "types");
    if (!connectivity || !offsets || !types || strcmp(connectivity->type, "Int64") != 0 ||
        strcmp(offsets->type, "Int64") != 0 || strcmp(types->type, "UInt8") != 0)
        return damaged(file, "the arrays of the cells", err);
    c->cell_count = file->cell_count;
    c->point_count = (int64_t)file->point_count;
    TRY(unpack(file, connectivity, 8, SIZE_MAX, (void **)&c->connectivity, &c->node_count, err));
    TRY(unpack(file, offsets, 8, c->cell_count, (void **)&c->offsets, NULL, err));
    TRY(unpack(file, types, 1, c->cell_count, (void **)&c->types, NULL, err));
    return offsets_are_good(c) ? ABUT_OK : damaged(file, "offsets", err);
}

static abut_status read_cells(const vtu_file *file, stored_frame *out, abut_error *err)
{
    cell_arrays c = {0};
    block_array blocks = {0};
    abut_status status = unpack_cells(file, &c, err);
    if (status == ABUT_OK) status = group_cells(file, &c, &blocks, err);
    mem_free(c.connectivity);
    mem_free(c.offsets);
    mem_free(c.types);
    out->blocks = blocks.data;
    out->frame.blocks = blocks.data;
    out->frame.block_count = blocks.count;
    return status;
}

/* ---- the frame ---- */

static abut_status read_points(const vtu_file *file, stored_frame *out, abut_error *err)
{
    const stored_array *a = find_array(file, IN_POINTS, NULL);
    if (!a || strcmp(a->type, "Float64") != 0 || a->components != 3)
        return damaged(file, "the array of the points", err);
    void *points;
    TRY(unpack(file, a, sizeof(double), 3 * file->point_count, &points, NULL, err));
    out->points = points;
    out->frame.points = points;
    out->frame.point_count = file->point_count;
    return ABUT_OK;
}

/* Fields of other types than the writer's are left out; without `values` only the name is noted. */
static abut_status read_field(const vtu_file *file, const stored_array *a, bool values,
                              stored_frame *out, abut_error *err)
{
    bool doubles = strcmp(a->type, "Float64") == 0, ints = strcmp(a->type, "Int32") == 0;
    frame *f = &out->frame;
    if ((!doubles && !ints) || f->field_count == FRAME_MAX_FIELDS) return ABUT_OK;
    size_t slot = f->field_count,
           tuples = a->section == IN_POINT ? file->point_count : file->cell_count;
    if (values)
        TRY(unpack(file, a, doubles ? 8 : 4, tuples * (size_t)a->components, &out->arrays[slot],
                   NULL, err));
    memcpy(out->names[slot], a->name, sizeof a->name);
    frame_location place = a->section == IN_POINT ? FRAME_POINTS : FRAME_CELLS;
    if (doubles)
        frame_add_doubles(f, place, out->names[slot], a->components, out->arrays[slot]);
    else
        frame_add_ints(f, place, out->names[slot], a->components, out->arrays[slot]);
    return ABUT_OK;
}

/* Time and step are optional: a mesh has none. */
static abut_status read_moment(const vtu_file *file, double *time, int64_t *step, abut_error *err)
{
    const stored_array *t = find_array(file, IN_FIELD, "TimeValue");
    const stored_array *s = find_array(file, IN_FIELD, "step");
    void *value;
    *time = 0.0;
    *step = -1;
    if (t && strcmp(t->type, "Float64") == 0) {
        TRY(unpack(file, t, sizeof *time, 1, &value, NULL, err));
        memcpy(time, value, sizeof *time);
        mem_free(value);
    }
    if (s && strcmp(s->type, "Int64") == 0) {
        TRY(unpack(file, s, sizeof *step, 1, &value, NULL, err));
        memcpy(step, value, sizeof *step);
        mem_free(value);
    }
    return ABUT_OK;
}

/* The path since the frame before, where it was noted. */
static abut_status read_path_data(const vtu_file *file, stored_frame *out, abut_error *err)
{
    static const char *const names[] = {"path", "path_configurations", "path_kinds", "path_points"};
    static const char *const earlier[] = {"way", "way_places", "way_kinds", "path_points"};
    frame_paths *path = &out->frame.path;
    size_t *counts[] = {&path->number_count, &path->step_count, &path->body_count,
                        &path->near_count};
    for (int k = 0; k < 4; k++) {
        const stored_array *a = find_array(file, IN_FIELD, names[k]);
        if (!a) a = find_array(file, IN_FIELD, earlier[k]);
        if (!a && k == 0) return ABUT_OK;
        if (!a && k == 3) break;
        if (!a || strcmp(a->type, k == 0 ? "Float64" : "Int32") != 0)
            return damaged(file, names[k], err);
        TRY(unpack(file, a, k == 0 ? 8 : 4, SIZE_MAX, &out->path[k], counts[k], err));
    }
    path->numbers = out->path[0];
    path->configurations = out->path[1];
    path->kinds = out->path[2];
    path->near = out->path[3];
    return ABUT_OK;
}

static bool is_wanted(const char *name, const char *const *names, size_t count)
{
    if (!names || strcmp(name, FIELD_BODY) == 0) return true;
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static abut_status read_fields(const vtu_file *file, const char *const *names, size_t count,
                               stored_frame *out, abut_error *err)
{
    for (int i = 0; i < file->array_count; i++) {
        const stored_array *a = &file->arrays[i];
        if (a->section == IN_POINT || a->section == IN_CELL)
            TRY(read_field(file, a, is_wanted(a->name, names, count), out, err));
    }
    return ABUT_OK;
}

static abut_status read_frame(const vtu_file *file, stored_frame *out, abut_error *err)
{
    TRY(read_moment(file, &out->frame.time, &out->frame.step, err));
    TRY(read_points(file, out, err));
    TRY(read_cells(file, out, err));
    TRY(read_path_data(file, out, err));
    return read_fields(file, NULL, 0, out, err);
}

abut_status frame_read(const char *path, stored_frame *out, abut_error *err)
{
    vtu_file file;
    memset(out, 0, sizeof *out);
    abut_status status = open_vtu(path, &file, err);
    if (status == ABUT_OK) status = read_frame(&file, out, err);
    file_free(&file.bytes);
    if (status != ABUT_OK) stored_frame_free(out);
    return status;
}

abut_status frame_read_time(const char *path, double *time, int64_t *step, abut_error *err)
{
    vtu_file file;
    abut_status status = open_vtu(path, &file, err);
    if (status == ABUT_OK) status = read_moment(&file, time, step, err);
    file_free(&file.bytes);
    return status;
}

/* ---- frame after frame ---- */

enum { CELL_ARRAYS = 3 };

struct frame_reader {
    uint64_t point_count, cell_count;
    ARRAY(unsigned char) packed[CELL_ARRAYS]; /* the cells of the last frame, as they are stored */
    cell_block *blocks;
    size_t block_count;
};

static void forget_cells(frame_reader *r)
{
    for (size_t b = 0; b < r->block_count; b++) mem_free(r->blocks[b].nodes);
    mem_free(r->blocks);
    r->blocks = NULL;
    r->block_count = 0;
    for (int i = 0; i < CELL_ARRAYS; i++) array_clear(&r->packed[i]);
}

void frame_reader_free(frame_reader *r)
{
    if (!r) return;
    forget_cells(r);
    for (int i = 0; i < CELL_ARRAYS; i++) array_free(&r->packed[i]);
    mem_free(r);
}

/* The stored bytes of an array with the header of its blocks; false when they cannot be found. */
static bool stored_bytes(const vtu_file *file, int which, const unsigned char **at, size_t *size)
{
    static const char *const names[CELL_ARRAYS] = {"connectivity", "offsets", "types"};
    const stored_array *a = find_array(file, IN_CELLS, names[which]);
    block_list list;
    if (!a || !find_blocks(file, a->offset, &list)) return false;
    *at = file->data + a->offset;
    *size = (size_t)(list.packed - *at);
    for (uint64_t b = 0; b < list.count; b++) *size += load_u64(list.lengths + 8 * b);
    return true;
}

static bool cells_are_known(const frame_reader *r, const vtu_file *file)
{
    if (!r->blocks || r->point_count != file->point_count || r->cell_count != file->cell_count)
        return false;
    for (int i = 0; i < CELL_ARRAYS; i++) {
        const unsigned char *at;
        size_t size;
        if (!stored_bytes(file, i, &at, &size) || size != r->packed[i].count ||
            memcmp(at, r->packed[i].data, size) != 0)
            return false;
    }
    return true;
}

static abut_status learn_cells(frame_reader *r, const vtu_file *file, abut_error *err)
{
    stored_frame read = {0};
    forget_cells(r);
    abut_status status = read_cells(file, &read, err);
    if (status != ABUT_OK) {
        stored_frame_free(&read);
        return status;
    }
    r->blocks = read.blocks;
    r->block_count = read.frame.block_count;
    r->point_count = file->point_count;
    r->cell_count = file->cell_count;
    for (int i = 0; i < CELL_ARRAYS; i++) {
        const unsigned char *at;
        size_t size;
        if (!stored_bytes(file, i, &at, &size))
            return damaged(file, "the arrays of the cells", err);
        if (!array_resize(&r->packed[i], size)) return error_memory(err, "reading a frame");
        memcpy(r->packed[i].data, at, size);
    }
    return ABUT_OK;
}

static abut_status read_after(frame_reader *r, const vtu_file *file, const char *const *names,
                              size_t name_count, stored_frame *out, abut_error *err)
{
    if (!cells_are_known(r, file)) {
        abut_status status = learn_cells(r, file, err);
        if (status != ABUT_OK) {
            forget_cells(r);
            return status;
        }
    }
    out->frame.blocks = r->blocks;
    out->frame.block_count = r->block_count;
    TRY(read_moment(file, &out->frame.time, &out->frame.step, err));
    TRY(read_points(file, out, err));
    return read_fields(file, names, name_count, out, err);
}

abut_status frame_read_next(frame_reader **reader, const char *path, const char *const *names,
                            size_t name_count, stored_frame *out, abut_error *err)
{
    vtu_file file;
    memset(out, 0, sizeof *out);
    if (!*reader) *reader = mem_calloc(1, sizeof **reader);
    if (!*reader) return error_memory(err, "reading a frame");
    abut_status status = open_vtu(path, &file, err);
    if (status == ABUT_OK) status = read_after(*reader, &file, names, name_count, out, err);
    file_free(&file.bytes);
    if (status != ABUT_OK) stored_frame_free(out);
    return status;
}

void stored_frame_free(stored_frame *f)
{
    for (size_t b = 0; f->blocks && b < f->frame.block_count; b++) mem_free(f->blocks[b].nodes);
    mem_free(f->blocks);
    mem_free(f->points);
    for (int i = 0; i < 4; i++) mem_free(f->path[i]);
    for (int i = 0; i < FRAME_MAX_FIELDS; i++) mem_free(f->arrays[i]);
    memset(f, 0, sizeof *f);
}
