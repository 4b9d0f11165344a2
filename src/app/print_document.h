/* Documents on standard output. */
#ifndef APP_PRINT_DOCUMENT_H
#define APP_PRINT_DOCUMENT_H

#include "base/status.h"

#include <jansson.h>

/* Takes the document over; NULL: there was no memory for it. */
abut_status print_document(json_t *root, abut_error *err);

#endif
