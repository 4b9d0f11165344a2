/* Simulation: the simulator layer. Steps release the interpreter. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

/* ---- Callbacks: they come from within a step, without the interpreter ---- */

static void call_log(void *user, abut_log_level level, const char *message)
{
    static const char *const words[] = {"error", "warning", "info", "debug"};
    simulation_object *self = user;
    PyGILState_STATE state = PyGILState_Ensure();
    if (self->log && !PyErr_Occurred()) {
        PyObject *result = PyObject_CallFunction(self->log, "ss", words[level], message);
        Py_XDECREF(result);
        if (!result) self->interrupted = true;
    }
    PyGILState_Release(state);
}

static PyObject *info_out(const abut_step_info *i)
{
    const double *p = i->linear_momentum, *l = i->angular_momentum;
    return Py_BuildValue("{s:L,s:d,s:i,s:i,s:n,s:d,s:d,s:d,s:d,s:d,s:d,s:(ddd),s:(ddd)}", "step",
                         (long long)i->step, "time", i->time, "newton_iterations",
                         i->newton_iterations, "friction_iterations", i->friction_iterations,
                         "contact_count", (Py_ssize_t)i->contact_count, "min_distance",
                         i->min_distance, "kappa", i->kappa, "kinetic", i->kinetic, "elastic",
                         i->elastic, "gravity", i->gravity, "contact_energy", i->contact_energy,
                         "linear_momentum", p[0], p[1], p[2], "angular_momentum", l[0], l[1], l[2]);
}

typedef struct run_context {
    simulation_object *self;
    PyObject *progress; /* callable, or NULL */
} run_context;

/* Ends the run when the callable returns False or raises, or on Ctrl-C. */
static bool call_progress(void *user, const abut_step_info *info, int64_t total)
{
    run_context *c = user;
    bool go_on = true;
    PyGILState_STATE state = PyGILState_Ensure();
    if (PyErr_Occurred() || PyErr_CheckSignals() < 0) go_on = false;
    if (go_on && c->progress) {
        PyObject *dict = info_out(info);
        PyObject *result =
            dict ? PyObject_CallFunction(c->progress, "NL", dict, (long long)total) : NULL;
        go_on = result && result != Py_False;
        Py_XDECREF(result);
    }
    PyGILState_Release(state);
    return go_on;
}

/* ---- Lifecycle ---- */

int read_overrides(PyObject *object, PyObject **items, const char ***out, size_t *count)
{
    *items = NULL;
    *out = NULL;
    *count = 0;
    if (!object || object == Py_None) return 0;
    *items = PySequence_Fast(object, "overrides: a sequence of \"path=value\" is needed");
    if (!*items) return -1;
    Py_ssize_t n = PySequence_Fast_GET_SIZE(*items);
    *out = PyMem_Calloc((size_t)n + 1, sizeof **out);
    if (!*out) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        (*out)[i] = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(*items, i));
        if (!(*out)[i]) return -1;
    }
    *count = (size_t)n;
    return 0;
}

/* text NULL: reads the file. */
static abut_status create(simulation_object *self, const char *path, const char *text,
                          Py_ssize_t length, const abut_sim_options *options, abut_error *error)
{
    abut_status status;
    self->busy = true;
    Py_BEGIN_ALLOW_THREADS status =
        text ? abut_sim_create(text, (size_t)length, path, options, &self->sim, error)
             : abut_sim_load(path, options, &self->sim, error);
    Py_END_ALLOW_THREADS self->busy = false;
    return status;
}

static int fill(simulation_object *self, const char *path, const char *text, Py_ssize_t length,
                abut_sim_options *options, PyObject *overrides)
{
    PyObject *items;
    const char **list;
    size_t count;
    abut_error error;
    abut_status status = ABUT_OK;
    int result = read_overrides(overrides, &items, &list, &count);
    if (result == 0) {
        options->overrides = list;
        options->override_count = count;
        status = create(self, path, text, length, options, &error);
    }
    PyMem_Free(list);
    Py_XDECREF(items);
    if (result < 0) return -1;
    if (self->interrupted) return -1; /* what the log callback raised */
    if (status != ABUT_OK) raise_status(status, &error);
    return status == ABUT_OK ? 0 : -1;
}

static PyObject *simulation_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"path",      "text", "overrides",      "threads",
                            "log_level", "log",  "problem_folder", NULL};
    static const char *const levels[] = {"error", "warning", "info", "debug", NULL};
    const char *path = NULL, *text = NULL, *level_word = "warning";
    Py_ssize_t length = 0;
    PyObject *overrides = NULL, *log = NULL;
    abut_sim_options options = abut_default_sim_options();
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "z|z#$OisOz:Simulation", names, &path, &text,
                                     &length, &overrides, &options.threads, &level_word, &log,
                                     &options.problem_folder))
        return NULL;
    int level = word_in(level_word, levels, "log_level");
    if (level < 0) return NULL;
    if (!path && !text) return raise_input("scene", "a path or a text is needed");
    simulation_object *self = (simulation_object *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    options.log_level = (abut_log_level)level;
    if (log && log != Py_None) {
        self->log = Py_NewRef(log);
        options.log = call_log;
        options.log_user = self;
    }
    if (fill(self, path, text, length, &options, overrides) == 0) return (PyObject *)self;
    Py_DECREF(self);
    return NULL;
}

static int simulation_traverse(PyObject *o, visitproc visit, void *arg)
{
    simulation_object *self = (simulation_object *)o;
    Py_VISIT(self->log);
    Py_VISIT(self->energies);
    Py_VISIT(self->origin);
    return 0;
}

static int simulation_clear(PyObject *o)
{
    Py_CLEAR(((simulation_object *)o)->log);
    Py_CLEAR(((simulation_object *)o)->energies);
    return 0;
}

static void simulation_dealloc(PyObject *o)
{
    simulation_object *self = (simulation_object *)o;
    PyObject_GC_UnTrack(o);
    abut_sim_destroy(self->sim); /* before the log that it may call */
    Py_XDECREF(self->log);
    Py_XDECREF(self->energies);
    Py_XDECREF(self->origin);
    Py_TYPE(o)->tp_free(o);
}

/* ---- Stepping ---- */

static PyObject *current_info(simulation_object *self)
{
    abut_step_info info;
    abut_sim_info(self->sim, &info);
    return info_out(&info);
}

/* After a call into the library: the exception of a callback comes before the library's own. */
static PyObject *finish(simulation_object *self, abut_status status, const abut_error *error)
{
    self->busy = false;
    if (raise_energy_errors(self) < 0 || PyErr_Occurred()) return NULL;
    if (status != ABUT_OK) return raise_status(status, error);
    return current_info(self);
}

static PyObject *simulation_step(PyObject *o, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"count", NULL};
    simulation_object *self = (simulation_object *)o;
    long long count = 1;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|L:step", names, &count)) return NULL;
    ENTER(self);
    abut_error error;
    abut_status status = ABUT_OK;
    self->busy = true;
    self->interrupted = false;
    for (long long i = 0; i < count && status == ABUT_OK && !self->interrupted; i++) {
        Py_BEGIN_ALLOW_THREADS status = abut_sim_step(self->sim, &error);
        Py_END_ALLOW_THREADS if (PyErr_CheckSignals() < 0) break;
    }
    return finish(self, status, &error);
}

static PyObject *simulation_run(PyObject *o, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"folder", "steps", "resume", "progress", NULL};
    simulation_object *self = (simulation_object *)o;
    PyObject *folder, *progress = NULL;
    abut_run_options options = abut_default_run_options();
    long long steps = options.steps;
    int resume = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O&|L$pO:run", names, PyUnicode_FSConverter,
                                     &folder, &steps, &resume, &progress))
        return NULL;
    if (self->busy) {
        Py_DECREF(folder);
        ENTER(self);
    }
    run_context context = {self, progress && progress != Py_None ? progress : NULL};
    options.folder = PyBytes_AS_STRING(folder);
    options.steps = steps;
    options.resume = resume;
    options.progress = call_progress;
    options.progress_user = &context;
    abut_error error;
    abut_status status;
    self->busy = true;
    Py_BEGIN_ALLOW_THREADS status = abut_sim_run(self->sim, &options, &error);
    Py_END_ALLOW_THREADS Py_DECREF(folder);
    return finish(self, status, &error);
}

static PyObject *simulation_check(PyObject *o, PyObject *unused)
{
    (void)unused;
    simulation_object *self = (simulation_object *)o;
    ENTER(self);
    abut_state_check check;
    abut_error error;
    abut_status status = abut_sim_check(self->sim, &check, &error);
    return status == ABUT_OK ? PyFloat_FromDouble(check.min_distance)
                             : raise_status(status, &error);
}

/* save and restore: which tells the function of the library. */
static PyObject *with_file(PyObject *o, PyObject *argument,
                           abut_status (*function)(abut_sim *, const char *, abut_error *))
{
    simulation_object *self = (simulation_object *)o;
    PyObject *path;
    ENTER(self);
    if (!PyUnicode_FSConverter(argument, &path)) return NULL;
    abut_error error;
    abut_status status = function(self->sim, PyBytes_AS_STRING(path), &error);
    Py_DECREF(path);
    if (status != ABUT_OK) return raise_status(status, &error);
    Py_RETURN_NONE;
}

static PyObject *simulation_save(PyObject *o, PyObject *argument)
{
    return with_file(o, argument, abut_sim_save);
}

static PyObject *simulation_restore(PyObject *o, PyObject *argument)
{
    return with_file(o, argument, abut_sim_restore);
}

/* ---- State ---- */

/* closure: which array. Views of the simulator's own memory. */
static PyObject *get_state(PyObject *o, void *closure)
{
    simulation_object *self = (simulation_object *)o;
    npy_intp n = (npy_intp)abut_sim_node_count(self->sim);
    switch ((intptr_t)closure) {
    case 0: return view_of(abut_sim_positions(self->sim), NPY_DOUBLE, n, 3, o, true);
    case 1: return view_of(abut_sim_velocities(self->sim), NPY_DOUBLE, n, 3, o, true);
    case 2: return view_of((void *)abut_sim_masses(self->sim), NPY_DOUBLE, n, 0, o, false);
    default: break;
    }
    double *forces = abut_sim_forces(self->sim);
    return forces ? view_of(forces, NPY_DOUBLE, n, 3, o, true) : PyErr_NoMemory();
}

/* `sim.positions = a` writes into the simulator's memory. */
static int set_state(PyObject *o, PyObject *value, void *closure)
{
    if (!value) {
        PyErr_SetString(PyExc_AttributeError, "the state cannot be deleted");
        return -1;
    }
    static const char *const words[] = {"positions", "velocities", "masses", "forces"};
    PyObject *view = get_state(o, closure);
    if (!view) return -1;
    npy_intp n = PyArray_DIM((PyArrayObject *)view, 0);
    PyArrayObject *from = doubles_in(value, words[(intptr_t)closure], n, 3);
    if (from && PyArray_DATA(from) != PyArray_DATA((PyArrayObject *)view))
        memmove(PyArray_DATA((PyArrayObject *)view), PyArray_DATA(from),
                (size_t)(3 * n) * sizeof(double));
    Py_DECREF(view);
    Py_XDECREF(from);
    return from ? 0 : -1;
}

/* Two columns per joint: of the angle and of the slide. closure: which. */
static PyObject *get_joints(PyObject *o, void *closure)
{
    simulation_object *self = (simulation_object *)o;
    npy_intp n = (npy_intp)abut_sim_joint_count(self->sim), shape[2] = {n, 2};
    PyObject *out = PyArray_SimpleNew(2, shape, NPY_DOUBLE);
    for (npy_intp i = 0; out && i < n; i++) {
        abut_joint j;
        abut_sim_joint(self->sim, (size_t)i, &j);
        const double *from = (intptr_t)closure == 0   ? j.position
                             : (intptr_t)closure == 1 ? j.velocity
                                                      : j.effort;
        memcpy(doubles_of((PyArrayObject *)out) + 2 * i, from, 2 * sizeof *from);
    }
    return out;
}

static PyObject *get_joint_targets(PyObject *o, void *closure)
{
    (void)closure;
    simulation_object *self = (simulation_object *)o;
    npy_intp n = (npy_intp)abut_sim_joint_count(self->sim), none[2] = {0, 2};
    if (n == 0) return PyArray_SimpleNew(2, none, NPY_DOUBLE);
    return view_of(abut_sim_joint_targets(self->sim), NPY_DOUBLE, n, 2, o, true);
}

static PyObject *get_joint_names(PyObject *o, void *closure)
{
    (void)closure;
    simulation_object *self = (simulation_object *)o;
    size_t n = abut_sim_joint_count(self->sim);
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        abut_joint j;
        abut_sim_joint(self->sim, i, &j);
        PyObject *name = PyUnicode_FromString(j.name);
        if (!name) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SET_ITEM(list, (Py_ssize_t)i, name);
    }
    return list;
}

static PyObject *get_info(PyObject *o, void *closure)
{
    (void)closure;
    return current_info((simulation_object *)o);
}

static PyObject *get_number(PyObject *o, void *closure)
{
    abut_sim *sim = ((simulation_object *)o)->sim;
    switch ((intptr_t)closure) {
    case 0: return PyFloat_FromDouble(abut_sim_time(sim));
    case 1: return PyFloat_FromDouble(abut_sim_time_step(sim));
    default: return PyLong_FromLongLong(abut_sim_steps_total(sim));
    }
}

static PyObject *get_cells(PyObject *o, void *closure)
{
    abut_sim *sim = ((simulation_object *)o)->sim;
    size_t count;
    const int32_t *data;
    npy_intp width;
    switch ((intptr_t)closure) {
    case 0: data = abut_sim_edges(sim, &count), width = 2; break;
    case 1: data = abut_sim_triangles(sim, &count), width = 3; break;
    default: data = abut_sim_tetrahedra(sim, &count), width = 4; break;
    }
    return view_of((void *)data, NPY_INT32, (npy_intp)count, width, o, false);
}

static PyObject *get_vertices(PyObject *o, void *closure)
{
    abut_sim *sim = ((simulation_object *)o)->sim;
    npy_intp shape[2] = {(npy_intp)abut_sim_vertex_count(sim), 3};
    PyObject *out = PyArray_SimpleNew(2, shape, NPY_DOUBLE);
    if (!out) return NULL;
    if (closure)
        abut_sim_rest_vertices(sim, doubles_of((PyArrayObject *)out));
    else
        abut_sim_vertices(sim, doubles_of((PyArrayObject *)out));
    return out;
}

static PyObject *slice_out(size_t first, size_t count)
{
    PyObject *begin = PyLong_FromSize_t(first), *end = PyLong_FromSize_t(first + count);
    PyObject *slice = begin && end ? PySlice_New(begin, end, NULL) : NULL;
    Py_XDECREF(begin);
    Py_XDECREF(end);
    return slice;
}

static PyObject *body_out(const abut_body *b)
{
    PyObject *nodes = slice_out(b->first_node, b->node_count);
    PyObject *vertices = slice_out(b->first_vertex, b->vertex_count);
    PyObject *edges = slice_out(b->first_edge, b->edge_count);
    PyObject *triangles = slice_out(b->first_triangle, b->triangle_count);
    if (nodes && vertices && edges && triangles)
        return Py_BuildValue("{s:s,s:s,s:O,s:N,s:N,s:N,s:N}", "name", b->name, "kind", b->kind,
                             "kinematic", b->kinematic ? Py_True : Py_False, "nodes", nodes,
                             "vertices", vertices, "edges", edges, "triangles", triangles);
    Py_XDECREF(nodes);
    Py_XDECREF(vertices);
    Py_XDECREF(edges);
    Py_XDECREF(triangles);
    return NULL;
}

static PyObject *get_bodies(PyObject *o, void *closure)
{
    (void)closure;
    abut_sim *sim = ((simulation_object *)o)->sim;
    size_t count = abut_sim_body_count(sim);
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        abut_body body;
        PyObject *item = abut_sim_body(sim, i, &body) ? body_out(&body) : NULL;
        if (!item)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, (Py_ssize_t)i, item);
    }
    return list;
}

static PyObject *get_scene_text(PyObject *o, void *closure)
{
    (void)closure;
    char *text = abut_sim_scene(((simulation_object *)o)->sim);
    if (!text) return PyErr_NoMemory();
    PyObject *out = PyUnicode_FromString(text);
    free(text);
    return out;
}

static PyMethodDef simulation_methods[] = {
    {"step", (PyCFunction)(void (*)(void))simulation_step, METH_VARARGS | METH_KEYWORDS,
     "step(count=1)\n--\n\nTakes time steps and returns the numbers of the last one. Other threads "
     "of Python go on meanwhile. On failure the state is that before the step."},
    {"run", (PyCFunction)(void (*)(void))simulation_run, METH_VARARGS | METH_KEYWORDS,
     "run(folder, steps=-1, *, resume=False, progress=None)\n--\n\nRuns to the end time (or so "
     "many "
     "steps) with results in a folder, as `abut run` does. progress(info, steps_total) is called "
     "after each step; returning False ends the run with abut.Interrupted."},
    {"check", simulation_check, METH_NOARGS,
     "check()\n--\n\nSmallest distance by an independent, exact check of the state; raises "
     "InfeasibleError when it intersects or is inverted. To be called after positions were "
     "written."},
    {"save", simulation_save, METH_O, "save(path)\n--\n\nWrites the state to a file."},
    {"restore", simulation_restore, METH_O,
     "restore(path)\n--\n\nReads the state back; the steps after that have the same bits."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef simulation_getset[] = {
    {"positions", get_state, set_state,
     "Positions of the nodes (n, 3), the simulator's own memory.", (void *)0},
    {"velocities", get_state, set_state,
     "Velocities of the nodes (n, 3), the simulator's own "
     "memory.",
     (void *)1},
    {"masses", get_state, NULL, "Masses of the nodes.", (void *)2},
    {"forces", get_state, set_state, "Forces of your own on the nodes (n, 3), zero at first.",
     (void *)3},
    {"joint_names", get_joint_names, NULL, "Names of the joints.", NULL},
    {"joint_positions", get_joints, NULL,
     "Angles (rad) and slides (m) of the joints (n, 2), a copy.", (void *)0},
    {"joint_velocities", get_joints, NULL, "Their rates (n, 2), a copy.", (void *)1},
    {"joint_efforts", get_joints, NULL, "Torques and forces of their motors (n, 2), a copy.",
     (void *)2},
    {"joint_targets", get_joint_targets, NULL,
     "Targets of their motors (n, 2), to be written; nan: as the scene says.", NULL},
    {"info", get_info, NULL, "Numbers of the last step, a dict.", NULL},
    {"time", get_number, NULL, "Simulated time.", (void *)0},
    {"time_step", get_number, NULL, "Length of a time step.", (void *)1},
    {"steps_total", get_number, NULL, "Steps to the scene's end time.", (void *)2},
    {"edges", get_cells, NULL, "Edges of the collision surface.", (void *)0},
    {"triangles", get_cells, NULL, "Triangles of the collision surface.", (void *)1},
    {"tetrahedra", get_cells, NULL, "Tetrahedra of all bodies, by nodes.", (void *)2},
    {"vertices", get_vertices, NULL, "Positions of the vertices of the collision surface, a copy.",
     (void *)0},
    {"rest_vertices", get_vertices, NULL, "The same at the start of the scene.", (void *)1},
    {"bodies", get_bodies, NULL, "The bodies: dicts with name, kind and slices.", NULL},
    {"scene_text", get_scene_text, NULL, "The scene as it is run, with all defaults, as JSON.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyTypeObject simulation_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "abut._abut.Simulation",
                                .tp_basicsize = sizeof(simulation_object),
                                .tp_flags =
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                                .tp_doc = "Base of abut.Simulation.",
                                .tp_new = simulation_new,
                                .tp_dealloc = simulation_dealloc,
                                .tp_traverse = simulation_traverse,
                                .tp_clear = simulation_clear,
                                .tp_methods = simulation_methods,
                                .tp_getset = simulation_getset};
