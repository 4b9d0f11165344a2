#include "base/number.h"
#include "mesh/write.h"

static void put_point(FILE *file, const char *word, vec3 x)
{
    char a[NUMBER_TEXT_SIZE], b[NUMBER_TEXT_SIZE], c[NUMBER_TEXT_SIZE];
    number_write_double(a, x.x);
    number_write_double(b, x.y);
    number_write_double(c, x.z);
    fprintf(file, "%s %s %s %s\n", word, a, b, c);
}

/* Faces name the texture coordinates too when there are any, since other programs want it so. */
static void put_cells(FILE *file, const char *word, const cell_block *block, bool texture)
{
    if (!block) return;
    for (size_t c = 0; c < block->count; c++) {
        const int32_t *nodes = block->nodes + c * (size_t)block->nodes_per_cell;
        fputs(word, file);
        for (int i = 0; i < block->nodes_per_cell; i++)
            if (texture)
                fprintf(file, " %d/%d", nodes[i] + 1, nodes[i] + 1);
            else
                fprintf(file, " %d", nodes[i] + 1);
        fputc('\n', file);
    }
}

abut_status write_obj(FILE *file, const mesh *m, abut_error *err)
{
    flat_cells cells;
    TRY(flat_cells_of(m, "OBJ", &cells, err));
    for (size_t v = 0; v < m->vertex_count; v++) put_point(file, "v", m->vertices[v]);
    if (m->rest)
        for (size_t v = 0; v < m->vertex_count; v++) put_point(file, "vt", m->rest[v]);
    put_cells(file, "f", cells.triangles, m->rest != NULL);
    put_cells(file, "f", cells.quads, m->rest != NULL);
    put_cells(file, "l", cells.edges, false);
    put_cells(file, "p", cells.points, false);
    for (size_t s = 0; s < m->stitch_count; s++) {
        const int32_t *v = m->stitch_vertices[s];
        char ratio[NUMBER_TEXT_SIZE];
        number_write_double(ratio, m->stitch_ratio[s]);
        fprintf(file, "stitch %d %d %d %s\n", v[0], v[1], v[2], ratio);
    }
    flat_cells_free(&cells);
    return ABUT_OK;
}
