/* Packets for the viewer: only what can be seen, single precision around an origin, fields. */
#include "test.h"

#include "output/view_packet.h"

#include <jansson.h>

/* Five tets: one in the middle of four that cover its faces, so that its inside cannot be seen;
 * node 8 belongs to no cell. A loose edge and a loose point use nodes of their own. */
static const vec3 corners[] = {{1000, 0, 0}, {1001, 1, 0}, {1001, 0, 1}, {1000, 1, 1},
                               {1001, 1, 1}, {1001, 0, 0}, {1000, 1, 0}, {1000, 0, 1},
                               {5, 5, 5},    {1003, 0, 0}, {1004, 0, 0}, {1003, 2, 0}};
static int32_t tets[] = {0, 1, 2, 3, 1, 2, 3, 4, 0, 2, 1, 5, 0, 1, 3, 6, 0, 3, 2, 7};
static int32_t line[] = {9, 10}, dot[] = {11};
static int32_t bodies[] = {0, 0, 0, 0, 0, 0, 0, 0, 7, 1, 1, 2};
static double stress[] = {1, 2, 3, 4, 5, 6, 7};
static double speed[36];

static frame make_frame(cell_block blocks[3])
{
    blocks[0] = (cell_block){CELL_TET, 1, 4, 5, tets, NULL};
    blocks[1] = (cell_block){CELL_EDGE, 1, 2, 1, line, NULL};
    blocks[2] = (cell_block){CELL_POINT, 1, 1, 1, dot, NULL};
    frame f = {.time = 0.5,
               .step = 3,
               .point_count = 12,
               .points = corners,
               .block_count = 3,
               .blocks = blocks};
    for (int i = 0; i < 36; i++) speed[i] = i;
    frame_add_ints(&f, FRAME_POINTS, FIELD_BODY, 1, bodies);
    frame_add_doubles(&f, FRAME_POINTS, FIELD_VELOCITY, 3, speed);
    frame_add_doubles(&f, FRAME_CELLS, FIELD_STRESS, 1, stress);
    return f;
}

/* An array of a packet, NULL when it is not there. */
static const void *find(const packet *p, const char *name, size_t *count)
{
    uint32_t length;
    memcpy(&length, p->bytes + 4, 4);
    json_t *header = json_loadb((char *)p->bytes + 8, length, 0, NULL), *item;
    const void *found = NULL;
    size_t i;
    json_array_foreach(json_object_get(header, "arrays"), i, item)
    {
        if (strcmp(json_string_value(json_object_get(item, "name")), name) != 0) continue;
        *count = (size_t)json_integer_value(json_object_get(item, "count"));
        found = p->bytes + 8 + length + json_integer_value(json_object_get(item, "offset"));
    }
    json_decref(header);
    return found;
}

TEST(surface_and_fields)
{
    abut_error err;
    cell_block blocks[3];
    frame f = make_frame(blocks);
    view_surface s = {0};
    packet topology, moment;
    const char *wanted[] = {"velocity", "stress", "no such field"};
    CHECK_OK(view_surface_update(&s, &f, &err), err);
    CHECK_OK(view_topology_packet(&s, &topology, &err), err);
    CHECK_OK(view_frame_packet(&s, &f, (vec3){1000, 0, 0},
                               &(view_request){.fields = wanted, .field_count = 3}, &moment, &err),
             err);
    size_t count = 0;
    CHECK(memcmp(topology.bytes, "ABUT", 4) == 0);
    const int32_t *triangles = find(&topology, "triangles", &count);
    CHECK(triangles && count == 12);
    const int32_t *ends = find(&topology, "lines", &count);
    CHECK(ends && count == 1 && ends[0] == 8 && ends[1] == 9);
    const int32_t *points = find(&topology, "dots", &count);
    CHECK(points && count == 1 && points[0] == 10);
    const int32_t *body = find(&topology, "body", &count);
    CHECK(body && count == 11 && body[7] == 0 && body[8] == 1 && body[10] == 2);
    const float *positions = find(&moment, "points", &count);
    CHECK(positions && count == 11 && positions[0] == 0.0f && positions[3 * 4] == 1.0f);
    CHECK(positions[3 * 9] == 4.0f); /* node 8 is not sent */
    const float *velocity = find(&moment, "velocity", &count);
    CHECK(velocity && count == 11 && velocity[3 * 8 + 1] == 28.0f);
    const float *stresses = find(&moment, "stress", &count);
    CHECK(stresses && count == 11);
    CHECK_NEAR(stresses[4], 2.0, 0);                      /* one tet around node 4 */
    CHECK_NEAR(stresses[0], (1 + 3 + 4 + 5) / 4.0, 1e-6); /* four around node 0 */
    CHECK_NEAR(stresses[9], 6.0, 0);                      /* the edge */
    CHECK(!find(&moment, "no such field", &count));
    mem_free(topology.bytes);
    mem_free(moment.bytes);
    view_surface_free(&s);
}

/* The identity follows cells and bodies, not positions. */
TEST(identity)
{
    abut_error err;
    cell_block blocks[3];
    frame f = make_frame(blocks);
    view_surface s = {0};
    char first[VIEW_ID_SIZE];
    CHECK_OK(view_surface_update(&s, &f, &err), err);
    strcpy(first, s.id);
    CHECK(strlen(first) == 16);
    vec3 moved[12];
    memcpy(moved, corners, sizeof moved);
    moved[3].y += 1;
    f.points = moved;
    CHECK_OK(view_surface_update(&s, &f, &err), err);
    CHECK(strcmp(first, s.id) == 0);
    blocks[0].count = 4;
    CHECK_OK(view_surface_update(&s, &f, &err), err);
    CHECK(strcmp(first, s.id) != 0);
    blocks[0].count = 5;
    bodies[4] = 3;
    CHECK_OK(view_surface_update(&s, &f, &err), err);
    CHECK(strcmp(first, s.id) != 0);
    bodies[4] = 0;
    view_surface_free(&s);
}

/* Running out of memory at any point is an error and leaks nothing (seen by the sanitizers). */
TEST(no_memory)
{
    const char *wanted[] = {"velocity", "stress"};
    for (int64_t n = 0; n < 1000; n++) {
        abut_error err;
        cell_block blocks[3];
        frame f = make_frame(blocks);
        view_surface s = {0};
        grid_memory grids = {0};
        packet p = {0};
        mem_fail_after(n);
        abut_status status = view_surface_update(&s, &f, &err);
        view_request request = {.fields = wanted, .field_count = 2};
        if (status == ABUT_OK)
            status = view_frame_packet(&s, &f, (vec3){0, 0, 0}, &request, &p, &err);
        mem_free(p.bytes);
        p.bytes = NULL;
        request.grids = &grids;
        if (status == ABUT_OK)
            status = view_frame_packet(&s, &f, (vec3){0, 0, 0}, &request, &p, &err);
        bool failed = mem_failure_happened();
        mem_fail_after(-1);
        CHECK((status == ABUT_ERROR_MEMORY) == failed);
        if (status == ABUT_OK) mem_free(p.bytes);
        view_surface_free(&s);
        grid_memory_free(&grids);
        if (!failed) return;
    }
    CHECK(!"memory never sufficed");
}

/* ---- grids ---- */

enum { CLOUD = 100 };

static int32_t cloud_nodes[CLOUD];

/* Points on a circle that moves and turns; a frame of points without order behind one another. */
static frame cloud(vec3 points[CLOUD], cell_block *block, double t)
{
    for (int i = 0; i < CLOUD; i++) {
        double angle = 0.07 * i + t;
        points[i] = (vec3){cos(angle) + 0.1 * t, sin(angle), i % 7 == 0 ? 0.3 * t : -0.01 * i};
        cloud_nodes[i] = i;
    }
    *block = (cell_block){CELL_POINT, 1, 1, CLOUD, cloud_nodes, NULL};
    return (frame){.point_count = CLOUD, .points = points, .block_count = 1, .blocks = block};
}

static json_t *header_of(const packet *p)
{
    uint32_t length;
    memcpy(&length, p->bytes + 4, 4);
    return json_loadb((char *)p->bytes + 8, length, 0, NULL);
}

/* The numbers of a block, from the lowest bit on. */
static uint32_t number_at(const unsigned char *block, int bits, int i)
{
    uint32_t number = 0;
    for (int b = 0; b < bits; b++) {
        int at = i * bits + b;
        number |= (uint32_t)(block[at / 8] >> (at % 8) & 1) << b;
    }
    return number;
}

/* Undoes grid_pack, as the page does. */
static void unpack(const unsigned char *bytes, uint16_t values[3 * CLOUD], bool change)
{
    enum { BLOCKS = (CLOUD + 31) / 32 };
    const unsigned char *block = bytes + (3 * BLOCKS + 3) / 4 * 4;
    uint16_t before[3 * CLOUD];
    memcpy(before, values, sizeof before);
    for (int b = 0; b < 3 * BLOCKS; b++) {
        for (int j = 0, i = b % BLOCKS * 32; j < 32 && i < CLOUD; i++, j++) {
            uint32_t n = number_at(block, bytes[b], j);
            int p = b / BLOCKS * CLOUD + i, d = n & 1 ? -(int)((n + 1) / 2) : (int)(n / 2);
            d += i > 0 ? values[p - 1] : 0;
            if (change) d += before[p] - (i > 0 ? before[p - 1] : 0);
            values[p] = (uint16_t)d;
        }
        block += 4 * bytes[b];
    }
}

/* Sends the cloud at a time; the packet has the points to half a step of its grid, as what changed
 * since `base` when `change`. Its length, and its name in *sent. */
static size_t send_cloud(grid_memory *grids, double t, uint64_t base, bool change,
                         uint16_t values[3 * CLOUD], uint64_t *sent)
{
    abut_error err;
    cell_block block;
    vec3 points[CLOUD];
    view_surface s = {0};
    packet p = {0};
    size_t count = 0;
    frame f = cloud(points, &block, t);
    CHECK_OK(view_surface_update(&s, &f, &err), err);
    view_request request = {.grids = grids, .base = base};
    CHECK_OK(view_frame_packet(&s, &f, (vec3){0, 0, 0}, &request, &p, &err), err);
    json_t *header = header_of(&p), *grid = json_object_get(header, "grid");
    *sent = (uint64_t)json_integer_value(json_object_get(header, "sent"));
    CHECK((json_object_get(header, "base") != NULL) == change);
    CHECK(!change || json_integer_value(json_object_get(header, "base")) == (json_int_t)base);
    const unsigned char *bytes = find(&p, "points", &count);
    CHECK(bytes && count == CLOUD && json_array_size(grid) == 6);
    unpack(bytes, values, change);
    for (int k = 0; k < 3; k++) {
        double low = json_number_value(json_array_get(grid, (size_t)k));
        double step = (json_number_value(json_array_get(grid, (size_t)k + 3)) - low) / 65535;
        CHECK(step < 1e-4);
        for (int i = 0; i < CLOUD; i++)
            CHECK_NEAR(low + step * values[k * CLOUD + i], vec3_get(points[i], k), 0.5001 * step);
    }
    size_t size = p.size;
    json_decref(header);
    mem_free(p.bytes);
    view_surface_free(&s);
    return size;
}

/* Frames as changes need fewer bytes, and errors do not add up; what the server has no more, and
 * what leaves the grid, comes whole. */
TEST(grids)
{
    grid_memory grids = {0};
    uint16_t values[3 * CLOUD], old[3 * CLOUD];
    uint64_t first, sent;
    size_t whole = send_cloud(&grids, 0, 0, false, values, &first), part = 0;
    memcpy(old, values, sizeof old);
    CHECK(first == 1 && whole < 12 * CLOUD);
    for (int i = 1; i < GRID_KEPT; i++)
        part = send_cloud(&grids, 0.01 * i, i > 1 ? sent : first, true, values, &sent);
    CHECK(part < whole - CLOUD / 2);
    send_cloud(&grids, 0.2, 99, false, values, &sent);
    send_cloud(&grids, 0.3, first, false, old, &sent); /* the first one is kept no more */
    memcpy(old, values, sizeof old);
    send_cloud(&grids, 0.25, sent - 1, true, old, &sent);
    send_cloud(&grids, 5, sent, false, values, &sent); /* it has left the grid */
    grid_memory_free(&grids);
}

int main(void)
{
    RUN(surface_and_fields);
    RUN(identity);
    RUN(no_memory);
    RUN(grids);
    return TEST_END();
}
