/* Friction: lagged Coulomb friction as a potential. */
#include "module.h"

#include <math.h>

typedef struct friction_object {
    PyObject_HEAD abut_friction *friction;
    mesh_object *mesh; /* of the set that it was lagged with */
} friction_object;

static PyObject *friction_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {NULL};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, ":Friction", names)) return NULL;
    friction_object *self = (friction_object *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    abut_error error;
    abut_status status = abut_friction_create(&self->friction, &error);
    if (status == ABUT_OK) return (PyObject *)self;
    Py_DECREF(self);
    return raise_status(status, &error);
}

static void friction_dealloc(PyObject *o)
{
    friction_object *self = (friction_object *)o;
    abut_friction_destroy(self->friction);
    Py_XDECREF(self->mesh);
    Py_TYPE(o)->tp_free(o);
}

/* A number for all, or a square table over groups. */
static int read_coefficient(PyObject *object, abut_friction_options *out, PyArrayObject **table)
{
    *table = NULL;
    if (PyFloat_Check(object) || PyLong_Check(object)) {
        out->coefficient = PyFloat_AsDouble(object);
        return PyErr_Occurred() ? -1 : 0;
    }
    PyArrayObject *a = (PyArrayObject *)PyArray_FROM_OTF(object, NPY_DOUBLE, NPY_ARRAY_IN_ARRAY);
    if (!a) return -1;
    *table = a;
    if (PyArray_NDIM(a) == 0) {
        out->coefficient = doubles_of(a)[0];
        return 0;
    }
    if (PyArray_NDIM(a) != 2 || PyArray_DIM(a, 0) != PyArray_DIM(a, 1)) {
        raise_input("coefficient", "a number or a square table over groups is needed");
        return -1;
    }
    out->group_coefficients = doubles_of(a);
    return 0;
}

static PyObject *friction_lag(PyObject *o, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"set", "coefficient", "stiffness", "kind", "physical", NULL};
    friction_object *self = (friction_object *)o;
    set_object *set;
    PyObject *coefficient;
    double stiffness = 1;
    const char *kind = "c2";
    int physical = 0;
    abut_barrier barrier;
    abut_friction_options options = {0};
    PyArrayObject *table;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O|d$sp:lag", names, &set_type, &set,
                                     &coefficient, &stiffness, &kind, &physical) ||
        read_barrier(stiffness, kind, physical, &barrier) < 0)
        return NULL;
    abut_error error;
    abut_status status = ABUT_OK;
    bool ok = read_coefficient(coefficient, &options, &table) == 0;
    if (ok && options.group_coefficients && PyArray_DIM(table, 0) != set->mesh->groups) {
        raise_input("coefficient", "the table must have %lld rows and columns, one per group",
                    (long long)set->mesh->groups);
        ok = false;
    }
    if (ok) status = abut_friction_lag(self->friction, set->set, &barrier, &options, &error);
    Py_XDECREF(table);
    if (!ok) return NULL;
    if (status != ABUT_OK) return raise_status(status, &error);
    Py_INCREF(set->mesh);
    Py_XSETREF(self->mesh, set->mesh);
    return Py_NewRef(o);
}

/* What value, gradient and hessian have in common. */
typedef struct evaluation {
    PyArrayObject *start, *positions;
    abut_friction_law law;
} evaluation;

static int read_evaluation(friction_object *self, PyObject *start, PyObject *positions, double eps,
                           const char *kind, evaluation *out)
{
    *out = (evaluation){.law.eps = eps};
    int k = word_in(kind, abut_friction_kind_words(), "kind");
    if (k < 0) return -1;
    out->law.kind = (abut_friction_kind)k;
    if (!self->mesh) {
        raise_input("friction", "lag() comes first");
        return -1;
    }
    out->start = doubles_in(start, "start", self->mesh->vertices, 3);
    if (out->start) out->positions = doubles_in(positions, "positions", self->mesh->vertices, 3);
    if (out->positions) return 0;
    Py_XDECREF(out->start);
    return -1;
}

static void end_evaluation(evaluation *e)
{
    Py_DECREF(e->start);
    Py_DECREF(e->positions);
}

static PyObject *friction_value(PyObject *o, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"start", "positions", "eps", "kind", NULL};
    friction_object *self = (friction_object *)o;
    PyObject *start, *positions;
    double eps, value;
    const char *kind = "c1";
    evaluation e;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOd|$s:value", names, &start, &positions,
                                     &eps, &kind) ||
        read_evaluation(self, start, positions, eps, kind, &e) < 0)
        return NULL;
    abut_error error;
    abut_status status = abut_friction_value(self->friction, &e.law, doubles_of(e.start),
                                             doubles_of(e.positions), &value, &error);
    end_evaluation(&e);
    return status == ABUT_OK ? PyFloat_FromDouble(value) : raise_status(status, &error);
}

static PyObject *friction_gradient(PyObject *o, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"start", "positions", "eps", "kind", NULL};
    friction_object *self = (friction_object *)o;
    PyObject *start, *positions;
    double eps;
    const char *kind = "c1";
    evaluation e;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOd|$s:gradient", names, &start, &positions,
                                     &eps, &kind) ||
        read_evaluation(self, start, positions, eps, kind, &e) < 0)
        return NULL;
    npy_intp n = (npy_intp)abut_collision_mesh_dofs(self->mesh->mesh);
    PyObject *g = PyArray_SimpleNew(1, &n, NPY_DOUBLE);
    abut_error error;
    abut_status status = ABUT_OK;
    if (g)
        status =
            abut_friction_gradient(self->friction, &e.law, doubles_of(e.start),
                                   doubles_of(e.positions), doubles_of((PyArrayObject *)g), &error);
    end_evaluation(&e);
    if (status == ABUT_OK) return g;
    Py_DECREF(g);
    return raise_status(status, &error);
}

static PyObject *friction_hessian(PyObject *o, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"start", "positions", "eps", "kind", "upper", NULL};
    friction_object *self = (friction_object *)o;
    PyObject *start, *positions;
    double eps;
    const char *kind = "c1";
    int upper = 0;
    evaluation e;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOd|$sp:hessian", names, &start, &positions,
                                     &eps, &kind, &upper) ||
        read_evaluation(self, start, positions, eps, kind, &e) < 0)
        return NULL;
    abut_matrix *matrix = NULL;
    abut_hessian_options options = {.upper = upper};
    abut_error error;
    abut_status status = abut_matrix_create(&matrix, &error);
    if (status == ABUT_OK)
        status = abut_friction_hessian(self->friction, &e.law, doubles_of(e.start),
                                       doubles_of(e.positions), &options, matrix, &error);
    end_evaluation(&e);
    if (status == ABUT_OK) return matrix_out(matrix);
    abut_matrix_destroy(matrix);
    return raise_status(status, &error);
}

static Py_ssize_t friction_length(PyObject *o)
{
    return (Py_ssize_t)abut_friction_count(((friction_object *)o)->friction);
}

static PyObject *friction_contacts(PyObject *o, PyObject *unused)
{
    (void)unused;
    npy_intp n = (npy_intp)friction_length(o), shape[3] = {n, 4, 0}, frames[3] = {n, 2, 3};
    PyObject *kinds = PyArray_SimpleNew(1, &n, NPY_INT32);
    PyObject *vertices = PyArray_SimpleNew(2, shape, NPY_INT32);
    PyObject *forces = PyArray_SimpleNew(1, &n, NPY_DOUBLE);
    PyObject *weights = PyArray_SimpleNew(2, shape, NPY_DOUBLE);
    PyObject *tangents = PyArray_SimpleNew(3, frames, NPY_DOUBLE);
    if (!kinds || !vertices || !forces || !weights || !tangents) {
        Py_XDECREF(kinds);
        Py_XDECREF(vertices);
        Py_XDECREF(forces);
        Py_XDECREF(weights);
        Py_XDECREF(tangents);
        return NULL;
    }
    for (npy_intp i = 0; i < n; i++) {
        abut_friction_contact c;
        if (!abut_friction_get(((friction_object *)o)->friction, (size_t)i, &c)) break;
        ints_of((PyArrayObject *)kinds)[i] = (int32_t)c.kind;
        doubles_of((PyArrayObject *)forces)[i] = c.force;
        for (int k = 0; k < 4; k++) {
            ints_of((PyArrayObject *)vertices)[4 * i + k] = c.vertices[k];
            doubles_of((PyArrayObject *)weights)[4 * i + k] = c.weights[k];
        }
        for (int k = 0; k < 6; k++)
            doubles_of((PyArrayObject *)tangents)[6 * i + k] = c.tangent[k / 3][k % 3];
    }
    return Py_BuildValue("{s:N,s:N,s:N,s:N,s:N}", "kind", kinds, "vertices", vertices, "force",
                         forces, "weights", weights, "tangent", tangents);
}

static PyMethodDef friction_methods[] = {
    {"lag", (PyCFunction)(void (*)(void))friction_lag, METH_VARARGS | METH_KEYWORDS,
     "lag(set, coefficient, stiffness=1, *, kind='c2', physical=False)\n--\n\nTakes normal forces "
     "and sliding directions from an active set and its barrier; returns itself. coefficient: a "
     "number, or a table over pairs of groups."},
    {"value", (PyCFunction)(void (*)(void))friction_value, METH_VARARGS | METH_KEYWORDS,
     "value(start, positions, eps, *, kind='c1')\n--\n\nThe potential of going from start to "
     "positions; below a sliding of eps contacts stick."},
    {"gradient", (PyCFunction)(void (*)(void))friction_gradient, METH_VARARGS | METH_KEYWORDS,
     "gradient(start, positions, eps, *, kind='c1')\n--\n\nIts gradient: minus the friction "
     "force."},
    {"hessian", (PyCFunction)(void (*)(void))friction_hessian, METH_VARARGS | METH_KEYWORDS,
     "hessian(start, positions, eps, *, kind='c1', upper=False)\n--\n\nIts Hessian as (data, "
     "indices, indptr)."},
    {"contacts", friction_contacts, METH_NOARGS,
     "contacts()\n--\n\nA dict of arrays: kind, vertices, force (mu times normal force), weights, "
     "tangent."},
    {NULL, NULL, 0, NULL}};

static PySequenceMethods friction_sequence = {.sq_length = friction_length};

PyTypeObject friction_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "abut.Friction",
    .tp_basicsize = sizeof(friction_object),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Friction()\n--\n\nCoulomb friction with lagged normal forces, as a potential of "
              "displacements.",
    .tp_new = friction_new,
    .tp_dealloc = friction_dealloc,
    .tp_methods = friction_methods,
    .tp_as_sequence = &friction_sequence};
