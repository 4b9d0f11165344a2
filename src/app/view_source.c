#include "app/view_source.h"

#include "base/file.h"
#include "base/json_text.h"
#include "output/table_names.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { PATH_SIZE = 4096, MAX_FIELDS = FRAME_MAX_FIELDS };

static const char *const file_names[] = {"scene.json", "run.json", "steps.csv"};
enum { SCENE_FILE, RUN_FILE, STEPS_FILE, FILE_COUNT };

abut_status view_source_open(view_source *s, const char *folder, abut_error *err)
{
    memset(s, 0, sizeof *s);
    if (strlen(folder) + 64 > sizeof s->folder)
        return error_set(err, ABUT_ERROR_INPUT, folder, "the path is too long");
    strcpy(s->folder, folder);
    return ABUT_OK;
}

void view_source_close(view_source *s)
{
    array_free(&s->entries);
    view_surface_free(&s->surface);
    frame_reader_free(s->reader);
    grid_memory_free(&s->grids);
    view_scans_free(&s->scans);
}

/* Nanoseconds of the last change; 0 for what is not an ordinary file. */
static int64_t file_version(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return 0;
    return (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
}

/* True when the file, all links followed, is in the folder. */
static bool is_inside(const view_source *s, const char *path)
{
    char *root = realpath(s->folder, NULL), *real = realpath(path, NULL);
    size_t length = root ? strlen(root) : 0;
    bool inside =
        root && real && strncmp(real, root, length) == 0 && (real[length] == '/' || length == 1);
    free(root);
    free(real);
    return inside;
}

/* ---- the list of frames ---- */

/* Step of "frame_<digits>.vtu", -1 for any other name. */
static int64_t step_of_name(const char *name)
{
    int64_t step;
    int length = 0;
    if (sscanf(name, "frame_%15" SCNd64 ".vtu%n", &step, &length) != 1) return -1;
    return length > 0 && name[length] == 0 && name[6] != '-' && name[6] != '+' ? step : -1;
}

static const char problems_name[] = "start_problems.vtu";

static void entry_path(const view_source *s, const char *name, char out[PATH_SIZE])
{
    char frames[PATH_SIZE];
    if (strcmp(name, problems_name) == 0) {
        path_join(out, PATH_SIZE, s->folder, name);
        return;
    }
    path_join(frames, sizeof frames, s->folder, "frames");
    path_join(out, PATH_SIZE, frames, name);
}

static const view_entry *find_entry(const view_entry *entries, size_t count, int64_t step)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (entries[middle].step < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && entries[low].step == step ? &entries[low] : NULL;
}

static int compare_entries(const void *a, const void *b)
{
    int64_t x = ((const view_entry *)a)->step, y = ((const view_entry *)b)->step;
    return (x > y) - (x < y);
}

/* Times are read from files that are new or were written again; a frame that cannot be read now
 * (removed by a run that starts anew) is left out. */
static bool note_file(view_source *s, size_t known, const char *name)
{
    bool refused = strcmp(name, problems_name) == 0;
    view_entry entry = {.step = refused ? 0 : step_of_name(name)};
    char path[PATH_SIZE];
    int64_t step;
    if (entry.step < 0 || strlen(name) >= sizeof entry.name) return true;
    strcpy(entry.name, name);
    entry_path(s, name, path);
    entry.version = file_version(path);
    if (entry.version == 0 || !is_inside(s, path)) return true;
    const view_entry *before = find_entry(s->entries.data, known, entry.step);
    if (before && before->version == entry.version)
        entry.time = before->time;
    else if (frame_read_time(path, &entry.time, &step, NULL) != ABUT_OK)
        return true;
    return array_push(&s->entries, entry);
}

static bool note_played(void *user, const play_entry *entry)
{
    view_source *s = user;
    view_entry item = {.step = entry->step, .time = entry->time, .version = entry->version};
    return array_push(&s->entries, item);
}

/* The new list is made behind the old one, which says what is known already. */
abut_status view_source_look(view_source *s, abut_error *err)
{
    char frames[PATH_SIZE];
    if (s->play) {
        array_clear(&s->entries);
        return play_list(s->play, note_played, s) ? ABUT_OK : error_memory(err, "listing frames");
    }
    size_t known = s->entries.count;
    bool good = true;
    path_join(frames, sizeof frames, s->folder, "frames");
    DIR *folder = opendir(frames);
    for (struct dirent *item; good && folder && (item = readdir(folder));)
        good = note_file(s, known, item->d_name);
    if (folder) closedir(folder);
    if (good && s->entries.count == known) good = note_file(s, known, problems_name);
    size_t count = s->entries.count - known;
    if (count > 0) {
        memmove(s->entries.data, s->entries.data + known, count * sizeof *s->entries.data);
        qsort(s->entries.data, count, sizeof *s->entries.data, compare_entries);
    }
    s->entries.count = count;
    return good ? ABUT_OK : error_memory(err, "listing frames");
}

/* ---- the state ---- */

static json_t *list_frames(const view_source *s, int64_t *latest)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->entries.count; i++) {
        const view_entry *e = &s->entries.data[i];
        if (e->version > *latest) *latest = e->version;
        char version[24]; /* as text: too many digits for the numbers of a browser */
        snprintf(version, sizeof version, "%" PRIx64, e->version);
        json_array_append_new(list, json_pack("[I,f,s]", (json_int_t)e->step, e->time, version));
    }
    return list;
}

static json_t *list_files(const view_source *s, int64_t versions[FILE_COUNT], int64_t *latest)
{
    json_t *files = json_object();
    for (int i = 0; i < FILE_COUNT; i++) {
        char path[PATH_SIZE], version[24];
        path_join(path, sizeof path, s->folder, file_names[i]);
        versions[i] = file_version(path);
        if (versions[i] > *latest) *latest = versions[i];
        snprintf(version, sizeof version, "%" PRIx64, versions[i]);
        if (versions[i] > 0) json_object_set_new(files, file_names[i], json_string(version));
    }
    return files;
}

/* Why there is no run, NULL when there is one. */
static const char *problem_of(const view_source *s)
{
    if (s->play || s->entries.count != 1 || strcmp(s->entries.data[0].name, problems_name) != 0)
        return NULL;
    return s->problem ? s->problem
                      : "The run was refused: bodies intersect, touch, or lie behind a half-space. "
                        "'abut check SCENE' lists the places.";
}

/* run.json is written at the end; one that is older than scene.json is of an earlier run. */
abut_status view_source_state(view_source *s, char **text, abut_error *err)
{
    *text = NULL;
    TRY(view_source_look(s, err));
    int64_t latest = 0, versions[FILE_COUNT];
    json_t *frames = list_frames(s, &latest), *files = list_files(s, versions, &latest);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    double age = latest > 0 && !s->play
                     ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec - 1e-9 * (double)latest
                     : 0.0;
    bool finished = versions[RUN_FILE] > 0 && versions[RUN_FILE] >= versions[SCENE_FILE];
    json_t *state = json_pack("{s:s,s:s,s:b,s:f,s:o,s:o}", "abut", abut_version(), "folder",
                              path_name(s->folder), "finished", finished, "age", age, "files",
                              files, "frames", frames);
    const char *problem = problem_of(s);
    if (problem) json_object_set_new(state, "problem", json_pack("{s:s}", "message", problem));
    if (s->other) json_object_set_new(state, "other", json_string(s->other));
    if (s->play) json_object_set_new(state, "play", play_state(s->play));
    if (state) *text = json_text(state, JSON_COMPACT);
    json_decref(state);
    return *text ? ABUT_OK : error_memory(err, "describing a run");
}

/* ---- packets ---- */

static abut_status entry_of(view_source *s, int64_t step, const view_entry **out, abut_error *err)
{
    *out = find_entry(s->entries.data, s->entries.count, step);
    if (*out) return ABUT_OK;
    TRY(view_source_look(s, err));
    *out = find_entry(s->entries.data, s->entries.count, step);
    if (*out) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INPUT, s->folder, "has no frame of step %" PRId64, step);
}

/* The frame as it is stored, without its surface. */
static abut_status read_stored(view_source *s, const view_entry *entry, const char *const *names,
                               size_t name_count, stored_frame *out, abut_error *err)
{
    if (s->play) return play_frame(s->play, entry->step, out, err);
    char path[PATH_SIZE];
    entry_path(s, entry->name, path);
    if (!is_inside(s, path))
        return error_set(err, ABUT_ERROR_INPUT, path, "is not in the folder of the run");
    return frame_read_next(&s->reader, path, names, name_count, out, err);
}

abut_status view_source_read(view_source *s, int64_t step, const char *const *names,
                             size_t name_count, stored_frame *out, abut_error *err)
{
    const view_entry *entry;
    TRY(entry_of(s, step, &entry, err));
    TRY(read_stored(s, entry, names, name_count, out, err));
    s->surface_of.version = 0;
    abut_status status = view_surface_update(&s->surface, &out->frame, err);
    if (status != ABUT_OK) {
        stored_frame_free(out);
        return status;
    }
    s->surface_of.step = entry->step;
    s->surface_of.version = entry->version;
    return ABUT_OK;
}

/* Single precision is best near the things to be seen. */
static void choose_origin(view_source *s, const frame *f)
{
    if (s->have_origin) return;
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = vec3_neg(low);
    for (size_t i = 0; i < f->point_count; i++) {
        low = vec3_min(low, f->points[i]);
        high = vec3_max(high, f->points[i]);
    }
    vec3 middle = vec3_scale(0.5, vec3_add(low, high));
    if (f->point_count > 0 && vec3_is_finite(middle)) s->origin = middle;
    s->have_origin = true;
}

abut_status view_source_frame(view_source *s, const view_wish *wish, packet *out, abut_error *err)
{
    char names[1024];
    const char *list[MAX_FIELDS];
    size_t count = 0;
    snprintf(names, sizeof names, "%s", wish->fields ? wish->fields : "");
    char *rest = NULL;
    for (char *name = strtok_r(names, ",", &rest); name && count < MAX_FIELDS;
         name = strtok_r(NULL, ",", &rest))
        list[count++] = name;
    stored_frame f;
    TRY(view_source_read(s, wish->step, list, count, &f, err));
    choose_origin(s, &f.frame);
    bool grid = wish->grid_beyond >= 0 && s->surface.points.count > (size_t)wish->grid_beyond;
    view_request request = {
        .fields = list, .field_count = count, .grids = grid ? &s->grids : NULL, .base = wish->base};
    abut_status status = view_frame_packet(&s->surface, &f.frame, s->origin, &request, out, err);
    stored_frame_free(&f);
    return status;
}

/* A page asks for the surface of the frame that it has just got. */
abut_status view_source_topology(view_source *s, int64_t step, packet *out, abut_error *err)
{
    const view_entry *entry;
    TRY(entry_of(s, step, &entry, err));
    if (s->surface_of.version == 0 || s->surface_of.step != step ||
        s->surface_of.version != entry->version) {
        stored_frame f;
        TRY(view_source_read(s, step, (const char *const[]){""}, 0, &f, err));
        stored_frame_free(&f);
    }
    return view_topology_packet(&s->surface, out, err);
}

abut_status view_source_pull(view_source *s, const char *topology, size_t point, vec3 target,
                             abut_error *err)
{
    if (strcmp(topology, s->surface.id) != 0 || point >= s->surface.points.count)
        return error_set(err, ABUT_ERROR_INPUT, "point", "the surface has no point %zu", point);
    return play_pull(s->play, (size_t)s->surface.points.data[point], target, err);
}

/* Read, not mapped: steps.csv grows and may be cut by a run that is resumed. */
static abut_status read_small(const char *path, packet *out, abut_error *err)
{
    ARRAY(unsigned char) bytes = {0};
    FILE *file = fopen(path, "rb");
    if (!file) return error_set(err, ABUT_ERROR_IO, path, "cannot read: %s", strerror(errno));
    size_t got = 1;
    bool good = true;
    while (good && got > 0) {
        good = array_reserve(&bytes, bytes.count + (1 << 16));
        got = good ? fread(bytes.data + bytes.count, 1, 1 << 16, file) : 0;
        bytes.count += got;
    }
    good = good && !ferror(file);
    fclose(file);
    *out = (packet){bytes.data, bytes.count};
    if (good) return ABUT_OK;
    array_free(&bytes);
    return error_set(err, ABUT_ERROR_IO, path, "cannot read");
}

abut_status view_source_file(view_source *s, const char *name, packet *out, abut_error *err)
{
    char path[PATH_SIZE];
    for (int i = 0; i < FILE_COUNT; i++) {
        if (strcmp(name, file_names[i]) != 0) continue;
        path_join(path, sizeof path, s->folder, name);
        if (file_version(path) == 0 || !is_inside(s, path)) break;
        TRY(read_small(path, out, err));
        if (i == SCENE_FILE) return ABUT_OK;
        char *text = (char *)out->bytes; /* the page knows the present names only */
        abut_status status = table_names_renew(&text, &out->size, err);
        out->bytes = (unsigned char *)text;
        if (status != ABUT_OK) mem_free(out->bytes);
        return status;
    }
    return error_set(err, ABUT_ERROR_INPUT, s->folder, "has no '%s' to look at", name);
}
