/* libFuzzer entry: any bytes as a URDF or MJCF file, made a scene where they can be read. A failure
 * must have a message and leave nothing behind. Start with the robots of the examples:
 *     fuzz_robot -max_len=8000 WORKING_FOLDER examples/joints/robot-arm
 * With ABUT_FUZZ_STANDALONE an ordinary program: fuzz_robot_standalone [SECONDS [SEED [FILE...]]]
 */
#include "scene/robot.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_as(abut_status (*read)(const char *, const file_bytes *, const logger *, robot *,
                                        abut_error *),
                    const file_bytes *bytes)
{
    robot r;
    abut_error err = {ABUT_OK, "", ""};
    abut_status status = read("a/fuzz.xml", bytes, NULL, &r, &err);
    if (status == ABUT_OK) {
        json_t *native = NULL;
        status = robot_to_document("a/fuzz.xml", &r, &native, &err);
        if ((status == ABUT_OK) != (native != NULL)) abort();
        json_decref(native);
        robot_free(&r);
    }
    if (status != ABUT_OK && (err.code != status || !err.message[0])) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    file_bytes bytes = {.data = (char *)(uintptr_t)data, .size = size};
    read_as(urdf_read, &bytes);
    read_as(mjcf_read, &bytes);
    return 0;
}

#ifdef ABUT_FUZZ_STANDALONE
#include "base/random.h"
#include "base/timer.h"

#include <stdio.h>

enum { MAX_SIZE = 1 << 16 };

static const char *const seeds[] = {
    "<robot name='r'><link name='a'><inertial><origin xyz='0 0 1' rpy='0 0 0.3'/><mass value='1'/>"
    "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
    "iyz='0'/></inertial><collision><geometry><box "
    "size='1 1 1'/></geometry></collision></link><link name='b'><inertial><mass "
    "value='2'/><inertia "
    "ixx='1' iyy='2' izz='1.5'/></inertial><visual><geometry><cylinder radius='1' length='2'/>"
    "</geometry></visual></link><joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
    "<origin xyz='1 2 3'/><axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/>"
    "<dynamics damping='1' friction='0.1'/></joint></robot>",
    "<mujoco model='m'><compiler angle='radian'/><option gravity='0 0 -9' timestep='0.01'/>"
    "<default><geom density='500'/><default class='c'><joint damping='1' range='-1 1'/></default>"
    "</default><worldbody><geom type='plane' size='1 1 1'/><body name='a' pos='0 0 1' "
    "euler='0.1 0 0' childclass='c'><joint name='j' axis='0 1 0' ref='0.2'/><geom type='capsule' "
    "fromto='0 0 0 0 0 -1' size='0.1'/><body pos='0 0 -1'><joint type='slide'/><geom type='box' "
    "size='0.1 0.1 0.1' mass='1'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>"
    "</body></worldbody><actuator><position joint='j' kp='3' forcerange='-1 1'/></actuator>"
    "</mujoco>"};
enum { SEEDS = sizeof seeds / sizeof *seeds };

static size_t mutate(char *data, size_t size, random_state *r)
{
    static const char *const words[] = {"-1",      "0",         "1e999", "nan",   "<",
                                        "/>",      "'",         "body",  "joint", "<body>",
                                        "</body>", "class='c'", "&amp;", "&#0;",  "link"};
    for (uint64_t changes = 1 + random_below(r, 4); changes > 0 && size > 1; changes--) {
        size_t at = random_below(r, size), left = size - at, from = random_below(r, size);
        const char *word = words[random_below(r, sizeof words / sizeof *words)];
        size_t length = strlen(word) < left ? strlen(word) : left;
        switch (random_below(r, 5)) {
        case 0: data[at] = (char)random_below(r, 256); break;
        case 1: data[at] = (char)(data[at] ^ (1 << random_below(r, 8))); break;
        case 2: memcpy(data + at, word, length); break;
        case 3:
            length = random_below(r, 80);
            if (length > left) length = left;
            if (length > size - from) length = size - from;
            memmove(data + at, data + from, length);
            break;
        default: size = random_below(r, 16) ? size : at + 1;
        }
    }
    return size;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 2.0;
    random_state r = {argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
    size_t runs = 0;
    char *data = malloc(MAX_SIZE);
    for (double start = timer_now(); data && timer_now() - start < seconds; runs++) {
        const char *seed = seeds[random_below(&r, SEEDS)];
        size_t size = strlen(seed);
        memcpy(data, seed, size);
        size = mutate(data, size, &r);
        uint8_t *exact = malloc(size);
        memcpy(exact, data, size);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    printf("%zu runs over %d seeds, nothing wrong\n", runs, SEEDS);
    free(data);
    return 0;
}
#endif
