#include "mesh/vtu_stream.h"

#include "base/file.h"
#include "base/parallel.h"
#include "mesh/vtk_cells.h"
#include "mesh/zlib_memory.h"

#include <inttypes.h>
#include <string.h>

enum { BLOCK_SIZE = 1 << 18 };

static const struct {
    const char *name;
    size_t size;
} value_types[] = {{"Float64", 8}, {"Int32", 4}, {"Int64", 8}, {"UInt8", 1}};

static const char *const section_names[VTU_SECTION_COUNT] = {"FieldData", "PointData", "CellData",
                                                             "Points", "Cells"};

/* ---- compression ---- */

/* One array being compressed: block b goes to packed + b * bound, its length to lengths[b]. */
typedef struct compression {
    const unsigned char *data;
    size_t size, bound;
    unsigned char *packed;
    size_t *lengths; /* 0: failed */
} compression;

/* The window that holds the data, as the default for 32 kB and more: tables for more than there is
 * take longer to clear than short arrays to pack. */
static int window_bits(size_t size)
{
    int bits = 9;
    while (bits < MAX_WBITS && (size_t)1 << bits < size) bits++;
    return bits;
}

/* Bytes that suffice for a packed block, whatever its window. */
static size_t packed_bound(size_t size)
{
    size_t bound = compressBound(size), short_bound = size + size / 4 + 64;
    return window_bits(size) < MAX_WBITS && short_bound > bound ? short_bound : bound;
}

static size_t compress_block(const unsigned char *from, size_t size, unsigned char *to, size_t room)
{
    z_stream z = {.zalloc = zlib_alloc, .zfree = zlib_free};
    if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, window_bits(size), window_bits(size) - 7,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    z.next_in = (Bytef *)from;
    z.avail_in = (uInt)size;
    z.next_out = to;
    z.avail_out = (uInt)room;
    size_t length = deflate(&z, Z_FINISH) == Z_STREAM_END ? z.total_out : 0;
    deflateEnd(&z);
    return length;
}

static void compress_range(void *context, size_t begin, size_t end)
{
    const compression *c = context;
    for (size_t b = begin; b < end; b++) {
        size_t start = b * BLOCK_SIZE, left = c->size - start;
        c->lengths[b] = compress_block(c->data + start, left < BLOCK_SIZE ? left : BLOCK_SIZE,
                                       c->packed + b * c->bound, c->bound);
    }
}

/* Joins the header (number of blocks, block size, size of a partial last block, packed sizes) and
 * the packed blocks. */
static unsigned char *join_blocks(const compression *c, size_t blocks, size_t *size)
{
    size_t header = (3 + blocks) * sizeof(uint64_t), total = header;
    for (size_t b = 0; b < blocks; b++) {
        if (c->lengths[b] == 0) return NULL;
        total += c->lengths[b];
    }
    unsigned char *bytes = mem_alloc(total, 1);
    if (!bytes) return NULL;
    uint64_t first[3] = {blocks, BLOCK_SIZE, c->size % BLOCK_SIZE};
    memcpy(bytes, first, sizeof first);
    size_t at = header;
    for (size_t b = 0; b < blocks; b++) {
        uint64_t length = c->lengths[b];
        memcpy(bytes + (3 + b) * sizeof length, &length, sizeof length);
        memcpy(bytes + at, c->packed + b * c->bound, c->lengths[b]);
        at += c->lengths[b];
    }
    *size = total;
    return bytes;
}

/* NULL when out of memory. */
static unsigned char *compress_bytes(const void *data, size_t size, size_t *packed_size)
{
    size_t blocks = (size + BLOCK_SIZE - 1) / BLOCK_SIZE;
    compression c = {.data = data, .size = size};
    c.bound = packed_bound(size < BLOCK_SIZE ? size : BLOCK_SIZE);
    c.packed = mem_alloc(blocks, c.bound);
    c.lengths = mem_calloc(blocks, sizeof *c.lengths);
    unsigned char *bytes = NULL;
    if (c.packed && c.lengths) {
        parallel_for(blocks, 1, compress_range, &c);
        bytes = join_blocks(&c, blocks, packed_size);
    }
    mem_free(c.packed);
    mem_free(c.lengths);
    return bytes;
}

/* ---- collecting arrays ---- */

abut_status vtu_add(vtu_stream *vtu, vtu_section section, const char *name, vtu_type type,
                    int components, size_t tuples, const void *data, abut_error *err)
{
    vtu_array array = {
        .section = section, .type = type, .components = components, .tuples = tuples};
    if (strlen(name) >= sizeof array.name || components < 1)
        return error_set(err, ABUT_ERROR_INPUT, name,
                         "an array of a VTU file needs a name of at most %d characters and at "
                         "least one component",
                         VTU_NAME_SIZE - 1);
    memcpy(array.name, name, strlen(name) + 1);
    size_t size = tuples * (size_t)components * value_types[type].size;
    array.bytes = compress_bytes(data, size, &array.size);
    if (!array.bytes) return error_memory(err, "compressing an array of a VTU file");
    if (!array_push(&vtu->arrays, array)) {
        mem_free(array.bytes);
        return error_memory(err, "collecting the arrays of a VTU file");
    }
    if (section == VTU_POINTS) vtu->point_count = tuples;
    return ABUT_OK;
}

abut_status vtu_add_packed(vtu_stream *vtu, const vtu_array *array, abut_error *err)
{
    vtu_array copy = *array;
    copy.borrowed = true;
    if (!array_push(&vtu->arrays, copy))
        return error_memory(err, "collecting the arrays of a VTU file");
    if (array->section == VTU_POINTS) vtu->point_count = array->tuples;
    if (array->section == VTU_CELLS && strcmp(array->name, "types") == 0)
        vtu->cell_count = array->tuples;
    return ABUT_OK;
}

typedef struct cell_arrays {
    int64_t *connectivity, *offsets;
    uint8_t *types;
    size_t node_count, cell_count;
} cell_arrays;

static void fill_cells(const cell_block *blocks, size_t block_count, cell_arrays *c)
{
    size_t at = 0, cell = 0;
    for (size_t b = 0; b < block_count; b++) {
        const cell_block *block = &blocks[b];
        int permutation[VTK_MAX_NODES];
        vtk_node_order(block->kind, block->order, permutation);
        int type = vtk_cell_type(block->kind, block->order);
        for (size_t i = 0; i < block->count; i++) {
            const int32_t *nodes = block->nodes + i * (size_t)block->nodes_per_cell;
            for (int k = 0; k < block->nodes_per_cell; k++)
                c->connectivity[at++] = nodes[permutation[k]];
            c->offsets[cell] = (int64_t)at;
            c->types[cell++] = (uint8_t)type;
        }
    }
}

static abut_status add_cell_arrays(vtu_stream *vtu, const cell_block *blocks, size_t block_count,
                                   cell_arrays *c, abut_error *err)
{
    c->connectivity = mem_alloc(c->node_count, sizeof *c->connectivity);
    c->offsets = mem_alloc(c->cell_count, sizeof *c->offsets);
    c->types = mem_alloc(c->cell_count, sizeof *c->types);
    if (!c->connectivity || !c->offsets || !c->types)
        return error_memory(err, "listing the cells of a VTU file");
    fill_cells(blocks, block_count, c);
    TRY(vtu_add(vtu, VTU_CELLS, "connectivity", VTU_INT64, 1, c->node_count, c->connectivity, err));
    TRY(vtu_add(vtu, VTU_CELLS, "offsets", VTU_INT64, 1, c->cell_count, c->offsets, err));
    TRY(vtu_add(vtu, VTU_CELLS, "types", VTU_UINT8, 1, c->cell_count, c->types, err));
    vtu->cell_count = c->cell_count;
    return ABUT_OK;
}

abut_status vtu_add_cells(vtu_stream *vtu, const cell_block *blocks, size_t block_count,
                          abut_error *err)
{
    cell_arrays c = {0};
    for (size_t b = 0; b < block_count; b++) {
        if (vtk_cell_type(blocks[b].kind, blocks[b].order) == 0)
            return error_set(err, ABUT_ERROR_UNSUPPORTED, cell_kind_name(blocks[b].kind),
                             "VTU files have no cell of order %d of this kind", blocks[b].order);
        c.node_count += blocks[b].count * (size_t)blocks[b].nodes_per_cell;
        c.cell_count += blocks[b].count;
    }
    abut_status status = add_cell_arrays(vtu, blocks, block_count, &c, err);
    mem_free(c.connectivity);
    mem_free(c.offsets);
    mem_free(c.types);
    return status;
}

void vtu_free(vtu_stream *vtu)
{
    for (size_t i = 0; i < vtu->arrays.count; i++)
        if (!vtu->arrays.data[i].borrowed) mem_free(vtu->arrays.data[i].bytes);
    array_free(&vtu->arrays);
    memset(vtu, 0, sizeof *vtu);
}

/* ---- the file ---- */

static void put_escaped(FILE *f, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&': fputs("&amp;", f); break;
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '"': fputs("&quot;", f); break;
        default: fputc(*text, f);
        }
    }
}

static void put_section(FILE *f, const vtu_stream *vtu, vtu_section section)
{
    const char *indent = section == VTU_FIELD_DATA ? "    " : "      ";
    fprintf(f, "%s<%s>\n", indent, section_names[section]);
    uint64_t offset = 0;
    for (size_t i = 0; i < vtu->arrays.count; i++) {
        const vtu_array *a = &vtu->arrays.data[i];
        if (a->section == section) {
            fprintf(f, "%s  <DataArray type=\"%s\" Name=\"", indent, value_types[a->type].name);
            put_escaped(f, a->name);
            fprintf(f, "\" NumberOfComponents=\"%d\"", a->components);
            if (section == VTU_FIELD_DATA) fprintf(f, " NumberOfTuples=\"%zu\"", a->tuples);
            fprintf(f, " format=\"appended\" offset=\"%" PRIu64 "\"/>\n", offset);
        }
        offset += a->size;
    }
    fprintf(f, "%s</%s>\n", indent, section_names[section]);
}

static void put_file(FILE *f, const vtu_stream *vtu)
{
    const uint16_t probe = 1;
    fprintf(f,
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
            "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n"
            "  <UnstructuredGrid>\n",
            *(const unsigned char *)&probe ? "LittleEndian" : "BigEndian");
    put_section(f, vtu, VTU_FIELD_DATA);
    fprintf(f, "    <Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n", vtu->point_count,
            vtu->cell_count);
    for (int section = VTU_POINT_DATA; section < VTU_SECTION_COUNT; section++)
        put_section(f, vtu, (vtu_section)section);
    fputs("    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_", f);
    for (size_t i = 0; i < vtu->arrays.count; i++)
        fwrite(vtu->arrays.data[i].bytes, 1, vtu->arrays.data[i].size, f);
    fputs("\n  </AppendedData>\n</VTKFile>\n", f);
}

abut_status vtu_write(const vtu_stream *vtu, const char *path, abut_error *err)
{
    atomic_file file;
    TRY(atomic_open(&file, path, err));
    put_file(file.stream, vtu);
    return atomic_commit(&file, err);
}
