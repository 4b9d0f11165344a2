/* `abut convert DIR OUT`: the frames of a run as an animated glTF, a page, and so on. */
#ifndef APP_CONVERT_RUN_H
#define APP_CONVERT_RUN_H

#include "app/command.h"

abut_status convert_run(const char *folder, const char *path, const command_line *line,
                        abut_error *err);

#endif
