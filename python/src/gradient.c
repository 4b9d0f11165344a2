/* Gradient: derivatives of whole runs (abut/gradient.h); python/abut/gradient.py makes abut.grad of
 * it. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

typedef struct gradient_object {
    PyObject_HEAD abut_gradient *gradient;
    PyObject *functions; /* list of callables that objectives call */
    bool busy;
} gradient_object;

/* ---- functions of the caller ---- */

static PyObject *copy_out(const double *from, npy_intp scalars)
{
    npy_intp shape[2] = {scalars / 3, 3};
    PyObject *out = PyArray_SimpleNew(2, shape, NPY_DOUBLE);
    if (out) memcpy(PyArray_DATA((PyArrayObject *)out), from, (size_t)scalars * sizeof *from);
    return out;
}

/* to += what a function returned; None: nothing. */
static bool add_in(PyObject *from, const char *name, npy_intp scalars, double *to)
{
    if (!to || from == Py_None) return true;
    PyArrayObject *array = doubles_in(from, name, scalars / 3, 3);
    if (!array) return false;
    for (npy_intp i = 0; i < scalars; i++) to[i] += doubles_of(array)[i];
    Py_DECREF(array);
    return true;
}

static bool take_result(PyObject *result, npy_intp scalars, double *value, double *by_x,
                        double *by_v)
{
    if (!PyTuple_Check(result) || PyTuple_GET_SIZE(result) != 3) {
        PyErr_SetString(PyExc_TypeError,
                        "an objective must return (value, derivative by positions, "
                        "derivative by velocities); None is a derivative of 0");
        return false;
    }
    *value = PyFloat_AsDouble(PyTuple_GET_ITEM(result, 0));
    return !PyErr_Occurred() &&
           add_in(PyTuple_GET_ITEM(result, 1), "derivative by positions", scalars, by_x) &&
           add_in(PyTuple_GET_ITEM(result, 2), "derivative by velocities", scalars, by_v);
}

/* What it raises is raised again by evaluate: it stays set, and the value is no number. */
static double call_objective(void *user, double time, size_t scalars, const double *x,
                             const double *v, double *by_x, double *by_v)
{
    double value = Py_NAN;
    PyGILState_STATE state = PyGILState_Ensure();
    if (!PyErr_Occurred()) {
        PyObject *positions = copy_out(x, (npy_intp)scalars);
        PyObject *velocities = copy_out(v, (npy_intp)scalars);
        PyObject *result = positions && velocities
                               ? PyObject_CallFunction(user, "dOO", time, positions, velocities)
                               : NULL;
        if (!result || !take_result(result, (npy_intp)scalars, &value, by_x, by_v)) value = Py_NAN;
        Py_XDECREF(positions);
        Py_XDECREF(velocities);
        Py_XDECREF(result);
    }
    PyGILState_Release(state);
    return value;
}

/* ---- lifecycle ---- */

static abut_status create(gradient_object *self, const char *path, const char *text,
                          Py_ssize_t length, const abut_gradient_options *options,
                          abut_error *error)
{
    abut_status status;
    Py_BEGIN_ALLOW_THREADS status =
        text
            ? abut_gradient_create_text(text, (size_t)length, path, options, &self->gradient, error)
            : abut_gradient_create(path, options, &self->gradient, error);
    Py_END_ALLOW_THREADS return status;
}

static PyObject *gradient_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"path", "text", "overrides", "steps", "tolerance", "snapshots", NULL};
    const char *path = NULL, *text = NULL, **list;
    Py_ssize_t length = 0, snapshots = 0;
    long long steps = 0;
    size_t count;
    PyObject *overrides = NULL, *items;
    abut_gradient_options options = abut_default_gradient_options();
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "z|z#$OLdn:Gradient", names, &path, &text,
                                     &length, &overrides, &steps, &options.tolerance, &snapshots))
        return NULL;
    if (!path && !text) return raise_input("scene", "a path or a text is needed");
    if (steps < 0 || snapshots < 0) return raise_input("steps", "negative numbers are not allowed");
    gradient_object *self = (gradient_object *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    abut_error error;
    abut_status status = ABUT_OK;
    options.steps = steps;
    options.snapshots = (size_t)snapshots;
    self->functions = PyList_New(0);
    int result = self->functions ? read_overrides(overrides, &items, &list, &count) : -1;
    if (result == 0) {
        options.overrides = list;
        options.override_count = count;
        status = create(self, path, text, length, &options, &error);
        if (status != ABUT_OK) raise_status(status, &error);
    }
    if (self->functions) {
        PyMem_Free(list);
        Py_XDECREF(items);
    }
    if (result == 0 && status == ABUT_OK) return (PyObject *)self;
    Py_DECREF(self);
    return NULL;
}

static void gradient_dealloc(PyObject *object)
{
    gradient_object *self = (gradient_object *)object;
    abut_gradient_destroy(self->gradient);
    Py_XDECREF(self->functions);
    Py_TYPE(object)->tp_free(object);
}

/* ---- objectives and parameters ---- */

static const char *const objective_words[] = {
    "positions",     "velocities", "center", "kinetic", "elastic",
    "contact_force", "function",   "cloud",  "stress",  NULL};

static abut_status add(gradient_object *self, abut_objective *o, PyObject *target, PyObject *times,
                       bool *raised, abut_error *error)
{
    PyArrayObject *array = NULL, *at = NULL;
    if (times && times != Py_None) {
        at = doubles_in(times, "times", -1, 1);
        *raised = !at;
        if (!at) return ABUT_ERROR_INPUT;
        o->times = doubles_of(at);
        o->time_count = (size_t)PyArray_SIZE(at);
    }
    if (target && target != Py_None) {
        array = doubles_in(target, "target", -1, 3);
        *raised = !array;
        if (!array) Py_XDECREF(at);
        if (!array) return ABUT_ERROR_INPUT;
        o->target = doubles_of(array);
        o->target_count = (size_t)PyArray_SIZE(array);
    }
    abut_status status = abut_gradient_add_objective(self->gradient, o, error);
    Py_XDECREF(array);
    Py_XDECREF(at);
    return status;
}

static PyObject *add_objective(PyObject *object, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"kind", "body",  "weight",   "target", "last",
                            "from", "until", "function", "times",  NULL};
    gradient_object *self = (gradient_object *)object;
    abut_objective o = abut_default_objective();
    const char *kind;
    int last = 1;
    bool raised = false;
    PyObject *target = NULL, *function = NULL, *times = NULL;
    ENTER(self);
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "s|$zdOpddOO:add_objective", names, &kind,
                                     &o.body, &o.weight, &target, &last, &o.from, &o.until,
                                     &function, &times))
        return NULL;
    int word = word_in(kind, objective_words, "objective");
    if (word < 0) return NULL;
    o.kind = (abut_objective_kind)word;
    o.last = last != 0;
    if (function && function != Py_None) {
        o.function = call_objective;
        o.user = function;
        if (PyList_Append(self->functions, function) < 0) return NULL;
    }
    abut_error error;
    abut_status status = add(self, &o, target, times, &raised, &error);
    if (raised) return NULL;
    if (status != ABUT_OK) return raise_status(status, &error);
    Py_RETURN_NONE;
}

static PyObject *add_parameter(PyObject *object, PyObject *args)
{
    gradient_object *self = (gradient_object *)object;
    const char *kind, *name;
    abut_error error;
    ENTER(self);
    if (!PyArg_ParseTuple(args, "ss:add_parameter", &kind, &name)) return NULL;
    abut_status status = abut_gradient_add_parameter(self->gradient, kind, name, &error);
    if (status != ABUT_OK) return raise_status(status, &error);
    return PyLong_FromSize_t(abut_gradient_scalar_count(self->gradient));
}

static PyObject *new_vector(const gradient_object *self)
{
    npy_intp n = (npy_intp)abut_gradient_scalar_count(self->gradient);
    return PyArray_SimpleNew(1, &n, NPY_DOUBLE);
}

static PyObject *values(PyObject *object, PyObject *unused)
{
    (void)unused;
    gradient_object *self = (gradient_object *)object;
    PyObject *out = new_vector(self);
    if (out) abut_gradient_values(self->gradient, PyArray_DATA((PyArrayObject *)out));
    return out;
}

/* ---- runs ---- */

static abut_status run(gradient_object *self, const double *at, double *value, double *derivative,
                       abut_error *error)
{
    abut_status status;
    self->busy = true;
    Py_BEGIN_ALLOW_THREADS status =
        abut_gradient_evaluate(self->gradient, at, value, derivative, error);
    Py_END_ALLOW_THREADS self->busy = false;
    return status;
}

static PyObject *evaluate(PyObject *object, PyObject *args)
{
    gradient_object *self = (gradient_object *)object;
    PyObject *given = NULL, *out = NULL;
    PyArrayObject *at = NULL;
    int differentiate = 1;
    double value = 0;
    abut_error error;
    ENTER(self);
    if (!PyArg_ParseTuple(args, "|Op:evaluate", &given, &differentiate)) return NULL;
    npy_intp n = (npy_intp)abut_gradient_scalar_count(self->gradient);
    if (given && given != Py_None) at = doubles_in(given, "values", n, 1);
    if (given && given != Py_None && !at) return NULL;
    if (differentiate) out = new_vector(self);
    abut_status status = ABUT_ERROR_MEMORY;
    if (out || !differentiate)
        status = run(self, at ? doubles_of(at) : NULL, &value,
                     out ? PyArray_DATA((PyArrayObject *)out) : NULL, &error);
    Py_XDECREF(at);
    if (PyErr_Occurred() || status != ABUT_OK) {
        Py_XDECREF(out);
        return PyErr_Occurred() ? NULL : raise_status(status, &error);
    }
    return out ? Py_BuildValue("dN", value, out) : Py_BuildValue("dO", value, Py_None);
}

/* (objective, derivative, J^T J), forwards. */
static PyObject *evaluate_squares(PyObject *object, PyObject *args)
{
    gradient_object *self = (gradient_object *)object;
    PyObject *given = NULL;
    PyArrayObject *at = NULL;
    double value = 0;
    abut_error error;
    ENTER(self);
    if (!PyArg_ParseTuple(args, "|O:evaluate_squares", &given)) return NULL;
    npy_intp n = (npy_intp)abut_gradient_scalar_count(self->gradient), shape[2] = {n, n};
    if (given && given != Py_None) at = doubles_in(given, "values", n, 1);
    if (given && given != Py_None && !at) return NULL;
    PyObject *out = new_vector(self), *square = PyArray_SimpleNew(2, shape, NPY_DOUBLE);
    abut_status status = ABUT_ERROR_MEMORY;
    if (out && square) {
        self->busy = true;
        Py_BEGIN_ALLOW_THREADS status = abut_gradient_evaluate_forward(
            self->gradient, at ? doubles_of(at) : NULL, &value, PyArray_DATA((PyArrayObject *)out),
            PyArray_DATA((PyArrayObject *)square), &error);
        Py_END_ALLOW_THREADS self->busy = false;
    }
    Py_XDECREF(at);
    if (!PyErr_Occurred() && status == ABUT_OK) return Py_BuildValue("dNN", value, out, square);
    Py_XDECREF(out);
    Py_XDECREF(square);
    return PyErr_Occurred() ? NULL : raise_status(status, &error);
}

static PyObject *info(PyObject *object, PyObject *unused)
{
    (void)unused;
    abut_gradient_info i;
    abut_gradient_get_info(((gradient_object *)object)->gradient, &i);
    return Py_BuildValue("{s:L,s:L,s:n,s:n,s:d,s:d,s:O,s:n}", "steps", (long long)i.steps,
                         "steps_again", (long long)i.steps_again, "solves", (Py_ssize_t)i.solves,
                         "saddles", (Py_ssize_t)i.saddles, "worst_residual", i.worst_residual,
                         "least_curvature", i.least_curvature, "stiffness_frozen",
                         i.stiffness_frozen ? Py_True : Py_False, "tape_bytes",
                         (Py_ssize_t)i.tape_bytes);
}

static PyObject *scene(PyObject *object, PyObject *args)
{
    gradient_object *self = (gradient_object *)object;
    PyObject *given;
    if (!PyArg_ParseTuple(args, "O:scene_text", &given)) return NULL;
    npy_intp n = (npy_intp)abut_gradient_scalar_count(self->gradient);
    PyArrayObject *at = doubles_in(given, "values", n, 1);
    if (!at) return NULL;
    char *text = abut_gradient_scene(self->gradient, doubles_of(at));
    Py_DECREF(at);
    if (!text) return PyErr_NoMemory();
    PyObject *out = PyUnicode_FromString(text);
    free(text);
    return out;
}

static PyMethodDef methods[] = {
    {"add_objective", (PyCFunction)(void (*)(void))add_objective, METH_VARARGS | METH_KEYWORDS,
     "Adds an objective; the objective of a run is the sum of all."},
    {"add_parameter", add_parameter, METH_VARARGS, "Adds a parameter (kind, name)."},
    {"values", values, METH_NOARGS, "Values of all parameters in the scene."},
    {"evaluate", evaluate, METH_VARARGS, "(objective, derivative) of a run with these values."},
    {"evaluate_squares", evaluate_squares, METH_VARARGS,
     "(objective, derivative, J^T J) of a run with these values, J the derivatives of residuals."},
    {"info", info, METH_NOARGS, "What the last evaluation was like."},
    {"scene_text", scene, METH_VARARGS, "The scene with values of keys put in, as JSON."},
    {NULL, NULL, 0, NULL}};

PyTypeObject gradient_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "abut._abut.Gradient",
                              .tp_basicsize = sizeof(gradient_object),
                              .tp_flags = Py_TPFLAGS_DEFAULT,
                              .tp_doc = "A scene with objectives and parameters; see abut.grad.",
                              .tp_new = gradient_new,
                              .tp_dealloc = gradient_dealloc,
                              .tp_methods = methods};
