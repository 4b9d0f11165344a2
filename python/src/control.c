/* Control of a simulation while it runs (abut/control.h), as functions of the module that take the
 * simulation first; python/abut/control.py makes methods of them. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

/* ---- Arguments ---- */

static simulation_object *sim_in(PyObject *object)
{
    if (PyObject_TypeCheck(object, &simulation_type)) {
        simulation_object *self = (simulation_object *)object;
        if (!self->busy) return self;
        PyErr_SetString(PyExc_RuntimeError, "the simulation is in use by another thread");
        return NULL;
    }
    PyErr_SetString(PyExc_TypeError, "a Simulation is needed");
    return NULL;
}

static PyObject *none_or(abut_status status, const abut_error *error)
{
    if (status != ABUT_OK) return raise_status(status, error);
    Py_RETURN_NONE;
}

/* ---- What it is told ---- */

static PyObject *targets(PyObject *module, PyObject *object)
{
    (void)module;
    simulation_object *self = sim_in(object);
    if (!self) return NULL;
    double *data = abut_sim_targets(self->sim);
    if (!data) return raise_input("targets", "are not for scenes with remesh");
    npy_intp n = (npy_intp)abut_sim_node_count(self->sim);
    return view_of(data, NPY_DOUBLE, n, 3, object, true);
}

static PyObject *set_gravity(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *object, *value;
    if (!PyArg_ParseTuple(args, "OO:set_gravity", &object, &value)) return NULL;
    simulation_object *self = sim_in(object);
    PyArrayObject *gravity = self ? doubles_in(value, "gravity", 1, 3) : NULL;
    if (!gravity) return NULL;
    abut_error error;
    abut_status status = abut_sim_set_gravity(self->sim, doubles_of(gravity), &error);
    Py_DECREF(gravity);
    return none_or(status, &error);
}

static PyObject *set_friction(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *object;
    const char *first = NULL, *second = NULL;
    double friction;
    if (!PyArg_ParseTuple(args, "Od|zz:set_friction", &object, &friction, &first, &second))
        return NULL;
    simulation_object *self = sim_in(object);
    if (!self) return NULL;
    abut_error error;
    abut_status status =
        second  ? abut_sim_set_pair_friction(self->sim, first, second, friction, &error)
        : first ? abut_sim_set_body_friction(self->sim, first, friction, &error)
                : abut_sim_set_friction(self->sim, friction, &error);
    return none_or(status, &error);
}

static PyObject *change(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *object;
    const char *text;
    Py_ssize_t length;
    if (!PyArg_ParseTuple(args, "Os#:change", &object, &text, &length)) return NULL;
    simulation_object *self = sim_in(object);
    if (!self) return NULL;
    abut_error error;
    abut_status status;
    self->busy = true;
    Py_BEGIN_ALLOW_THREADS status = abut_sim_change(self->sim, text, (size_t)length, &error);
    Py_END_ALLOW_THREADS self->busy = false;
    if (PyErr_Occurred()) return NULL;
    return none_or(status, &error);
}

/* ---- What it feels ---- */

/* A member of an array of structs as an array of its own: `width` values of `size` bytes each. */
static PyObject *column(const void *first, size_t count, size_t stride, npy_intp width, int type,
                        size_t size)
{
    npy_intp shape[2] = {(npy_intp)count, width};
    PyObject *out = PyArray_SimpleNew(width > 1 ? 2 : 1, shape, type);
    char *to = out ? PyArray_DATA((PyArrayObject *)out) : NULL;
    size_t row = (size_t)width * size;
    for (size_t i = 0; out && i < count; i++)
        memcpy(to + i * row, (const char *)first + i * stride, row);
    return out;
}

#define DOUBLES(list, count, member, width)                                                        \
    column(&(list)->member, count, sizeof *(list), width, NPY_DOUBLE, sizeof(double))
#define BODIES(list, count) column(&(list)->first, count, sizeof *(list), 2, NPY_INT32, 4)

static PyObject *contacts(PyObject *module, PyObject *object)
{
    (void)module;
    simulation_object *self = sim_in(object);
    if (!self) return NULL;
    const abut_contact_point *list;
    size_t n;
    abut_error error;
    abut_status status = abut_sim_contacts(self->sim, &list, &n, &error);
    if (status != ABUT_OK) return raise_status(status, &error);
    return Py_BuildValue("{s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "bodies", BODIES(list, n), "points",
                         DOUBLES(list, n, point, 3), "normals", DOUBLES(list, n, normal, 3),
                         "distances", DOUBLES(list, n, distance, 1), "gaps",
                         DOUBLES(list, n, gap, 1), "forces", DOUBLES(list, n, force, 1),
                         "pressures", DOUBLES(list, n, pressure, 1));
}

static PyObject *pair_forces(PyObject *module, PyObject *object)
{
    (void)module;
    simulation_object *self = sim_in(object);
    if (!self) return NULL;
    const abut_pair_force *list;
    size_t n;
    abut_error error;
    abut_status status = abut_sim_pair_forces(self->sim, &list, &n, &error);
    if (status != ABUT_OK) return raise_status(status, &error);
    return Py_BuildValue("{s:N,s:N,s:N,s:N,s:N}", "bodies", BODIES(list, n), "contacts",
                         column(&list->contacts, n, sizeof *list, 1, NPY_UINTP, sizeof(size_t)),
                         "normal", DOUBLES(list, n, normal, 3), "friction",
                         DOUBLES(list, n, friction, 3), "gaps", DOUBLES(list, n, gap, 1));
}

static PyObject *events(PyObject *module, PyObject *object)
{
    (void)module;
    simulation_object *self = sim_in(object);
    if (!self) return NULL;
    const abut_contact_event *list;
    size_t n;
    abut_error error;
    abut_status status = abut_sim_events(self->sim, &list, &n, &error);
    if (status != ABUT_OK) return raise_status(status, &error);
    PyObject *out = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; out && i < n; i++) {
        PyObject *item = Py_BuildValue("(iiO)", (int)list[i].first, (int)list[i].second,
                                       list[i].begins ? Py_True : Py_False);
        if (!item) Py_CLEAR(out);
        if (out) PyList_SET_ITEM(out, (Py_ssize_t)i, item);
    }
    return out;
}

/* ---- Energies ---- */

/* A function (positions, stencils, order) and what it has raised. */
typedef struct energy {
    PyObject *function;
    int width;
    PyObject *type, *value, *traceback;
} energy;

static const char CAPSULE[] = "abut.energy";

static void free_energy(PyObject *capsule)
{
    energy *e = PyCapsule_GetPointer(capsule, CAPSULE);
    if (!e) return;
    Py_XDECREF(e->function);
    Py_XDECREF(e->type);
    Py_XDECREF(e->value);
    Py_XDECREF(e->traceback);
    PyMem_Free(e);
}

/* One of the results: energies, gradients or Hessians. */
static bool take(PyObject *from, const char *name, npy_intp count, npy_intp width, double *to)
{
    if (!to) return true;
    PyArrayObject *array =
        (PyArrayObject *)PyArray_FROMANY(from, NPY_DOUBLE, 0, 0, NPY_ARRAY_C_CONTIGUOUS);
    if (!array) return false;
    if (PyArray_SIZE(array) != count * width) {
        raise_input(name, "%zd numbers are needed, not %zd", (Py_ssize_t)(count * width),
                    (Py_ssize_t)PyArray_SIZE(array));
        Py_DECREF(array);
        return false;
    }
    memcpy(to, PyArray_DATA(array), (size_t)(count * width) * sizeof *to);
    Py_DECREF(array);
    return true;
}

static bool take_results(PyObject *result, int order, npy_intp count, npy_intp scalars,
                         double *value, double *gradient, double *hessian)
{
    if (order == 0 && !PyTuple_Check(result)) return take(result, "energy", count, 1, value);
    if (!PyTuple_Check(result) || PyTuple_GET_SIZE(result) <= order) {
        PyErr_Format(PyExc_TypeError,
                     "an energy of order %d must return a tuple of %d arrays: energy, gradient%s",
                     order, order + 1, order > 1 ? ", hessian" : "");
        return false;
    }
    return take(PyTuple_GET_ITEM(result, 0), "energy", count, 1, value) &&
           (order < 1 || take(PyTuple_GET_ITEM(result, 1), "gradient", count, scalars, gradient)) &&
           (order < 2 ||
            take(PyTuple_GET_ITEM(result, 2), "hessian", count, scalars * scalars, hessian));
}

static bool call_energy(energy *e, size_t first, size_t count, const double *x, double *value,
                        double *gradient, double *hessian)
{
    int order = hessian ? 2 : gradient ? 1 : 0;
    npy_intp shape[3] = {(npy_intp)count, e->width, 3};
    PyObject *positions = PyArray_SimpleNew(3, shape, NPY_DOUBLE);
    PyObject *begin = PyLong_FromSize_t(first), *end = PyLong_FromSize_t(first + count);
    PyObject *which = begin && end ? PySlice_New(begin, end, NULL) : NULL, *result = NULL;
    if (positions && which) {
        memcpy(PyArray_DATA((PyArrayObject *)positions), x,
               count * (size_t)(3 * e->width) * sizeof *x);
        result = PyObject_CallFunction(e->function, "OOi", positions, which, order);
    }
    Py_XDECREF(positions);
    Py_XDECREF(begin);
    Py_XDECREF(end);
    Py_XDECREF(which);
    bool good = result && take_results(result, order, (npy_intp)count, 3 * e->width, value,
                                       gradient, hessian);
    Py_XDECREF(result);
    return good;
}

/* Threads of the library come here; exceptions belong to a thread, so they are kept. */
static bool evaluate(void *user, size_t first, size_t count, const double *x, double *value,
                     double *gradient, double *hessian)
{
    energy *e = user;
    PyGILState_STATE state = PyGILState_Ensure();
    bool good = !e->type && call_energy(e, first, count, x, value, gradient, hessian);
    if (!good && PyErr_Occurred()) PyErr_Fetch(&e->type, &e->value, &e->traceback);
    PyGILState_Release(state);
    return good;
}

int raise_energy_errors(simulation_object *self)
{
    Py_ssize_t n = self->energies ? PyList_GET_SIZE(self->energies) : 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        energy *e = PyCapsule_GetPointer(PyList_GET_ITEM(self->energies, i), CAPSULE);
        if (!e || !e->type) continue;
        PyErr_Restore(e->type, e->value, e->traceback);
        e->type = e->value = e->traceback = NULL;
        return -1;
    }
    return 0;
}

/* Puts it into the simulation's list, which keeps it for as long as it is called. */
static energy *new_energy(simulation_object *self, PyObject *function, int width)
{
    if (!self->energies) self->energies = PyList_New(0);
    energy *e = self->energies ? PyMem_Calloc(1, sizeof *e) : NULL;
    if (!e) return NULL;
    *e = (energy){.function = Py_NewRef(function), .width = width};
    PyObject *capsule = PyCapsule_New(e, CAPSULE, free_energy);
    if (!capsule) {
        Py_DECREF(e->function);
        PyMem_Free(e);
        return NULL;
    }
    int failed = PyList_Append(self->energies, capsule);
    Py_DECREF(capsule);
    return failed ? NULL : e;
}

static PyObject *add_energy(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *object, *nodes, *function;
    const char *name;
    int convex;
    if (!PyArg_ParseTuple(args, "OOOsp:add_energy", &object, &nodes, &function, &name, &convex))
        return NULL;
    simulation_object *self = sim_in(object);
    if (!self) return NULL;
    if (!PyCallable_Check(function)) return raise_input("energy", "must be a function");
    if (!PyArray_Check(nodes) || PyArray_NDIM((PyArrayObject *)nodes) != 2)
        return raise_input("nodes", "must have a row of nodes per stencil");
    npy_intp rows = PyArray_DIM((PyArrayObject *)nodes, 0);
    npy_intp width = PyArray_DIM((PyArrayObject *)nodes, 1);
    PyArrayObject *list = ints_in(nodes, "nodes", rows, width);
    energy *e = list ? new_energy(self, function, (int)width) : NULL;
    if (!e) {
        Py_XDECREF(list);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    abut_error error;
    abut_energy_def def = {.name = name,
                           .nodes = ints_of(list),
                           .width = (int)width,
                           .count = (size_t)rows,
                           .evaluate = evaluate,
                           .user = e,
                           .convex = convex};
    abut_status status = abut_sim_add_energy(self->sim, &def, &error);
    Py_DECREF(list);
    return none_or(status, &error);
}

/* ---- Copies ---- */

static PyObject *copy(PyObject *module, PyObject *object)
{
    (void)module;
    simulation_object *self = sim_in(object);
    if (!self) return NULL;
    PyTypeObject *type = Py_TYPE(object);
    simulation_object *now = (simulation_object *)type->tp_alloc(type, 0);
    if (!now) return NULL;
    abut_error error;
    abut_status status = abut_sim_copy(self->sim, &now->sim, &error);
    if (self->log || self->origin) now->origin = Py_NewRef(object);
    if (status == ABUT_OK && self->energies)
        now->energies = PyList_GetSlice(self->energies, 0, PyList_GET_SIZE(self->energies));
    if (status == ABUT_OK && (now->energies || !self->energies)) return (PyObject *)now;
    Py_DECREF(now);
    return status != ABUT_OK ? raise_status(status, &error) : NULL;
}

static PyObject *reset(PyObject *module, PyObject *object)
{
    (void)module;
    simulation_object *self = sim_in(object);
    abut_error error;
    return self ? none_or(abut_sim_reset(self->sim, &error), &error) : NULL;
}

static PyObject *save_bytes(PyObject *module, PyObject *object)
{
    (void)module;
    simulation_object *self = sim_in(object);
    void *bytes;
    size_t size;
    abut_error error;
    if (!self) return NULL;
    abut_status status = abut_sim_save_memory(self->sim, &bytes, &size, &error);
    if (status != ABUT_OK) return raise_status(status, &error);
    PyObject *out = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
    free(bytes);
    return out;
}

static PyObject *restore_bytes(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *object;
    Py_buffer bytes;
    if (!PyArg_ParseTuple(args, "Oy*:restore_bytes", &object, &bytes)) return NULL;
    simulation_object *self = sim_in(object);
    abut_error error;
    abut_status status = ABUT_OK;
    if (self) status = abut_sim_restore_memory(self->sim, bytes.buf, (size_t)bytes.len, &error);
    PyBuffer_Release(&bytes);
    return self ? none_or(status, &error) : NULL;
}

PyMethodDef control_methods[] = {{"sim_targets", targets, METH_O, NULL},
                                 {"sim_set_gravity", set_gravity, METH_VARARGS, NULL},
                                 {"sim_set_friction", set_friction, METH_VARARGS, NULL},
                                 {"sim_change", change, METH_VARARGS, NULL},
                                 {"sim_contacts", contacts, METH_O, NULL},
                                 {"sim_pair_forces", pair_forces, METH_O, NULL},
                                 {"sim_events", events, METH_O, NULL},
                                 {"sim_add_energy", add_energy, METH_VARARGS, NULL},
                                 {"sim_copy", copy, METH_O, NULL},
                                 {"sim_reset", reset, METH_O, NULL},
                                 {"sim_save_bytes", save_bytes, METH_O, NULL},
                                 {"sim_restore_bytes", restore_bytes, METH_VARARGS, NULL},
                                 {NULL, NULL, 0, NULL}};
