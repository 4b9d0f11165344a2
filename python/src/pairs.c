/* Functions on single pairs and on many: distances, continuous collision detection. */
#include "module.h"

static PyObject *distance_squared(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"kind", "vertices", "derivatives", NULL};
    const char *word;
    PyObject *object;
    int derivatives = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "sO|$p:distance_squared", names, &word,
                                     &object, &derivatives))
        return NULL;
    int kind = word_in(word, pair_kind_words, "kind");
    if (kind < 0) return NULL;
    int n = abut_pair_vertex_count((abut_pair_kind)kind);
    PyArrayObject *x = doubles_in(object, "vertices", n, 3);
    if (!x) return NULL;
    if (!derivatives) {
        double d2 = abut_distance_squared((abut_pair_kind)kind, doubles_of(x), NULL, NULL, NULL);
        Py_DECREF(x);
        return PyFloat_FromDouble(d2);
    }
    npy_intp count = n, size[2] = {3 * n, 3 * n};
    PyObject *weights = PyArray_SimpleNew(1, &count, NPY_DOUBLE);
    PyObject *gradient = PyArray_SimpleNew(1, size, NPY_DOUBLE);
    PyObject *hessian = PyArray_SimpleNew(2, size, NPY_DOUBLE);
    PyObject *out = NULL;
    if (weights && gradient && hessian) {
        double d2 = abut_distance_squared(
            (abut_pair_kind)kind, doubles_of(x), doubles_of((PyArrayObject *)weights),
            doubles_of((PyArrayObject *)gradient), doubles_of((PyArrayObject *)hessian));
        out = Py_BuildValue("(dOOO)", d2, weights, gradient, hessian);
    }
    Py_XDECREF(weights);
    Py_XDECREF(gradient);
    Py_XDECREF(hessian);
    Py_DECREF(x);
    return out;
}

/* (hit, time) of one pair, or two arrays for many. */
static PyObject *results_out(const abut_ccd_result *results, npy_intp count, bool single)
{
    if (single) return Py_BuildValue("(Od)", results[0].hit ? Py_True : Py_False, results[0].time);
    PyObject *hit = PyArray_SimpleNew(1, &count, NPY_BOOL);
    PyObject *time = PyArray_SimpleNew(1, &count, NPY_DOUBLE);
    if (!hit || !time) {
        Py_XDECREF(hit);
        Py_XDECREF(time);
        return NULL;
    }
    for (npy_intp i = 0; i < count; i++) {
        ((npy_bool *)PyArray_DATA((PyArrayObject *)hit))[i] = results[i].hit;
        doubles_of((PyArrayObject *)time)[i] = results[i].time;
    }
    return Py_BuildValue("(NN)", hit, time);
}

/* One pair (n, 3) or many (count, n, 3), contiguous. */
static PyArrayObject *pairs_in(PyObject *object, const char *name, int n)
{
    PyArrayObject *a = (PyArrayObject *)PyArray_FROM_OTF(object, NPY_DOUBLE, NPY_ARRAY_IN_ARRAY);
    if (!a) return NULL;
    int d = PyArray_NDIM(a);
    if ((d == 2 || d == 3) && PyArray_DIM(a, d - 1) == 3 && PyArray_DIM(a, d - 2) == n) return a;
    Py_DECREF(a);
    raise_input(name, "an array of shape (%d, 3) or (count, %d, 3) is needed", n, n);
    return NULL;
}

static PyObject *ccd_of(abut_pair_kind kind, PyArrayObject *start, PyArrayObject *end,
                        const abut_ccd_options *options)
{
    if (PyArray_SIZE(start) != PyArray_SIZE(end) || PyArray_NDIM(start) != PyArray_NDIM(end))
        return raise_input("end", "it must have the shape of start");
    bool single = PyArray_NDIM(start) == 2;
    npy_intp count = single ? 1 : PyArray_DIM(start, 0);
    abut_ccd_result *results = PyMem_Calloc((size_t)count + 1, sizeof *results);
    if (!results) return PyErr_NoMemory();
    abut_error error;
    abut_status status;
    Py_BEGIN_ALLOW_THREADS status = abut_ccd_pairs(kind, (size_t)count, doubles_of(start),
                                                   doubles_of(end), options, results, &error);
    Py_END_ALLOW_THREADS PyObject *out =
        status == ABUT_OK ? results_out(results, count, single) : raise_status(status, &error);
    PyMem_Free(results);
    return out;
}

static PyObject *ccd(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"kind",  "start",          "end", "method", "tolerance", "separation",
                            "t_max", "max_iterations", NULL};
    const char *word, *method = "tight-inclusion";
    PyObject *start_object, *end_object;
    abut_ccd_options options = abut_default_ccd_options();
    long long iterations = options.max_iterations;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "sOO|$sdddL:ccd", names, &word, &start_object,
                                     &end_object, &method, &options.tolerance, &options.separation,
                                     &options.t_max, &iterations))
        return NULL;
    options.max_iterations = iterations;
    int kind = word_in(word, pair_kind_words, "kind");
    if (kind < 0 || read_ccd_method(method, &options.method) < 0) return NULL;
    int n = abut_pair_vertex_count((abut_pair_kind)kind);
    PyArrayObject *start = pairs_in(start_object, "start", n);
    PyArrayObject *end = start ? pairs_in(end_object, "end", n) : NULL;
    PyObject *out = end ? ccd_of((abut_pair_kind)kind, start, end, &options) : NULL;
    Py_XDECREF(start);
    Py_XDECREF(end);
    return out;
}

PyMethodDef pair_methods[] = {
    {"distance_squared", (PyCFunction)(void (*)(void))distance_squared,
     METH_VARARGS | METH_KEYWORDS,
     "distance_squared(kind, vertices, *, derivatives=False)\n--\n\nSquared distance of a pair, a "
     "kind of PAIR_KINDS; with derivatives=True (value, weights, gradient, Hessian)."},
    {"ccd", (PyCFunction)(void (*)(void))ccd, METH_VARARGS | METH_KEYWORDS,
     "ccd(kind, start, end, *, method='tight-inclusion', tolerance=1e-6, separation=0, t_max=1, "
     "max_iterations=1000000)\n--\n\nContinuous collision detection of one pair (n, 3) or of many "
     "(count, n, 3): (hit, time), the time not later than the first impact."},
    {NULL, NULL, 0, NULL}};
