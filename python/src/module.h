/* What the files of the Python module share: NumPy, errors as exceptions, arrays in and out. */
#ifndef ABUT_PYTHON_MODULE_H
#define ABUT_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL abut_array_api
#ifndef ABUT_MODULE_MAIN
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include <abut/abut.h>

/* ---- Errors (errors.c) ---- */

/* Makes the exception classes; -1 on failure. */
int add_errors(PyObject *module);
/* Raises the exception of a status and returns NULL; with ABUT_OK the caller must not call it. */
PyObject *raise_status(abut_status status, const abut_error *error);
/* Raises abut.InputError with "place: message". */
PyObject *raise_input(const char *place, const char *format, ...);

/* ---- Arrays (arrays.c) ---- */

/* A C-contiguous float64 array with `columns` columns and `rows` rows (-1: any number), as a new
 * reference; the array itself when it is one already. Flat arrays of that many values are fine. */
PyArrayObject *doubles_in(PyObject *object, const char *name, npy_intp rows, npy_intp columns);
/* The same for int32; other integers are converted when they fit. */
PyArrayObject *ints_in(PyObject *object, const char *name, npy_intp rows, npy_intp columns);
/* The same for bytes: bool or integers from 0 to 255. */
PyArrayObject *bytes_in(PyObject *object, const char *name, npy_intp rows);

static inline double *doubles_of(PyArrayObject *a) { return (double *)PyArray_DATA(a); }
static inline int32_t *ints_of(PyArrayObject *a) { return (int32_t *)PyArray_DATA(a); }
/* Rows of what doubles_in or ints_in gave for that many columns. */
static inline npy_intp rows_of(PyArrayObject *a, npy_intp columns)
{
    return PyArray_SIZE(a) / columns;
}

/* A view of memory that lives as long as `owner` (columns 0: one-dimensional). No copy. */
PyObject *view_of(void *data, int type, npy_intp rows, npy_intp columns, PyObject *owner,
                  bool writable);
/* A copy of int32 values. */
PyObject *ints_out(const int32_t *data, npy_intp rows, npy_intp columns);

/* ---- Words ---- */

/* The number of a word in a NULL-terminated list; -1 with an exception when it is not there. */
int word_in(const char *word, const char *const *words, const char *name);
extern const char *const pair_kind_words[5]; /* in the order of abut_pair_kind */

/* Reads "method" and so on: options of continuous collision detection. -1 with an exception. */
int read_ccd_method(const char *word, abut_ccd_method *out);

/* ---- Objects ---- */

typedef struct mesh_object {
    PyObject_HEAD abut_collision_mesh *mesh;
    npy_intp vertices, groups;
    PyObject *edges; /* array */
} mesh_object;
typedef struct candidates_object {
    PyObject_HEAD abut_candidates *candidates;
    PyObject *mesh;
} candidates_object;
typedef struct set_object {
    PyObject_HEAD abut_active_set *set;
    mesh_object *mesh;
} set_object;

typedef struct simulation_object {
    PyObject_HEAD abut_sim *sim;
    PyObject *log;      /* callable (level, message), or NULL */
    PyObject *energies; /* list of capsules (control.c), or NULL */
    PyObject *origin;   /* of a copy: the simulation whose log it calls, or NULL */
    bool busy;          /* a thread is in it */
    bool interrupted;   /* a callback has raised */
} simulation_object;

/* Functions of control.c: control of a simulation while it runs. */
extern PyMethodDef control_methods[];
/* Raises here what functions of energies have raised in other threads; -1: there was something. */
int raise_energy_errors(simulation_object *self);

extern PyTypeObject simulation_type, mesh_type, candidates_type, set_type, friction_type,
    gradient_type;

/* Strings of a sequence, borrowed from *items; the caller frees *out (PyMem_Free) and releases
 * *items. */
int read_overrides(PyObject *object, PyObject **items, const char ***out, size_t *count);
/* Reads a barrier from keywords; -1 with an exception. */
int read_barrier(double stiffness, const char *kind, int physical, abut_barrier *out);
/* (data, indices, indptr) of a matrix, without a copy; takes the matrix over, also on failure. */
PyObject *matrix_out(abut_matrix *matrix);

/* Functions of pairs.c. */
extern PyMethodDef pair_methods[];
extern PyMethodDef stiffness_methods[];

/* One object must not be used by two threads at the same time. */
#define ENTER(object)                                                                              \
    do {                                                                                           \
        if ((object)->busy) {                                                                      \
            PyErr_SetString(PyExc_RuntimeError, "the simulation is in use by another thread");     \
            return NULL;                                                                           \
        }                                                                                          \
    } while (0)

#endif
