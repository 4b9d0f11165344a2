/* Quantities of steps.csv and run.json that had other names in earlier versions. Whoever reads such
 * a file asks here, so that runs of earlier versions stay readable. */
#ifndef OUTPUT_TABLE_NAMES_H
#define OUTPUT_TABLE_NAMES_H

#include "base/status.h"

/* The present name of a column or key; the name itself where it has not changed. `name` need not
 * end in 0. *length becomes that of the result. */
const char *table_name_now(const char *name, size_t *length);

/* The text of a steps.csv with the present names in its header, or that of a run.json with the
 * present keys. *text comes from mem_alloc and is replaced. A text that is neither stays as it is.
 */
abut_status table_names_renew(char **text, size_t *size, abut_error *err);

#endif
