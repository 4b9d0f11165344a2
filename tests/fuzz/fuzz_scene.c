/* libFuzzer entry: any bytes as a scene file. The part before the first line "---" is the scene,
 * each line behind it an override. A scene that loads must have a resolved document that loads to
 * the same document again. Start with the example scenes:
 *     fuzz_scene -max_len=4000 WORKING_FOLDER examples/elastic */
#include "base/memory.h"
#include "scene/load.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_fixed_point(const scene_def *scene)
{
    char *text = json_dumps(scene->resolved, 0);
    if (!text) abort();
    file_bytes bytes = {.data = text, .size = strlen(text)};
    scene_def *again;
    abut_error err;
    if (scene_load_bytes(scene->path, &bytes, NULL, 0, NULL, &again, &err) != ABUT_OK) abort();
    if (!json_equal(scene->resolved, again->resolved)) abort();
    scene_free(again);
    free(text);
}

static size_t split_lines(char *text, const char **lines, size_t most)
{
    size_t count = 0;
    for (char *line = strtok(text, "\n"); line && count < most; line = strtok(NULL, "\n"))
        lines[count++] = line;
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_alloc(size + 1, 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    const char *overrides[8];
    size_t override_count = 0;
    char *mark = strstr(text, "\n---\n");
    if (mark) {
        *mark = 0;
        override_count = split_lines(mark + 5, overrides, 8);
        size = (size_t)(mark - text);
    }
    file_bytes bytes = {.data = text, .size = size};
    scene_def *scene;
    abut_error err = {ABUT_OK, "", ""};
    abut_status status =
        scene_load_bytes("a/fuzz.json", &bytes, overrides, override_count, NULL, &scene, &err);
    if (status == ABUT_OK)
        check_fixed_point(scene);
    else if (scene || err.code != status || !err.message[0])
        abort();
    scene_free(scene);
    mem_free(text);
    return 0;
}
