#include "fill/cage.h"

#include <math.h>
#include <string.h>

static abut_status append(const stuffing *from, stuffing *to, abut_error *err)
{
    size_t vertices = to->vertices.count, tets = to->tets.count;
    if (!array_resize(&to->vertices, vertices + from->vertices.count) ||
        !array_resize(&to->value, vertices + from->value.count) ||
        !array_resize(&to->tets, tets + from->tets.count))
        return error_memory(err, "filling a surface");
    if (to->vertices.count > INT32_MAX)
        return error_set(err, ABUT_ERROR_INPUT, "", "the cage has too many vertices");
    for (size_t i = 0; i < from->vertices.count; i++) {
        to->vertices.data[vertices + i] = from->vertices.data[i];
        to->value.data[vertices + i] = from->value.data[i];
    }
    for (size_t i = 0; i < from->tets.count; i++)
        for (int k = 0; k < 4; k++)
            to->tets.data[tets + i][k] = from->tets.data[i][k] + (int32_t)vertices;
    to->cut_edges += from->cut_edges;
    to->moved_nodes += from->moved_nodes;
    return ABUT_OK;
}

abut_status cage_add(const vec3 *vertices, const int32_t (*triangles)[3], size_t count, bool closed,
                     const cage_options *options, stuffing *out, abut_error *err)
{
    winding_tree tree;
    lattice l = {0};
    stuffing own = {0};
    TRY(winding_build(&tree, vertices, triangles, count, err));
    fill_region region = {&tree, options->threshold, options->offset, closed};
    vec3 low = tree.nodes.data[0].low, high = tree.nodes.data[0].high;
    abut_status status = lattice_init(&l, &region, low, high, options->size, err);
    if (status == ABUT_OK && options->graded) status = lattice_merge(&l, err);
    if (status == ABUT_OK) status = stuff_lattice(&l, &region, &own, err);
    if (status == ABUT_OK) status = append(&own, out, err);
    stuffing_free(&own);
    lattice_free(&l);
    winding_free(&tree);
    return status;
}

double positive_share(const double value[4])
{
    double in[4], out[4];
    int n = 0, m = 0;
    for (int k = 0; k < 4; k++) {
        if (value[k] > 0)
            in[n++] = value[k];
        else
            out[m++] = value[k];
    }
    if (n == 0 || n == 4) return n / 4;
    if (n == 2) { /* a wedge; the shares of its edges from a and b to c and d */
        double ac = in[0] / (in[0] - out[0]), ad = in[0] / (in[0] - out[1]);
        double bc = in[1] / (in[1] - out[0]), bd = in[1] / (in[1] - out[1]);
        return ac * ad + bc * bd * (1 - ac) + ac * bd * (1 - ad);
    }
    double alone = n == 1 ? in[0] : out[0], corner = 1;
    for (int k = 0; k < 3; k++) corner *= alone / (alone - (n == 1 ? out[k] : in[k]));
    return n == 1 ? corner : 1 - corner;
}

/* ---- crumbs ---- */

static int32_t find_root(int32_t *parent, int32_t v)
{
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

static void move_up(stuffing *s, int32_t *group, const int32_t *parent, const int32_t *size,
                    int32_t least)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->tets.count; i++) {
        int32_t root = parent[s->tets.data[i][0]];
        if (size[root] < least) continue;
        memmove(s->tets.data[kept], s->tets.data[i], sizeof s->tets.data[i]);
        group[kept++] = group[i];
    }
    s->tets.count = kept;
}

abut_status cage_drop_crumbs(stuffing *s, int32_t *group, size_t *dropped, size_t *pieces,
                             abut_error *err)
{
    enum { LEAST = 4 };
    size_t n = s->vertices.count, before = s->tets.count;
    int32_t *parent = mem_alloc(n, sizeof *parent), *size = mem_calloc(n, sizeof *size);
    if (!parent || !size) {
        mem_free(parent);
        mem_free(size);
        return error_memory(err, "filling a surface");
    }
    for (size_t v = 0; v < n; v++) parent[v] = (int32_t)v;
    for (size_t i = 0; i < before; i++)
        for (int k = 1; k < 4; k++) {
            int32_t a = find_root(parent, s->tets.data[i][0]);
            int32_t b = find_root(parent, s->tets.data[i][k]);
            if (a != b) parent[a > b ? a : b] = a > b ? b : a;
        }
    int32_t largest = 0;
    for (size_t v = 0; v < n; v++) parent[v] = find_root(parent, (int32_t)v);
    for (size_t i = 0; i < before; i++) {
        int32_t count = ++size[parent[s->tets.data[i][0]]];
        largest = count > largest ? count : largest;
    }
    int32_t least = largest >= LEAST ? LEAST : 1;
    *pieces = 0;
    for (size_t v = 0; v < n; v++) *pieces += size[v] >= least;
    move_up(s, group, parent, size, least);
    *dropped = before - s->tets.count;
    mem_free(parent);
    mem_free(size);
    return ABUT_OK;
}
