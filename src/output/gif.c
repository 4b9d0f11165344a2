#include "output/gif.h"

#include "base/array.h"
#include "base/file.h"

#include <string.h>

enum {
    TRANSPARENT = 255,
    CODE_BITS = 8,
    CLEAR = 1 << CODE_BITS,
    END = CLEAR + 1,
    MAX_CODES = 4096,
    HASH_SIZE = 8192
};

struct gif_writer {
    atomic_file file;
    int width, height;
    const palette *colors;
    unsigned char *indices, *before; /* of this picture and the one before */
    bool started;
    ARRAY(unsigned char) packed;
};

static void put_word(FILE *f, int value)
{
    fputc(value & 255, f);
    fputc(value >> 8 & 255, f);
}

/* Header, screen with 256 colours, and the block that says: repeat for ever. */
static void put_start(gif_writer *gif)
{
    FILE *f = gif->file.stream;
    fputs("GIF89a", f);
    put_word(f, gif->width);
    put_word(f, gif->height);
    fputc(0xf7, f); /* a table of 256 colours of 8 bits */
    fputc(0, f);
    fputc(0, f);
    for (int i = 0; i < 256; i++)
        for (int k = 0; k < 3; k++)
            fputc(i < gif->colors->count ? gif->colors->colors[i][k] : 0, f);
    fwrite("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00", 1, 19, f);
}

static abut_status open_writer(gif_writer *gif, const char *path, abut_error *err)
{
    size_t count = (size_t)gif->width * (size_t)gif->height;
    gif->indices = mem_alloc(count, 1);
    gif->before = mem_alloc(count, 1);
    if (!gif->indices || !gif->before) return error_memory(err, "writing an animation");
    TRY(atomic_open(&gif->file, path, err));
    put_start(gif);
    return ABUT_OK;
}

abut_status gif_open(gif_writer **out, const char *path, int width, int height,
                     const palette *colors, abut_error *err)
{
    *out = NULL;
    gif_writer *gif = mem_calloc(1, sizeof *gif);
    if (!gif) return error_memory(err, "writing an animation");
    gif->width = width;
    gif->height = height;
    gif->colors = colors;
    abut_status status = open_writer(gif, path, err);
    if (status == ABUT_OK)
        *out = gif;
    else
        gif_discard(gif);
    return status;
}

void gif_discard(gif_writer *gif)
{
    if (!gif) return;
    atomic_discard(&gif->file);
    mem_free(gif->indices);
    mem_free(gif->before);
    array_free(&gif->packed);
    mem_free(gif);
}

/* ---- compression (LZW with codes of growing length) ---- */

/* Strings seen so far, by the code of their start and their last byte. */
typedef struct code_table {
    int32_t keys[HASH_SIZE]; /* start << 8 | byte, -1: free */
    int16_t codes[HASH_SIZE];
    int next;
} code_table;

typedef struct bit_stream {
    gif_writer *gif;
    uint32_t bits;
    int count;
    bool full; /* out of memory */
} bit_stream;

static void put_code(bit_stream *s, int code, int length)
{
    s->bits |= (uint32_t)code << s->count;
    s->count += length;
    for (; s->count >= 8; s->count -= 8, s->bits >>= 8)
        if (!array_push(&s->gif->packed, (unsigned char)(s->bits & 255))) s->full = true;
}

static void clear_table(code_table *t)
{
    memset(t->keys, 0xff, sizeof t->keys);
    t->next = END + 1;
}

/* Slot of a string in the table, or the free slot where it belongs. */
static int find_string(const code_table *t, int32_t key)
{
    int slot = (int)((uint32_t)key * 2654435761u >> 19);
    while (t->keys[slot] >= 0 && t->keys[slot] != key) slot = (slot + 1) % HASH_SIZE;
    return slot;
}

static int code_length(int next)
{
    int length = CODE_BITS + 1;
    while (next > 1 << length) length++;
    return length < 12 ? length : 12;
}

static abut_status compress_pixels(gif_writer *gif, const unsigned char *data, size_t count,
                                   abut_error *err)
{
    code_table *t = mem_alloc(1, sizeof *t);
    if (!t) return error_memory(err, "compressing an animation");
    bit_stream s = {.gif = gif};
    array_clear(&gif->packed);
    clear_table(t);
    put_code(&s, CLEAR, CODE_BITS + 1);
    int code = data[0];
    for (size_t i = 1; i < count; i++) {
        int32_t key = code << 8 | data[i];
        int slot = find_string(t, key);
        if (t->keys[slot] == key) {
            code = t->codes[slot];
            continue;
        }
        put_code(&s, code, code_length(t->next));
        t->keys[slot] = key;
        t->codes[slot] = (int16_t)t->next++;
        if (t->next == MAX_CODES) {
            put_code(&s, CLEAR, 12);
            clear_table(t);
        }
        code = data[i];
    }
    put_code(&s, code, code_length(t->next));
    put_code(&s, END, code_length(t->next + 1));
    put_code(&s, 0, 7); /* pushes the last bits out */
    mem_free(t);
    return s.full ? error_memory(err, "compressing an animation") : ABUT_OK;
}

/* ---- pictures ---- */

/* The smallest rectangle with all pixels that differ from the picture before. */
typedef struct rectangle {
    int left, top, width, height;
} rectangle;

static rectangle changed_area(const gif_writer *gif)
{
    int left = gif->width, right = -1, top = gif->height, bottom = -1;
    for (int y = 0; y < gif->height; y++)
        for (int x = 0; x < gif->width; x++) {
            size_t i = (size_t)y * (size_t)gif->width + (size_t)x;
            if (gif->started && gif->indices[i] == gif->before[i]) continue;
            left = x < left ? x : left;
            right = x > right ? x : right;
            top = y < top ? y : top;
            bottom = y;
        }
    if (right < 0) return (rectangle){0, 0, 1, 1};
    return (rectangle){left, top, right - left + 1, bottom - top + 1};
}

/* Pixels of the area, with those that stay as they are made transparent. */
static size_t cut_area(const gif_writer *gif, rectangle area, unsigned char *out)
{
    size_t count = 0;
    for (int y = 0; y < area.height; y++)
        for (int x = 0; x < area.width; x++) {
            size_t i = (size_t)(area.top + y) * (size_t)gif->width + (size_t)(area.left + x);
            bool same = gif->started && gif->indices[i] == gif->before[i];
            out[count++] = same ? TRANSPARENT : gif->indices[i];
        }
    return count;
}

static void put_picture(gif_writer *gif, rectangle area, int hundredths)
{
    FILE *f = gif->file.stream;
    fwrite("\x21\xf9\x04\x05", 1, 4, f); /* leave in slot, one index is transparent */
    put_word(f, hundredths);
    fputc(TRANSPARENT, f);
    fputc(0, f);
    fputc(0x2c, f);
    put_word(f, area.left);
    put_word(f, area.top);
    put_word(f, area.width);
    put_word(f, area.height);
    fputc(0, f);
    fputc(CODE_BITS, f);
    for (size_t at = 0; at < gif->packed.count;) {
        size_t size = gif->packed.count - at < 255 ? gif->packed.count - at : 255;
        fputc((int)size, f);
        fwrite(gif->packed.data + at, 1, size, f);
        at += size;
    }
    fputc(0, f);
}

abut_status gif_add(gif_writer *gif, const image *picture, int hundredths, abut_error *err)
{
    size_t count = (size_t)gif->width * (size_t)gif->height;
    if (picture->width != gif->width || picture->height != gif->height)
        return error_set(err, ABUT_ERROR_INTERNAL, gif->file.final_path,
                         "the pictures of an animation differ in size");
    palette_map(gif->colors, picture, gif->indices);
    unsigned char *pixels = mem_alloc(count, 1);
    if (!pixels) return error_memory(err, "writing an animation");
    rectangle area = changed_area(gif);
    size_t used = cut_area(gif, area, pixels);
    abut_status status = compress_pixels(gif, pixels, used, err);
    mem_free(pixels);
    if (status != ABUT_OK) return status;
    put_picture(gif, area, hundredths);
    unsigned char *swap = gif->before;
    gif->before = gif->indices;
    gif->indices = swap;
    gif->started = true;
    return ABUT_OK;
}

abut_status gif_close(gif_writer *gif, abut_error *err)
{
    fputc(0x3b, gif->file.stream);
    abut_status status = atomic_commit(&gif->file, err);
    gif_discard(gif);
    return status;
}
