/* The command `abut render` on a small run, on a frame and on wrong input. */
#include "test.h"

#include "base/file.h"
#include "output/series.h"

#include <png.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], message[2000];
static const char *abut, *prefix = "";

/* Runs `abut render` in the folder; returns its exit code and keeps what it prints. */
static int render(const char *words)
{
    char line[1000];
    snprintf(line, sizeof line, "cd '%s' && %s ASAN_OPTIONS=detect_leaks=0 '%s' render %s 2>&1",
             folder, prefix, abut, words);
    FILE *pipe = popen(line, "r");
    if (!pipe) return -1;
    size_t length = fread(message, 1, sizeof message - 1, pipe);
    message[length] = 0;
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void write_text(const char *name, const char *text)
{
    abut_error err;
    char path[200], parent[200];
    path_join(path, sizeof path, folder, name);
    path_folder(parent, sizeof parent, path);
    CHECK_OK(directory_create(parent, &err), err);
    CHECK_OK(atomic_write(path, text, strlen(text), &err), err);
}

static bool exists(const char *name)
{
    char path[200];
    path_join(path, sizeof path, folder, name);
    return file_exists(path);
}

/* Size of a picture, and mean brightness of its lower half. */
static int picture_size(const char *name, int *height, double *brightness)
{
    char path[200];
    path_join(path, sizeof path, folder, name);
    png_image picture = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&picture, path)) return -1;
    picture.format = PNG_FORMAT_GRAY;
    unsigned char *pixels = malloc(PNG_IMAGE_SIZE(picture));
    double sum = 0.0;
    int width = (int)picture.width;
    *height = (int)picture.height;
    if (png_image_finish_read(&picture, NULL, pixels, 0, NULL))
        for (int i = *height / 2 * width; i < *height * width; i++) sum += pixels[i];
    free(pixels);
    *brightness = sum / (*height - *height / 2) / width;
    return width;
}

/* Three frames of a tet that falls. */
static void make_run(void)
{
    abut_error err;
    char run[200];
    path_join(run, sizeof run, folder, "run");
    frame_series series;
    CHECK_OK(series_open(&series, run, SERIES_NEW, &err), err);
    for (int64_t step = 0; step <= 20; step += 10) {
        double y = 2.0 - 0.1 * (double)step;
        vec3 points[4] = {{0, y, 0}, {1, y, 0}, {0, y + 1, 0}, {0, y, 1}};
        double velocity[12] = {0};
        int32_t nodes[4] = {0, 1, 2, 3}, body[4] = {0};
        cell_block block = {CELL_TET, 1, 4, 1, nodes, NULL};
        for (int i = 0; i < 4; i++) velocity[3 * i + 1] = -(double)step;
        frame f = {.time = 0.01 * (double)step, .step = step, .point_count = 4, .points = points};
        f.block_count = 1;
        f.blocks = &block;
        frame_add_ints(&f, FRAME_POINTS, FIELD_BODY, 1, body);
        frame_add_doubles(&f, FRAME_POINTS, FIELD_VELOCITY, 3, velocity);
        CHECK_OK(series_add(&series, &f, &err), err);
    }
    series_close(&series);
}

#define SMALL " --size 96x64 --samples 4"

TEST(a_run_gives_pictures)
{
    int height;
    double brightness, grey;
    CHECK(render("run -o last.png" SMALL) == 0);
    CHECK(message[0] == 0);
    CHECK(picture_size("last.png", &height, &brightness) == 96 && height == 64);
    CHECK(render("--frame all run --output=all.png" SMALL) == 0);
    CHECK(exists("all_000000.png") && exists("all_000010.png") && exists("all_000020.png"));
    CHECK(!exists("all.png"));
    CHECK(render("run -o step.png --frame 10 --color velocity --edges --flat --camera 10,30,1.5"
                 " --ground 0 --up y --line-width 0.01 --point-size 0.02" SMALL) == 0);
    CHECK(exists("step.png"));
    /* On white everything is brighter; another range gives other colours. */
    double white, other;
    CHECK(render("run -o white.png --ground none" SMALL) == 0);
    CHECK(picture_size("white.png", &height, &other) == 96);
    CHECK(render("run -o white.png --ground none --background white" SMALL) == 0);
    CHECK(picture_size("white.png", &height, &white) == 96 && white > other + 5);
    CHECK(render("run -o range.png --frame 10 --color velocity" SMALL) == 0);
    CHECK(picture_size("range.png", &height, &grey) == 96);
    CHECK(render("run -o range.png --frame 10 --color velocity --range 0,1000" SMALL) == 0);
    CHECK(picture_size("range.png", &height, &other) == 96 && fabs(other - grey) > 0.1);
    /* An obstacle is drawn in light grey instead of a colour. */
    write_text("run/scene.json",
               "{\"gravity\": [0, -9.81, 0], \"bodies\": [{\"type\": \"obstacle\"}],"
               " \"ground\": -0.5}");
    CHECK(render("run -o grey.png" SMALL) == 0);
    CHECK(picture_size("grey.png", &height, &grey) == 96);
    CHECK(grey != brightness);
    write_text("run/scene.json", "{");
    CHECK(render("run -o bad.png" SMALL) == 2);
    CHECK(strstr(message, "scene.json: line 1") != NULL);
    CHECK(!exists("bad.png"));
}

/* Rods and particles are drawn as thick as the scene says. */
TEST(thickness_of_the_scene)
{
    abut_error err;
    char run[200];
    path_join(run, sizeof run, folder, "thin");
    frame_series series;
    CHECK_OK(series_open(&series, run, SERIES_NEW, &err), err);
    vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0.5, 1, 0.1}};
    int32_t edge[2] = {0, 1}, dot[1] = {2}, body[3] = {0, 0, 1};
    cell_block blocks[2] = {{CELL_EDGE, 1, 2, 1, edge, NULL}, {CELL_POINT, 1, 1, 1, dot, NULL}};
    frame f = {.step = 1, .point_count = 3, .points = points, .block_count = 2, .blocks = blocks};
    frame_add_ints(&f, FRAME_POINTS, FIELD_BODY, 1, body);
    CHECK_OK(series_add(&series, &f, &err), err);
    series_close(&series);
    int height;
    double thin, thick;
    const char *const scenes[2] = {
        "{\"bodies\": [{\"type\": \"rod\", \"rod\": {\"diameter\": 0.01}},"
        " {\"type\": \"particles\", \"particles\": {\"radius\": 0.005}}]}",
        "{\"bodies\": [{\"type\": \"x\", \"enabled\": false},"
        " {\"type\": \"rod\", \"rod\": {\"diameter\": 0.01}, \"offset\": 0.3},"
        " {\"type\": \"particles\", \"particles\": {\"radius\": 0.2}}]}"};
    for (int i = 0; i < 2; i++) {
        write_text("thin/scene.json", scenes[i]);
        CHECK(render("thin -o thin.png --background white" SMALL) == 0);
        CHECK(picture_size("thin.png", &height, i ? &thick : &thin) == 96);
    }
    CHECK(thick < thin - 10); /* more is covered */
}

TEST(single_files_give_pictures)
{
    CHECK(render("run/frames/frame_000010.vtu -o one.png" SMALL) == 0);
    CHECK(exists("one.png"));
    write_text("mesh.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    CHECK(render("mesh.obj -o mesh.png" SMALL) == 0);
    CHECK(exists("mesh.png"));
}

static size_t size_of(const char *name)
{
    abut_error err;
    char path[200];
    file_bytes bytes;
    path_join(path, sizeof path, folder, name);
    if (file_read(path, &bytes, &err) != ABUT_OK) return 0;
    size_t size = bytes.size;
    file_free(&bytes);
    return size;
}

TEST(a_run_gives_an_animation)
{
    write_text("run/scene.json", "{}");
    CHECK(render("run -o film.gif --fps 10 --speed 2" SMALL) == 0);
    CHECK(size_of("film.gif") > 1500);
    CHECK(render("run -o slow.gif --fps 10" SMALL) == 0);
    CHECK(size_of("slow.gif") > size_of("film.gif")); /* slow enough for the frame between */
    CHECK(render("mesh.obj -o film.gif" SMALL) == 2);
    CHECK(strstr(message, "an animation needs the folder of a run") != NULL);
    CHECK(render("run -o film.gif --fps 0" SMALL) == 2);
    CHECK(render("run -o film.gif --speed 1e-9" SMALL) == 2);
    CHECK(strstr(message, "choose a higher --speed") != NULL);
    /* A program in the place of ffmpeg shows what it would get: 0.2 s at 10 pictures per second are
     * 3 pictures, and the last one stays for 9 more. */
    write_text("bin/ffmpeg", "#!/bin/sh\nfor last; do :; done\ncat > \"$last\"\n");
    char line[200];
    snprintf(line, sizeof line, "chmod +x '%s/bin/ffmpeg'", folder);
    CHECK(system(line) == 0);
    prefix = "PATH=$PWD/bin:$PATH";
    CHECK(render("run -o film.mp4 --fps 10" SMALL) == 0);
    CHECK(size_of("film.mp4") == 12 * 96 * 64 * 3);
    write_text("bin/ffmpeg", "#!/bin/sh\nexit 1\n");
    CHECK(system(line) == 0);
    CHECK(render("run -o broken.mp4" SMALL) == 5);
    CHECK(strstr(message, "ffmpeg") != NULL && !exists("broken.mp4"));
    prefix = "PATH=/nowhere";
    CHECK(render("run -o none.mp4" SMALL) == 2);
    CHECK(strstr(message, "needs the program ffmpeg") != NULL && !exists("none.mp4"));
    prefix = "";
}

TEST(sheets_turntables_and_names)
{
    int height;
    double brightness;
    write_text("run/scene.json", "{}");
    CHECK(render("run" SMALL) == 0 && strcmp(message, "run.png\n") == 0);
    CHECK(picture_size("run.png", &height, &brightness) == 96 && height == 64);
    CHECK(render("run -o sheet.png --sheet 3x2" SMALL) == 0);
    CHECK(picture_size("sheet.png", &height, &brightness) == 288 && height == 128);
    CHECK(render("run/ --turntable 0.5 --fps 8" SMALL) == 0 && strcmp(message, "run.gif\n") == 0);
    CHECK(size_of("run.gif") > 1000);
    CHECK(render("run --fields") == 0);
    CHECK(strstr(message, "velocity") && strstr(message, "m/s") && strstr(message, "points"));
    /* A picture of one frame fits that frame: --fit run is another one, where things have moved. */
    CHECK(render("run -o own.png --frame 0 --ground none" SMALL) == 0);
    double own = (picture_size("own.png", &height, &brightness), brightness);
    CHECK(render("run -o all.png --frame 0 --ground none --fit run" SMALL) == 0);
    picture_size("all.png", &height, &brightness);
    CHECK(fabs(own - brightness) > 0.5);
}

TEST(wrong_words_are_explained)
{
    static const struct {
        const char *words;
        int code;
        const char *reason;
    } cases[] = {
        {"", 2, "an argument is missing"},
        {"run -o x.tga", 2, "must be a name that ends in .png"},
        {"run -o x.png --fit all", 2, "must be frame or run"},
        {"run -o x.png --sheet 3", 2, "must be columns x rows"},
        {"run -o x.gif --sheet 2x2", 2, "a contact sheet is one picture"},
        {"mesh.obj -o x.png --sheet 2x2", 2, "a contact sheet needs the folder of a run"},
        {"run -o x.png --turntable 2", 2, "a turntable is a film"},
        {"run -o x.gif --turntable 0", 2, "must be the seconds of a full turn"},
        {"run -o x.png --frame 7", 2, "has no frame of step 7; there are 3, from step 0 to 20"},
        {"run -o x.png --frame seven", 2, "--frame 'seven' must be the number of a step"},
        {"run -o x.png --size 12", 2, "--size '12' must be width x height"},
        {"run -o x.png --size 4x4", 2, "16 to 8192"},
        {"run -o x.png --camera north", 2, "must be yaw,pitch"},
        {"run -o x.png --camera 1,2,3,4", 2, "must be yaw,pitch"},
        {"run -o x.png --color pressure", 2, "no field \"pressure\""},
        {"run -o x.png --edges=yes", 2, "'--edges' takes no value"},
        {"run -o x.png --up w", 2, "must be x, y, z"},
        {"run -o x.png --ground deep", 2, "must be auto, none"},
        {"run -o x.png --samples 0", 2, "must be 1 to 1024"},
        {"run -o x.png --range 3", 2, "must be two numbers LOW,HIGH"},
        {"run -o x.png --range 3,1", 2, "must be two numbers LOW,HIGH"},
        {"run -o x.png --background green", 2, "must be sky or white"},
        {"run -o x.png --sise 5", 2, "did you mean '--size'"},
        {"run again -o x.png", 2, "unexpected argument"},
        {"run -o", 2, "'--output' needs a value"},
        {"nowhere -o x.png", 5, "nowhere"},
        {". -o x.png", 5, "frames"},
        {"run -o no/where/x.png" SMALL, 5, "No such file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int code = render(cases[i].words);
        bool right = code == cases[i].code && strstr(message, cases[i].reason);
        if (!right) printf("render %s: %d: %s", cases[i].words, code, message);
        CHECK(right);
        CHECK(!exists("x.png"));
    }
}

int main(void)
{
    abut = getenv("ABUT_COMMAND");
    if (!abut || !file_exists(abut)) SKIP_ALL("ABUT_COMMAND does not name the command");
    strcpy(folder, "/tmp/abut-test-command-XXXXXX");
    if (!mkdtemp(folder)) return 1;
    make_run();
    RUN(a_run_gives_pictures);
    RUN(thickness_of_the_scene);
    RUN(single_files_give_pictures);
    RUN(a_run_gives_an_animation);
    RUN(sheets_turntables_and_names);
    RUN(wrong_words_are_explained);
    char line[100];
    snprintf(line, sizeof line, "rm -r '%s'", folder);
    CHECK(system(line) == 0);
    return TEST_END();
}
