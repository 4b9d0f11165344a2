/* `abut convert DIR OUT.html`: a run as one page that needs no server and no network. */
#ifndef APP_EXPORT_PAGE_H
#define APP_EXPORT_PAGE_H

#include "base/status.h"

#include <stddef.h>

typedef struct page_report {
    size_t frames, all_frames; /* in the page, of the run */
    size_t bytes;
} page_report;

/* page: that of the viewer, NULL for the one that belongs to this program. Frames of long runs are
 * thinned out evenly to about 120 MB, as the page itself does it. */
abut_status export_page(const char *folder, const char *path, const char *page, page_report *report,
                        abut_error *err);

#endif
