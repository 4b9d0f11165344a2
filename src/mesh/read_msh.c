/* Gmsh MSH, versions 2.x and 4.1, text and binary in either byte order. Tags of cells are their
 * (first) physical group. Node numbers may be sparse. Unknown sections are skipped, among them the
 * $Surface of IPC's tet meshes, which abut computes itself. */
#include "mesh/gmsh_cells.h"
#include "mesh/node_map.h"
#include "mesh/read.h"

#include <stdlib.h>

/* Physical group of a model entity (4.1). */
typedef struct entity_tag {
    int dimension;
    int64_t tag;
    int32_t physical;
} entity_tag;

typedef struct msh_reader {
    scan *s;
    mesh_builder *b;
    int major; /* 2 or 4 */
    bool binary, swap;
    size_t size_bytes; /* of a size_t in a binary file */
    bool have_nodes, have_elements;
    node_map map;
    ARRAY(entity_tag) entities;
} msh_reader;

/* ---- values, text or binary ---------------------------------------------------------------- */

static abut_status cut_short(msh_reader *r, const char *what)
{
    return scan_fail(r->s, r->s->p, "the file ends where a number is expected (%s)", what);
}

/* A binary int of 4 bytes or size_t of 4 or 8. */
static abut_status read_binary_integer(msh_reader *r, const char *what, size_t bytes, int64_t low,
                                       int64_t high, int64_t *out)
{
    scan *s = r->s;
    *out = 0;
    if (scan_left(s) < bytes) return cut_short(r, what);
    int64_t value =
        bytes == 8 ? (int64_t)load_u64(s->p, r->swap) : (int64_t)(int32_t)load_u32(s->p, r->swap);
    if (value < low || value > high)
        return scan_fail(s, s->p, "%s is %lld; allowed are %lld to %lld", what, (long long)value,
                         (long long)low, (long long)high);
    s->p += bytes;
    *out = value;
    return ABUT_OK;
}

static inline abut_status read_int(msh_reader *r, const char *what, int64_t low, int64_t high,
                                   int64_t *out)
{
    return r->binary ? read_binary_integer(r, what, 4, low, high, out)
                     : scan_integer(r->s, what, low, high, out);
}

static inline abut_status read_size(msh_reader *r, const char *what, int64_t low, int64_t high,
                                    int64_t *out)
{
    return r->binary ? read_binary_integer(r, what, r->size_bytes, low, high, out)
                     : scan_integer(r->s, what, low, high, out);
}

/* A number of things that follow, bounded by what the rest of the file can hold. */
static abut_status read_amount(msh_reader *r, const char *what, size_t least_text,
                               size_t least_binary, size_t *out)
{
    if (!r->binary) scan_ends(r->s);
    const char *at = r->s->p;
    int64_t count;
    TRY(read_size(r, what, INT64_MIN, INT64_MAX, &count));
    TRY(scan_check_count(r->s, at, count, what, r->binary ? least_binary : least_text));
    *out = (size_t)count;
    return ABUT_OK;
}

static abut_status read_binary_point(msh_reader *r, double x[3])
{
    scan *s = r->s;
    if (scan_left(s) < 24) return cut_short(r, "a coordinate");
    for (int i = 0; i < 3; i++) {
        x[i] = load_f64(s->p, r->swap);
        if (!isfinite(x[i]))
            return scan_fail(s, s->p, "a coordinate is %g; it must be finite", x[i]);
        s->p += 8;
    }
    return ABUT_OK;
}

static inline abut_status read_point(msh_reader *r, vec3 *out)
{
    double x[3];
    if (r->binary) {
        TRY(read_binary_point(r, x));
    } else {
        for (int i = 0; i < 3; i++) TRY(scan_real(r->s, "a coordinate", &x[i]));
    }
    *out = vec3_load(x);
    return ABUT_OK;
}

static abut_status skip_reals(msh_reader *r, int count)
{
    if (r->binary) {
        const char *ignored;
        return scan_bytes(r->s, "the parameters", (size_t)count, 8, &ignored);
    }
    for (int i = 0; i < count; i++) {
        double ignored;
        TRY(scan_real(r->s, "a parameter", &ignored));
    }
    return ABUT_OK;
}

/* ---- nodes --------------------------------------------------------------------------------- */

static abut_status add_node_tag(msh_reader *r, int64_t tag)
{
    return node_map_add(&r->map, tag) ? ABUT_OK : scan_memory(r->s);
}

static abut_status read_nodes_2(msh_reader *r)
{
    size_t count;
    TRY(scan_count(r->s, "number of nodes", r->binary ? 28 : 8, &count));
    if (r->binary) scan_skip_line(r->s);
    if (!array_reserve(&r->b->vertices, count)) return scan_memory(r->s);
    for (size_t i = 0; i < count; i++) {
        int64_t tag;
        vec3 x;
        TRY(read_int(r, "node number", 0, INT64_MAX, &tag));
        TRY(add_node_tag(r, tag));
        TRY(read_point(r, &x));
        r->b->vertices.data[r->b->vertices.count++] = x;
        scan_release(r->s);
    }
    return ABUT_OK;
}

/* The nodes of one entity: all tags, then all coordinates. */
static abut_status read_node_block(msh_reader *r, size_t left)
{
    int64_t dimension, entity, parametric;
    size_t count;
    TRY(read_int(r, "dimension of an entity", 0, 3, &dimension));
    TRY(read_int(r, "number of an entity", INT32_MIN, INT32_MAX, &entity));
    TRY(read_int(r, "parametric flag", 0, 1, &parametric));
    const char *at = r->s->p;
    TRY(read_amount(r, "number of nodes in a block", 8, 24 + r->size_bytes, &count));
    if (count > left)
        return scan_fail(r->s, at, "a block has %zu nodes, but only %zu of the total are left",
                         count, left);
    for (size_t i = 0; i < count; i++) {
        int64_t tag;
        TRY(read_size(r, "node number", 0, INT64_MAX, &tag));
        TRY(add_node_tag(r, tag));
        scan_release(r->s);
    }
    for (size_t i = 0; i < count; i++) {
        vec3 x;
        TRY(read_point(r, &x));
        if (parametric) TRY(skip_reals(r, (int)dimension));
        r->b->vertices.data[r->b->vertices.count++] = x;
        scan_release(r->s);
    }
    return ABUT_OK;
}

static abut_status read_nodes_4(msh_reader *r)
{
    size_t blocks, count;
    int64_t ignored;
    TRY(read_amount(r, "number of node blocks", 8, 12 + r->size_bytes, &blocks));
    TRY(read_amount(r, "number of nodes", 8, 24 + r->size_bytes, &count));
    TRY(read_size(r, "lowest node number", INT64_MIN, INT64_MAX, &ignored));
    TRY(read_size(r, "highest node number", INT64_MIN, INT64_MAX, &ignored));
    if (!array_reserve(&r->b->vertices, count)) return scan_memory(r->s);
    for (size_t i = 0; i < blocks; i++) TRY(read_node_block(r, count - r->b->vertices.count));
    if (r->b->vertices.count != count)
        return scan_fail(r->s, r->s->p, "the blocks have %zu nodes in all, but %zu were announced",
                         r->b->vertices.count, count);
    return ABUT_OK;
}

static abut_status read_nodes(msh_reader *r)
{
    const char *at = r->s->p;
    if (r->have_nodes) return scan_fail(r->s, at, "a second section $Nodes; one is allowed");
    r->have_nodes = true;
    TRY(r->major == 2 ? read_nodes_2(r) : read_nodes_4(r));
    if (r->b->vertices.count == 0) return scan_fail(r->s, at, "the mesh has no nodes");
    int64_t twice = 0;
    abut_status status = node_map_finish(&r->map, &twice);
    if (status == ABUT_ERROR_MEMORY) return scan_memory(r->s);
    if (status != ABUT_OK)
        return scan_fail(r->s, at, "node number %lld is given to two nodes", (long long)twice);
    return ABUT_OK;
}

/* ---- elements ------------------------------------------------------------------------------ */

static abut_status find_block(msh_reader *r, const char *at, int64_t type, builder_block **out)
{
    cell_kind kind;
    int order;
    const char *name;
    switch (gmsh_cell_kind(type, &kind, &order, &name)) {
    case GMSH_KNOWN: break;
    case GMSH_UNSUPPORTED:
        return scan_unsupported(r->s, at,
                                "element type %lld (%s) cannot be used; points, lines, triangles "
                                "and tetrahedra of order 1 to 4, and quadrangles and hexahedra of "
                                "order 1 and 2 can",
                                (long long)type, name);
    case GMSH_UNKNOWN:
        return scan_fail(r->s, at, "element type %lld is not one of Gmsh's", (long long)type);
    }
    *out = builder_find(r->b, kind, order);
    if (!*out) return scan_unsupported(r->s, at, "more than %d types of cells", MESH_MAX_BLOCKS);
    return ABUT_OK;
}

static abut_status unknown_node(msh_reader *r, int64_t tag)
{
    return scan_fail(r->s, r->s->p - 1, "an element uses node %lld, which is not in $Nodes",
                     (long long)tag);
}

/* The nodes of one element; in binary files they are ints (version 2) or size_t (4). */
static inline abut_status read_cell(msh_reader *r, builder_block *block, int32_t tag)
{
    int32_t *nodes = builder_cell(block, tag);
    if (!nodes) return scan_memory(r->s);
    for (int i = 0; i < block->nodes_per_cell; i++) {
        int64_t node;
        TRY(r->major == 2 ? read_int(r, "node of an element", 0, INT64_MAX, &node)
                          : read_size(r, "node of an element", 0, INT64_MAX, &node));
        nodes[i] = node_map_find(&r->map, node);
        if (nodes[i] < 0) return unknown_node(r, node);
    }
    scan_release(r->s);
    return ABUT_OK;
}

/* The tags of an element of version 2, of which the first is the physical group. */
static abut_status read_tags_2(msh_reader *r, int64_t count, int32_t *physical)
{
    *physical = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t tag;
        TRY(read_int(r, "tag of an element", INT32_MIN, INT32_MAX, &tag));
        if (i == 0) *physical = (int32_t)tag;
    }
    return ABUT_OK;
}

static abut_status read_element_text_2(msh_reader *r)
{
    int64_t number, type, tags;
    int32_t physical;
    builder_block *block;
    TRY(scan_integer(r->s, "element number", 0, INT64_MAX, &number));
    scan_ends(r->s);
    const char *at = r->s->p;
    TRY(scan_integer(r->s, "element type", 0, INT32_MAX, &type));
    TRY(find_block(r, at, type, &block));
    TRY(scan_integer(r->s, "number of tags", 0, INT32_MAX, &tags));
    TRY(read_tags_2(r, tags, &physical));
    return read_cell(r, block, physical);
}

/* A run of elements of one type; *count is how many. */
static abut_status read_elements_binary_2(msh_reader *r, size_t left, size_t *count)
{
    int64_t type, tags, amount, number;
    builder_block *block;
    const char *at = r->s->p;
    TRY(read_int(r, "element type", 0, INT32_MAX, &type));
    TRY(find_block(r, at, type, &block));
    TRY(read_int(r, "number of elements in a block", 1, INT32_MAX, &amount));
    TRY(read_int(r, "number of tags", 0, INT32_MAX, &tags));
    size_t bytes = 4 * (1 + (size_t)tags + (size_t)block->nodes_per_cell);
    TRY(scan_check_count(r->s, at, amount, "number of elements in a block", bytes));
    if ((size_t)amount > left)
        return scan_fail(r->s, at, "a block has %lld elements, but only %zu of the total are left",
                         (long long)amount, left);
    if (!builder_reserve(block, (size_t)amount)) return scan_memory(r->s);
    for (int64_t i = 0; i < amount; i++) {
        int32_t physical;
        TRY(read_int(r, "element number", INT32_MIN, INT32_MAX, &number));
        TRY(read_tags_2(r, tags, &physical));
        TRY(read_cell(r, block, physical));
    }
    *count = (size_t)amount;
    return ABUT_OK;
}

static abut_status read_elements_2(msh_reader *r)
{
    size_t count;
    TRY(scan_count(r->s, "number of elements", 8, &count));
    if (r->binary) scan_skip_line(r->s);
    for (size_t i = 0; i < count;) {
        size_t done = 1;
        TRY(r->binary ? read_elements_binary_2(r, count - i, &done) : read_element_text_2(r));
        i += done;
    }
    return ABUT_OK;
}

static int compare_entities(const void *a, const void *b)
{
    const entity_tag *x = a, *y = b;
    if (x->dimension != y->dimension) return x->dimension - y->dimension;
    return (x->tag > y->tag) - (x->tag < y->tag);
}

static int32_t physical_of(const msh_reader *r, int64_t dimension, int64_t entity)
{
    if (r->entities.count == 0) return 0;
    entity_tag wanted = {(int)dimension, entity, 0};
    const entity_tag *found = bsearch(&wanted, r->entities.data, r->entities.count,
                                      sizeof *r->entities.data, compare_entities);
    return found ? found->physical : 0;
}

static abut_status read_element_block(msh_reader *r, size_t left, size_t *count)
{
    int64_t dimension, entity, type, number;
    builder_block *block;
    TRY(read_int(r, "dimension of an entity", 0, 3, &dimension));
    TRY(read_int(r, "number of an entity", INT32_MIN, INT32_MAX, &entity));
    if (!r->binary) scan_ends(r->s);
    const char *at = r->s->p;
    TRY(read_int(r, "element type", 0, INT32_MAX, &type));
    TRY(find_block(r, at, type, &block));
    size_t values = 1 + (size_t)block->nodes_per_cell;
    TRY(read_amount(r, "number of elements in a block", 2 * values, r->size_bytes * values, count));
    if (*count > left)
        return scan_fail(r->s, at, "a block has %zu elements, but only %zu of the total are left",
                         *count, left);
    if (!builder_reserve(block, *count)) return scan_memory(r->s);
    int32_t physical = physical_of(r, dimension, entity);
    for (size_t i = 0; i < *count; i++) {
        TRY(read_size(r, "element number", 0, INT64_MAX, &number));
        TRY(read_cell(r, block, physical));
    }
    return ABUT_OK;
}

static abut_status read_elements_4(msh_reader *r)
{
    size_t blocks, total, done = 0;
    int64_t ignored;
    TRY(read_amount(r, "number of element blocks", 8, 12 + r->size_bytes, &blocks));
    TRY(read_amount(r, "number of elements", 4, 2 * r->size_bytes, &total));
    TRY(read_size(r, "lowest element number", INT64_MIN, INT64_MAX, &ignored));
    TRY(read_size(r, "highest element number", INT64_MIN, INT64_MAX, &ignored));
    for (size_t i = 0; i < blocks; i++) {
        size_t count;
        TRY(read_element_block(r, total - done, &count));
        done += count;
    }
    if (done != total)
        return scan_fail(r->s, r->s->p,
                         "the blocks have %zu elements in all, but %zu were announced", done,
                         total);
    return ABUT_OK;
}

static abut_status read_elements(msh_reader *r)
{
    if (!r->have_nodes) return scan_fail(r->s, r->s->p, "$Elements comes before $Nodes");
    if (r->have_elements)
        return scan_fail(r->s, r->s->p, "a second section $Elements; one is allowed");
    r->have_elements = true;
    return r->major == 2 ? read_elements_2(r) : read_elements_4(r);
}

/* ---- entities (4.1) ------------------------------------------------------------------------ */

static abut_status read_entity(msh_reader *r, int dimension)
{
    int64_t tag, value;
    size_t physicals, bounds;
    TRY(read_int(r, "number of an entity", INT32_MIN, INT32_MAX, &tag));
    TRY(skip_reals(r, dimension == 0 ? 3 : 6));
    TRY(read_amount(r, "number of physical groups", 2, 4, &physicals));
    for (size_t i = 0; i < physicals; i++) {
        TRY(read_int(r, "physical group", INT32_MIN + 1, INT32_MAX, &value));
        /* The sign only tells the orientation within the group. */
        entity_tag entity = {dimension, tag, (int32_t)(value < 0 ? -value : value)};
        if (i == 0 && !array_push(&r->entities, entity)) return scan_memory(r->s);
    }
    if (dimension == 0) return ABUT_OK;
    TRY(read_amount(r, "number of bounding entities", 2, 4, &bounds));
    for (size_t i = 0; i < bounds; i++)
        TRY(read_int(r, "bounding entity", INT32_MIN, INT32_MAX, &value));
    return ABUT_OK;
}

static abut_status read_entities(msh_reader *r)
{
    size_t counts[4];
    for (int d = 0; d < 4; d++)
        TRY(read_amount(r, "number of entities", 8, 4 + 24 + r->size_bytes, &counts[d]));
    for (int d = 0; d < 4; d++)
        for (size_t i = 0; i < counts[d]; i++) TRY(read_entity(r, d));
    if (r->entities.count > 0)
        qsort(r->entities.data, r->entities.count, sizeof *r->entities.data, compare_entities);
    return ABUT_OK;
}

/* ---- sections ------------------------------------------------------------------------------ */

static abut_status read_format(msh_reader *r)
{
    scan *s = r->s;
    double version;
    int64_t type, size;
    TRY(scan_expect(s, "$MeshFormat"));
    scan_ends(s);
    const char *at = s->p;
    TRY(scan_real(s, "the version of the format", &version));
    if (version >= 2.0 && version < 3.0)
        r->major = 2;
    else if (version == 4.1)
        r->major = 4;
    else
        return scan_unsupported(
            s, at, "version %g of the MSH format cannot be read; 2.2 and 4.1 can", version);
    TRY(scan_integer(s, "file type (0 text, 1 binary)", 0, 1, &type));
    TRY(scan_integer(s, "data size", 4, 8, &size));
    if (size != 4 && size != 8)
        return scan_fail(s, s->p, "the data size is %d; it must be 4 or 8", (int)size);
    if (type == 1) {
        const char *one;
        scan_skip_line(s);
        TRY(scan_bytes(s, "the format section", 1, 4, &one));
        s->binary = r->binary = true;
        r->swap = load_u32(one, false) != 1;
        if (load_u32(one, r->swap) != 1)
            return scan_fail(s, one, "the number that shows the byte order is not 1");
        r->size_bytes = r->major == 2 ? 4 : (size_t)size;
    }
    return scan_expect(s, "$EndMeshFormat");
}

/* To behind "$End<name>". */
static abut_status skip_section(msh_reader *r, scan_token name)
{
    char end[64];
    size_t length = name.length - 1;
    if (length > sizeof end - 5)
        return scan_fail(r->s, name.text, "the name of a section is too long: %s",
                         scan_found(r->s, name.text).text);
    memcpy(end, "$End", 4);
    memcpy(end + 4, name.text + 1, length);
    char *found = memmem(r->s->p, scan_left(r->s), end, length + 4);
    if (!found)
        return scan_fail(r->s, name.text, "section %s has no end",
                         scan_found(r->s, name.text).text);
    r->s->p = found + length + 4;
    return ABUT_OK;
}

static abut_status read_section(msh_reader *r)
{
    scan *s = r->s;
    scan_token name = scan_word(s);
    if (name.length < 2 || name.text[0] != '$')
        return scan_fail(s, name.text, "expected a section such as $Nodes, found %s",
                         scan_found(s, name.text).text);
    bool nodes = token_is(name, "$Nodes"), elements = token_is(name, "$Elements");
    bool entities = token_is(name, "$Entities") && r->major == 4;
    if (!nodes && !elements && !entities) return skip_section(r, name);
    if (r->binary) scan_skip_line(s);
    if (nodes) {
        TRY(read_nodes(r));
        return scan_expect(s, "$EndNodes");
    }
    if (elements) {
        TRY(read_elements(r));
        return scan_expect(s, "$EndElements");
    }
    TRY(read_entities(r));
    return scan_expect(s, "$EndEntities");
}

static abut_status read_all(msh_reader *r)
{
    TRY(read_format(r));
    while (!scan_ends(r->s)) TRY(read_section(r));
    if (!r->have_nodes) return scan_fail(r->s, r->s->p, "the file has no section $Nodes");
    if (!r->have_elements) return scan_fail(r->s, r->s->p, "the file has no section $Elements");
    return ABUT_OK;
}

abut_status read_msh(scan *s, mesh_builder *b)
{
    msh_reader r = {.s = s, .b = b, .size_bytes = 8};
    abut_status status = read_all(&r);
    node_map_free(&r.map);
    array_free(&r.entities);
    return status;
}
