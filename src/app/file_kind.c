#include "app/file_kind.h"

/* The first that recognises a file gets it. Meshes come last: they include formats that are known
 * by their name only. */
static const file_kind *const kinds[] = {
    &kind_scene,
    &kind_mesh,
};

abut_status file_kind_open(const char *path, file_bytes *bytes, const file_kind **kind,
                           abut_error *err)
{
    TRY(file_read(path, bytes, err));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (kinds[k]->recognise(path, bytes)) {
            *kind = kinds[k];
            return ABUT_OK;
        }
    file_free(bytes);
    return error_set(err, ABUT_ERROR_INPUT, path,
                     "this is neither a scene nor a mesh of a known format");
}
