#include "support/scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[4096];
static pid_t owner;

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status;
    (void)type;
    (void)at;
    return remove(path);
}

static void remove_scratch(void)
{
    enum { OPEN_FOLDERS = 16 };
    if (getpid() == owner) nftw(folder, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

const char *test_scratch(void)
{
    if (folder[0]) return folder;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/abut-test-XXXXXX", parent && parent[0] ? parent : "/tmp");
    if (!mkdtemp(folder)) {
        perror(folder);
        exit(EXIT_FAILURE);
    }
    owner = getpid();
    atexit(remove_scratch);
    return folder;
}
