#include "support/fill_campaign.h"

#include "base/memory.h"
#include "body/proxy.h"
#include "fill/fill.h"
#include "support/fill_check.h"
#include "support/surface_maker.h"

#include <stdio.h>
#include <string.h>

static void fail(uint64_t seed, const char *text, const char *what, double value, fill_tally *tally)
{
    tally->failures++;
    printf("surface %llu (%s): %s (%g)\n", (unsigned long long)seed, text, what, value);
}

/* Every vertex of the surface is where its weights put it. */
static const char *check_rows(const fill_result *r, double *value, fill_tally *tally)
{
    proxy p;
    abut_error err;
    *value = 0;
    if (proxy_of_parts(&r->solid, &r->solid, 3, &r->surface, r->tet_group, r->vertex_group, &p,
                       &err) != ABUT_OK)
        return "the surface does not fit into the cage";
    double size = vec3_norm(vec3_sub(r->taken.high, r->taken.low)), farthest = 0, sums = 0;
    double far = size + vec3_norm(r->taken.low);
    for (size_t v = 0; v < p.vertices.count; v++) {
        vec3 x = {0, 0, 0};
        double sum = 0;
        for (size_t k = p.row_start.data[v]; k < p.row_start.data[v + 1]; k++) {
            x = vec3_mul_add(x, p.weight.data[k], r->solid.vertices[p.node.data[k]]);
            sum += p.weight.data[k];
        }
        sums = fmax(sums, fabs(sum - 1));
        farthest = fmax(farthest, vec3_norm(vec3_sub(x, r->surface.vertices[v])));
    }
    double largest = p.largest_weight;
    tally->outside += p.outside;
    tally->largest_weight = fmax(tally->largest_weight, largest);
    proxy_free(&p);
    *value = farthest / size;
    if (farthest > 1e-12 * far) return "a vertex is not where its weights put it";
    *value = sums;
    if (sums > 1e-12) return "weights do not sum to 1";
    *value = largest;
    return largest > 2 ? "weights are large" : NULL;
}

static void check_result(uint64_t seed, const char *text, const fill_result *r, fill_tally *tally)
{
    cage_check c;
    double value;
    check_cage(&r->solid, !r->cage.embedded && r->solid.vertex_count < 20000, &c);
    tally->smallest = fmin(tally->smallest, c.smallest);
    tally->largest = fmax(tally->largest, c.largest);
    if (c.inverted) fail(seed, text, "inverted tets", (double)c.inverted, tally);
    if (c.torn) fail(seed, text, "torn faces", (double)c.torn, tally);
    if (!(c.smallest >= 9.3)) fail(seed, text, "a sliver", c.smallest, tally);
    if (!(c.largest <= 164.8)) fail(seed, text, "a flat tet", c.largest, tally);
    if (c.crossings) fail(seed, text, "the cage crosses itself", (double)c.crossings, tally);
    const char *wrong = r->cage.embedded ? check_rows(r, &value, tally) : NULL;
    if (wrong) fail(seed, text, wrong, value, tally);
}

void fill_campaign(uint64_t seed, size_t triangles, int cells, fill_tally *tally)
{
    mesh m;
    char text[MADE_TEXT];
    make_surface(seed, triangles, &m, text);
    fill_options o = fill_defaults();
    fill_result r;
    abut_error err = {ABUT_OK, "", ""};
    o.cells = cells;
    abut_status status = fill_surface(&m, &o, &r, &err);
    if (status == ABUT_OK) {
        tally->embedded += r.cage.embedded;
        tally->caged += !r.cage.embedded;
        check_result(seed, text, &r, tally);
        fill_free(&r);
    } else {
        tally->refused++;
        if (status != ABUT_ERROR_INPUT || !err.message[0])
            fail(seed, text, err.message, (double)status, tally);
        else if (!strstr(err.message, "sheet") && !strstr(err.message, "cubes") &&
                 !strstr(err.message, "left"))
            fail(seed, text, err.message, 0, tally);
    }
    mesh_free(&m);
}
