#include "verify/path_near.h"

#include "output/frame_path.h"

#include <string.h>

/* The path on which only near points keep their positions. */
static void mix(const vec3 *configurations, size_t points, size_t count, const uint8_t *near,
                vec3 *out)
{
    const vec3 *end = configurations + (count - 1) * points;
    for (size_t k = 0; k < count; k++) {
        double part = (double)k / (double)(count - 1);
        for (size_t i = 0; i < points; i++) {
            size_t at = k * points + i;
            out[at] = near[i] ? configurations[at] : path_straight(configurations[i], end[i], part);
        }
    }
}

/* Adds the points of pairs that are not apart; how many are new, which only those are marked as. */
static size_t add_points(const surface_parts *parts, const check_meeting *meetings, size_t count,
                         size_t points, uint8_t *near, uint8_t *new)
{
    size_t added = 0;
    memset(new, 0, points);
    for (size_t i = 0; i < count; i++) {
        int32_t v[6];
        size_t n = verify_meeting_points(parts, &meetings[i], v);
        for (size_t k = 0; k < n; k++) {
            if (near[v[k]]) continue;
            near[v[k]] = new[v[k]] = 1;
            added++;
        }
    }
    return added;
}

/* One look at a path. */
static abut_status look(const frame *f, const verify_setup *setup, const surface_parts *parts,
                        const vec3 *configurations, size_t count, uint8_t *near, uint8_t *new,
                        size_t *added, abut_error *err)
{
    check_path path = {.configurations = configurations, .configuration_count = count};
    check_meeting *meetings;
    size_t found;
    TRY(verify_meetings(f, setup, parts, &path, &meetings, &found, NULL, err));
    *added = add_points(parts, meetings, found, f->point_count, near, new);
    mem_free(meetings);
    return ABUT_OK;
}

abut_status path_find_near(const frame *f, const verify_setup *setup, const surface_parts *parts,
                           const vec3 *configurations, size_t configuration_count, uint8_t *near,
                           bool *any, abut_error *err)
{
    size_t points = f->point_count, added = 0;
    memset(near, 0, points);
    *any = false;
    if (configuration_count < 2) return ABUT_OK;
    vec3 *path = mem_alloc(configuration_count * points + 1, sizeof *path);
    uint8_t *new = mem_alloc(points + 1, 1), *last = mem_alloc(points + 1, 1);
    if (!path || !new || !last) {
        mem_free(path);
        mem_free(new);
        mem_free(last);
        return error_memory(err, "writing paths");
    }
    memcpy(path, configurations, points * sizeof *path);
    memcpy(path + points, configurations + (configuration_count - 1) * points,
           points * sizeof *path);
    abut_status status = look(f, setup, parts, path, 2, near, new, &added, err);
    verify_setup marked = *setup; /* pairs of the others go as they did before */
    marked.only = last;
    while (status == ABUT_OK && added > 0) {
        *any = true;
        mix(configurations, points, configuration_count, near, path);
        memcpy(last, new, points);
        status = look(f, &marked, parts, path, configuration_count, near, new, &added, err);
    }
    mem_free(path);
    mem_free(new);
    mem_free(last);
    return status;
}
