#include "ccd/query_file.h"

#include "base/array.h"
#include "base/file.h"
#include "base/memory.h"

#include <string.h>

/* Integers of at most 2400 bits: more than any numerator or denominator of a double needs. */
enum { LIMBS = 75, ROWS_PER_QUERY = 8, MAX_ROWS = 8 * 100000000 };

typedef struct big_integer {
    uint32_t limb[LIMBS]; /* little endian */
    int used;
} big_integer;

/* x = x * factor + addend; false on overflow. */
static bool big_multiply_add(big_integer *x, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < x->used; i++) {
        carry += (uint64_t)x->limb[i] * factor;
        x->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        if (x->used == LIMBS) return false;
        x->limb[x->used++] = (uint32_t)carry;
    }
    return true;
}

static int big_trailing_zeros(const big_integer *x)
{
    for (int i = 0; i < x->used; i++)
        if (x->limb[i]) return 32 * i + __builtin_ctz(x->limb[i]);
    return 0;
}

static int big_bits(const big_integer *x)
{
    return x->used == 0 ? 0 : 32 * x->used - __builtin_clz(x->limb[x->used - 1]);
}

/* The `count` <= 64 bits of x from bit `from` up. */
static uint64_t big_extract(const big_integer *x, int from, int count)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++) {
        int bit = from + i;
        if (bit / 32 < x->used && (x->limb[bit / 32] >> (bit % 32) & 1)) value |= UINT64_C(1) << i;
    }
    return value;
}

/* Position in the text with what an error message needs. */
typedef struct reader {
    const char *at, *end;
    const char *path;
    size_t line;
    abut_error *err;
} reader;

static abut_status fail(const reader *r, const char *message, const char *detail)
{
    char place[256];
    snprintf(place, sizeof place, "%.200s:%zu", r->path, r->line);
    return error_set(r->err, ABUT_ERROR_INPUT, place, "%s%s", message, detail);
}

/* An integer m 2^shift with |m| < 2^64, m odd or 0. */
typedef struct scaled_integer {
    bool negative;
    uint64_t odd;
    int shift;
    bool long_odd; /* more than 64 significant bits */
} scaled_integer;

static scaled_integer scaled_from_u64(uint64_t value, bool negative)
{
    scaled_integer s = {.negative = negative, .odd = value};
    if (value) {
        s.shift = __builtin_ctzll(value);
        s.odd = value >> s.shift;
    }
    return s;
}

static void skip_blanks(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) r->at++;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Reads the digits again, in chunks of nine, when they do not fit 64 bits. */
static abut_status read_long_integer(reader *r, const char *digits, bool negative,
                                     scaled_integer *out)
{
    big_integer big = {.used = 0};
    static const uint32_t power[10] = {1,      10,      100,      1000,      10000,
                                       100000, 1000000, 10000000, 100000000, 1000000000};
    while (digits < r->at) {
        uint32_t chunk = 0;
        int length = 0;
        for (; length < 9 && digits < r->at; length++)
            chunk = chunk * 10 + (uint32_t)(*digits++ - '0');
        if (!big_multiply_add(&big, power[length], chunk))
            return fail(r, "an integer is too large for the fraction of a double", "");
    }
    *out = (scaled_integer){.negative = negative, .shift = big_trailing_zeros(&big)};
    int bits = big_bits(&big) - out->shift;
    out->long_odd = bits > 64;
    out->odd = big_extract(&big, out->shift, bits > 64 ? 64 : bits);
    return ABUT_OK;
}

static abut_status read_integer(reader *r, scaled_integer *out)
{
    skip_blanks(r);
    bool negative = false;
    if (r->at < r->end && (*r->at == '-' || *r->at == '+')) negative = *r->at++ == '-';
    const char *digits = r->at;
    uint64_t value = 0;
    while (r->at < r->end && is_digit(*r->at)) value = value * 10 + (uint64_t)(*r->at++ - '0');
    if (r->at == digits) {
        char shown[24] = "";
        size_t length = 0;
        while (length < sizeof shown - 1 && r->at + length < r->end && r->at[length] != ',' &&
               r->at[length] != '\n' && r->at[length] != '\r') {
            char c = r->at[length];
            shown[length++] = c >= 32 && c < 127 ? c : '?';
        }
        shown[length] = 0;
        return fail(r, "expected an integer, found ", length ? shown : "nothing");
    }
    if (r->at - digits > 19) return read_long_integer(r, digits, negative, out);
    *out = scaled_from_u64(value, negative);
    skip_blanks(r);
    return ABUT_OK;
}

static abut_status expect_comma(reader *r)
{
    skip_blanks(r);
    if (r->at >= r->end || *r->at != ',')
        return fail(r, "expected a comma: a row has 6 or 7 integers", "");
    r->at++;
    return ABUT_OK;
}

/* numerator / denominator as the double that it is. */
static abut_status read_coordinate(reader *r, double *out)
{
    scaled_integer n, d;
    TRY(read_integer(r, &n));
    TRY(expect_comma(r));
    TRY(read_integer(r, &d));
    if (d.odd == 0) return fail(r, "a denominator is zero", "");
    if (d.negative) return fail(r, "a denominator is negative", "");
    if (d.odd != 1 || d.long_odd) return fail(r, "a denominator is not a power of two", "");
    if (n.odd == 0) {
        *out = 0.0;
        return ABUT_OK;
    }
    int exponent = n.shift - d.shift;
    double value = n.long_odd || n.odd >> 53 ? 0.0 : ldexp((double)n.odd, exponent);
    if (isinf(value)) return fail(r, "a coordinate is larger than any double", "");
    if (value == 0.0 || ldexp(value, -exponent) != (double)n.odd)
        return fail(r, "a coordinate is not exactly a double", "");
    *out = n.negative ? -value : value;
    return ABUT_OK;
}

typedef struct query_row {
    double x[3];
    int label; /* -1: no seventh column */
} query_row;

static abut_status read_row(reader *r, query_row *out)
{
    for (int axis = 0; axis < 3; axis++) {
        if (axis > 0) TRY(expect_comma(r));
        TRY(read_coordinate(r, &out->x[axis]));
    }
    out->label = -1;
    skip_blanks(r);
    if (r->at < r->end && *r->at == ',') {
        scaled_integer label;
        r->at++;
        TRY(read_integer(r, &label));
        if (label.odd > 1 || label.shift > 0 || label.negative || label.long_odd)
            return fail(r, "the answer in column 7 must be 0 or 1", "");
        out->label = (int)label.odd;
    }
    skip_blanks(r);
    if (r->at < r->end && *r->at == '\r') r->at++;
    if (r->at < r->end && *r->at != '\n')
        return fail(r, "unexpected text at the end of the row: a row has 6 or 7 integers", "");
    return ABUT_OK;
}

/* Moves to the next line that holds a row (not empty, not a # comment); false at the end. */
static bool next_row(reader *r)
{
    for (;;) {
        skip_blanks(r);
        if (r->at >= r->end) return false;
        if (*r->at == '\r' && r->at + 1 < r->end && r->at[1] == '\n') r->at++;
        if (*r->at != '\n' && *r->at != '#') return true;
        while (r->at < r->end && *r->at != '\n') r->at++;
        if (r->at < r->end) r->at++;
        r->line++;
    }
}

typedef ARRAY(vec3) point_array;
typedef ARRAY(bool) truth_array;

static abut_status check_label(reader *r, size_t index, int label, int *column, truth_array *truth)
{
    if (index == 0) *column = label >= 0;
    if (*column != (label >= 0))
        return fail(r, "some rows have the answer in column 7 and some do not", "");
    if (index % ROWS_PER_QUERY == 0) {
        if (!array_push(truth, label > 0)) return error_memory(r->err, "reading queries");
    } else if (*column && truth->data[truth->count - 1] != (label > 0)) {
        return fail(r, "the answer in column 7 differs within one query", "");
    }
    return ABUT_OK;
}

static abut_status read_rows(reader *r, point_array *points, truth_array *truth, bool *has_truth)
{
    int column = 0;
    while (next_row(r)) {
        query_row row;
        TRY(read_row(r, &row));
        if (points->count >= MAX_ROWS) return fail(r, "too many rows", "");
        TRY(check_label(r, points->count, row.label, &column, truth));
        if (!array_push(points, vec3_load(row.x))) return error_memory(r->err, "reading queries");
        if (r->at < r->end) {
            r->at++;
            r->line++;
        }
    }
    if (points->count == 0) return fail(r, "the file holds no query", "");
    if (points->count % ROWS_PER_QUERY != 0) {
        char number[32];
        snprintf(number, sizeof number, "%zu", points->count);
        return fail(r, "the number of rows must be a multiple of 8, found ", number);
    }
    *has_truth = column != 0;
    return ABUT_OK;
}

static void skip_space(reader *r)
{
    for (; r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r');
         r->at++)
        if (*r->at == '\n') r->line++;
}

static bool take(reader *r, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) return false;
    r->at += length;
    return true;
}

/* A JSON array of true and false. */
static abut_status read_truth_array(reader *r, truth_array *truth)
{
    skip_space(r);
    if (!take(r, "[")) return fail(r, "expected a JSON array of true and false", "");
    skip_space(r);
    if (!take(r, "]")) {
        for (;;) {
            bool value = take(r, "true");
            if (!value && !take(r, "false"))
                return fail(r, "expected true or false in the array of answers", "");
            if (!array_push(truth, value)) return error_memory(r->err, "reading answers");
            skip_space(r);
            if (take(r, "]")) break;
            if (!take(r, ",")) return fail(r, "expected a comma or ] in the array of answers", "");
            skip_space(r);
        }
    }
    skip_space(r);
    if (r->at < r->end) return fail(r, "unexpected text after the array of answers", "");
    return ABUT_OK;
}

/* FOLDER/queries/227ee.csv -> FOLDER/mma_bool/227ee_mma_bool.json; false when there is none. */
static bool side_file(const char *path, char *out, size_t size)
{
    char folder[4096], stem[512];
    path_folder(folder, sizeof folder, path);
    const char *name = path_name(path), *dot = strrchr(name, '.');
    size_t length = dot ? (size_t)(dot - name) : strlen(name);
    if (length >= sizeof stem) return false;
    memcpy(stem, name, length);
    stem[length] = 0;
    int written = snprintf(out, size, "%s/../mma_bool/%s_mma_bool.json", folder, stem);
    return written > 0 && (size_t)written < size && file_exists(out);
}

static abut_status read_side_file(const char *path, truth_array *truth, bool *found,
                                  abut_error *err)
{
    char side[4096];
    *found = side_file(path, side, sizeof side);
    if (!*found) return ABUT_OK;
    size_t queries = truth->count;
    file_bytes bytes;
    TRY(file_read(side, &bytes, err));
    reader r = {
        .at = bytes.data, .end = bytes.data + bytes.size, .path = side, .line = 1, .err = err};
    array_clear(truth);
    abut_status status = read_truth_array(&r, truth);
    if (status == ABUT_OK && truth->count != queries) {
        char numbers[80];
        snprintf(numbers, sizeof numbers, "%zu answers for %zu queries", truth->count, queries);
        status = fail(&r, "wrong number of answers: ", numbers);
    }
    file_free(&bytes);
    return status;
}

bool query_file_kind(const char *path, ccd_kind *kind)
{
    if (strstr(path, "edge-edge/")) return *kind = CCD_EDGE_EDGE, true;
    if (strstr(path, "vertex-face/")) return *kind = CCD_POINT_TRIANGLE, true;
    const char *name = path_name(path), *dot = strrchr(name, '.');
    size_t length = dot ? (size_t)(dot - name) : strlen(name);
    if (length < 2) return false;
    if (memcmp(name + length - 2, "ee", 2) == 0) return *kind = CCD_EDGE_EDGE, true;
    if (memcmp(name + length - 2, "vf", 2) == 0) return *kind = CCD_POINT_TRIANGLE, true;
    return false;
}

abut_status query_file_read(const char *path, query_file *out, abut_error *err)
{
    *out = (query_file){0};
    if (!query_file_kind(path, &out->kind))
        return error_set(err, ABUT_ERROR_INPUT, path,
                         "cannot tell edge-edge from vertex-face queries: the folder must be named "
                         "edge-edge or vertex-face, or the file name end in ee or vf");
    file_bytes bytes;
    TRY(file_read(path, &bytes, err));
    reader r = {
        .at = bytes.data, .end = bytes.data + bytes.size, .path = path, .line = 1, .err = err};
    point_array points = {0};
    truth_array truth = {0};
    abut_status status = read_rows(&r, &points, &truth, &out->has_truth);
    file_free(&bytes);
    if (status == ABUT_OK && !out->has_truth)
        status = read_side_file(path, &truth, &out->has_truth, err);
    if (status != ABUT_OK) {
        array_free(&points);
        array_free(&truth);
        return status;
    }
    if (!out->has_truth) array_free(&truth);
    out->count = points.count / ROWS_PER_QUERY;
    out->points = points.data;
    out->truth = truth.data;
    return ABUT_OK;
}

void query_file_free(query_file *file)
{
    mem_free(file->points);
    mem_free(file->truth);
    *file = (query_file){0};
}
