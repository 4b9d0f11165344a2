#include "support/ccd_files.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 4096 };

static char *found[MAX_FILES];
static int found_count;

static int collect(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)walk;
    size_t length = strlen(path);
    if (type == FTW_F && length > 4 && strcmp(path + length - 4, ".csv") == 0 &&
        found_count < MAX_FILES)
        found[found_count++] = strdup(path);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int ccd_files_visit(const char *folder, void (*visit)(const char *path, void *context),
                    void *context)
{
    if (!folder) return 0;
    char path[4096];
    found_count = 0;
    snprintf(path, sizeof path, "%s/ccd-queries", folder);
    nftw(path, collect, 16, FTW_PHYS);
    snprintf(path, sizeof path, "%s/ccd-scalable", folder);
    nftw(path, collect, 16, FTW_PHYS);
    qsort(found, (size_t)found_count, sizeof found[0], by_name);
    for (int i = 0; i < found_count; i++) {
        visit(found[i], context);
        free(found[i]);
    }
    return found_count;
}
