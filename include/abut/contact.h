/* The toolkit layer: contact for people who bring their own simulator. */
#ifndef ABUT_CONTACT_H
#define ABUT_CONTACT_H

#include <abut/base.h>

#endif
