#include "app/export_page.h"

#include "app/view_source.h"
#include "app/viewer_page.h"
#include "base/file.h"
#include "base/json_text.h"
#include "mesh/zlib_memory.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Raw bytes of packets in a page, and the number of points beyond which they come on a grid: as
 * viewer/src/export.ts and source.ts have them. */
enum { EXPORT_LIMIT = 120000000, LARGE = 100000 };

static const char marker[] = "<!--abut-data-->";
static const char *const texts[] = {"scene.json", "run.json", "steps.csv"};

/* ---- what the page carries: JSON, gzipped, in base 64 ---- */

typedef struct embedding {
    z_stream z;
    ARRAY(unsigned char) packed;
    ARRAY(char) text; /* in base 64 */
    bool failed;
} embedding;

static bool embedding_start(embedding *e)
{
    memset(e, 0, sizeof *e);
    e->z.zalloc = zlib_alloc;
    e->z.zfree = zlib_free;
    /* 15 bits of window and a header of gzip. */
    return deflateInit2(&e->z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
}

static void squeeze(embedding *e, const void *bytes, size_t size, int flush)
{
    e->z.next_in = (Bytef *)bytes;
    e->z.avail_in = (uInt)size;
    do {
        if (e->failed || !array_reserve(&e->packed, e->packed.count + (1 << 16))) {
            e->failed = true;
            return;
        }
        e->z.next_out = e->packed.data + e->packed.count;
        e->z.avail_out = 1 << 16;
        deflate(&e->z, flush);
        e->packed.count = (size_t)(e->z.next_out - e->packed.data);
    } while (e->z.avail_out == 0);
}

static void put(embedding *e, const char *text) { squeeze(e, text, strlen(text), Z_NO_FLUSH); }

static bool to_base64(embedding *e, const unsigned char *bytes, size_t size)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (!array_resize(&e->text, (size + 2) / 3 * 4 + 1)) return false;
    char *to = e->text.data;
    for (size_t i = 0; i < size; i += 3, to += 4) {
        uint32_t three = (uint32_t)bytes[i] << 16;
        if (i + 1 < size) three |= (uint32_t)bytes[i + 1] << 8;
        if (i + 2 < size) three |= bytes[i + 2];
        for (int k = 0; k < 4; k++) to[k] = letters[three >> (18 - 6 * k) & 63];
        if (i + 1 >= size) to[2] = '=';
        if (i + 2 >= size) to[3] = '=';
    }
    e->text.count--;
    *to = 0;
    return true;
}

/* "name":"the packet", and a comma before it unless it is the first. */
static void put_packet(embedding *e, bool first, const char *name, const packet *p)
{
    if (!to_base64(e, p->bytes, p->size)) {
        e->failed = true;
        return;
    }
    put(e, first ? "\"" : ",\"");
    put(e, name);
    put(e, "\":\"");
    squeeze(e, e->text.data, e->text.count, Z_NO_FLUSH);
    put(e, "\"");
}

static abut_status put_json(embedding *e, const char *before, json_t *value, abut_error *err)
{
    char *text = value ? json_text(value, JSON_COMPACT) : NULL;
    json_decref(value);
    if (!text) return error_memory(err, "writing a page");
    put(e, before);
    put(e, text);
    free(text);
    return ABUT_OK;
}

/* ---- the parts of the run ---- */

/* Frame i of `count` chosen ones, evenly spread over all, first and last included. */
static const view_entry *chosen(const view_source *s, size_t i, size_t count)
{
    size_t all = s->entries.count;
    if (count == 1) return &s->entries.data[all - 1];
    return &s->entries.data[(i * (all - 1) + (count - 1) / 2) / (count - 1)];
}

/* The state of the run as the server tells it, with these frames, and finished. */
static abut_status put_state(embedding *e, view_source *s, size_t count, abut_error *err)
{
    char *text;
    TRY(view_source_state(s, &text, err));
    json_t *state = json_loads(text, 0, NULL), *frames = json_array();
    free(text);
    for (size_t i = 0; i < count; i++) {
        const view_entry *entry = chosen(s, i, count);
        json_array_append_new(frames,
                              json_pack("[I,f,s]", (json_int_t)entry->step, entry->time, ""));
    }
    json_object_set_new(state, "frames", frames);
    json_object_set_new(state, "finished", json_true());
    return put_json(e, "{\"state\":", state, err);
}

/* Those that the run has and that are text. */
static abut_status put_texts(embedding *e, view_source *s, abut_error *err)
{
    json_t *files = json_object();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        packet p;
        if (view_source_file(s, texts[i], &p, NULL) != ABUT_OK) continue;
        json_t *text = json_stringn((const char *)p.bytes, p.size);
        if (text) json_object_set_new(files, texts[i], text);
        mem_free(p.bytes);
    }
    return put_json(e, ",\"texts\":", files, err);
}

/* Names of all fields of a frame, joined by commas. */
static abut_status list_fields(view_source *s, char *out, size_t size, abut_error *err)
{
    stored_frame f;
    size_t length = 0;
    TRY(view_source_read(s, s->entries.data[0].step, (const char *const[]){""}, 0, &f, err));
    out[0] = 0;
    for (size_t i = 0; i < f.frame.field_count; i++) {
        const char *name = f.frame.fields[i].name;
        if (strcmp(name, FIELD_BODY) == 0 || length + strlen(name) + 2 > size) continue;
        length += (size_t)snprintf(out + length, size - length, length ? ",%s" : "%s", name);
    }
    stored_frame_free(&f);
    return ABUT_OK;
}

/* The packets of the chosen frames, and of every surface once. */
static abut_status put_frames(embedding *e, view_source *s, const char *fields, size_t count,
                              abut_error *err)
{
    json_t *surfaces = json_object();
    abut_status status = surfaces ? ABUT_OK : error_memory(err, "writing a page");
    put(e, ",\"frames\":{");
    for (size_t i = 0; status == ABUT_OK && i < count; i++) {
        char name[24];
        packet p;
        view_wish wish = {chosen(s, i, count)->step, fields, LARGE, 0};
        status = view_source_frame(s, &wish, &p, err);
        if (status != ABUT_OK) break;
        snprintf(name, sizeof name, "%" PRId64, wish.step);
        put_packet(e, i == 0, name, &p);
        mem_free(p.bytes);
        if (!json_object_get(surfaces, s->surface.id))
            json_object_set_new(surfaces, s->surface.id, json_integer((json_int_t)wish.step));
    }
    put(e, "},\"topologies\":{");
    bool first = true;
    const char *id;
    json_t *step;
    json_object_foreach(surfaces, id, step)
    {
        packet p;
        if (status == ABUT_OK) status = view_source_topology(s, json_integer_value(step), &p, err);
        if (status != ABUT_OK) break;
        put_packet(e, first, id, &p);
        mem_free(p.bytes);
        first = false;
    }
    put(e, "}}");
    json_decref(surfaces);
    return status;
}

/* As many frames as fit, by the size of the first one. */
static abut_status count_frames(view_source *s, const char *fields, size_t *count, abut_error *err)
{
    packet p;
    view_wish wish = {s->entries.data[0].step, fields, LARGE, 0};
    TRY(view_source_frame(s, &wish, &p, err));
    size_t room = EXPORT_LIMIT / (p.size + 1);
    mem_free(p.bytes);
    *count = s->entries.count < room ? s->entries.count : room > 0 ? room : 1;
    return ABUT_OK;
}

static abut_status embed(embedding *e, view_source *s, page_report *report, abut_error *err)
{
    char fields[1024];
    TRY(view_source_look(s, err));
    if (s->entries.count == 0)
        return error_set(err, ABUT_ERROR_INPUT, s->folder, "has no frames to put into a page");
    report->all_frames = s->entries.count;
    TRY(list_fields(s, fields, sizeof fields, err));
    TRY(count_frames(s, fields, &report->frames, err));
    TRY(put_state(e, s, report->frames, err));
    TRY(put_texts(e, s, err));
    TRY(put_frames(e, s, fields, report->frames, err));
    squeeze(e, "", 0, Z_FINISH);
    if (e->failed || !to_base64(e, e->packed.data, e->packed.count))
        return error_memory(err, "writing a page");
    return ABUT_OK;
}

/* ---- the file ---- */

static abut_status write_page(const embedding *e, const file_bytes *page, const char *path,
                              page_report *report, abut_error *err)
{
    static const char open[] = "<script type=\"application/octet-stream\" id=\"abut-data\">";
    const char *place = strstr(page->data, marker);
    atomic_file file;
    if (!place)
        return error_set(err, ABUT_ERROR_INPUT, "page", "the viewer's page has no place for data");
    TRY(atomic_open(&file, path, err));
    fwrite(page->data, 1, (size_t)(place - page->data), file.stream);
    fputs(open, file.stream);
    fwrite(e->text.data, 1, e->text.count, file.stream);
    fputs("</script>", file.stream);
    place += sizeof marker - 1;
    fwrite(place, 1, (size_t)(page->data + page->size - place), file.stream);
    report->bytes = (size_t)ftell(file.stream);
    return atomic_commit(&file, err);
}

abut_status export_page(const char *folder, const char *path, const char *page, page_report *report,
                        abut_error *err)
{
    file_bytes bytes = {0};
    view_source source;
    embedding e;
    *report = (page_report){0};
    TRY(viewer_page_read(page, &bytes, err));
    abut_status status = view_source_open(&source, folder, err);
    if (status != ABUT_OK) {
        file_free(&bytes);
        return status;
    }
    status =
        embedding_start(&e) ? embed(&e, &source, report, err) : error_memory(err, "writing a page");
    if (status == ABUT_OK) status = write_page(&e, &bytes, path, report, err);
    deflateEnd(&e.z);
    array_free(&e.packed);
    array_free(&e.text);
    view_source_close(&source);
    file_free(&bytes);
    return status;
}
