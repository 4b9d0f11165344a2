#include "mesh/mesh_io.h"

#include "mesh/read.h"

#include <strings.h>

const mesh_format_row msh_format = {
    .name = "MSH", .extensions = {"msh", "msh2"}, .starts = {"$MeshFormat"}, .read = read_msh};
const mesh_format_row obj_format = {.name = "OBJ", .extensions = {"obj"}, .read = read_obj};
const mesh_format_row seg_format = {.name = "SEG", .extensions = {"seg"}, .read = read_seg};
const mesh_format_row ply_format = {
    .name = "PLY", .extensions = {"ply"}, .starts = {"ply\n", "ply\r"}, .read = read_ply};
const mesh_format_row stl_format = {.name = "STL", .extensions = {"stl"}, .read = read_stl};
const mesh_format_row off_format = {.name = "OFF",
                                    .extensions = {"off"},
                                    .starts = {"OFF", "COFF", "NOFF", "CNOFF", "STOFF"},
                                    .read = read_off};
const mesh_format_row vtk_format = {
    .name = "VTK", .extensions = {"vtk"}, .starts = {"# vtk DataFile"}, .read = read_vtk};
const mesh_format_row vtu_format = {
    .name = "VTU", .extensions = {"vtu"}, .starts = {"<?xml", "<VTKFile"}, .read = read_vtu};
const mesh_format_row medit_format = {.name = "Medit",
                                      .extensions = {"mesh"},
                                      .starts = {"MeshVersionFormatted"},
                                      .read = read_medit};

const char *mesh_format_name(mesh_format format)
{
    return format == MESH_FORMAT_UNKNOWN ? "unknown" : mesh_formats[format]->name;
}

/* ---- recognising --------------------------------------------------------------------------- */

static bool starts_with(const char *p, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - p) >= length && memcmp(p, word, length) == 0;
}

/* A binary STL has no mark, but its size follows from the number at byte 80. */
static bool looks_like_binary_stl(const char *data, size_t size)
{
    if (size < 84) return false;
    return 84 + 50 * (uint64_t)load_u32(data + 80, machine_is_big_endian()) == size;
}

static mesh_format format_by_content(const char *data, size_t size)
{
    if (looks_like_binary_stl(data, size)) return MESH_FORMAT_STL;
    scan s;
    scan_init(&s, "", data, size, NULL);
    scan_ends(&s);
    for (int f = 0; mesh_formats[f]; f++)
        for (int i = 0; i < MESH_FORMAT_STARTS && mesh_formats[f]->starts[i]; i++)
            if (starts_with(s.p, s.end, mesh_formats[f]->starts[i])) return (mesh_format)f;
    if (token_is(scan_word(&s), "solid")) return MESH_FORMAT_STL;
    /* Comments may stand before the keywords of OFF and Medit files. */
    scan_init(&s, "", data, size, NULL);
    s.comment = '#';
    scan_token word = scan_word(&s);
    if (token_is(word, "MeshVersionFormatted")) return MESH_FORMAT_MEDIT;
    return token_is(word, "OFF") ? MESH_FORMAT_OFF : MESH_FORMAT_UNKNOWN;
}

static mesh_format format_by_extension(const char *name)
{
    const char *extension = path_extension(name);
    for (int f = 0; mesh_formats[f]; f++)
        for (int e = 0; e < MESH_FORMAT_EXTENSIONS && mesh_formats[f]->extensions[e]; e++)
            if (strcasecmp(extension, mesh_formats[f]->extensions[e]) == 0) return (mesh_format)f;
    return MESH_FORMAT_UNKNOWN;
}

/* Lines of OBJ or SEG, when neither a mark nor the extension says what it is. A line "s" is a
 * segment if two numbers follow, and a smoothing group of OBJ otherwise. */
static mesh_format format_by_lines(const char *data, size_t size)
{
    static const char *const words[] = {"v", "vn", "vt", "f", "l", "p", "o", "g", "mtllib"};
    scan s;
    scan_init(&s, "", data, size, NULL);
    s.comment = '#';
    mesh_format format = MESH_FORMAT_UNKNOWN;
    for (int lines = 0; lines < 100000 && !scan_ends(&s); lines++) {
        scan_token word = scan_line_word(&s);
        if (token_is(word, "s")) {
            scan_token a = scan_line_word(&s), b = scan_line_word(&s);
            return a.length > 0 && b.length > 0 ? MESH_FORMAT_SEG : MESH_FORMAT_OBJ;
        }
        bool known = false;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) known |= token_is(word, words[i]);
        if (!known) return format;
        format = MESH_FORMAT_OBJ;
        scan_skip_line(&s);
    }
    return format;
}

mesh_format mesh_recognize(const char *name, const char *data, size_t size)
{
    mesh_format format = format_by_content(data, size);
    if (format == MESH_FORMAT_UNKNOWN) format = format_by_extension(name);
    if (format == MESH_FORMAT_UNKNOWN) format = format_by_lines(data, size);
    return format;
}

/* ---- reading ------------------------------------------------------------------------------- */

static abut_status unknown_format(const char *name, abut_error *err)
{
    char list[128] = "";
    for (int f = 0; mesh_formats[f]; f++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", f > 0 ? ", " : "", mesh_formats[f]->name);
    }
    return error_set(err, ABUT_ERROR_INPUT, name, "this is no mesh of a known format (%s)", list);
}

static abut_status read_scan(mesh_format format, scan *s, const mesh_read_options *options,
                             mesh *out)
{
    *out = (mesh){0};
    if (format == MESH_FORMAT_UNKNOWN) return unknown_format(s->name, s->err);
    if (starts_with(s->p, s->end, "\xef\xbb\xbf")) s->p += 3; /* the mark of UTF-8 */
    mesh_builder b = {0};
    abut_status status = mesh_formats[format]->read(s, &b);
    if (status == ABUT_OK)
        status = error_add_place(s->err, s->name, builder_finish(&b, out, s->err));
    builder_free(&b);
    bool weld = (options && options->weld) || format == MESH_FORMAT_STL;
    if (status == ABUT_OK && weld) {
        status = mesh_weld(out, options ? options->weld_tolerance : 0, s->err);
        error_add_place(s->err, s->name, status);
        if (status != ABUT_OK) mesh_free(out);
    }
    return status;
}

abut_status mesh_read_memory(mesh_format format, const char *name, const char *data, size_t size,
                             const mesh_read_options *options, mesh *out, abut_error *err)
{
    scan s;
    scan_init(&s, name, data, size, err);
    return read_scan(format, &s, options, out);
}

abut_status mesh_read(const char *path, const mesh_read_options *options, mesh *out,
                      abut_error *err)
{
    *out = (mesh){0};
    file_bytes bytes;
    TRY(file_read(path, &bytes, err));
    scan s;
    scan_init(&s, path, bytes.data, bytes.size, err);
    s.file = &bytes;
    abut_status status = read_scan(mesh_recognize(path, bytes.data, bytes.size), &s, options, out);
    file_free(&bytes);
    return status;
}
