/* Arrays in and out: used as they are where type and layout fit. */
#include "module.h"

#include <string.h>

/* "(3, 4)" */
static void describe_shape(PyArrayObject *a, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "(");
    for (int i = 0; i < PyArray_NDIM(a) && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, i ? ", %lld" : "%lld",
                                 (long long)PyArray_DIM(a, i));
    if (used < size) snprintf(text + used, size - used, PyArray_NDIM(a) == 1 ? ",)" : ")");
}

static int check_shape(PyArrayObject *a, const char *name, npy_intp rows, npy_intp columns)
{
    npy_intp size = PyArray_SIZE(a);
    int dimensions = PyArray_NDIM(a);
    bool flat = dimensions == 1, table = dimensions == 2 && PyArray_DIM(a, 1) == columns;
    bool fits = (flat || table) && size % columns == 0 && (rows < 0 || size == rows * columns);
    if (fits) return 0;
    char shape[128], wanted[64];
    describe_shape(a, shape, sizeof shape);
    if (columns > 1 && rows >= 0)
        snprintf(wanted, sizeof wanted, "(%lld, %lld)", (long long)rows, (long long)columns);
    else if (columns > 1)
        snprintf(wanted, sizeof wanted, "(n, %lld)", (long long)columns);
    else if (rows >= 0)
        snprintf(wanted, sizeof wanted, "(%lld,)", (long long)rows);
    else
        snprintf(wanted, sizeof wanted, "(n,)");
    raise_input(name, "an array of shape %s is needed, not %s", wanted, shape);
    return -1;
}

/* Takes the array over. */
static PyArrayObject *checked(PyObject *array, const char *name, npy_intp rows, npy_intp columns)
{
    if (!array) return NULL;
    PyArrayObject *a = (PyArrayObject *)array;
    if (check_shape(a, name, rows, columns) == 0) return a;
    Py_DECREF(array);
    return NULL;
}

PyArrayObject *doubles_in(PyObject *object, const char *name, npy_intp rows, npy_intp columns)
{
    PyObject *a = PyArray_FROM_OTF(object, NPY_DOUBLE, NPY_ARRAY_IN_ARRAY);
    return checked(a, name, rows, columns);
}

/* Integers of any width as int64; refuses numbers with a fraction. */
static PyArrayObject *wide_integers(PyObject *object, const char *name)
{
    PyObject *any = PyArray_FROM_OF(object, NPY_ARRAY_IN_ARRAY);
    if (!any) return NULL;
    PyArrayObject *a = (PyArrayObject *)any;
    if (PyArray_SIZE(a) > 0 && !PyArray_ISINTEGER(a) && !PyArray_ISBOOL(a)) {
        Py_DECREF(any);
        raise_input(name, "integers are needed");
        return NULL;
    }
    PyObject *wide = PyArray_FROM_OTF(any, NPY_INT64, NPY_ARRAY_IN_ARRAY | NPY_ARRAY_FORCECAST);
    Py_DECREF(any);
    return (PyArrayObject *)wide;
}

/* Copies int64 to a narrower type after checking the range. */
static PyObject *narrow(PyArrayObject *wide, const char *name, int type, int64_t low, int64_t high)
{
    const int64_t *from = (const int64_t *)PyArray_DATA(wide);
    for (npy_intp i = 0; i < PyArray_SIZE(wide); i++)
        if (from[i] < low || from[i] > high)
            return raise_input(name, "number %lld is %lld, allowed: %lld to %lld", (long long)i,
                               (long long)from[i], (long long)low, (long long)high);
    return PyArray_FROM_OTF((PyObject *)wide, type, NPY_ARRAY_IN_ARRAY | NPY_ARRAY_FORCECAST);
}

static PyArrayObject *integers_in(PyObject *object, const char *name, npy_intp rows,
                                  npy_intp columns, int type, int64_t low, int64_t high)
{
    if (PyArray_Check(object)) {
        PyArrayObject *a = (PyArrayObject *)object;
        if (PyArray_TYPE(a) == type && PyArray_IS_C_CONTIGUOUS(a) && PyArray_ISALIGNED(a) &&
            PyArray_ISNOTSWAPPED(a)) {
            Py_INCREF(object);
            return checked(object, name, rows, columns);
        }
    }
    PyArrayObject *wide = wide_integers(object, name);
    if (!wide) return NULL;
    PyObject *a = narrow(wide, name, type, low, high);
    Py_DECREF(wide);
    return checked(a, name, rows, columns);
}

PyArrayObject *ints_in(PyObject *object, const char *name, npy_intp rows, npy_intp columns)
{
    return integers_in(object, name, rows, columns, NPY_INT32, INT32_MIN, INT32_MAX);
}

PyArrayObject *bytes_in(PyObject *object, const char *name, npy_intp rows)
{
    return integers_in(object, name, rows, 1, NPY_UINT8, 0, 255);
}

PyObject *view_of(void *data, int type, npy_intp rows, npy_intp columns, PyObject *owner,
                  bool writable)
{
    npy_intp shape[2] = {rows, columns};
    static double nothing; /* NumPy wants an address for empty arrays as well */
    PyObject *a =
        PyArray_SimpleNewFromData(columns > 0 ? 2 : 1, shape, type, data ? data : (void *)&nothing);
    if (!a) return NULL;
    if (!writable) PyArray_CLEARFLAGS((PyArrayObject *)a, NPY_ARRAY_WRITEABLE);
    Py_INCREF(owner);
    if (PyArray_SetBaseObject((PyArrayObject *)a, owner) < 0) {
        Py_DECREF(a);
        return NULL;
    }
    return a;
}

PyObject *ints_out(const int32_t *data, npy_intp rows, npy_intp columns)
{
    npy_intp shape[2] = {rows, columns};
    PyObject *a = PyArray_SimpleNew(columns > 0 ? 2 : 1, shape, NPY_INT32);
    if (a && PyArray_SIZE((PyArrayObject *)a) > 0)
        memcpy(PyArray_DATA((PyArrayObject *)a), data,
               (size_t)PyArray_SIZE((PyArrayObject *)a) * sizeof *data);
    return a;
}

/* Python writes words with hyphens also with underscores. */
static bool same_word(const char *a, const char *b)
{
    while (*a && (*a == *b || (*a == '_' && *b == '-'))) a++, b++;
    return *a == *b;
}

int word_in(const char *word, const char *const *words, const char *name)
{
    char list[256] = "";
    for (int i = 0; words[i]; i++) {
        if (same_word(word, words[i])) return i;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s\"%s\"", i ? ", " : "", words[i]);
    }
    raise_input(name, "\"%s\" is not allowed, only %s", word, list);
    return -1;
}

const char *const pair_kind_words[5] = {"point_point", "point_edge", "point_triangle", "edge_edge",
                                        NULL};

int read_ccd_method(const char *word, abut_ccd_method *out)
{
    int i = word_in(word, abut_ccd_method_words(), "method");
    if (i >= 0) *out = (abut_ccd_method)i;
    return i < 0 ? -1 : 0;
}
