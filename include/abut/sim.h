/* The simulator layer: load a scene, step it, read its state. */
#ifndef ABUT_SIM_H
#define ABUT_SIM_H

#include <abut/base.h>

#endif
