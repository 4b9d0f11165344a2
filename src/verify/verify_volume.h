#ifndef VERIFY_VERIFY_VOLUME_H
#define VERIFY_VERIFY_VOLUME_H

#include "verify/verify_run.h"

/* Adds the inverted elements of the frames in folder/volume, where there are such. */
abut_status verify_volume(run_verification *v, const char *folder, abut_error *err);

#endif
