/* The page of the viewer, which `make viewer` builds into one HTML file. */
#ifndef APP_VIEWER_PAGE_H
#define APP_VIEWER_PAGE_H

#include "base/file.h"

/* given: a file, or NULL for the page that belongs to this program. */
abut_status viewer_page_read(const char *given, file_bytes *out, abut_error *err);

#endif
