/* Reads every mesh of the published data ($ABUT_DATA or ../shared/data): each must be readable and
 * valid. Prints how many of each format there are, and each failure with its reason. */
#include "test.h"

#include "base/file.h"
#include "base/timer.h"
#include "mesh/read.h"

#include <dirent.h>
#include <strings.h>

static const char *const extensions[] = {"msh", "obj", "seg", "ply", "stl",
                                         "off", "vtk", "vtu", "mesh"};
enum { EXTENSIONS = sizeof extensions / sizeof *extensions };

static int counts[EXTENSIONS];
static size_t vertices, cells;

static void read_one(const char *path, int kind)
{
    mesh m;
    abut_error error;
    counts[kind]++;
    abut_status status = mesh_read(path, NULL, &m, &error);
    if (status == ABUT_OK) {
        for (int b = 0; b < m.block_count; b++) cells += m.blocks[b].count;
        vertices += m.vertex_count;
        status = mesh_validate(&m, &error);
        if (status != ABUT_OK) error_add_place(&error, path, status);
        mesh_free(&m);
    }
    test_checks_++;
    if (status != ABUT_OK) {
        test_failures_++;
        printf("%s: %s\n", error.place, error.message);
    }
}

static void walk(const char *folder)
{
    DIR *directory = opendir(folder);
    if (!directory) return;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.') continue;
        char path[4096];
        path_join(path, sizeof path, folder, entry->d_name);
        if (file_is_directory(path)) {
            walk(path);
            continue;
        }
        for (int e = 0; e < EXTENSIONS; e++)
            if (strcasecmp(path_extension(path), extensions[e]) == 0) read_one(path, e);
    }
    closedir(directory);
}

TEST(every_published_mesh)
{
    double start = timer_now();
    walk(test_data_folder());
    int total = 0;
    for (int e = 0; e < EXTENSIONS; e++) {
        printf("     %-5s %d\n", extensions[e], counts[e]);
        total += counts[e];
    }
    printf("     %d meshes, %zu vertices, %zu cells, %.2f s\n", total, vertices, cells,
           timer_now() - start);
    CHECK(total > 0);
}

int main(void)
{
    if (!test_data_folder()) SKIP_ALL("no data: set ABUT_DATA to the folder of the published data");
    RUN(every_published_mesh);
    return TEST_END();
}
