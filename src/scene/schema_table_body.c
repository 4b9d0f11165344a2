/* The table, second part: bodies, their meshes, conditions and motions. */
#include "scene/complete.h"
#include "scene/schema_table.h"

#include <math.h>

static const char *const diagonal_words[] = {GRID_DIAGONALS(WORD_TEXT) NULL};
static const char *const mesh_only_words[] = {MESH_PARTS(WORD_TEXT) NULL};
static const char *const axis_words[] = {"x", "y", "z", NULL};
static const char *const mass_words[] = {"lumped", "consistent", NULL};

/* Finer meshes than this in one direction are mistakes, not scenes. */
enum { MOST_CELLS = 100000, MOST_LEVELS = 9 };

/* --- meshes --- */

static const schema_field box_fields[] = {
    {"size", SCHEMA_VECTOR, SCHEMA_REQUIRED, AT(mesh_def, size), .count = 3, ABOVE(0), .unit = "m",
     .doc = "Lengths of the sides."},
    {"cells", SCHEMA_INTEGERS, AT(mesh_def, cells), .count = 3, .initial = "[4, 4, 4]",
     FROM_TO(1, MOST_CELLS), .doc = "Cubes along each side, each cut into 6 tetrahedra."},
};
static const schema_type box_type = {.name = "box",
                                     .doc = "Tetrahedra: a box around the origin.",
                                     FIELDS(box_fields),
                                     STRUCT(mesh_def)};

static const schema_field mat_fields[] = {
    {"size", SCHEMA_VECTOR, SCHEMA_REQUIRED, AT(mesh_def, size), .count = 3, ABOVE(0), .unit = "m",
     .doc = "Width in x, thickness in y, depth in z."},
    {"nodes", SCHEMA_INTEGERS, AT(mesh_def, cells), .count = 2, .initial = "[20, 20]",
     FROM_TO(2, MOST_CELLS), .doc = "Nodes along x and z; there are two layers of them."},
};
static const schema_type mat_type = {.name = "mat",
                                     .doc = "Tetrahedra: a flat mat one cell thick.",
                                     FIELDS(mat_fields),
                                     STRUCT(mesh_def)};

static const schema_field rod_fields[] = {
    {"length", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(mesh_def, length), ABOVE(0), .unit = "m",
     .doc = "Length, along x."},
    {"radius", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(mesh_def, radius), ABOVE(0), .unit = "m",
     .doc = "Radius."},
    {"cells", SCHEMA_INTEGER, AT(mesh_def, cells[0]), .initial = "16", FROM_TO(1, MOST_CELLS),
     .doc = "Cells along the length."},
    {"rings", SCHEMA_INTEGER, AT(mesh_def, cells[1]), .initial = "2", FROM_TO(1, 1000),
     .doc = "Rings of cells across the radius."},
};
static const schema_type rod_type = {.name = "rod",
                                     .doc = "Tetrahedra: a solid cylinder along x.",
                                     FIELDS(rod_fields),
                                     STRUCT(mesh_def)};

static const schema_field ball_fields[] = {
    {"radius", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(mesh_def, radius), ABOVE(0), .unit = "m",
     .doc = "Radius."},
    {"cells", SCHEMA_INTEGER, AT(mesh_def, cells[0]), .initial = "8", FROM_TO(1, 1000),
     .doc = "Cells along the diameter."},
    {"level", SCHEMA_INTEGER, AT(mesh_def, level), .otherwise = -1, FROM_TO(0, 5),
     .absent = "by `cells`",
     .doc =
         "Instead of `cells`: an icosahedron subdivided so often, each triangle with the centre a "
         "tetrahedron."},
    {"order", SCHEMA_INTEGER, AT(mesh_def, order), .initial = "1", FROM_TO(1, 4), .needs = "level",
     .doc = "Order of the cells; above 1 their outer faces are curved."},
};
static const schema_type ball_type = {
    .name = "ball", .doc = "Tetrahedra: a solid ball.", FIELDS(ball_fields), STRUCT(mesh_def)};

static const schema_field torus_fields[] = {
    {"ring_radius", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(mesh_def, radius), ABOVE(0), .unit = "m",
     .doc = "From the centre to the middle of the tube."},
    {"tube_radius", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(mesh_def, radius2), ABOVE(0), .unit = "m",
     .doc = "Radius of the tube; less than `ring_radius`."},
    {"ring_cells", SCHEMA_INTEGER, AT(mesh_def, cells[0]), .initial = "24", FROM_TO(3, MOST_CELLS),
     .doc = "Segments around the ring."},
    {"tube_cells", SCHEMA_INTEGER, AT(mesh_def, cells[1]), .initial = "8", FROM_TO(3, MOST_CELLS),
     .doc = "Segments around the tube."},
};
static const schema_type torus_type = {.name = "torus",
                                       .doc = "Tetrahedra: a solid torus around y.",
                                       FIELDS(torus_fields),
                                       STRUCT(mesh_def)};

static const schema_field grid_fields[] = {
    {"size", SCHEMA_VECTOR, SCHEMA_REQUIRED, AT(mesh_def, sheet), .count = 2, ABOVE(0), .unit = "m",
     .doc = "Lengths in x and z."},
    {"cells", SCHEMA_INTEGERS, AT(mesh_def, cells), .count = 2, .initial = "[10, 10]",
     FROM_TO(1, MOST_CELLS), .doc = "Quads along x and z, each cut into 2 triangles."},
    {"diagonals", SCHEMA_WORD, AT(mesh_def, diagonals), .words = diagonal_words,
     .initial = "\"alternating\"",
     .doc = "How the quads are cut: neighbours differently, or all alike."},
};
static const schema_type grid_type = {.name = "grid",
                                      .doc = "Triangles: a flat sheet in the x-z plane.",
                                      FIELDS(grid_fields),
                                      STRUCT(mesh_def)};

static const schema_field sphere_fields[] = {
    {"radius", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(mesh_def, radius), ABOVE(0), .unit = "m",
     .doc = "Radius."},
    {"level", SCHEMA_INTEGER, AT(mesh_def, cells[0]), .initial = "3", FROM_TO(0, MOST_LEVELS),
     .doc = "How often the icosahedron is subdivided."},
};
static const schema_type sphere_type = {
    .name = "sphere", .doc = "Triangles: a sphere.", FIELDS(sphere_fields), STRUCT(mesh_def)};

static const schema_field cone_fields[] = {
    {"bottom_radius", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(mesh_def, radius), AT_LEAST(0),
     .unit = "m", .doc = "Radius at the lower end."},
    {"top_radius", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(mesh_def, radius2), AT_LEAST(0), .unit = "m",
     .doc = "Radius at the upper end."},
    {"height", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(mesh_def, length), ABOVE(0), .unit = "m",
     .doc = "Height, along y."},
    {"around", SCHEMA_INTEGER, AT(mesh_def, cells[0]), .initial = "32", FROM_TO(3, MOST_CELLS),
     .doc = "Quads around."},
    {"along", SCHEMA_INTEGER, AT(mesh_def, cells[1]), .initial = "8", FROM_TO(1, MOST_CELLS),
     .doc = "Quads along."},
};
static const schema_type cone_type = {
    .name = "cone",
    .doc = "Triangles: the open side of a cone frustum around y; a funnel.",
    FIELDS(cone_fields),
    STRUCT(mesh_def)};

static const schema_field tube_fields[] = {
    {"radius", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(mesh_def, radius), ABOVE(0), .unit = "m",
     .doc = "Radius."},
    {"length", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(mesh_def, length), ABOVE(0), .unit = "m",
     .doc = "Length, along x."},
    {"around", SCHEMA_INTEGER, AT(mesh_def, cells[0]), .initial = "32", FROM_TO(3, MOST_CELLS),
     .doc = "Quads around."},
    {"along", SCHEMA_INTEGER, AT(mesh_def, cells[1]), .initial = "8", FROM_TO(1, MOST_CELLS),
     .doc = "Quads along."},
};
static const schema_type tube_type = {.name = "tube",
                                      .doc = "Triangles: the side of a cylinder around x.",
                                      FIELDS(tube_fields),
                                      STRUCT(mesh_def)};

static const schema_field polyline_fields[] = {
    {"from", SCHEMA_VECTOR, SCHEMA_REQUIRED, AT(mesh_def, from), .count = 3, .unit = "m",
     .doc = "First end."},
    {"to", SCHEMA_VECTOR, SCHEMA_REQUIRED, AT(mesh_def, to), .count = 3, .unit = "m",
     .doc = "Last end."},
    {"segments", SCHEMA_INTEGER, AT(mesh_def, cells[0]), .initial = "10", FROM_TO(1, 10000000),
     .doc = "Number of segments."},
};
static const schema_type polyline_type = {.name = "polyline",
                                          .doc = "Edges: a straight chain of segments.",
                                          FIELDS(polyline_fields),
                                          STRUCT(mesh_def)};

static const schema_field lattice_fields[] = {
    {"counts", SCHEMA_INTEGERS, SCHEMA_REQUIRED, AT(mesh_def, cells), .count = 3,
     FROM_TO(1, MOST_CELLS), .doc = "Points along x, y and z."},
    {"spacing", SCHEMA_VECTOR, SCHEMA_REQUIRED | SCHEMA_OR_NUMBER, AT(mesh_def, to), .count = 3,
     ABOVE(0), .unit = "m", .doc = "Distances of neighbours."},
    {"jitter", SCHEMA_NUMBER, AT(mesh_def, jitter), .initial = "0", AT_LEAST(0), .unit = "m",
     .doc = "Largest random displacement of a point along each axis; always the same one."},
};
static const schema_type lattice_type = {.name = "lattice",
                                         .doc = "Points: a regular lattice.",
                                         FIELDS(lattice_fields),
                                         STRUCT(mesh_def)};

static const schema_field helix_fields[] = {
    {"radius", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(mesh_def, radius), ABOVE(0), .unit = "m",
     .doc = "Radius."},
    {"pitch", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(mesh_def, length), AT_LEAST(0), .unit = "m",
     .doc = "Rise per turn."},
    {"turns", SCHEMA_NUMBER, AT(mesh_def, radius2), .initial = "4", ABOVE_TO(0, 100000),
     .doc = "Number of turns."},
    {"segments", SCHEMA_INTEGER, AT(mesh_def, cells[0]), .initial = "100", FROM_TO(1, 10000000),
     .doc = "Number of segments."},
};
static const schema_type helix_type = {.name = "helix",
                                       .doc = "Edges: a helix around y, from y = 0 up.",
                                       FIELDS(helix_fields),
                                       STRUCT(mesh_def)};

static const schema_field bundle_fields[] = {
    {"from", SCHEMA_VECTOR, SCHEMA_REQUIRED, AT(mesh_def, from), .count = 3, .unit = "m",
     .doc = "First end."},
    {"to", SCHEMA_VECTOR, SCHEMA_REQUIRED, AT(mesh_def, to), .count = 3, .unit = "m",
     .doc = "Last end."},
    {"segments", SCHEMA_INTEGER, AT(mesh_def, cells[0]), .initial = "10", FROM_TO(1, 10000000),
     .doc = "Number of segments of each chain."},
    {"counts", SCHEMA_INTEGERS, SCHEMA_REQUIRED, AT(mesh_def, counts), .count = 3,
     FROM_TO(1, MOST_CELLS),
     .doc = "Chains along x, y and z, in a lattice with its centre at the given line."},
    {"spacing", SCHEMA_VECTOR, SCHEMA_REQUIRED | SCHEMA_OR_NUMBER, AT(mesh_def, spacing),
     .count = 3, ABOVE(0), .unit = "m", .doc = "Distances of neighbouring chains."},
    {"round", SCHEMA_BOOL, AT(mesh_def, round), .initial = "false",
     .doc = "Keeps only the chains within the ellipsoid that the lattice encloses."},
};
static const schema_type bundle_type = {.name = "bundle",
                                        .doc = "Edges: many parallel straight chains.",
                                        FIELDS(bundle_fields),
                                        STRUCT(mesh_def)};

static const schema_field given_fields[] = {
    {"vertices", SCHEMA_ROWS, SCHEMA_REQUIRED, AT_LIST(given_mesh, vertices, vertex_count),
     .count = 3, .unit = "m", .doc = "Their places."},
    {"tetrahedra", SCHEMA_ROWS, SCHEMA_WHOLE,
     AT_ROWS(given_mesh, tetrahedra, tetrahedron_count, tetrahedron_nodes), .initial = "[]",
     FROM_TO(0, 2147483647),
     .doc = "Indices of their 4, 10, 20 or 35 nodes (orders 1 to 4), from 0, in Gmsh's order: "
            "corners, edges, faces, inside. The first three corners are counter-clockwise as the "
            "fourth sees them."},
    {"edges", SCHEMA_ROWS, SCHEMA_WHOLE, AT_LIST(given_mesh, edges, edge_count), .count = 2,
     .initial = "[]", FROM_TO(0, 2147483647),
     .doc = "Indices of their ends, from 0; those of triangles need not be given."},
    {"triangles", SCHEMA_ROWS, SCHEMA_WHOLE, AT_LIST(given_mesh, triangles, triangle_count),
     .count = 3, .initial = "[]", FROM_TO(0, 2147483647),
     .doc = "Indices of their corners, from 0."},
};
static const schema_type given_type = {
    .name = "given",
    .doc = "A small mesh written out in the scene: tetrahedra, triangles, edges, or points alone.",
    FIELDS(given_fields),
    STRUCT(given_mesh),
    .rule = rule_given,
    .rule_doc = "All tetrahedra are of one order."};

static const schema_field fill_fields[] = {
    {"method", SCHEMA_WORD, AT(fill_options, method), .words = fill_method_words,
     .initial = "\"cage\"",
     .doc = "How: a `cage`, cut from a lattice, for surfaces with holes, crossings and the like; "
            "`gmsh`: "
            "follows a closed surface exactly, by Gmsh's library, where it is installed."},
    {"cells", SCHEMA_INTEGER, AT(fill_options, cells), .initial = "20", FROM_TO(1, 1000),
     .doc = "Cells along the longest side of the surface."},
    {"size", SCHEMA_NUMBER, AT(fill_options, size), .absent = "by `cells`", ABOVE(0),
     .doc = "Instead of `cells`: size of the cells, in the units of the file (before `scale`)."},
    {"collide", SCHEMA_WORD, AT(fill_options, collide), .words = fill_collide_words,
     .initial = "\"auto\"",
     .doc =
         "What collides and is shown: the `surface`, which lies in a cage that is a little larger, "
         "or the `cage`, cut at the surface; `auto`: the surface where it does not cross itself."},
    {"graded", SCHEMA_BOOL, AT(fill_options, graded), .initial = "true",
     .doc = "Whether cells deep inside are larger."},
    {"close", SCHEMA_NUMBER, AT(fill_options, close), .initial = "0", AT_LEAST(0),
     .doc = "Holes that are not longer around than this times the diagonal of the surface are "
            "closed with triangles."},
    {"winding", SCHEMA_NUMBER, AT(fill_options, winding), .initial = "0.5", BETWEEN(0, 1),
     .doc = "Inside is where the winding number of the surface is larger."},
    {"weld", SCHEMA_NUMBER, AT(fill_options, weld), .otherwise = -1,
     .absent = "1e-7, less where edges are short", FROM_TO(0, 0.1),
     .doc = "Vertices closer than this times the diagonal of the surface become one."},
};
static const schema_type fill_type = {
    .name = "fill",
    .doc = "Tetrahedra within a surface of triangles. Its mass and stiffness are those of what is "
           "within the surface.",
    FIELDS(fill_fields),
    STRUCT(fill_options)};

static const schema_field mesh_fields[] = {
    {"file", SCHEMA_STRING, SCHEMA_CHOICE | SCHEMA_PATH, AT(mesh_def, path),
     .doc = "Path of a mesh file (MSH, OBJ, PLY, STL, OFF, VTK, VTU, Medit, SEG), relative to the "
            "folder of the scene."},
    {"weld", SCHEMA_BOOL, AT(mesh_def, weld), .initial = "false", .needs = "file",
     .doc = "Whether vertices at equal positions become one; those of STL files always do."},
    {"fill", SCHEMA_OBJECT, AT(mesh_def, fill.options), GIVEN(mesh_def, fill.given),
     .type = &fill_type, UNDER("type", "deformable"), .absent = "not filled",
     .doc = "Fills a surface with tetrahedra."},
    {"refine", SCHEMA_INTEGER, AT(mesh_def, refine), .initial = "0", FROM_TO(0, 10),
     .doc = "How often every tetrahedron is cut into 8, every triangle into 4, every edge into 2."},
    {"only", SCHEMA_WORD, AT(mesh_def, only), .words = mesh_only_words, .initial = "\"all\"",
     .doc = "What counts of the mesh: everything, the edges of its surface as wires, or the "
            "vertices of its surface as points."},
    {"component", SCHEMA_INTEGER, AT(mesh_def, component), .initial = "-1", FROM_TO(-1, 2147483647),
     .doc = "Number of the connected piece of the mesh that is meant, from 0; -1 means all."},
    {"box", SCHEMA_OBJECT, SCHEMA_CHOICE, IN_PLACE, .type = &box_type, .doc = "Box of tetrahedra."},
    {"mat", SCHEMA_OBJECT, SCHEMA_CHOICE, IN_PLACE, .type = &mat_type,
     .doc = "Thin mat of tetrahedra."},
    {"rod", SCHEMA_OBJECT, SCHEMA_CHOICE, IN_PLACE, .type = &rod_type,
     .doc = "Cylinder of tetrahedra."},
    {"ball", SCHEMA_OBJECT, SCHEMA_CHOICE, IN_PLACE, .type = &ball_type,
     .doc = "Ball of tetrahedra."},
    {"torus", SCHEMA_OBJECT, SCHEMA_CHOICE, IN_PLACE, .type = &torus_type,
     .doc = "Torus of tetrahedra."},
    {"grid", SCHEMA_OBJECT, SCHEMA_CHOICE, IN_PLACE, .type = &grid_type,
     .doc = "Sheet of triangles."},
    {"sphere", SCHEMA_OBJECT, SCHEMA_CHOICE, IN_PLACE, .type = &sphere_type,
     .doc = "Sphere of triangles."},
    {"cone", SCHEMA_OBJECT, SCHEMA_CHOICE, IN_PLACE, .type = &cone_type,
     .doc = "Funnel of triangles."},
    {"tube", SCHEMA_OBJECT, SCHEMA_CHOICE, IN_PLACE, .type = &tube_type,
     .doc = "Tube of triangles."},
    {"polyline", SCHEMA_OBJECT, SCHEMA_CHOICE, IN_PLACE, .type = &polyline_type,
     .doc = "Chain of edges."},
    {"lattice", SCHEMA_OBJECT, SCHEMA_CHOICE, IN_PLACE, .type = &lattice_type,
     .doc = "Lattice of points."},
    {"helix", SCHEMA_OBJECT, SCHEMA_CHOICE, IN_PLACE, .type = &helix_type,
     .doc = "Helix of edges."},
    {"bundle", SCHEMA_OBJECT, SCHEMA_CHOICE, IN_PLACE, .type = &bundle_type,
     .doc = "Parallel chains of edges."},
    {"given", SCHEMA_OBJECT, SCHEMA_CHOICE, AT(mesh_def, given), .type = &given_type,
     .doc = "Vertices, tetrahedra, triangles and edges as lists."},
};

const schema_type schema_mesh = {
    .name = "mesh",
    .doc = "A mesh file or a generated mesh. A string is the path of a file.",
    .shorthand = "file",
    FIELDS(mesh_fields),
    STRUCT(mesh_def),
    CHOSEN(mesh_def, source),
    .rule = rule_mesh_size,
    .rule_doc =
        "A generated mesh may have at most 5e7 vertices; a surface that is filled has neither "
        "`refine` nor `only`.",
};

/* --- which nodes --- */

static const schema_field ball_selector_fields[] = {
    {"center", SCHEMA_VECTOR, SCHEMA_REQUIRED, AT(place_def, a), .count = 3, .unit = "m",
     .doc = "Centre."},
    {"radius", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(place_def, radius), ABOVE(0), .unit = "m",
     .doc = "Radius."},
};
const schema_type schema_place_sphere = {.name = "selection_sphere",
                                         .doc = "Nodes in a sphere.",
                                         FIELDS(ball_selector_fields),
                                         STRUCT(place_def)};

static const schema_field selector_fields[] = {
    {"all", SCHEMA_TRUE, SCHEMA_CHOICE, .doc = "All nodes of the body."},
    {"box", SCHEMA_BOX, SCHEMA_CHOICE, AT(selector_def, place.a), .unit = "m",
     .doc = "Nodes in or on a box, after the transform of the body."},
    {"relative_box", SCHEMA_BOX, SCHEMA_CHOICE, AT(selector_def, place.a),
     .doc = "The same with 0 and 1 as the lower and upper ends of the bounding box of the body."},
    {"sphere", SCHEMA_OBJECT, SCHEMA_CHOICE, AT(selector_def, place), .type = &schema_place_sphere,
     .doc = "Nodes in or on a sphere, after the transform of the body."},
    {"list", SCHEMA_INTEGERS, SCHEMA_CHOICE, AT_LIST(selector_def, list, count),
     FROM_TO(0, 2147483647), .doc = "Indices of nodes in the mesh, from 0."},
    {"tag", SCHEMA_INTEGER, SCHEMA_CHOICE, AT(selector_def, tag), FROM_TO(-2147483647, 2147483647),
     .doc = "Nodes of the cells with this tag (physical group) in the mesh file."},
    {"boundary", SCHEMA_INTEGER, SCHEMA_CHOICE, AT(selector_def, tag),
     FROM_TO(-2147483647, 2147483647),
     .doc = "Nodes of the boundary faces with this number in `boundary` of the body."},
};
const schema_type schema_selector = {
    .name = "nodes",
    .doc = "Which nodes of a body. The string `\"all\"` is short for `{\"all\": true}`.",
    .word_choice = true,
    FIELDS(selector_fields),
    STRUCT(selector_def),
    CHOSEN(selector_def, kind),
};

/* --- parts of the boundary --- */

static const schema_field cylinder_fields[] = {
    {"from", SCHEMA_VECTOR, SCHEMA_REQUIRED, AT(place_def, a), .count = 3, .unit = "m",
     .doc = "One end of the axis."},
    {"to", SCHEMA_VECTOR, SCHEMA_REQUIRED, AT(place_def, b), .count = 3, .unit = "m",
     .doc = "The other end."},
    {"radius", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(place_def, radius), ABOVE(0), .unit = "m",
     .doc = "Radius."},
};
const schema_type schema_place_cylinder = {.name = "selection_cylinder",
                                           .doc = "What is in a cylinder.",
                                           FIELDS(cylinder_fields),
                                           STRUCT(place_def)};

static const schema_field side_fields[] = {
    {"point", SCHEMA_VECTOR, SCHEMA_REQUIRED, AT(place_def, a), .count = 3, .unit = "m",
     .doc = "A point of the plane."},
    {"normal", SCHEMA_VECTOR, SCHEMA_REQUIRED, AT(place_def, b), .count = 3,
     .doc = "Points to the chosen side."},
};
const schema_type schema_place_side = {.name = "selection_side",
                                       .doc = "What is on one side of a plane.",
                                       FIELDS(side_fields),
                                       STRUCT(place_def)};

static const schema_field boundary_fields[] = {
    {"number", SCHEMA_INTEGER, SCHEMA_REQUIRED, AT(boundary_def, number),
     FROM_TO(-2147483647, 2147483647), .doc = "Number of the part, for `boundary` of selections."},
    {"all", SCHEMA_TRUE, SCHEMA_CHOICE, .doc = "All faces."},
    {"box", SCHEMA_BOX, SCHEMA_CHOICE, AT(boundary_def, place.a), .unit = "m",
     .doc = "Faces with their centre in a box."},
    {"sphere", SCHEMA_OBJECT, SCHEMA_CHOICE, AT(boundary_def, place), .type = &schema_place_sphere,
     .doc = "Faces with their centre in a sphere."},
    {"cylinder", SCHEMA_OBJECT, SCHEMA_CHOICE, AT(boundary_def, place),
     .type = &schema_place_cylinder, .doc = "Faces with their centre in a cylinder."},
    {"side", SCHEMA_OBJECT, SCHEMA_CHOICE, AT(boundary_def, place), .type = &schema_place_side,
     .doc = "Faces with their centre on one side of a plane."},
    {"nodes", SCHEMA_INTEGERS, SCHEMA_CHOICE, AT_LIST(boundary_def, nodes, node_count),
     FROM_TO(0, 2147483647),
     .doc = "Faces with all their corners in this list of vertices of the mesh, from 0."},
};
const schema_type schema_boundary = {
    .name = "boundary",
    .doc = "A part of the boundary of a body: of all parts that a face could belong to, the first "
           "in the list takes it.",
    FIELDS(boundary_fields),
    STRUCT(boundary_def),
    CHOSEN(boundary_def, kind),
};

/* Kinds of bodies that a key is for: those whose row has this group of keys (body/kind.h). */
static bool kind_has(const char *word, unsigned group)
{
    const body_row *row = body_row_named(word);
    return row && row->keys & group;
}
#define FOR(keys) .under = "type", .among = body_kind_words, .has = kind_has, .group = (keys)
#define FOR_SOLIDS FOR(KEYS_SOLID)
#define FOR_NODES FOR(KEYS_NODES)
#define FOR_RIGID FOR(KEYS_RIGID)
#define FOR_SIMULATED FOR(KEYS_SIMULATED)

static const schema_field motion_fields[] = {
    {"from", SCHEMA_NUMBER, AT(motion_def, from), .initial = "0", AT_LEAST(0), .unit = "s",
     .doc = "Start; within `fix`, not before that begins."},
    {"until", SCHEMA_NUMBER, AT(motion_def, until), .otherwise = INFINITY, .absent = "never ends",
     ABOVE(0), .unit = "s", .doc = "End."},
    {"velocity", SCHEMA_VECTOR, AT(motion_def, velocity), .count = 3, .initial = "[0, 0, 0]",
     .unit = "m/s", .doc = "Linear velocity."},
    {"angular_velocity", SCHEMA_VECTOR, AT(motion_def, angular_velocity), .count = 3,
     .initial = "[0, 0, 0]", .unit = "deg/s",
     .doc = "Rotation about the centre: a vector along the axis."},
    {"center", SCHEMA_VECTOR, AT(motion_def, center), GIVEN(motion_def, center_given), .count = 3,
     .unit = "m",
     .absent = "centre of the bounding box of the moved nodes at the start; of rigid and affine "
               "bodies, the centre of mass",
     .doc = "Centre of the rotation at `from`; it moves along with `velocity`."},
};
static const schema_type motion_type = {
    .name = "motion",
    .doc = "Prescribed motion with constant velocities during an interval of time.",
    FIELDS(motion_fields),
    STRUCT(motion_def),
    .rule = rule_interval,
    .rule_doc = "`until` must be later than `from`.",
};

static const schema_field release_fields[] = {
    {"axis", SCHEMA_WORD, AT(fix_def, release_axis), .words = axis_words, .initial = "\"x\"",
     .doc = "Which coordinate."},
    {"beyond", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(fix_def, release_beyond), .unit = "m",
     .doc = "Its value."},
};
static const schema_type release_type = {
    .name = "release",
    .doc = "Lets the nodes go when all simulated nodes have a coordinate above a value.",
    FIELDS(release_fields),
    STRUCT(fix_def),
};

static const schema_field fix_fields[] = {
    {"nodes", SCHEMA_OBJECT, AT(fix_def, nodes), .type = &schema_selector, .initial = "\"all\"",
     .doc = "Which nodes are fixed or moved."},
    {"from", SCHEMA_NUMBER, AT(fix_def, from), .initial = "0", AT_LEAST(0), .unit = "s",
     .doc = "Start."},
    {"until", SCHEMA_NUMBER, AT(fix_def, until), .otherwise = INFINITY, .absent = "never released",
     ABOVE(0), .unit = "s", .doc = "Time of release."},
    {"axes", SCHEMA_AXES, SCHEMA_OR_NONE, AT(fix_def, axes), .initial = "\"xyz\"",
     .doc = "Which components are prescribed; of rigid and affine bodies, of the centre of mass."},
    {"rotation_axes", SCHEMA_AXES, SCHEMA_OR_NONE, AT(fix_def, rotation_axes), .otherwise = 7,
     .absent = "`xyz`", FOR_RIGID,
     .doc = "Axes of the world that they do not turn about, or only as "
            "the motion says. Affine bodies: all, none, or two of them."},
    {"motion", SCHEMA_LIST, SCHEMA_OR_ONE, AT_LIST(fix_def, motions, motion_count),
     .type = &motion_type, .initial = "[]",
     .doc = "How the nodes move; without motion they are fixed."},
    {"displacement", SCHEMA_EXPRESSIONS, AT(fix_def, displacement), .count = 3, .absent = "none",
     .unit = "m", FOR_NODES, .instead = "use \"motion\"",
     .doc = "Instead of `motion`: displacement of the nodes in time, x, y, z being their places "
            "when the condition begins."},
    {"takes_over", SCHEMA_BOOL, AT(fix_def, takes_over), .initial = "false", FOR_NODES,
     .doc = "Nodes that entries before this one hold as well follow this one. Without it, entries "
            "that hold a node at the same time must agree."},
    {"release", SCHEMA_OBJECT, IN_PLACE, GIVEN(fix_def, has_release), .type = &release_type,
     .absent = "never released", .doc = "Release by the place of the bodies, for good."},
};
const schema_type schema_fix = {
    .name = "fix",
    .doc = "Nodes whose positions are prescribed.",
    FIELDS(fix_fields),
    STRUCT(fix_def),
    .rule = rule_fix,
    .rule_doc = "`until` must be later than `from`, and so must that of its motions. `motion` and "
                "`displacement` exclude each other.",
};

static const schema_field force_fields[] = {
    {"nodes", SCHEMA_OBJECT, AT(force_def, nodes), .type = &schema_selector, .initial = "\"all\"",
     .doc = "Which nodes it acts on."},
    {"from", SCHEMA_NUMBER, AT(force_def, from), .initial = "0", AT_LEAST(0), .unit = "s",
     .doc = "Start."},
    {"until", SCHEMA_NUMBER, AT(force_def, until), .otherwise = INFINITY, .absent = "never ends",
     ABOVE(0), .unit = "s", .doc = "End."},
    {"acceleration", SCHEMA_VECTOR, AT(force_def, acceleration), .count = 3, .initial = "[0, 0, 0]",
     .unit = "m/s^2", .doc = "Force per mass."},
    {"acceleration_field", SCHEMA_EXPRESSIONS, AT(force_def, field), .count = 3, .unit = "m/s^2",
     .absent = "none", FOR_NODES,
     .doc = "Force per mass as expressions of the place at rest and the time at the end of the "
            "step."},
    {"force", SCHEMA_VECTOR, AT(force_def, force), .count = 3, .initial = "[0, 0, 0]", .unit = "N",
     .doc = "Force in all, shared equally by the nodes; of rigid and affine bodies, at the centre "
            "of mass."},
    {"torque", SCHEMA_VECTOR, AT(force_def, torque), .count = 3, .initial = "[0, 0, 0]",
     .unit = "N m", FOR_RIGID, .doc = "Torque about the centre of mass, axes of the world."},
};
const schema_type schema_force = {
    .name = "force",
    .doc = "Load on nodes during an interval of time.",
    FIELDS(force_fields),
    STRUCT(force_def),
    .rule = rule_interval,
    .rule_doc = "`until` must be later than `from`.",
};

static const schema_field pose_fields[] = {
    {"translate", SCHEMA_VECTOR, AT(pose_def, translate), .count = 3, .initial = "[0, 0, 0]",
     .unit = "m", .doc = "How far the centre of mass is from its place at the start."},
    {"turn", SCHEMA_VECTOR, AT(pose_def, turn), .count = 3, .initial = "[0, 0, 0]", .unit = "deg",
     .doc = "How far the body is turned from the start: a vector along the axis, as long as the "
            "angle."},
};
static const schema_type pose_type = {
    .name = "pose",
    .doc = "Where a rigid or affine body is at the end of a step, relative to the start.",
    FIELDS(pose_fields),
    STRUCT(pose_def),
};

static const schema_field sequence_file_fields[] = {
    {"file", SCHEMA_STRING, SCHEMA_REQUIRED | SCHEMA_PATH, AT(sequence_file, path),
     .doc = "Path, relative to the folder of the scene."},
};
static const schema_type sequence_file_type = {.name = "sequence_file",
                                               .doc = "A mesh file of a sequence.",
                                               FIELDS(sequence_file_fields),
                                               STRUCT(sequence_file)};

static const schema_field sequence_fields[] = {
    {"folder", SCHEMA_STRING, SCHEMA_CHOICE | SCHEMA_PATH, AT(sequence_def, folder),
     .doc = "Folder of numbered files, relative to that of the scene."},
    {"files", SCHEMA_LIST, SCHEMA_CHOICE, AT_LIST(sequence_def, files, file_count),
     .type = &sequence_file_type, .doc = "Or the files."},
    {"extension", SCHEMA_STRING, AT(sequence_def, extension), .initial = "\"obj\"",
     .doc = "What follows the number and a dot."},
    {"first", SCHEMA_INTEGER, AT(sequence_def, first), .initial = "0", FROM_TO(0, 2e9),
     .doc = "Number of the first file."},
    {"fps", SCHEMA_NUMBER, AT(sequence_def, fps), ABOVE(0), .unit = "1/s",
     .absent = "one file per step",
     .doc =
         "Files per second: the first one is the start, between two the vertices move straight."},
    {"transform", SCHEMA_BOOL, AT(sequence_def, transform), .initial = "false",
     .doc = "Whether the vertices are placed like the mesh of the body."},
};
static const schema_type sequence_type = {
    .name = "sequence",
    .doc =
        "Prescribed positions of all nodes: mesh files with the vertices of the body, one for the "
        "end of each step or so many per second. After the last one the body rests.",
    FIELDS(sequence_fields),
    STRUCT(sequence_def),
};

static const schema_field weight_fields[] = {
    {"nodes", SCHEMA_OBJECT, AT(weight_def, nodes), .type = &schema_selector, .initial = "\"all\"",
     .doc = "Which nodes."},
    {"mass", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(weight_def, mass), ABOVE(0), .unit = "kg",
     .doc = "Added to the mass of each of them."},
};
static const schema_type weight_type = {
    .name = "weight", .doc = "Extra mass of nodes.", FIELDS(weight_fields), STRUCT(weight_def)};

/* --- bodies --- */

static json_t *name_from_index(const char *file, size_t index)
{
    (void)file;
    return json_sprintf("body%zu", index);
}

static const schema_field inertial_fields[] = {
    {"mass", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(inertial_def, mass), ABOVE(0), .unit = "kg",
     .doc = "Mass."},
    {"center", SCHEMA_VECTOR, SCHEMA_REQUIRED, AT(inertial_def, center), .count = 3, .unit = "m",
     .doc = "Centre of mass at the start, in the world."},
    {"inertia", SCHEMA_VECTOR, SCHEMA_REQUIRED, AT(inertial_def, inertia), .count = 6,
     .unit = "kg m^2",
     .doc = "Components xx, yy, zz, xy, xz and yz of the inertia about the centre, in the axes of "
            "the world at "
            "the start; xy is minus the integral of x y."},
};
static const schema_type inertial_type = {
    .name = "inertial",
    .doc = "What a rigid or affine body weighs, whatever its shape.",
    FIELDS(inertial_fields),
    STRUCT(inertial_def),
    .rule = rule_inertial,
    .rule_doc =
        "The inertia must be positive, no principal moment larger than the two others together.",
};

static const schema_field body_fields[] = {
    {"name", SCHEMA_STRING, SCHEMA_IS_NAME, AT(body_def, name), .make_initial = name_from_index,
     .absent = "`body0`, `body1`, ... by position", .doc = "Name in statistics and output."},
    {"type", SCHEMA_WORD, AT(body_def, type), .words = body_kind_words, .initial = "\"deformable\"",
     .doc = "What kind of body it is."},
    {"enabled", SCHEMA_BOOL, AT(body_def, enabled), .initial = "true",
     .doc = "Whether the body is part of the scene."},
    {"mesh", SCHEMA_OBJECT, SCHEMA_REQUIRED, AT(body_def, mesh), .type = &schema_mesh,
     .doc = "Shape at rest."},
    {"split", SCHEMA_BOOL, .initial = "false",
     .doc = "Whether every connected piece of the mesh becomes a body of its own, with the same "
            "settings, named `name.0`, `name.1`, ..."},
    {"scale", SCHEMA_VECTOR, SCHEMA_OR_NUMBER, AT(body_def, scale), .count = 3,
     .initial = "[1, 1, 1]", .bounds = NOT_ZERO,
     .doc = "Factors on the mesh, applied first; negative ones mirror it."},
    {"rotate", SCHEMA_VECTOR, AT(body_def, rotate), .count = 3, .initial = "[0, 0, 0]",
     .unit = "deg", .doc = "Rotation about x, then y, then z, applied second."},
    {"translate", SCHEMA_VECTOR, AT(body_def, translate), .count = 3, .initial = "[0, 0, 0]",
     .unit = "m", .doc = "Displacement, applied last."},
    {"material", SCHEMA_OBJECT, SCHEMA_OR_NAME, AT(body_def, material),
     GIVEN(body_def, material.given), .type = &schema_material, .map = "materials",
     .absent = "none", FOR(KEYS_MATERIAL), .doc = "Material."},
    {"density", SCHEMA_NUMBER, AT(body_def, density), ABOVE(0), .absent = "that of the material",
     .unit = "kg/m^3", FOR(KEYS_DENSITY),
     .doc = "Mass per volume; of rigid and affine bodies, per volume, area, length or point, by "
            "what is weighed."},
    {"total_mass", SCHEMA_NUMBER, AT(body_def, rigid.total_mass), ABOVE(0), .unit = "kg",
     .absent = "by `density`", FOR_RIGID, .doc = "Mass, instead of a density."},
    {"inertial", SCHEMA_OBJECT, AT(body_def, rigid.inertial), GIVEN(body_def, rigid.has_inertial),
     .type = &inertial_type, .absent = "by `density`", FOR_RIGID,
     .doc = "Mass, centre and inertia, instead of a density."},
    {"mass_from", SCHEMA_WORD, AT(body_def, rigid.weigh), .words = rigid_weigh_words,
     .initial = "\"automatic\"", FOR_RIGID,
     .doc = "What carries the mass. Automatic: the volume enclosed by the "
            "triangles, the area of an open surface, else the edges, else the points."},
    {"orthogonality", SCHEMA_NUMBER, AT(body_def, rigid.orthogonality), ABOVE(0), .initial = "1e5",
     .unit = "J/kg", FOR(KEYS_AFFINE),
     .doc = "Stiffness of the potential that keeps them rigid, per mass."},
    {"mass", SCHEMA_WORD, AT(body_def, consistent_mass), .words = mass_words,
     .initial = "\"lumped\"", FOR_SOLIDS,
     .doc = "Mass matrix of linear elements; those of higher order have the consistent one."},
    {"order", SCHEMA_INTEGER, AT(body_def, solid.order), FROM_TO(1, 4),
     .absent = "that of the mesh", FOR_SOLIDS,
     .doc = "Order of the displacements within a cell (hexahedra and quads: at "
            "most 2). The cells keep the order that they have in the mesh."},
    {"surface", SCHEMA_OBJECT, AT(body_def, solid), .type = &schema_surface,
     .absent = "the boundary of the cells", FOR_SOLIDS, .doc = "What collides."},
    {"remesh", SCHEMA_BOOL, AT(body_def, remesh), .otherwise = true, .absent = "true", FOR_SOLIDS,
     .doc = "In scenes with `remesh`: whether this one is remeshed."},
    {"regions", SCHEMA_LIST, SCHEMA_OR_ONE, AT_LIST(body_def, solid.regions, solid.region_count),
     .type = &schema_region, .initial = "[]", FOR_SOLIDS, .doc = "Cells of other materials."},
    {"densities", SCHEMA_STRING, SCHEMA_PATH, AT(body_def, solid.densities_path),
     .absent = "the density of the material", FOR_SOLIDS,
     .doc = "Path of a text file with the density of every cell in kg/m^3."},
    {"mass_like", SCHEMA_STRING, SCHEMA_PATH, AT(body_def, solid.like_path), .absent = "no fit",
     FOR_SOLIDS,
     .doc = "Path of a finer mesh of the same shape, placed like the mesh of the "
            "body; densities of the cells are fitted so that mass and centre of mass are those of "
            "that mesh."},
    {"velocity", SCHEMA_VECTOR, AT(body_def, velocity), .count = 3, .initial = "[0, 0, 0]",
     .unit = "m/s", FOR_SIMULATED, .instead = "obstacles have \"motion\"",
     .doc = "Velocity at the start."},
    {"angular_velocity", SCHEMA_VECTOR, AT(body_def, angular_velocity), .count = 3,
     .initial = "[0, 0, 0]", .unit = "deg/s", FOR_SIMULATED, .instead = "obstacles have \"motion\"",
     .doc = "Angular velocity about the centre of mass at the start."},
    {"velocity_field", SCHEMA_EXPRESSIONS, AT(body_def, velocity_field), .count = 3,
     .absent = "none", .unit = "m/s", FOR_NODES,
     .doc = "Added to the velocity at the start, for bodies with nodes; x, y, z are their places."},
    {"boundary", SCHEMA_LIST, SCHEMA_OR_ONE,
     AT_LIST(body_def, loads.boundaries, loads.boundary_count), .type = &schema_boundary,
     .initial = "[]", FOR(KEYS_BOUNDARY),
     .doc = "Parts of the boundary, for `nodes` of conditions and for `surface_loads`."},
    {"fix", SCHEMA_LIST, SCHEMA_OR_ONE, AT_LIST(body_def, dirichlet.fixes, dirichlet.fix_count),
     .type = &schema_fix, .initial = "[]", FOR_SIMULATED, .instead = "obstacles have \"motion\"",
     .doc = "Nodes that are fixed or moved."},
    {"force", SCHEMA_LIST, SCHEMA_OR_ONE, AT_LIST(body_def, loads.forces, loads.force_count),
     .type = &schema_force, .initial = "[]", FOR_SIMULATED, .doc = "Loads."},
    {"surface_loads", SCHEMA_LIST, SCHEMA_OR_ONE,
     AT_LIST(body_def, loads.surface_loads, loads.surface_load_count), .type = &schema_surface_load,
     .initial = "[]", FOR_SOLIDS, .instead = "others have \"force\"",
     .doc = "Tractions and pressures on the boundary."},
    {"motion", SCHEMA_LIST, SCHEMA_OR_ONE,
     AT_LIST(body_def, dirichlet.motions, dirichlet.motion_count), .type = &motion_type,
     .initial = "[]", FOR(KEYS_WHOLE),
     .instead = "others have \"fix\" with a \"motion\" for some or all of their nodes",
     .doc = "Prescribed motion of the whole body."},
    {"displacement", SCHEMA_EXPRESSIONS, AT(body_def, dirichlet.displacement), .count = 3,
     .absent = "none", .unit = "m", FOR(KEYS_OBSTACLE), .instead = "others have \"fix\"",
     .doc = "Instead of `motion`: displacement in time, x, y, z being the places "
            "at the start."},
    {"poses", SCHEMA_LIST, AT_LIST(body_def, rigid.poses, rigid.pose_count), .type = &pose_type,
     .initial = "[]", FOR_RIGID,
     .doc = "Places at the ends of the steps, instead of `motion`; after "
            "the last one the body rests."},
    {"collision_group", SCHEMA_INTEGER, AT(body_def, collision_group), .initial = "-1",
     FROM_TO(-1, 2147483647),
     .doc = "Bodies of the same group do not collide with each other; -1 is no group."},
    {"sequence", SCHEMA_OBJECT, AT(body_def, sequence), GIVEN(body_def, sequence.given),
     .type = &sequence_type, .absent = "none", FOR(KEYS_SEQUENCE),
     .instead = "rigid and affine bodies have \"poses\"",
     .doc = "Prescribed positions from files, instead of `motion`."},
    {"friction", SCHEMA_NUMBER, AT(body_def, friction), .otherwise = -1, AT_LEAST(0),
     .absent = "`contact.friction`", .doc = "Coefficient of friction of the body."},
    {"offset", SCHEMA_NUMBER, AT(body_def, offset), .initial = "0", AT_LEAST(0), .unit = "m",
     .doc = "Thickness in contact: two primitives stay further apart than the mean of their "
            "offsets."},
    {"weights", SCHEMA_LIST, SCHEMA_OR_ONE, AT_LIST(body_def, weights, weight_count),
     .type = &weight_type, .initial = "[]", FOR_NODES, .doc = "Extra masses of nodes."},
    {"shell", SCHEMA_OBJECT, SCHEMA_REQUIRED, AT(body_def, shell), .type = &schema_shell,
     FOR(KEYS_SHELL), .doc = "The sheet of a body of type `shell`."},
    {"rod", SCHEMA_OBJECT, SCHEMA_REQUIRED, AT(body_def, rod), .type = &schema_rod, FOR(KEYS_ROD),
     .doc = "The section of a body of type `rod`."},
    {"particles", SCHEMA_OBJECT, SCHEMA_REQUIRED, IN_PLACE, .type = &schema_particles,
     FOR(KEYS_PARTICLES), .doc = "The grains of a body of type `particles`."},
    {"parameters", SCHEMA_NUMBERS, AT(body_def, own), .names = kind_names, .absent = "none",
     FOR(KEYS_PARAMETERS),
     .doc = "Parameters of the type's own, by name, for types that have such."},
};

const schema_type schema_body = {
    .name = "body",
    .doc = "One body: a mesh with a place, a material and conditions.",
    FIELDS(body_fields),
    STRUCT(body_def),
    .complete = complete_body,
    .rule = rule_body,
    .rule_doc =
        "Bodies of the types `deformable`, `shell` and `rod` need a `material` (a shell or "
        "its preset); `rigid`, "
        "`affine` and "
        "`particles` a `material` or a `density`. Rigid and affine bodies have no nodes to "
        "choose from. One of `motion`, `displacement`, `poses` and `sequence` may be given, "
        "one of `density`, `total_mass` and `inertial`, one of `densities` and `mass_like`.",
};
