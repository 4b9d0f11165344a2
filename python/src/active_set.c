/* ActiveSet: what is close, the barrier on it, and its stiffness. */
#include "module.h"

#include <math.h>

/* ---- Matrices ---- */

static void destroy_matrix(PyObject *capsule)
{
    abut_matrix_destroy(PyCapsule_GetPointer(capsule, "abut.matrix"));
}

PyObject *matrix_out(abut_matrix *matrix)
{
    PyObject *owner = PyCapsule_New(matrix, "abut.matrix", destroy_matrix);
    if (!owner) {
        abut_matrix_destroy(matrix);
        return NULL;
    }
    abut_csr m = abut_matrix_view(matrix);
    PyObject *values = view_of((void *)m.values, NPY_DOUBLE, (npy_intp)m.nonzeros, 0, owner, true);
    PyObject *columns = view_of((void *)m.columns, NPY_INT32, (npy_intp)m.nonzeros, 0, owner, true);
    PyObject *start = view_of((void *)m.row_start, NPY_INT32, (npy_intp)m.rows + 1, 0, owner, true);
    Py_DECREF(owner);
    if (values && columns && start) return Py_BuildValue("(NNN)", values, columns, start);
    Py_XDECREF(values);
    Py_XDECREF(columns);
    Py_XDECREF(start);
    return NULL;
}

int read_barrier(double stiffness, const char *kind, int physical, abut_barrier *out)
{
    int k = word_in(kind, abut_barrier_kind_words(), "kind");
    *out = (abut_barrier){.stiffness = stiffness, .physical = physical};
    if (k >= 0) out->kind = (abut_barrier_kind)k;
    return k < 0 ? -1 : 0;
}

/* ---- Lifecycle ---- */

static PyObject *set_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"mesh", NULL};
    PyObject *mesh;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!:ActiveSet", names, &mesh_type, &mesh))
        return NULL;
    set_object *self = (set_object *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    abut_error error;
    abut_status status = abut_active_set_create(&self->set, &error);
    if (status != ABUT_OK) {
        Py_DECREF(self);
        return raise_status(status, &error);
    }
    self->mesh = (mesh_object *)Py_NewRef(mesh);
    return (PyObject *)self;
}

static void set_dealloc(PyObject *o)
{
    set_object *self = (set_object *)o;
    abut_active_set_destroy(self->set);
    Py_XDECREF(self->mesh);
    Py_TYPE(o)->tp_free(o);
}

static PyObject *set_build(PyObject *o, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"positions", "dhat", "candidates", "area_weighted", NULL};
    set_object *self = (set_object *)o;
    PyObject *object, *candidates = NULL;
    double dhat;
    int weighted = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "Od|O$p:build", names, &object, &dhat,
                                     &candidates, &weighted))
        return NULL;
    abut_candidates *given = NULL;
    if (candidates && candidates != Py_None) {
        if (!PyObject_TypeCheck(candidates, &candidates_type))
            return raise_input("candidates", "they come from CollisionMesh.candidates");
        given = ((candidates_object *)candidates)->candidates;
        if (((candidates_object *)candidates)->mesh != (PyObject *)self->mesh)
            return raise_input("candidates", "they are of another collision mesh");
    }
    PyArrayObject *x = doubles_in(object, "positions", self->mesh->vertices, 3);
    if (!x) return NULL;
    abut_active_set_options options = {.area_weighted = weighted};
    abut_error error;
    abut_status status = abut_active_set_build(self->set, self->mesh->mesh, doubles_of(x), dhat,
                                               given, &options, &error);
    Py_DECREF(x);
    if (status != ABUT_OK) return raise_status(status, &error);
    return Py_NewRef(o);
}

/* ---- Barrier ---- */

static PyObject *set_barrier_value(PyObject *o, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"stiffness", "kind", "physical", NULL};
    double stiffness = 1, value;
    const char *kind = "c2";
    int physical = 0;
    abut_barrier barrier;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|d$sp:barrier_value", names, &stiffness,
                                     &kind, &physical) ||
        read_barrier(stiffness, kind, physical, &barrier) < 0)
        return NULL;
    abut_error error;
    abut_status status = abut_barrier_value(((set_object *)o)->set, &barrier, &value, &error);
    return status == ABUT_OK ? PyFloat_FromDouble(value) : raise_status(status, &error);
}

static PyObject *set_barrier_gradient(PyObject *o, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"stiffness", "kind", "physical", NULL};
    set_object *self = (set_object *)o;
    double stiffness = 1;
    const char *kind = "c2";
    int physical = 0;
    abut_barrier barrier;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|d$sp:barrier_gradient", names, &stiffness,
                                     &kind, &physical) ||
        read_barrier(stiffness, kind, physical, &barrier) < 0)
        return NULL;
    npy_intp n = (npy_intp)abut_collision_mesh_dofs(self->mesh->mesh);
    PyObject *g = PyArray_SimpleNew(1, &n, NPY_DOUBLE);
    if (!g) return NULL;
    abut_error error;
    abut_status status =
        abut_barrier_gradient(self->set, &barrier, doubles_of((PyArrayObject *)g), &error);
    if (status == ABUT_OK) return g;
    Py_DECREF(g);
    return raise_status(status, &error);
}

static PyObject *set_barrier_hessian(PyObject *o, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"stiffness", "kind", "physical", "exact", "upper", NULL};
    double stiffness = 1;
    const char *kind = "c2";
    int physical = 0, exact = 0, upper = 0;
    abut_barrier barrier;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|d$sppp:barrier_hessian", names, &stiffness,
                                     &kind, &physical, &exact, &upper) ||
        read_barrier(stiffness, kind, physical, &barrier) < 0)
        return NULL;
    abut_matrix *matrix = NULL;
    abut_hessian_options options = {.exact = exact, .upper = upper};
    abut_error error;
    abut_status status = abut_matrix_create(&matrix, &error);
    if (status == ABUT_OK)
        status = abut_barrier_hessian(((set_object *)o)->set, &barrier, &options, matrix, &error);
    if (status == ABUT_OK) return matrix_out(matrix);
    abut_matrix_destroy(matrix);
    return raise_status(status, &error);
}

/* ---- Looking at it ---- */

static Py_ssize_t set_length(PyObject *o)
{
    return (Py_ssize_t)abut_active_set_count(((set_object *)o)->set);
}

/* Fills one row of each column; returns false when out of range. */
static PyObject *set_contacts(PyObject *o, PyObject *unused)
{
    (void)unused;
    npy_intp n = (npy_intp)set_length(o), shape[2] = {n, 4};
    PyObject *kinds = PyArray_SimpleNew(1, &n, NPY_INT32);
    PyObject *vertices = PyArray_SimpleNew(2, shape, NPY_INT32);
    PyObject *weights = PyArray_SimpleNew(1, &n, NPY_DOUBLE);
    PyObject *distances = PyArray_SimpleNew(1, &n, NPY_DOUBLE);
    PyObject *thicknesses = PyArray_SimpleNew(1, &n, NPY_DOUBLE);
    PyObject *mollifiers = PyArray_SimpleNew(1, &n, NPY_DOUBLE);
    if (!kinds || !vertices || !weights || !distances || !thicknesses || !mollifiers) {
        Py_XDECREF(kinds);
        Py_XDECREF(vertices);
        Py_XDECREF(weights);
        Py_XDECREF(distances);
        Py_XDECREF(thicknesses);
        Py_XDECREF(mollifiers);
        return NULL;
    }
    for (npy_intp i = 0; i < n; i++) {
        abut_contact c;
        if (!abut_active_set_get(((set_object *)o)->set, (size_t)i, &c)) break;
        ints_of((PyArrayObject *)kinds)[i] = (int32_t)c.kind;
        for (int k = 0; k < 4; k++) ints_of((PyArrayObject *)vertices)[4 * i + k] = c.vertices[k];
        doubles_of((PyArrayObject *)weights)[i] = c.weight;
        doubles_of((PyArrayObject *)distances)[i] = c.distance;
        doubles_of((PyArrayObject *)thicknesses)[i] = c.thickness;
        doubles_of((PyArrayObject *)mollifiers)[i] = c.mollifier;
    }
    return Py_BuildValue("{s:N,s:N,s:N,s:N,s:N,s:N}", "kind", kinds, "vertices", vertices, "weight",
                         weights, "distance", distances, "thickness", thicknesses, "mollifier",
                         mollifiers);
}

static PyObject *set_get_min_distance(PyObject *o, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(abut_active_set_min_distance(((set_object *)o)->set));
}

/* ---- Stiffness ---- */

static PyObject *set_adapt_stiffness(PyObject *o, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"extent", "stiffness", "highest", NULL};
    double extent;
    abut_stiffness stiffness = {0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "ddd:adapt_stiffness", names, &extent,
                                     &stiffness.value, &stiffness.highest))
        return NULL;
    abut_error error;
    abut_status status = abut_adapt_stiffness(((set_object *)o)->set, extent, &stiffness, &error);
    return status == ABUT_OK ? PyFloat_FromDouble(stiffness.value) : raise_status(status, &error);
}

static bool given(PyObject *o) { return o && o != Py_None; }

static PyObject *initial_stiffness(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"dhat",           "extent", "mean_mass", "barrier_gradient",
                            "other_gradient", "kind",   "physical",  NULL};
    double dhat, extent, mass;
    PyObject *contact_object = NULL, *other_object = NULL;
    const char *kind = "c2";
    int physical = 0;
    abut_barrier barrier;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "ddd|OO$sp:initial_stiffness", names, &dhat,
                                     &extent, &mass, &contact_object, &other_object, &kind,
                                     &physical) ||
        read_barrier(1, kind, physical, &barrier) < 0)
        return NULL;
    if (given(contact_object) != given(other_object))
        return raise_input("other_gradient", "both gradients are needed, or none");
    PyArrayObject *contact = NULL, *other = NULL;
    if (given(contact_object)) {
        contact = doubles_in(contact_object, "barrier_gradient", -1, 1);
        if (contact) other = doubles_in(other_object, "other_gradient", rows_of(contact, 1), 1);
        if (!other) {
            Py_XDECREF(contact);
            return NULL;
        }
    }
    abut_stiffness out;
    abut_error error;
    abut_status status = abut_initial_stiffness(
        &barrier, dhat, extent, mass, contact ? doubles_of(contact) : NULL,
        other ? doubles_of(other) : NULL, contact ? (size_t)rows_of(contact, 1) : 0, &out, &error);
    Py_XDECREF(contact);
    Py_XDECREF(other);
    if (status != ABUT_OK) return raise_status(status, &error);
    return Py_BuildValue("(ddd)", out.value, out.lowest, out.highest);
}

PyMethodDef stiffness_methods[] = {
    {"initial_stiffness", (PyCFunction)(void (*)(void))initial_stiffness,
     METH_VARARGS | METH_KEYWORDS,
     "initial_stiffness(dhat, extent, mean_mass, barrier_gradient=None, other_gradient=None, *, "
     "kind='c2', physical=False)\n--\n\n(value, lowest, highest) of the barrier's stiffness: "
     "balances the barrier's gradient (at stiffness 1) against that of the other energies."},
    {NULL, NULL, 0, NULL}};

static PyMethodDef set_methods[] = {
    {"build", (PyCFunction)(void (*)(void))set_build, METH_VARARGS | METH_KEYWORDS,
     "build(positions, dhat, candidates=None, *, area_weighted=False)\n--\n\nFills the set with "
     "all "
     "pairs closer than dhat and returns it."},
    {"contacts", set_contacts, METH_NOARGS,
     "contacts()\n--\n\nA dict of arrays, one entry per contact: kind (number in PAIR_KINDS), "
     "vertices (n, 4; -1 where there are fewer), weight, distance, thickness, mollifier."},
    {"barrier_value", (PyCFunction)(void (*)(void))set_barrier_value, METH_VARARGS | METH_KEYWORDS,
     "barrier_value(stiffness=1, *, kind='c2', physical=False)\n--\n\nEnergy of the barrier."},
    {"barrier_gradient", (PyCFunction)(void (*)(void))set_barrier_gradient,
     METH_VARARGS | METH_KEYWORDS,
     "barrier_gradient(stiffness=1, *, kind='c2', physical=False)\n--\n\nIts gradient, a flat "
     "array."},
    {"barrier_hessian", (PyCFunction)(void (*)(void))set_barrier_hessian,
     METH_VARARGS | METH_KEYWORDS,
     "barrier_hessian(stiffness=1, *, kind='c2', physical=False, exact=False, upper=False)\n--\n\n"
     "Its Hessian as (data, indices, indptr), as scipy.sparse.csr_matrix takes it; projected to "
     "positive semi-definite contact by contact unless exact."},
    {"adapt_stiffness", (PyCFunction)(void (*)(void))set_adapt_stiffness,
     METH_VARARGS | METH_KEYWORDS,
     "adapt_stiffness(extent, stiffness, highest)\n--\n\nThe stiffness to go on with: doubled when "
     "a tiny distance has shrunk since the last call."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef set_getset[] = {
    {"min_distance", set_get_min_distance, NULL, "Smallest distance; inf without contacts.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PySequenceMethods set_sequence = {.sq_length = set_length};

PyTypeObject set_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "abut.ActiveSet",
    .tp_basicsize = sizeof(set_object),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "ActiveSet(mesh)\n--\n\nPairs closer than dhat at some positions; the barrier is "
              "evaluated there.",
    .tp_new = set_new,
    .tp_dealloc = set_dealloc,
    .tp_methods = set_methods,
    .tp_getset = set_getset,
    .tp_as_sequence = &set_sequence};
