/* Medit (.mesh, text): vertices, edges, triangles, quadrilaterals, tetrahedra, hexahedra with their
 * references as tags. Other sections are skipped. */
#include "mesh/read.h"

typedef struct medit_reader {
    scan *s;
    mesh_builder *b;
    int dimension;
    bool have_vertices;
    int64_t largest;
    const char *largest_at;
} medit_reader;

static const struct {
    const char *word;
    cell_kind kind;
} sections[] = {{"Edges", CELL_EDGE},          {"Triangles", CELL_TRIANGLE},
                {"Quadrilaterals", CELL_QUAD}, {"Tetrahedra", CELL_TET},
                {"Hexahedra", CELL_HEX},       {"Hexaedra", CELL_HEX}};

static abut_status read_vertices(medit_reader *r)
{
    scan *s = r->s;
    size_t count;
    if (r->dimension == 0) return scan_fail(s, s->p, "Vertices comes before Dimension");
    if (r->have_vertices) return scan_fail(s, s->p, "a second section Vertices; one is allowed");
    r->have_vertices = true;
    TRY(scan_count(s, "number of vertices", 2 * (size_t)r->dimension + 2, &count));
    if (!array_reserve(&r->b->vertices, count)) return scan_memory(s);
    for (size_t i = 0; i < count; i++) {
        double x[3] = {0, 0, 0}, reference;
        for (int k = 0; k < r->dimension; k++) TRY(scan_real(s, "a coordinate", &x[k]));
        TRY(scan_real(s, "the reference of a vertex", &reference));
        r->b->vertices.data[r->b->vertices.count++] = vec3_load(x);
        scan_release(s);
    }
    return ABUT_OK;
}

static abut_status read_cells(medit_reader *r, cell_kind kind)
{
    scan *s = r->s;
    builder_block *block = builder_find(r->b, kind, 1);
    size_t nodes = (size_t)block->nodes_per_cell, count;
    TRY(scan_count(s, "number of cells", 2 * (nodes + 1), &count));
    if (!builder_reserve(block, count)) return scan_memory(s);
    for (size_t i = 0; i < count; i++) {
        int64_t values[9];
        for (size_t k = 0; k < nodes; k++) {
            TRY(scan_integer(s, "vertex of a cell", 1, INT32_MAX, &values[k]));
            if (values[k] > r->largest) r->largest = values[k], r->largest_at = s->p - 1;
        }
        TRY(scan_integer(s, "reference of a cell", INT32_MIN, INT32_MAX, &values[nodes]));
        int32_t *to = builder_cell(block, (int32_t)values[nodes]);
        if (!to) return scan_memory(s);
        for (size_t k = 0; k < nodes; k++) to[k] = (int32_t)(values[k] - 1);
        scan_release(s);
    }
    return ABUT_OK;
}

/* To the next word that begins with a letter (numbers never do). */
static void skip_section(scan *s)
{
    while (!scan_ends(s)) {
        char c = *s->p;
        if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) return;
        scan_word(s);
    }
}

static abut_status read_section(medit_reader *r, scan_token word)
{
    scan *s = r->s;
    if (token_is(word, "Dimension")) {
        int64_t dimension;
        TRY(scan_integer(s, "dimension", 2, 3, &dimension));
        r->dimension = (int)dimension;
        return ABUT_OK;
    }
    if (token_is(word, "Vertices")) return read_vertices(r);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (token_is(word, sections[i].word)) return read_cells(r, sections[i].kind);
    static const char *const refused[] = {"Prisms",          "Pyramids",     "EdgesP2",
                                          "TrianglesP2",     "TetrahedraP2", "HexahedraQ2",
                                          "QuadrilateralsQ2"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (token_is(word, refused[i]))
            return scan_unsupported(s, word.text, "cells of the section %s cannot be used",
                                    refused[i]);
    char c = word.text[0];
    if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')))
        return scan_fail(s, word.text, "expected a section such as Triangles, found %s",
                         scan_found(s, word.text).text);
    skip_section(s);
    return ABUT_OK;
}

abut_status read_medit(scan *s, mesh_builder *b)
{
    medit_reader r = {.s = s, .b = b};
    int64_t version;
    s->comment = '#';
    TRY(scan_expect(s, "MeshVersionFormatted"));
    TRY(scan_integer(s, "version", 0, 4, &version));
    while (!scan_ends(s)) {
        scan_token word = scan_word(s);
        if (token_is(word, "End")) break; /* some programs leave it out */
        TRY(read_section(&r, word));
    }
    if (b->vertices.count == 0) return scan_fail(s, s->p, "the file has no vertices");
    if (r.largest > (int64_t)b->vertices.count)
        return scan_fail(s, r.largest_at, "vertex %lld is used, but the file has only %zu",
                         (long long)r.largest, b->vertices.count);
    return ABUT_OK;
}
