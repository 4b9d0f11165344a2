/* The ways of the steps between two frames of a run (step/way.h): noted step by step, written with
 * the next frame, kept in checkpoints. */
#ifndef API_WAY_RECORD_H
#define API_WAY_RECORD_H

#include "output/checkpoint.h"
#include "output/frame.h"
#include "step/stepper.h"

typedef struct way_record {
    bool enabled;
    ARRAY(double) way;
    ARRAY(int32_t) places; /* of each step */
} way_record;

/* Makes the stepper note its ways, if wanted and the scene has bodies that turn. */
void way_record_enable(way_record *r, stepper *s, bool wanted);
void way_record_free(way_record *r);
abut_status way_record_note(way_record *r, const stepper *s, abut_error *err);
/* The frame borrows the ways until the record is cleared. */
void way_record_give(const way_record *r, frame *f);
void way_record_clear(way_record *r);

void way_record_save(const way_record *r, checkpoint_writer *w);
abut_status way_record_load(way_record *r, const checkpoint_reader *c, abut_error *err);

#endif
