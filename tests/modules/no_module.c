/* A library that is no module for PETSc. */
int no_module_of_abut(void);
int no_module_of_abut(void) { return 0; }
