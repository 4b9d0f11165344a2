/* CollisionMesh and Candidates. */
#include "module.h"

/* ---- Creation ---- */

/* Arrays that a definition borrows; released together. */
typedef struct borrowed {
    PyArrayObject *arrays[16];
    int count;
} borrowed;

static void release(borrowed *b)
{
    for (int i = 0; i < b->count; i++) Py_XDECREF(b->arrays[i]);
    b->count = 0;
}

/* Remembers an array, which may be NULL after a failure. */
static PyArrayObject *keep(borrowed *b, PyArrayObject *a)
{
    if (a) b->arrays[b->count++] = a;
    return a;
}

static bool given(PyObject *o) { return o && o != Py_None; }

/* The arguments of CollisionMesh(). */
typedef struct mesh_arguments {
    PyObject *rest, *triangles, *edges, *points, *group, *no_self, *kinematic, *thickness, *map,
        *map_offset;
    int planar;
} mesh_arguments;

static int read_cells(const mesh_arguments *a, abut_collision_mesh_definition *d, borrowed *b)
{
    PyArrayObject *array;
    if (given(a->triangles)) {
        if (!(array = keep(b, ints_in(a->triangles, "triangles", -1, 3)))) return -1;
        d->triangles = ints_of(array);
        d->triangle_count = (size_t)rows_of(array, 3);
    }
    if (given(a->edges)) {
        if (!(array = keep(b, ints_in(a->edges, "edges", -1, 2)))) return -1;
        d->edges = ints_of(array);
        d->edge_count = (size_t)rows_of(array, 2);
    }
    if (given(a->points)) {
        if (!(array = keep(b, ints_in(a->points, "points", -1, 1)))) return -1;
        d->points = ints_of(array);
        d->point_count = (size_t)rows_of(array, 1);
    }
    return 0;
}

/* group_flags from the groups that do not collide with themselves. */
static int read_groups(const mesh_arguments *a, abut_collision_mesh_definition *d, borrowed *b)
{
    PyArrayObject *array;
    npy_intp groups = 1, n = (npy_intp)d->vertex_count;
    if (given(a->group)) {
        if (!(array = keep(b, ints_in(a->group, "group", n, 1)))) return -1;
        d->group = ints_of(array);
        for (npy_intp i = 0; i < n; i++)
            if (d->group[i] >= groups) groups = (npy_intp)d->group[i] + 1;
        if (groups > n + 1000000) {
            raise_input("group", "number %lld is far more than there are vertices",
                        (long long)groups - 1);
            return -1;
        }
    }
    d->group_count = (size_t)groups;
    if (!given(a->no_self)) return 0;
    PyArrayObject *list = keep(b, ints_in(a->no_self, "no_self", -1, 1));
    if (!list) return -1;
    PyObject *flags = PyArray_ZEROS(1, &groups, NPY_UINT8, 0);
    if (!keep(b, (PyArrayObject *)flags)) return -1;
    uint8_t *flag = (uint8_t *)PyArray_DATA((PyArrayObject *)flags);
    for (npy_intp i = 0; i < rows_of(list, 1); i++) {
        int32_t g = ints_of(list)[i];
        if (g < 0 || g >= groups) {
            raise_input("no_self", "there is no group %d", (int)g);
            return -1;
        }
        flag[g] |= ABUT_GROUP_NO_SELF;
    }
    d->group_flags = flag;
    return 0;
}

static int read_vertices(const mesh_arguments *a, abut_collision_mesh_definition *d, borrowed *b)
{
    PyArrayObject *array;
    npy_intp n = (npy_intp)d->vertex_count;
    if (given(a->kinematic)) {
        if (!(array = keep(b, bytes_in(a->kinematic, "kinematic", n)))) return -1;
        d->kinematic = (const uint8_t *)PyArray_DATA(array);
    }
    if (given(a->thickness)) {
        if (!(array = keep(b, doubles_in(a->thickness, "thickness", n, 1)))) return -1;
        d->thickness = doubles_of(array);
    }
    return 0;
}

/* One part of a sparse matrix with the names that SciPy gives them. */
static PyObject *part_of(PyObject *map, const char *name)
{
    PyObject *part = PyObject_GetAttrString(map, name);
    if (!part && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        raise_input("map", "a sparse matrix in CSR form is needed (scipy.sparse.csr_matrix)");
    }
    return part;
}

static int read_shape(PyObject *map, npy_intp rows, size_t *dofs)
{
    PyObject *shape = part_of(map, "shape");
    if (!shape) return -1;
    long long found[2];
    int ok = PyTuple_Check(shape) && PyArg_ParseTuple(shape, "LL", &found[0], &found[1]);
    Py_DECREF(shape);
    if (!ok) return -1;
    if (found[0] != rows) {
        raise_input("map", "%lld rows are needed (3 per vertex), not %lld", (long long)rows,
                    found[0]);
        return -1;
    }
    *dofs = (size_t)found[1];
    return 0;
}

static int read_map(const mesh_arguments *a, abut_collision_mesh_definition *d, borrowed *b)
{
    if (!given(a->map)) return 0;
    npy_intp rows = 3 * (npy_intp)d->vertex_count;
    if (read_shape(a->map, rows, &d->dof_count) < 0) return -1;
    PyObject *parts[3] = {part_of(a->map, "indptr"), NULL, NULL};
    if (parts[0]) parts[1] = part_of(a->map, "indices");
    if (parts[1]) parts[2] = part_of(a->map, "data");
    PyArrayObject *start = NULL, *columns = NULL, *values = NULL;
    if (parts[2]) {
        start = keep(b, ints_in(parts[0], "map.indptr", rows + 1, 1));
        columns = keep(b, ints_in(parts[1], "map.indices", -1, 1));
        values = keep(b, doubles_in(parts[2], "map.data", -1, 1));
    }
    for (int i = 0; i < 3; i++) Py_XDECREF(parts[i]);
    if (!start || !columns || !values) return -1;
    npy_intp last = ints_of(start)[rows];
    if (last > rows_of(columns, 1) || last > rows_of(values, 1)) {
        raise_input("map", "indptr ends at %lld, but there are fewer entries", (long long)last);
        return -1;
    }
    d->map_row_start = ints_of(start);
    d->map_columns = ints_of(columns);
    d->map_values = doubles_of(values);
    if (given(a->map_offset)) {
        PyArrayObject *offset =
            keep(b, doubles_in(a->map_offset, "map_offset", (npy_intp)d->vertex_count, 3));
        if (!offset) return -1;
        d->map_offset = doubles_of(offset);
    }
    return 0;
}

static PyObject *mesh_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"rest",      "triangles", "edges",  "points", "group",      "no_self",
                            "kinematic", "thickness", "planar", "map",    "map_offset", NULL};
    mesh_arguments a = {0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OOO$OOOOpOO:CollisionMesh", names, &a.rest,
                                     &a.triangles, &a.edges, &a.points, &a.group, &a.no_self,
                                     &a.kinematic, &a.thickness, &a.planar, &a.map, &a.map_offset))
        return NULL;
    borrowed b = {.count = 0};
    abut_collision_mesh_definition d = abut_default_collision_mesh();
    abut_collision_mesh *mesh = NULL;
    mesh_object *self = NULL;
    PyArrayObject *rest = keep(&b, doubles_in(a.rest, "rest", -1, 3));
    if (!rest) return NULL;
    d.rest = doubles_of(rest);
    d.vertex_count = (size_t)rows_of(rest, 3);
    d.planar = a.planar;
    if (read_cells(&a, &d, &b) == 0 && read_groups(&a, &d, &b) == 0 &&
        read_vertices(&a, &d, &b) == 0 && read_map(&a, &d, &b) == 0) {
        abut_error error;
        abut_status status = abut_collision_mesh_create(&d, &mesh, &error);
        if (status != ABUT_OK) raise_status(status, &error);
    }
    release(&b);
    if (mesh) self = (mesh_object *)type->tp_alloc(type, 0);
    if (!self) {
        abut_collision_mesh_destroy(mesh);
        return NULL;
    }
    size_t count;
    const int32_t *edges = abut_collision_mesh_edges(mesh, &count);
    self->mesh = mesh;
    self->vertices = (npy_intp)d.vertex_count;
    self->groups = (npy_intp)d.group_count;
    self->edges = ints_out(edges, (npy_intp)count, 2);
    if (!self->edges) {
        Py_DECREF(self);
        return NULL;
    }
    PyArray_CLEARFLAGS((PyArrayObject *)self->edges, NPY_ARRAY_WRITEABLE);
    return (PyObject *)self;
}

static void mesh_dealloc(PyObject *o)
{
    mesh_object *self = (mesh_object *)o;
    abut_collision_mesh_destroy(self->mesh);
    Py_XDECREF(self->edges);
    Py_TYPE(o)->tp_free(o);
}

/* ---- Methods ---- */

static PyObject *pair_out(abut_pair pair)
{
    return Py_BuildValue("(sii)", pair_kind_words[pair.kind], (int)pair.first, (int)pair.second);
}

static PyObject *mesh_positions(PyObject *o, PyObject *argument)
{
    mesh_object *self = (mesh_object *)o;
    npy_intp n = (npy_intp)abut_collision_mesh_dofs(self->mesh), shape[2] = {self->vertices, 3};
    PyArrayObject *q = doubles_in(argument, "q", n, 1);
    if (!q && n == 3 * self->vertices) { /* without a map (n, 3) is natural */
        PyErr_Clear();
        q = doubles_in(argument, "q", self->vertices, 3);
    }
    PyObject *out = q ? PyArray_SimpleNew(2, shape, NPY_DOUBLE) : NULL;
    if (out)
        abut_collision_mesh_positions(self->mesh, doubles_of(q), doubles_of((PyArrayObject *)out));
    Py_XDECREF(q);
    return out;
}

static PyObject *mesh_candidates(PyObject *o, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"start", "distance", "end", NULL};
    mesh_object *self = (mesh_object *)o;
    PyObject *start_object, *end_object = NULL;
    double distance;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "Od|O:candidates", names, &start_object,
                                     &distance, &end_object))
        return NULL;
    PyArrayObject *start = doubles_in(start_object, "start", self->vertices, 3), *end = NULL;
    if (start && given(end_object)) end = doubles_in(end_object, "end", self->vertices, 3);
    candidates_object *out = NULL;
    if (start && (end || !given(end_object)))
        out = (candidates_object *)candidates_type.tp_alloc(&candidates_type, 0);
    if (out) {
        abut_error error;
        Py_INCREF(o);
        out->mesh = o;
        abut_status status = abut_candidates_create(&out->candidates, &error);
        if (status == ABUT_OK)
            status =
                abut_find_candidates(self->mesh, doubles_of(start), end ? doubles_of(end) : NULL,
                                     distance, out->candidates, &error);
        if (status != ABUT_OK) {
            raise_status(status, &error);
            Py_CLEAR(out);
        }
    }
    Py_XDECREF(start);
    Py_XDECREF(end);
    return (PyObject *)out;
}

static PyObject *report_out(double step, const abut_step_report *r)
{
    PyObject *pair = r->limited ? pair_out(r->limiting) : Py_NewRef(Py_None);
    if (!pair) return NULL;
    return Py_BuildValue("{s:d,s:N,s:n,s:n,s:L}", "step", step, "limiting", pair, "touching",
                         (Py_ssize_t)r->touching, "candidates", (Py_ssize_t)r->candidates,
                         "iterations", (long long)r->iterations);
}

static PyObject *mesh_step(PyObject *o, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"start",          "end",    "method", "keep", "cap", "tolerance",
                            "max_iterations", "report", NULL};
    mesh_object *self = (mesh_object *)o;
    PyObject *start_object, *end_object;
    const char *method = "tight-inclusion";
    abut_step_options options = abut_default_step_options();
    long long iterations = options.max_iterations;
    int with_report = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|$sdddLp:collision_free_step", names,
                                     &start_object, &end_object, &method, &options.keep,
                                     &options.cap, &options.tolerance, &iterations, &with_report))
        return NULL;
    options.max_iterations = iterations;
    if (read_ccd_method(method, &options.method) < 0) return NULL;
    PyArrayObject *start = doubles_in(start_object, "start", self->vertices, 3);
    PyArrayObject *end = start ? doubles_in(end_object, "end", self->vertices, 3) : NULL;
    PyObject *out = NULL;
    if (end) {
        double step;
        abut_step_report report;
        abut_error error;
        abut_status status = abut_collision_free_step(
            self->mesh, doubles_of(start), doubles_of(end), &options, &step, &report, &error);
        if (status != ABUT_OK)
            raise_status(status, &error);
        else
            out = with_report ? report_out(step, &report) : PyFloat_FromDouble(step);
    }
    Py_XDECREF(start);
    Py_XDECREF(end);
    return out;
}

static PyObject *mesh_intersections(PyObject *o, PyObject *argument)
{
    static const char *const words[] = {"edge_triangle", "edge_edge", "point_triangle",
                                        "point_edge", "point_point"};
    mesh_object *self = (mesh_object *)o;
    PyArrayObject *x = doubles_in(argument, "positions", self->vertices, 3);
    if (!x) return NULL;
    size_t count = 0, capacity = 0;
    abut_intersection *found = NULL;
    abut_error error;
    abut_status status = ABUT_OK;
    do { /* a second time when there was not room for all */
        capacity = count;
        PyMem_Free(found);
        found = PyMem_Calloc(capacity + 1, sizeof *found);
        if (!found) break;
        status =
            abut_find_intersections(self->mesh, doubles_of(x), found, capacity, &count, &error);
    } while (status == ABUT_OK && count > capacity);
    Py_DECREF(x);
    PyObject *list = NULL;
    if (!found)
        PyErr_NoMemory();
    else if (status != ABUT_OK)
        raise_status(status, &error);
    else
        list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *item =
            Py_BuildValue("(sii)", words[found[i].kind], (int)found[i].first, (int)found[i].second);
        if (!item) Py_CLEAR(list);
        if (list) PyList_SET_ITEM(list, (Py_ssize_t)i, item);
    }
    PyMem_Free(found);
    return list;
}

static PyObject *mesh_smallest_distance(PyObject *o, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"positions", "radius", NULL};
    mesh_object *self = (mesh_object *)o;
    PyObject *object;
    double radius, distance;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "Od:smallest_distance", names, &object,
                                     &radius))
        return NULL;
    PyArrayObject *x = doubles_in(object, "positions", self->vertices, 3);
    if (!x) return NULL;
    abut_pair pair;
    abut_error error;
    abut_status status =
        abut_smallest_distance(self->mesh, doubles_of(x), radius, &distance, &pair, &error);
    Py_DECREF(x);
    if (status != ABUT_OK) return raise_status(status, &error);
    PyObject *named = pair.first >= 0 ? pair_out(pair) : Py_NewRef(Py_None);
    return named ? Py_BuildValue("(dN)", distance, named) : NULL;
}

/* The one kind of intersections that is no kind of pair: edge ab, triangle cde. */
static int edge_triangle_vertices(const abut_collision_mesh *mesh, int edge, int triangle,
                                  int32_t v[5])
{
    int32_t w[4];
    if (abut_pair_vertices(mesh, (abut_pair){ABUT_POINT_TRIANGLE, 0, triangle}, w) == 0) return 0;
    if (abut_pair_vertices(mesh, (abut_pair){ABUT_EDGE_EDGE, edge, edge}, v) == 0) return 0;
    memcpy(v + 2, w + 1, 3 * sizeof *w);
    return 5;
}

static PyObject *mesh_pair_vertices(PyObject *o, PyObject *args)
{
    const char *word;
    int first, second, kind = 0;
    int32_t v[5];
    if (!PyArg_ParseTuple(args, "sii:pair_vertices", &word, &first, &second)) return NULL;
    bool edge_triangle = strcmp(word, "edge_triangle") == 0;
    if (!edge_triangle) kind = word_in(word, pair_kind_words, "kind");
    if (kind < 0) return NULL;
    const abut_collision_mesh *mesh = ((mesh_object *)o)->mesh;
    abut_pair pair = {(abut_pair_kind)kind, first, second};
    int count = edge_triangle ? edge_triangle_vertices(mesh, first, second, v)
                              : abut_pair_vertices(mesh, pair, v);
    if (count == 0) return raise_input("pair", "there is no %s %d, %d", word, first, second);
    return ints_out(v, count, 0);
}

static PyObject *mesh_get_edges(PyObject *o, void *closure)
{
    (void)closure;
    return Py_NewRef(((mesh_object *)o)->edges);
}

static PyObject *mesh_get_dofs(PyObject *o, void *closure)
{
    (void)closure;
    return PyLong_FromSize_t(abut_collision_mesh_dofs(((mesh_object *)o)->mesh));
}

static PyObject *mesh_get_freedoms(PyObject *o, void *closure)
{
    if (PyErr_WarnEx(PyExc_DeprecationWarning, "CollisionMesh.freedoms is now dofs", 1) < 0)
        return NULL;
    return mesh_get_dofs(o, closure);
}

static PyObject *mesh_get_vertex_count(PyObject *o, void *closure)
{
    (void)closure;
    return PyLong_FromSsize_t(((mesh_object *)o)->vertices);
}

static PyMethodDef mesh_methods[] = {
    {"positions", mesh_positions, METH_O,
     "positions(q)\n--\n\nPositions of the vertices for the unknowns q: offset + map q."},
    {"candidates", (PyCFunction)(void (*)(void))mesh_candidates, METH_VARARGS | METH_KEYWORDS,
     "candidates(start, distance, end=None)\n--\n\nAll pairs that may come within a distance of "
     "each other while the vertices move from start to end."},
    {"collision_free_step", (PyCFunction)(void (*)(void))mesh_step, METH_VARARGS | METH_KEYWORDS,
     "collision_free_step(start, end, *, method='tight-inclusion', keep=0.2, cap=1e-4, "
     "tolerance=1e-6, max_iterations=1000000, report=False)\n--\n\nThe largest step in 0 .. 1 "
     "along "
     "start + step (end - start) that is free of collisions; with report=True a dict with more."},
    {"intersections", mesh_intersections, METH_O,
     "intersections(positions)\n--\n\nAll primitives that intersect or touch, decided exactly: "
     "tuples (kind, first, second)."},
    {"smallest_distance", (PyCFunction)(void (*)(void))mesh_smallest_distance,
     METH_VARARGS | METH_KEYWORDS,
     "smallest_distance(positions, radius)\n--\n\n(distance, pair) of the closest primitives, or "
     "(inf, None) when nothing is within the radius."},
    {"pair_vertices", mesh_pair_vertices, METH_VARARGS,
     "pair_vertices(kind, first, second)\n--\n\nThe vertices of a pair, in the order of its kind, "
     "which may be any that intersections() returns."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef mesh_getset[] = {
    {"edges", mesh_get_edges, NULL, "All edges, each once, sorted: what pairs are numbered by.",
     NULL},
    {"dofs", mesh_get_dofs, NULL, "Length of gradients and size of Hessians.", NULL},
    {"freedoms", mesh_get_freedoms, NULL, "Deprecated: the former name of dofs.", NULL},
    {"vertex_count", mesh_get_vertex_count, NULL, "Number of vertices.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyTypeObject mesh_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "abut.CollisionMesh",
    .tp_basicsize = sizeof(mesh_object),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "CollisionMesh(rest, triangles=None, edges=None, points=None, *, group=None, "
              "no_self=None, kinematic=None, thickness=None, planar=False, map=None, "
              "map_offset=None)\n--\n\nWhat collides: vertices at rest (n, 3), triangles, edges "
              "and points by vertex numbers. group: a number per vertex; no_self: groups that do "
              "not collide with themselves; kinematic: vertices that follow a script; map: a "
              "scipy.sparse.csr_matrix from unknowns q to vertex coordinates.",
    .tp_new = mesh_new,
    .tp_dealloc = mesh_dealloc,
    .tp_methods = mesh_methods,
    .tp_getset = mesh_getset};

/* ---- Candidates ---- */

static void candidates_dealloc(PyObject *o)
{
    candidates_object *self = (candidates_object *)o;
    abut_candidates_destroy(self->candidates);
    Py_XDECREF(self->mesh);
    Py_TYPE(o)->tp_free(o);
}

/* closure: the kind. The list belongs to the object, which is never filled again. */
static PyObject *candidates_list(PyObject *o, void *closure)
{
    size_t count;
    abut_pair_kind kind = (abut_pair_kind)(intptr_t)closure;
    const int32_t *list = abut_candidates_list(((candidates_object *)o)->candidates, kind, &count);
    return view_of((void *)list, NPY_INT32, (npy_intp)count, 2, o, false);
}

static Py_ssize_t candidates_length(PyObject *o)
{
    size_t sum = 0;
    for (int kind = ABUT_POINT_POINT; kind <= ABUT_EDGE_EDGE; kind++) {
        size_t count;
        abut_candidates_list(((candidates_object *)o)->candidates, (abut_pair_kind)kind, &count);
        sum += count;
    }
    return (Py_ssize_t)sum;
}

static PyGetSetDef candidates_getset[] = {
    {"point_point", candidates_list, NULL, "Pairs (vertex, vertex).", (void *)ABUT_POINT_POINT},
    {"point_edge", candidates_list, NULL, "Pairs (vertex, edge).", (void *)ABUT_POINT_EDGE},
    {"point_triangle", candidates_list, NULL, "Pairs (vertex, triangle).",
     (void *)ABUT_POINT_TRIANGLE},
    {"edge_edge", candidates_list, NULL, "Pairs (edge, edge).", (void *)ABUT_EDGE_EDGE},
    {NULL, NULL, NULL, NULL, NULL}};

static PySequenceMethods candidates_sequence = {.sq_length = candidates_length};

PyTypeObject candidates_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "abut.Candidates",
    .tp_basicsize = sizeof(candidates_object),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "Pairs of primitives that may come close; made by CollisionMesh.candidates.",
    .tp_dealloc = candidates_dealloc,
    .tp_getset = candidates_getset,
    .tp_as_sequence = &candidates_sequence};
