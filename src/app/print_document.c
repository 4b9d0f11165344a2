#include "app/print_document.h"

#include "base/json_text.h"

#include <stdio.h>
#include <stdlib.h>

abut_status print_document(json_t *root, abut_error *err)
{
    char *text = root ? json_text(root, JSON_INDENT(2)) : NULL;
    json_decref(root);
    if (!text) return error_memory(err, "writing JSON");
    puts(text);
    free(text);
    return ABUT_OK;
}
