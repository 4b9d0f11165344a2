/* libFuzzer entry: any bytes as a mesh file. The first byte chooses the format (0 to 8, or by
 * content) and whether to weld; what is accepted must be sound, what is refused must say why.
 *     fuzz_mesh -rss_limit_mb=512 WORKING_FOLDER
 * Built with ABUT_FUZZ_STANDALONE it is a program of its own, for any compiler, that mutates seeds
 * at random: fuzz_mesh_standalone SECONDS [FIRST_SEED] [FILE]... */
#include "base/memory.h"
#include "mesh/read.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_accepted(const mesh *m)
{
    if (m->vertex_count == 0 || !m->vertices || m->block_count > MESH_MAX_BLOCKS) abort();
    for (size_t v = 0; v < m->vertex_count; v++)
        if (!vec3_is_finite(m->vertices[v]) || (m->rest && !vec3_is_finite(m->rest[v]))) abort();
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        if (block->nodes_per_cell != cell_node_count(block->kind, block->order)) abort();
        for (size_t i = 0; i < block->count * (size_t)block->nodes_per_cell; i++)
            if (block->nodes[i] < 0 || (size_t)block->nodes[i] >= m->vertex_count) abort();
    }
    for (size_t s = 0; s < m->stitch_count; s++)
        for (int k = 0; k < 3; k++)
            if (m->stitch_vertices[s][k] < 0 || (size_t)m->stitch_vertices[s][k] >= m->vertex_count)
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    const char *bytes = (const char *)data + 1;
    mesh_read_options options = {.weld = data[0] & 0x80,
                                 .weld_tolerance = data[0] & 0x40 ? 1e-3 : 0};
    mesh_format format = (mesh_format)((data[0] & 0x3f) % MESH_FORMAT_COUNT);
    if (format == MESH_FORMAT_UNKNOWN) format = mesh_recognize("file", bytes, size - 1);
    mesh m;
    abut_error err = {ABUT_OK, "", ""};
    abut_status status = mesh_read_memory(format, "file", bytes, size - 1, &options, &m, &err);
    if (status == ABUT_OK)
        check_accepted(&m);
    else if (m.vertices || m.block_count || err.code != status || !err.message[0] || !err.place[0])
        abort();
    mesh_free(&m);
    return 0;
}

#ifdef ABUT_FUZZ_STANDALONE

#include "base/random.h"
#include "base/timer.h"

#include <unistd.h>

enum { MAX_SEEDS = 256, MAX_SIZE = 1 << 16 };

static struct {
    char *data;
    size_t size;
} seeds[MAX_SEEDS];
static int seed_count;

static void add_seed(mesh_format format, const char *data, size_t size)
{
    if (seed_count == MAX_SEEDS || size + 1 > MAX_SIZE) return;
    seeds[seed_count].data = malloc(size + 1);
    seeds[seed_count].data[0] = (char)format;
    memcpy(seeds[seed_count].data + 1, data, size);
    seeds[seed_count++].size = size + 1;
}

static void add_file(const char *path)
{
    file_bytes bytes;
    if (file_read(path, &bytes, NULL) != ABUT_OK) return;
    add_seed(mesh_recognize(path, bytes.data, bytes.size), bytes.data, bytes.size);
    file_free(&bytes);
}

/* Small files of each format: texts, and what the writers make of the first of them. */
static void add_own_seeds(void)
{
    static const struct {
        mesh_format format;
        const char *text;
    } texts[] = {
        {MESH_FORMAT_OBJ, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
                          "f 1/1 2/2 -2/3 4/4\nl 1 3\np 2\nstitch 0 1 2 0.5\n"},
        {MESH_FORMAT_SEG, "v -0.5 0 0\nv 0 0 0.25\nv 1e-3 0 0\ns 1 2\ns 3 2\n"},
        {MESH_FORMAT_MSH, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n3 1 0 0\n"
                          "9 0 1 0\n20 0 0 1\n$EndNodes\n$Elements\n1\n1 4 2 7 1 1 3 9 20\n"
                          "$EndElements\n"},
        {MESH_FORMAT_MSH,
         "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n"
         "1 0 0 0 1 1 1 1 7 0\n$EndEntities\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n"
         "0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n"
         "1 1 2 3 4\n$EndElements\n"},
        {MESH_FORMAT_PLY, "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
                          "property float y\nproperty double z\nelement face 1\n"
                          "property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n"
                          "0 1 0\n3 0 1 2\n"},
        {MESH_FORMAT_STL, "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                          "vertex 0 1 0\nendloop\nendfacet\nendsolid a\n"},
        {MESH_FORMAT_OFF, "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3 255 0 0\n"},
        {MESH_FORMAT_MEDIT, "MeshVersionFormatted 1\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n"
                            "0 1 0 0\n0 0 1 0\nTetrahedra 1\n1 2 3 4 5\nCorners 1\n1\nEnd\n"},
        {MESH_FORMAT_VTK, "# vtk DataFile Version 2.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                          "POINTS 4 double\n0 0 0\n1 0 0\n0 1 0\n0 0 1\nCELLS 2 9\n4 0 1 2 3\n"
                          "3 0 1 2\nCELL_TYPES 2\n10\n5\n"},
        {MESH_FORMAT_VTK, "# vtk DataFile Version 5.1\nt\nASCII\nDATASET POLYDATA\n"
                          "POINTS 3 double\n0 0 0\n1 0 0\n0 1 0\nPOLYGONS 2 3\n"
                          "OFFSETS vtktypeint64\n0 3\nCONNECTIVITY vtktypeint64\n0 1 2\n"},
        {MESH_FORMAT_VTU, "<VTKFile type='UnstructuredGrid' version='0.1'><UnstructuredGrid>"
                          "<Piece NumberOfPoints='3' NumberOfCells='1'><Points><DataArray "
                          "type='Float64' NumberOfComponents='3' format='ascii'>0 0 0 1 0 0 0 1 0"
                          "</DataArray></Points><Cells><DataArray type='Int32' Name='connectivity' "
                          "format='ascii'>0 1 2</DataArray><DataArray type='Int32' Name='offsets' "
                          "format='ascii'>3</DataArray><DataArray type='Int32' Name='types' "
                          "format='ascii'>5</DataArray></Cells></Piece></UnstructuredGrid>"
                          "</VTKFile>"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_seed(texts[i].format, texts[i].text, strlen(texts[i].text));
    char folder[] = "/tmp/abut-fuzz-XXXXXX", path[64];
    if (!mkdtemp(folder)) return;
    for (size_t i = 0; i < 4; i++) {
        static const char *const names[] = {"a.vtu", "a.ply", "a.msh", "a.msh2"};
        mesh m;
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (mesh_read_memory(texts[0].format, "seed", texts[0].text, strlen(texts[0].text), NULL,
                             &m, NULL) != ABUT_OK)
            continue;
        if (mesh_write(path, &m, NULL) == ABUT_OK) add_file(path);
        mesh_free(&m);
        unlink(path);
    }
    rmdir(folder);
}

/* A few changes at random places: bytes, numbers, copies, cuts. */
static size_t mutate(char *data, size_t size, random_state *r)
{
    static const char *const words[] = {
        "-1",    "0",  "2147483648", "99999999999999999999", "nan",
        "1e999", "\n", " ",          "\377\377\377\377",     "\177\377\377\377"};
    for (uint64_t changes = 1 + random_below(r, 4); changes > 0 && size > 1; changes--) {
        size_t at = 1 + random_below(r, size - 1), left = size - at;
        switch (random_below(r, 6)) {
        case 0: data[at] = (char)random_below(r, 256); break;
        case 1: data[at] = (char)(data[at] ^ (1 << random_below(r, 8))); break;
        case 2: data[0] = (char)random_below(r, 256); break;
        case 3: {
            const char *word = words[random_below(r, sizeof words / sizeof *words)];
            size_t length = strlen(word) < left ? strlen(word) : left;
            memcpy(data + at, word, length);
            break;
        }
        case 4: {
            size_t from = 1 + random_below(r, size - 1), length = random_below(r, 64);
            if (length > left) length = left;
            if (length > size - from) length = size - from;
            memmove(data + at, data + from, length);
            break;
        }
        default: size = random_below(r, 8) ? size : at;
        }
    }
    return size;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 2.0;
    random_state r = {argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
    for (int i = 3; i < argc; i++) add_file(argv[i]);
    add_own_seeds();
    size_t runs = 0;
    char *data = malloc(MAX_SIZE);
    for (double start = timer_now(); timer_now() - start < seconds; runs++) {
        int seed = (int)random_below(&r, (uint64_t)seed_count);
        memcpy(data, seeds[seed].data, seeds[seed].size);
        size_t size = mutate(data, seeds[seed].size, &r);
        /* A block of the exact size, so that the sanitizer sees every step beyond it. */
        uint8_t *exact = malloc(size);
        memcpy(exact, data, size);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    printf("%zu runs over %d seeds, nothing wrong\n", runs, seed_count);
    for (int i = 0; i < seed_count; i++) free(seeds[i].data);
    free(data);
    return 0;
}

#endif
