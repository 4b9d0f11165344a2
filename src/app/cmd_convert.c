#include "app/commands.h"
#include "app/convert_run.h"
#include "app/file_kind.h"

static abut_status run(const command_line *line, abut_error *err)
{
    file_bytes bytes;
    const file_kind *kind;
    if (file_is_directory(line->arguments[0]))
        return convert_run(line->arguments[0], line->arguments[1], line, err);
    TRY(file_kind_open(line->arguments[0], &bytes, &kind, err));
    abut_status status =
        kind->convert ? kind->convert(line->arguments[0], &bytes, line->arguments[1], line, err)
                      : error_set(err, ABUT_ERROR_UNSUPPORTED, line->arguments[0],
                                  "a %s cannot be converted", kind->name);
    file_free(&bytes);
    return status;
}

static const option_def options[] = {
    {"--surface", NULL, NULL,
     "write the surface only: boundary of solids, sheets, free edges and points", COMPLETE_NOTHING},
    {"--weld", NULL, NULL, "merge vertices at the same position", COMPLETE_NOTHING},
    {"--weld-tolerance", NULL, "R",
     "merge vertices closer than R times the diagonal of the bounding box", COMPLETE_NOTHING},
    {"--scale", NULL, "S",
     "multiply coordinates by S, or by X,Y,Z; a negative scale mirrors, and keeps the orientation",
     COMPLETE_NOTHING},
    {"--rotate", NULL, "X,Y,Z", "then rotate by these degrees about x, then y, then z",
     COMPLETE_NOTHING},
    {"--translate", NULL, "X,Y,Z", "then move by this vector", COMPLETE_NOTHING},
    {"--page", NULL, "FILE",
     "for OUT.html: another page of the viewer than the one that 'make viewer' built",
     COMPLETE_FILE},
};

const command_def command_convert = {
    .name = "convert",
    .summary = "convert a mesh to another format, a scene to native JSON, a run to HTML or glTF",
    .arguments = "IN OUT",
    .details =
        "Reads MSH (2.2 and 4.1), OBJ, PLY, STL, OFF, VTK, VTU, Medit and SEG meshes; the format "
        "is recognised from the content. Writes VTU, OBJ, PLY or MSH as the extension of OUT says "
        "(msh is version 4.1, msh2 is 2.2). OUT appears only when it is complete. "
        "Scenes of other programs become native JSON with the full paths of their meshes; the "
        "options are for meshes. The folder of a run becomes a page that shows it in any browser, "
        "without a server (OUT.html; long runs are thinned out to about 120 MB), or an animated "
        "glTF (OUT.glb, or "
        "OUT.gltf as "
        "text) with one node per body; bodies that deform have a shape per frame. OUT.usda has "
        "the places of all points in all frames, as text of Universal Scene Description. OUT.obj "
        "and OUT.ply become a sequence of such files, one per frame; OUT.pc2 a shape (OBJ) and a "
        "point cache (PC2) for every body.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 2,
    .max_arguments = 2,
    .complete = COMPLETE_FILE,
    .run = run,
};
