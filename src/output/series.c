#include "output/series.h"

#include "base/file.h"
#include "base/number.h"
#include "base/parallel.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

/* Step of "frame_<digits>.vtu", -1 for any other name. */
static int64_t step_of_name(const char *name)
{
    if (strncmp(name, "frame_", 6) != 0) return -1;
    const char *digits = name + 6;
    size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > 15 || strcmp(digits + count, ".vtu") != 0) return -1;
    return strtoll(digits, NULL, 10);
}

static void name_of_step(int64_t step, char *out, size_t size)
{
    snprintf(out, size, "frame_%06" PRId64 ".vtu", step);
}

static int compare_entries(const void *a, const void *b)
{
    int64_t x = ((const series_entry *)a)->step, y = ((const series_entry *)b)->step;
    return (x > y) - (x < y);
}

void series_path(const frame_series *series, size_t entry, char *out, size_t size)
{
    path_join(out, size, series->folder, series->entries.data[entry].name);
}

/* Sets the folder DIR/frames. */
static abut_status set_folder(frame_series *series, const char *run_folder, abut_error *err)
{
    memset(series, 0, sizeof *series);
    char folder[PATH_SIZE];
    if (strlen(run_folder) + 64 > sizeof folder)
        return error_set(err, ABUT_ERROR_IO, run_folder, "the path is too long");
    path_join(folder, sizeof folder, run_folder, "frames");
    series->folder = mem_strdup(folder);
    return series->folder ? ABUT_OK : error_memory(err, "opening the frames of a run");
}

/* Adds a file of the folder when it is a frame. */
static abut_status note_file(frame_series *series, const char *name, abut_error *err)
{
    series_entry entry = {.step = step_of_name(name)};
    if (entry.step < 0 || strlen(name) >= sizeof entry.name) return ABUT_OK;
    memcpy(entry.name, name, strlen(name) + 1);
    return array_push(&series->entries, entry) ? ABUT_OK : error_memory(err, "listing frames");
}

/* Lists the files that look like frames, sorted by step. */
static abut_status scan_folder(frame_series *series, abut_error *err)
{
    DIR *folder = opendir(series->folder);
    if (!folder)
        return error_set(err, ABUT_ERROR_IO, series->folder, "cannot open the folder of frames: %s",
                         strerror(errno));
    abut_status status = ABUT_OK;
    for (struct dirent *item; status == ABUT_OK && (item = readdir(folder));)
        status = note_file(series, item->d_name, err);
    closedir(folder);
    if (status == ABUT_OK && series->entries.count > 0)
        qsort(series->entries.data, series->entries.count, sizeof *series->entries.data,
              compare_entries);
    return status;
}

/* The times are in the frames themselves. */
static abut_status read_times(frame_series *series, abut_error *err)
{
    for (size_t i = 0; i < series->entries.count; i++) {
        char path[PATH_SIZE];
        int64_t step;
        series_path(series, i, path, sizeof path);
        TRY(frame_read_time(path, &series->entries.data[i].time, &step, err));
    }
    return ABUT_OK;
}

/* frame_000012.vtu becomes frame_000012.obj. */
static void obj_path(char *path) { memcpy(path + strlen(path) - 3, "obj", 3); }

/* Removes the frames after last_step, from the disk and from the list. */
static abut_status drop_after(frame_series *series, int64_t last_step, abut_error *err)
{
    while (series->entries.count > 0) {
        char path[PATH_SIZE];
        size_t last = series->entries.count - 1;
        if (series->entries.data[last].step <= last_step) break;
        series_path(series, last, path, sizeof path);
        if (unlink(path) != 0)
            return error_set(err, ABUT_ERROR_IO, path, "cannot remove an old frame: %s",
                             strerror(errno));
        obj_path(path);
        unlink(path); /* there may be none */
        series->entries.count--;
    }
    return ABUT_OK;
}

static abut_status write_list(const frame_series *series, abut_error *err)
{
    char path[PATH_SIZE];
    path_join(path, sizeof path, series->folder, "frames.pvd");
    atomic_file file;
    TRY(atomic_open(&file, path, err));
    file.unsynced = true; /* it can be made again from the frames */
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
          "byte_order=\"LittleEndian\">\n  <Collection>\n",
          file.stream);
    for (size_t i = 0; i < series->entries.count; i++) {
        char time[NUMBER_TEXT_SIZE];
        number_write_double(time, series->entries.data[i].time);
        fprintf(file.stream, "    <DataSet timestep=\"%s\" part=\"0\" file=\"%s\"/>\n", time,
                series->entries.data[i].name);
    }
    fputs("  </Collection>\n</VTKFile>\n", file.stream);
    return atomic_commit(&file, err);
}

static abut_status open_series(frame_series *series, const char *run_folder, int64_t last_step,
                               abut_error *err)
{
    TRY(set_folder(series, run_folder, err));
    TRY(directory_create(series->folder, err));
    TRY(scan_folder(series, err));
    TRY(drop_after(series, last_step, err));
    TRY(read_times(series, err));
    return write_list(series, err);
}

abut_status series_open(frame_series *series, const char *run_folder, int64_t last_step,
                        abut_error *err)
{
    abut_status status = open_series(series, run_folder, last_step, err);
    if (status != ABUT_OK) series_close(series);
    return status;
}

abut_status series_add(frame_series *series, const frame *f, abut_error *err)
{
    series_entry entry = {.step = f->step, .time = f->time};
    char path[PATH_SIZE];
    name_of_step(f->step, entry.name, sizeof entry.name);
    path_join(path, sizeof path, series->folder, entry.name);
    TRY(frame_write_next_vtu(f, &series->cells, path, err));
    if (series->write_obj) {
        obj_path(path);
        TRY(frame_write_obj(f, path, err));
    }
    /* A step that is written again replaces its entry. */
    size_t count = series->entries.count;
    if (count > 0 && series->entries.data[count - 1].step == f->step)
        series->entries.data[count - 1] = entry;
    else if (!array_push(&series->entries, entry))
        return error_memory(err, "listing frames");
    return write_list(series, err);
}

static abut_status add_next(void *context, abut_error *err)
{
    frame_series *series = context;
    return series_add(series, &series->next.frame, err);
}

abut_status series_wait(frame_series *series, abut_error *err)
{
    return beside_wait(&series->writer, err);
}

abut_status series_add_beside(frame_series *series, const frame *f, abut_error *err)
{
    TRY(series_wait(series, err));
    if (parallel_threads() == 1) return series_add(series, f, err);
    TRY(frame_copy_take(&series->next, f, err));
    beside_start(&series->writer, add_next, series);
    return ABUT_OK;
}

void series_close(frame_series *series)
{
    series_wait(series, NULL);
    frame_copy_free(&series->next);
    mem_free(series->folder);
    array_free(&series->entries);
    frame_cells_free(series->cells);
    memset(series, 0, sizeof *series);
}

static abut_status find_series(frame_series *series, const char *run_folder, abut_error *err)
{
    TRY(set_folder(series, run_folder, err));
    TRY(scan_folder(series, err));
    if (series->entries.count == 0)
        return error_set(err, ABUT_ERROR_INPUT, series->folder,
                         "there are no frames in this folder");
    return read_times(series, err);
}

abut_status series_find(frame_series *series, const char *run_folder, abut_error *err)
{
    abut_status status = find_series(series, run_folder, err);
    if (status != ABUT_OK) series_close(series);
    return status;
}
