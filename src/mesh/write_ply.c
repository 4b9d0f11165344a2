#include "mesh/scan.h"
#include "mesh/write.h"

#include <string.h>

/* Numbers are written little-endian whatever the machine does. */
static void put_int(FILE *file, int32_t value)
{
    uint32_t bits = (uint32_t)value;
    if (machine_is_big_endian()) bits = __builtin_bswap32(bits);
    fwrite(&bits, sizeof bits, 1, file);
}

static void put_double(FILE *file, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (machine_is_big_endian()) bits = __builtin_bswap64(bits);
    fwrite(&bits, sizeof bits, 1, file);
}

static void put_faces(FILE *file, const cell_block *block)
{
    if (!block) return;
    for (size_t c = 0; c < block->count; c++) {
        fputc(block->nodes_per_cell, file);
        for (int i = 0; i < block->nodes_per_cell; i++)
            put_int(file, block->nodes[c * (size_t)block->nodes_per_cell + (size_t)i]);
    }
}

abut_status write_ply(FILE *file, const mesh *m, abut_error *err)
{
    flat_cells cells;
    TRY(flat_cells_of(m, "PLY", &cells, err));
    size_t faces =
        (cells.triangles ? cells.triangles->count : 0) + (cells.quads ? cells.quads->count : 0);
    fprintf(file,
            "ply\nformat binary_little_endian 1.0\nelement vertex %zu\n"
            "property double x\nproperty double y\nproperty double z\n",
            m->vertex_count);
    if (faces > 0)
        fprintf(file, "element face %zu\nproperty list uchar int vertex_indices\n", faces);
    if (cells.edges)
        fprintf(file, "element edge %zu\nproperty int vertex1\nproperty int vertex2\n",
                cells.edges->count);
    fputs("end_header\n", file);
    for (size_t v = 0; v < m->vertex_count; v++) {
        put_double(file, m->vertices[v].x);
        put_double(file, m->vertices[v].y);
        put_double(file, m->vertices[v].z);
    }
    put_faces(file, cells.triangles);
    put_faces(file, cells.quads);
    for (size_t i = 0; cells.edges && i < 2 * cells.edges->count; i++)
        put_int(file, cells.edges->nodes[i]);
    flat_cells_free(&cells);
    return ABUT_OK;
}
