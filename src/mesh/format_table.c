/* The table of mesh formats, and nothing else, so that a program with formats of its own can bring
 * another. */
#include "mesh/read.h"

#define MESH_FORMAT(constant, row) extern const mesh_format_row row##_format;
#include "mesh/format_list.h"

const mesh_format_row *const mesh_formats[] = {
#define MESH_FORMAT(constant, row) &row##_format,
#include "mesh/format_list.h"
    NULL};
