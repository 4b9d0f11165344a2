/* What every step leaves of what must stay positive, whatever it is and whoever bounds it. */
#ifndef TERM_KEEP_H
#define TERM_KEEP_H

/* Of a distance or a volume, where the bound is found by iteration (IPC supplement 4). */
static const double KEEP_GAP = 0.2;
/* Of the room to a half-space or a strain limit, where the bound has a closed form. */
static const double KEEP_ROOM = 0.1;

#endif
