#include "app/viewer_page.h"

#include <unistd.h>

/* Beside the program in the build tree, under share/ when it is installed. */
static bool find_page(char *out, size_t size)
{
    static const char *const pages[] = {"viewer/index.html", "../share/abut/viewer.html"};
    char program[4096], folder[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) return false;
    program[length] = 0;
    path_folder(folder, sizeof folder, program);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        path_join(out, size, folder, pages[i]);
        if (file_exists(out)) return true;
    }
    return false;
}

abut_status viewer_page_read(const char *given, file_bytes *out, abut_error *err)
{
    char path[4096];
    if (!given && !find_page(path, sizeof path))
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "view",
                         "the viewer's page is not built; 'make viewer' builds it (with npm), "
                         "'abut render' draws pictures without it");
    return file_read(given ? given : path, out, err);
}
