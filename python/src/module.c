/* The extension module abut._abut; python/abut/__init__.py makes a package of it. */
#define ABUT_MODULE_MAIN
#include "module.h"

static PyObject *version(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyUnicode_FromString(abut_version());
}

static PyMethodDef module_methods[] = {
    {"version", version, METH_NOARGS, "version()\n--\n\nVersion of the library."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "abut._abut",
                                        .m_doc = "The extension behind the package abut.",
                                        .m_size = -1, .m_methods = module_methods};

static int add_type(PyObject *module, const char *name, PyTypeObject *type)
{
    if (PyType_Ready(type) < 0) return -1;
    return PyModule_AddObjectRef(module, name, (PyObject *)type);
}

static int fill(PyObject *module)
{
    if (add_errors(module) < 0 || PyModule_AddFunctions(module, pair_methods) < 0 ||
        PyModule_AddFunctions(module, stiffness_methods) < 0 ||
        PyModule_AddFunctions(module, control_methods) < 0)
        return -1;
    PyObject *kinds = Py_BuildValue("(ssss)", pair_kind_words[0], pair_kind_words[1],
                                    pair_kind_words[2], pair_kind_words[3]);
    if (!kinds) return -1;
    int added = PyModule_AddObjectRef(module, "PAIR_KINDS", kinds);
    Py_DECREF(kinds);
    if (added < 0) return -1;
    return add_type(module, "Simulation", &simulation_type) < 0 ||
                   add_type(module, "CollisionMesh", &mesh_type) < 0 ||
                   add_type(module, "Candidates", &candidates_type) < 0 ||
                   add_type(module, "ActiveSet", &set_type) < 0 ||
                   add_type(module, "Friction", &friction_type) < 0 ||
                   add_type(module, "Gradient", &gradient_type) < 0
               ? -1
               : 0;
}

PyMODINIT_FUNC PyInit__abut(void);
PyMODINIT_FUNC PyInit__abut(void)
{
    import_array();
    abut_choose_blas_kernels();
    PyObject *module = PyModule_Create(&definition);
    if (module && fill(module) < 0) Py_CLEAR(module);
    return module;
}
