/* Version of the abut library. */
#ifndef ABUT_VERSION_H
#define ABUT_VERSION_H

#define ABUT_VERSION_MAJOR 0
#define ABUT_VERSION_MINOR 1
#define ABUT_VERSION_PATCH 0
#define ABUT_VERSION_STRING "0.1.0"

#endif
