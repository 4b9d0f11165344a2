/* A folder for the files of a test program. */
#ifndef SUPPORT_SCRATCH_H
#define SUPPORT_SCRATCH_H

/* Made at the first call in the folder for temporary files, removed with all that is in it when the
 * program ends, also by exit. Always the same; ends the program when it cannot be made. */
const char *test_scratch(void);

#endif
