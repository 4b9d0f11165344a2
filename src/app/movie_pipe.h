/* Films through the program ffmpeg, which gets the pictures through a pipe. */
#ifndef APP_MOVIE_PIPE_H
#define APP_MOVIE_PIPE_H

#include "output/image.h"

#include <stdio.h>
#include <sys/types.h>

typedef struct movie_pipe {
    FILE *stream;
    pid_t process;
    char path[4096], temporary[4096 + 64];
} movie_pipe;

/* ABUT_ERROR_UNSUPPORTED when ffmpeg is not installed. Sizes are cut to even ones. */
abut_status movie_open(movie_pipe *movie, const char *path, int width, int height,
                       double frames_per_second, abut_error *err);
abut_status movie_add(movie_pipe *movie, const image *picture, abut_error *err);
/* Waits for ffmpeg; the film appears under its name when that was successful. */
abut_status movie_close(movie_pipe *movie, abut_error *err);
/* Gives up and removes what there is. */
void movie_discard(movie_pipe *movie);

#endif
