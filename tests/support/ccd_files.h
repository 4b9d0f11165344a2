/* The published query files, for tests that run over all of them. */
#ifndef CCD_FILES_H
#define CCD_FILES_H

/* Calls visit for every CSV file below ccd-queries and ccd-scalable in the data folder (see
 * test_data_folder; may be NULL), in alphabetical order; returns how many there were. */
int ccd_files_visit(const char *folder, void (*visit)(const char *path, void *context),
                    void *context);

#endif
