#include "app/movie_pipe.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* What ffmpeg is told for each kind of file. */
static const struct {
    const char *extension;
    const char *words[10];
} kinds[] = {
    {"mp4", {"-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart"}},
    {"webm", {"-c:v", "libvpx-vp9", "-crf", "28", "-b:v", "0", "-pix_fmt", "yuv420p"}},
    {"jpg", {"-frames:v", "1", "-update", "1", "-q:v", "2"}},
};

static abut_status start_ffmpeg(movie_pipe *movie, int read_end, char *size, char *rate,
                                abut_error *err)
{
    char *words[40] = {
        "ffmpeg",      "-loglevel", "error",         "-y",
        "-f",          "rawvideo",  "-pixel_format", "rgb24",
        "-video_size", size,        "-framerate",    rate,
        "-i",          "-",         "-vf",           "crop=trunc(iw/2)*2:trunc(ih/2)*2"};
    size_t count = 16;
    const char *extension = path_extension(movie->temporary);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t k = 0; strcmp(kinds[i].extension, extension) == 0 && kinds[i].words[k]; k++)
            words[count++] = (char *)kinds[i].words[k];
    words[count++] = movie->temporary;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, read_end, STDIN_FILENO);
    int code = posix_spawnp(&movie->process, "ffmpeg", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code == 0) return ABUT_OK;
    movie->process = 0;
    return error_set(err, ABUT_ERROR_UNSUPPORTED, movie->path,
                     "this kind of file needs the program ffmpeg (%s); .gif and .png work without "
                     "it",
                     strerror(code));
}

abut_status movie_open(movie_pipe *movie, const char *path, int width, int height,
                       double frames_per_second, abut_error *err)
{
    memset(movie, 0, sizeof *movie);
    char size[40], rate[40], folder[4096];
    int ends[2];
    snprintf(movie->path, sizeof movie->path, "%s", path);
    path_folder(folder, sizeof folder, path);
    snprintf(movie->temporary, sizeof movie->temporary, "%s.%ld.tmp.%s", path, (long)getpid(),
             path_extension(path));
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate, sizeof rate, "%.6g", frames_per_second);
    if (access(folder, W_OK) != 0 || pipe2(ends, O_CLOEXEC) != 0)
        return error_set(err, ABUT_ERROR_IO, path, "cannot write: %s", strerror(errno));
    signal(SIGPIPE, SIG_IGN);
    abut_status status = start_ffmpeg(movie, ends[0], size, rate, err);
    close(ends[0]);
    movie->stream = status == ABUT_OK ? fdopen(ends[1], "wb") : NULL;
    if (movie->stream) return ABUT_OK;
    close(ends[1]);
    movie_discard(movie);
    return status == ABUT_OK ? error_memory(err, "writing a film") : status;
}

abut_status movie_add(movie_pipe *movie, const image *picture, abut_error *err)
{
    size_t size = 3 * (size_t)picture->width * (size_t)picture->height;
    if (fwrite(picture->rgb, 1, size, movie->stream) == size) return ABUT_OK;
    return error_set(err, ABUT_ERROR_IO, movie->path, "ffmpeg stopped reading: %s",
                     strerror(errno));
}

static bool wait_for_ffmpeg(movie_pipe *movie)
{
    int result = -1;
    while (waitpid(movie->process, &result, 0) < 0 && errno == EINTR) continue;
    movie->process = 0;
    return WIFEXITED(result) && WEXITSTATUS(result) == 0;
}

abut_status movie_close(movie_pipe *movie, abut_error *err)
{
    bool good = fclose(movie->stream) == 0;
    movie->stream = NULL;
    good = wait_for_ffmpeg(movie) && good;
    abut_status status = ABUT_OK;
    if (!good)
        status = error_set(err, ABUT_ERROR_IO, movie->path, "ffmpeg could not write the film");
    else if (rename(movie->temporary, movie->path) != 0)
        status = error_set(err, ABUT_ERROR_IO, movie->path, "cannot replace: %s", strerror(errno));
    movie_discard(movie);
    return status;
}

void movie_discard(movie_pipe *movie)
{
    if (movie->stream) fclose(movie->stream);
    if (movie->process > 0) wait_for_ffmpeg(movie);
    if (movie->temporary[0]) unlink(movie->temporary);
    memset(movie, 0, sizeof *movie);
}
