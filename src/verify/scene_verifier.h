/* What the scene tells the independent check of frames (verify/verify_frame.h). */
#ifndef VERIFY_SCENE_VERIFIER_H
#define VERIFY_SCENE_VERIFIER_H

#include "scene/scene.h"
#include "verify/verify_frame.h"

/* Bodies are the enabled ones, as in frames. */
typedef struct scene_verifier {
    verify_setup setup;
    const char **names; /* of the bodies; borrowed from the scene */
    double size, dhat;  /* m */
} scene_verifier;

/* size: the scene's l. The scene must live as long. */
abut_status scene_verifier_init(scene_verifier *v, const scene_def *scene, double size,
                                abut_error *err);
void scene_verifier_free(scene_verifier *v);

#endif
