/* abut: bodies that touch and never intersect. Includes every public header. */
#ifndef ABUT_H
#define ABUT_H

#include <abut/base.h>
#include <abut/contact.h>
#include <abut/control.h>
#include <abut/define.h>
#include <abut/gradient.h>
#include <abut/sim.h>
#include <abut/version.h>

#endif
