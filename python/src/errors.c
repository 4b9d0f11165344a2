/* Errors as exceptions: one class per status, all derived from abut.Error, with the library's own
 * messages. */
#include "module.h"

#include <stdarg.h>
#include <string.h>

typedef struct error_class {
    abut_status status;
    const char *name, *text;
    PyObject **also; /* a built-in class that it is as well */
    PyObject *class;
} error_class;

static PyObject *base_class;

static error_class classes[] = {
    {ABUT_ERROR_INPUT, "InputError", "A wrong scene, mesh, option or argument.", &PyExc_ValueError,
     NULL},
    {ABUT_ERROR_NOT_CONVERGED, "NotConvergedError",
     "A step did not converge; the state is that before the step.", NULL, NULL},
    {ABUT_ERROR_INFEASIBLE, "InfeasibleError", "Positions that intersect, touch or are inverted.",
     NULL, NULL},
    {ABUT_ERROR_IO, "FileError", "A file could not be read or written.", &PyExc_OSError, NULL},
    {ABUT_ERROR_MEMORY, "OutOfMemoryError", "Out of memory.", &PyExc_MemoryError, NULL},
    {ABUT_ERROR_UNSUPPORTED, "UnsupportedError", "Understood, but this build cannot do it.",
     &PyExc_NotImplementedError, NULL},
    {ABUT_INTERRUPTED, "Interrupted", "Stopped on request; the state is good.", NULL, NULL},
    {ABUT_ERROR_INTERNAL, "InternalError", "A bug in abut.", &PyExc_RuntimeError, NULL},
    {ABUT_ERROR_CHECK, "CheckError", "A check of results found something wrong.", NULL, NULL},
    {ABUT_ERROR_OVERLAP, "OverlapError",
     "Prescribed bodies go through each other; the state is that before the step.", NULL, NULL},
};
enum { CLASSES = sizeof classes / sizeof classes[0] };

static int add_class(PyObject *module, error_class *c)
{
    char name[64];
    snprintf(name, sizeof name, "abut.%s", c->name);
    PyObject *bases = c->also ? PyTuple_Pack(2, base_class, *c->also) : PyTuple_Pack(1, base_class);
    if (!bases) return -1;
    c->class = PyErr_NewExceptionWithDoc(name, c->text, bases, NULL);
    Py_DECREF(bases);
    if (!c->class) return -1;
    Py_INCREF(c->class);
    return PyModule_AddObject(module, c->name, c->class);
}

int add_errors(PyObject *module)
{
    base_class = PyErr_NewExceptionWithDoc(
        "abut.Error",
        "Base of all errors of abut. `place` says where (a file and field), `status` "
        "is the short name of the kind.",
        NULL, NULL);
    if (!base_class) return -1;
    Py_INCREF(base_class);
    if (PyModule_AddObject(module, "Error", base_class) < 0) return -1;
    for (int i = 0; i < CLASSES; i++)
        if (add_class(module, &classes[i]) < 0) return -1;
    return 0;
}

PyObject *raise_status(abut_status status, const abut_error *error)
{
    PyObject *class = base_class;
    for (int i = 0; i < CLASSES; i++)
        if (classes[i].status == status) class = classes[i].class;
    PyObject *text = error->place[0] ? PyUnicode_FromFormat("%s: %s", error->place, error->message)
                                     : PyUnicode_FromString(error->message);
    PyObject *value = text ? PyObject_CallOneArg(class, text) : NULL;
    PyObject *place = PyUnicode_FromString(error->place);
    PyObject *name = PyUnicode_FromString(abut_status_name(status));
    if (value && place && name && PyObject_SetAttrString(value, "place", place) == 0 &&
        PyObject_SetAttrString(value, "status", name) == 0)
        PyErr_SetObject(class, value);
    Py_XDECREF(text);
    Py_XDECREF(value);
    Py_XDECREF(place);
    Py_XDECREF(name);
    return NULL;
}

PyObject *raise_input(const char *place, const char *format, ...)
{
    abut_error error = {.code = ABUT_ERROR_INPUT};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error.message, sizeof error.message, format, arguments);
    va_end(arguments);
    snprintf(error.place, sizeof error.place, "%s", place);
    return raise_status(ABUT_ERROR_INPUT, &error);
}
