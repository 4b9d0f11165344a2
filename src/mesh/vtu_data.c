#include "mesh/vtu_data.h"

#include "base/array.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

static const struct {
    const char *name;
    size_t size;
} numbers[] = {[VTU_NUMBER_I8] = {"Int8", 1},     [VTU_NUMBER_U8] = {"UInt8", 1},
               [VTU_NUMBER_I16] = {"Int16", 2},   [VTU_NUMBER_U16] = {"UInt16", 2},
               [VTU_NUMBER_I32] = {"Int32", 4},   [VTU_NUMBER_U32] = {"UInt32", 4},
               [VTU_NUMBER_I64] = {"Int64", 8},   [VTU_NUMBER_U64] = {"UInt64", 8},
               [VTU_NUMBER_F32] = {"Float32", 4}, [VTU_NUMBER_F64] = {"Float64", 8}};

bool vtu_number_type(scan_token name, vtu_number *out)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (token_is(name, numbers[i].name)) {
            *out = (vtu_number)i;
            return true;
        }
    return false;
}

size_t vtu_number_size(vtu_number type) { return numbers[type].size; }

static bool is_real(vtu_number type) { return type == VTU_NUMBER_F32 || type == VTU_NUMBER_F64; }

/* ---- values -------------------------------------------------------------------------------- */

bool vtu_whole(const vtu_values *values, size_t i, int64_t *out)
{
    const char *p = values->bytes + i * numbers[values->type].size;
    bool swap = values->swap;
    switch (values->type) {
    case VTU_NUMBER_I8: *out = (signed char)*p; return true;
    case VTU_NUMBER_U8: *out = (unsigned char)*p; return true;
    case VTU_NUMBER_I16: *out = (int16_t)load_u16(p, swap); return true;
    case VTU_NUMBER_U16: *out = load_u16(p, swap); return true;
    case VTU_NUMBER_I32: *out = (int32_t)load_u32(p, swap); return true;
    case VTU_NUMBER_U32: *out = load_u32(p, swap); return true;
    case VTU_NUMBER_I64: *out = (int64_t)load_u64(p, swap); return true;
    case VTU_NUMBER_U64: *out = (int64_t)load_u64(p, swap); return *out >= 0;
    case VTU_NUMBER_F32:
    case VTU_NUMBER_F64: {
        double value = vtu_real(values, i);
        if (!(fabs(value) < 0x1p53) || value != floor(value)) return false;
        *out = (int64_t)value;
        return true;
    }
    }
    return false;
}

double vtu_real(const vtu_values *values, size_t i)
{
    const char *p = values->bytes + i * numbers[values->type].size;
    if (values->type == VTU_NUMBER_F64) return load_f64(p, values->swap);
    if (values->type == VTU_NUMBER_F32) return (double)load_f32(p, values->swap);
    if (values->type == VTU_NUMBER_U64) return (double)load_u64(p, values->swap);
    int64_t whole = 0;
    vtu_whole(values, i, &whole);
    return (double)whole;
}

void vtu_values_free(vtu_values *values)
{
    mem_free(values->data);
    *values = (vtu_values){0};
}

/* ---- base64 -------------------------------------------------------------------------------- */

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes at most `limit` bytes. Header and data may be padded each on their own, so that padding
 * does not end the text. Returns how many bytes there were before the end or a foreign letter. */
static size_t decode_base64(const char *p, const char *end, char *out, size_t limit)
{
    uint32_t group = 0;
    int digits = 0;
    size_t count = 0;
    for (; p < end && count < limit; p++) {
        if (scan_is_space(*p)) continue;
        int digit = base64_digit(*p);
        if (digit < 0 && *p != '=') break;
        if (digit < 0) { /* two digits make one byte, three make two; then a new group starts */
            for (int k = 0; k + 1 < digits && count < limit; k++)
                out[count++] = (char)(group >> (6 * digits - 8 - 8 * k));
            digits = 0;
            group = 0;
            continue;
        }
        group = group << 6 | (uint32_t)digit;
        if (++digits < 4) continue;
        for (int k = 0; k < 3 && count < limit; k++) out[count++] = (char)(group >> (16 - 8 * k));
        digits = 0;
        group = 0;
    }
    return count;
}

/* ---- bytes of a source --------------------------------------------------------------------- */

/* The first bytes of an array, decoded if need be. */
typedef struct byte_view {
    const char *bytes;
    char *owned;
    size_t size;
} byte_view;

/* At least `needed` bytes in *view, which grows, or false when the source has not so many.
 * *memory says that memory was the reason. */
static bool view_bytes(const vtu_source *source, byte_view *view, size_t needed, bool *memory)
{
    size_t available = (size_t)(source->end - source->begin);
    if (needed <= view->size) return true;
    if (source->encoding == VTU_RAW) {
        if (needed > available) return false;
        view->bytes = source->begin;
        view->size = needed;
        return true;
    }
    if (needed > available) return false; /* base64 only shrinks */
    mem_free(view->owned);
    view->size = 0;
    view->bytes = view->owned = mem_alloc(needed, 1);
    if (!view->owned) {
        *memory = true;
        return false;
    }
    view->size = decode_base64(source->begin, source->end, view->owned, needed);
    return view->size == needed;
}

static uint64_t header_value(const vtu_source *source, const byte_view *view, size_t i)
{
    const char *p = view->bytes + i * source->header_size;
    return source->header_size == 8 ? load_u64(p, source->swap) : load_u32(p, source->swap);
}

static abut_status too_short(const scan *s, const char *name, const vtu_source *source, bool memory)
{
    if (memory) return scan_memory(s);
    return scan_fail(s, source->begin, "the data of %s are cut short or damaged", name);
}

/* [number of bytes][bytes] */
static abut_status decode_plain(const scan *s, const char *name, const vtu_source *source,
                                vtu_values *out)
{
    byte_view view = {0};
    bool memory = false;
    size_t head = source->header_size;
    abut_status status = ABUT_OK;
    uint64_t size = 0;
    bool fine = view_bytes(source, &view, head, &memory);
    if (fine) {
        size = header_value(source, &view, 0);
        fine = size <= (uint64_t)(source->end - source->begin) &&
               view_bytes(source, &view, head + (size_t)size, &memory);
    }
    if (!fine) status = too_short(s, name, source, memory);
    if (status == ABUT_OK && size % numbers[source->type].size != 0)
        status =
            scan_fail(s, source->begin, "the data of %s have %llu bytes, not a multiple of %zu",
                      name, (unsigned long long)size, numbers[source->type].size);
    if (status != ABUT_OK) {
        mem_free(view.owned);
        return status;
    }
    out->data = view.owned;
    out->bytes = view.bytes + head;
    out->consumed = view.size;
    out->count = (size_t)size / numbers[source->type].size;
    return ABUT_OK;
}

/* ---- compressed ---------------------------------------------------------------------------- */

static void *zlib_alloc(void *user, unsigned count, unsigned size)
{
    (void)user;
    return mem_alloc(count, size);
}

static void zlib_free(void *user, void *pointer)
{
    (void)user;
    mem_free(pointer);
}

static bool inflate_block(const char *from, size_t from_size, char *to, size_t to_size,
                          bool *memory)
{
    z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free};
    stream.next_in = (unsigned char *)from;
    stream.avail_in = (unsigned)from_size;
    stream.next_out = (unsigned char *)to;
    stream.avail_out = (unsigned)to_size;
    int code = inflateInit(&stream);
    if (code != Z_OK) {
        *memory = code == Z_MEM_ERROR;
        return false;
    }
    code = inflate(&stream, Z_FINISH);
    *memory = code == Z_MEM_ERROR;
    bool fine = code == Z_STREAM_END && stream.avail_out == 0;
    inflateEnd(&stream);
    return fine;
}

/* zlib makes nothing smaller than one part in 1032. */
static bool plausible(uint64_t block, uint64_t packed)
{
    return block <= UINT32_MAX && packed <= UINT32_MAX && block / 1032 <= packed + 1;
}

typedef struct block_table {
    size_t blocks;
    uint64_t block_size, last_size; /* unpacked; the last may be shorter */
    uint64_t total, packed;
} block_table;

/* [blocks][size of a block][size of the last][packed sizes ...][packed blocks ...] */
static bool read_table(const vtu_source *source, byte_view *view, block_table *table, bool *memory)
{
    size_t head = source->header_size, available = (size_t)(source->end - source->begin);
    if (!view_bytes(source, view, head, memory)) return false;
    uint64_t blocks = header_value(source, view, 0);
    if (blocks == 0) return true; /* no data at all */
    if (blocks > available / head) return false;
    if (!view_bytes(source, view, (3 + (size_t)blocks) * head, memory)) return false;
    table->blocks = (size_t)blocks;
    table->block_size = header_value(source, view, 1);
    table->last_size = header_value(source, view, 2);
    if (table->last_size == 0) table->last_size = table->block_size;
    for (size_t i = 0; i < table->blocks; i++) {
        uint64_t packed = header_value(source, view, 3 + i);
        uint64_t size = i + 1 < table->blocks ? table->block_size : table->last_size;
        if (!plausible(size, packed)) return false;
        table->total += size;
        table->packed += packed;
        if (table->packed > available) return false;
    }
    return view_bytes(source, view, (3 + table->blocks) * head + (size_t)table->packed, memory);
}

static bool inflate_all(const vtu_source *source, const byte_view *view, const block_table *table,
                        char *to, bool *memory)
{
    const char *from = view->bytes + (3 + table->blocks) * source->header_size;
    for (size_t i = 0; i < table->blocks; i++) {
        size_t packed = (size_t)header_value(source, view, 3 + i);
        size_t size = (size_t)(i + 1 < table->blocks ? table->block_size : table->last_size);
        if (!inflate_block(from, packed, to, size, memory)) return false;
        from += packed;
        to += size;
    }
    return true;
}

static abut_status decode_compressed(const scan *s, const char *name, const vtu_source *source,
                                     vtu_values *out)
{
    byte_view view = {0};
    block_table table = {0};
    bool memory = false;
    abut_status status = ABUT_OK;
    if (!read_table(source, &view, &table, &memory)) {
        status = too_short(s, name, source, memory);
    } else if (table.total % numbers[source->type].size != 0) {
        status = scan_fail(s, source->begin, "the data of %s are not a multiple of %zu bytes", name,
                           numbers[source->type].size);
    } else {
        out->data = mem_alloc((size_t)table.total, 1);
        if (!out->data)
            status = scan_memory(s);
        else if (!inflate_all(source, &view, &table, out->data, &memory))
            status = too_short(s, name, source, memory);
    }
    mem_free(view.owned);
    if (status != ABUT_OK) {
        vtu_values_free(out);
        return status;
    }
    out->consumed = view.size;
    out->bytes = out->data;
    out->count = (size_t)table.total / numbers[source->type].size;
    return ABUT_OK;
}

/* ---- text ---------------------------------------------------------------------------------- */

static abut_status decode_text(const scan *s, const char *name, const vtu_source *source,
                               vtu_values *out)
{
    scan text = *s;
    text.p = source->begin;
    text.end = source->end;
    bool real = is_real(source->type);
    ARRAY(int64_t) wholes = {0};
    ARRAY(double) reals = {0};
    abut_status status = ABUT_OK;
    while (status == ABUT_OK && !scan_ends(&text)) {
        double value;
        int64_t whole;
        status = real ? scan_real(&text, name, &value)
                      : scan_integer(&text, name, INT64_MIN, INT64_MAX, &whole);
        if (status == ABUT_OK && !(real ? array_push(&reals, value) : array_push(&wholes, whole)))
            status = scan_memory(s);
    }
    if (status != ABUT_OK) {
        array_free(&wholes);
        array_free(&reals);
        return status;
    }
    out->data = real ? (char *)reals.data : (char *)wholes.data;
    out->bytes = out->data;
    out->count = real ? reals.count : wholes.count;
    out->type = real ? VTU_NUMBER_F64 : VTU_NUMBER_I64;
    out->swap = false;
    out->consumed = (size_t)(source->end - source->begin);
    return ABUT_OK;
}

abut_status vtu_decode(const scan *s, const char *name, const vtu_source *source, vtu_values *out)
{
    *out = (vtu_values){.type = source->type, .swap = source->swap};
    if (source->encoding == VTU_TEXT) return decode_text(s, name, source, out);
    return source->compressed ? decode_compressed(s, name, source, out)
                              : decode_plain(s, name, source, out);
}
