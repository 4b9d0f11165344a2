/* Runs that are asked to stop within a step: the step is undone, and going on gives the bits of a
 * run that was never stopped, in whichever iteration it was. */
#include "base/file.h"
#include "base/memory.h"
#include "support/scratch.h"
#include "test.h"

#include <abut/sim.h>

static abut_error err;

/* Contact, friction, a clamp that moves and two old states; a fast impact in sub-steps; joints with
 * multipliers of their own; meshes that change. */
#define BOX "'mesh': {'box': {'size': [0.2, 0.2, 0.2], 'cells': [1, 1, 1]}}"
static const char *const scenes[] = {
    "{'abut': 1, 'time': {'step': 0.01, 'steps': 8, 'integrator': 'bdf2'}, 'ground': 0, 'contact': "
    "{'dhat': 0.005, 'friction': 0.3}, 'bodies': [{" BOX ", 'translate': [0, 0.102, 0], "
    "'material': {'young': 1e5, 'poisson': 0.4}, 'velocity': [0.5, -1, 0]}, {" BOX
    ", 'translate': [0.07, 0.31, 0.03], 'rotate': [0, 20, 0], 'material': {'young': 1e5, "
    "'poisson': 0.4}, 'fix': {'nodes': {'relative_box': [[0, 1, 0], [1, 1, 1]]}, 'motion': "
    "{'velocity': [0.2, -0.3, 0], 'angular_velocity': [0, 90, 0]}}}]}",
    "{'abut': 1, 'time': {'step': 0.1, 'steps': 3}, 'ground': 0, 'contact': {'dhat': 1e-3, "
    "'friction': 0.5}, 'solver': {'substep_after': 4, 'substep_halvings': 3}, 'bodies': [{" BOX
    ", 'translate': [0, 0.3, 0], 'rotate': [20, 0, 30], 'velocity': [3, -8, 0], 'material': "
    "{'young': 1e5, 'poisson': 0.4}}, {'type': 'rigid', " BOX
    ", 'density': 1000, 'translate': [0.3, 0.2, 0], 'velocity': [0, -3, 0]}]}",
    "{'abut': 1, 'time': {'step': 0.02, 'steps': 5}, 'bodies': [{'name': 'arm', "
    "'type': 'rigid', " BOX ", 'density': 1000, 'angular_velocity': [0, 0, 200]}], 'joints': "
    "[{'type': 'hinge', 'body': 'arm', 'point': [-0.1, 0.1, 0], 'axis': [0, 0, 1]}]}",
    "{'abut': 1, 'time': {'step': 0.01, 'steps': 4}, 'ground': 0, 'contact': {'dhat': 1e-3, "
    "'friction': 0.2}, 'remesh': {'method': 'sizing-field', 'min_edge': 0.1, 'stretch_change': "
    "0.02}, 'bodies': [{" BOX ", 'translate': [0, 0.1012, 0], 'velocity': [0, -2, 0], 'material': "
    "{'young': 1e5, 'poisson': 0.4}}]}",
};

typedef struct countdown {
    int asked, stop_at; /* 0: never */
} countdown;

static bool count_down(void *user)
{
    countdown *c = user;
    return ++c->asked == c->stop_at;
}

static abut_status run(const char *scene, const char *folder, bool resume, countdown *c)
{
    abut_sim *sim = NULL;
    abut_sim_options sim_options = abut_default_sim_options();
    CHECK_OK(abut_sim_load(scene, &sim_options, &sim, &err), err);
    if (!sim) return ABUT_ERROR_INTERNAL;
    abut_run_options options = abut_default_run_options();
    options.folder = folder;
    options.resume = resume;
    options.stop = count_down;
    options.stop_user = c;
    abut_status status = abut_sim_run(sim, &options, &err);
    abut_sim_destroy(sim);
    return status;
}

/* steps.csv without its third column, which is of the clock. */
static char *table_of(const char *folder)
{
    char path[600];
    file_bytes bytes = {0};
    snprintf(path, sizeof path, "%s/steps.csv", folder);
    CHECK_OK(file_read(path, &bytes, &err), err);
    char *out = mem_calloc(bytes.size + 1, 1);
    size_t n = 0;
    int column = 0;
    for (size_t i = 0; out && i < bytes.size; i++) {
        char c = ((const char *)bytes.data)[i];
        if (column != 2 || c == '\n') out[n++] = c;
        column = c == '\n' ? 0 : column + (c == ',');
    }
    file_free(&bytes);
    return out;
}

static bool same_frame(const char *a, const char *b, int step)
{
    char path[600];
    file_bytes bytes[2] = {{0}, {0}};
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/frames/frame_%06d.vtu", k ? b : a, step);
        CHECK_OK(file_read(path, &bytes[k], &err), err);
    }
    bool same = bytes[0].size == bytes[1].size && bytes[0].size > 0 &&
                memcmp(bytes[0].data, bytes[1].data, bytes[0].size) == 0;
    for (int k = 0; k < 2; k++) file_free(&bytes[k]);
    return same;
}

static void stop_everywhere(const char *name, const char *text, int last)
{
    const char *folder = test_scratch();
    char scene[300], whole[300], stopped[300], *copy = mem_calloc(strlen(text) + 1, 1);
    snprintf(scene, sizeof scene, "%s/%s.json", folder, name);
    snprintf(whole, sizeof whole, "%s/%s", folder, name);
    for (size_t i = 0; text[i]; i++) copy[i] = text[i] == '\'' ? '"' : text[i];
    CHECK_OK(atomic_write(scene, copy, strlen(copy), &err), err);
    mem_free(copy);
    countdown never = {0};
    CHECK_OK(run(scene, whole, false, &never), err);
    char *table = table_of(whole);
    CHECK(never.asked > last);
    for (int at = 1; at <= never.asked; at += 1 + never.asked / 5) {
        countdown once = {.stop_at = at}, rest = {0};
        snprintf(stopped, sizeof stopped, "%s/%s%d", folder, name, at);
        CHECK(run(scene, stopped, false, &once) == ABUT_INTERRUPTED);
        CHECK(once.asked == at && strstr(err.message, "interrupted in step") != NULL);
        CHECK_OK(run(scene, stopped, true, &rest), err);
        char *other = table_of(stopped);
        CHECK(table && other && strcmp(table, other) == 0);
        CHECK(same_frame(whole, stopped, last));
        mem_free(other);
    }
    mem_free(table);
}

TEST(contact_and_friction) { stop_everywhere("contact", scenes[0], 8); }
TEST(substeps) { stop_everywhere("substeps", scenes[1], 3); }
TEST(joints) { stop_everywhere("joints", scenes[2], 5); }
TEST(changing_meshes) { stop_everywhere("remesh", scenes[3], 4); }

int main(void)
{
    RUN(contact_and_friction);
    RUN(substeps);
    RUN(joints);
    RUN(changing_meshes);
    return TEST_END();
}
