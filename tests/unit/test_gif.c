/* Palettes and animated GIF files, read back by a decoder that is written here from the format's
 * description and shares nothing with the writer. */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "output/gif.h"

#include <unistd.h>

static char folder[64], path[100];

/* ---- decoder ---- */

typedef struct decoder {
    const unsigned char *at, *end;
    int width, height, pictures, hundredths;
    unsigned char colors[256][3];
    unsigned char *screen; /* indices as a viewer would show them */
    bool broken;
} decoder;

static int next_byte(decoder *d)
{
    if (d->at == d->end) {
        d->broken = true;
        return 0;
    }
    return *d->at++;
}

static int next_word(decoder *d)
{
    int low = next_byte(d);
    return low | next_byte(d) << 8;
}

static void skip_blocks(decoder *d)
{
    for (int size; (size = next_byte(d)) > 0 && !d->broken;)
        for (int i = 0; i < size; i++) next_byte(d);
}

/* All sub-blocks joined. */
static size_t join_blocks(decoder *d, unsigned char *out, size_t room)
{
    size_t count = 0;
    for (int size; (size = next_byte(d)) > 0 && !d->broken;)
        for (int i = 0; i < size && count < room; i++) out[count++] = (unsigned char)next_byte(d);
    return count;
}

static size_t unpack(const unsigned char *data, size_t size, int bits, unsigned char *out,
                     size_t room)
{
    static int prefix[4096], suffix[4096];
    int clear = 1 << bits, end = clear + 1, next = end + 1, length = bits + 1, before = -1;
    size_t count = 0, bit = 0;
    for (;;) {
        int code = 0;
        for (int i = 0; i < length; i++, bit++) {
            if (bit / 8 >= size) return 0;
            code |= (data[bit / 8] >> (bit % 8) & 1) << i;
        }
        if (code == end) return count;
        if (code == clear) {
            next = end + 1, length = bits + 1, before = -1;
            continue;
        }
        unsigned char string[4096];
        int depth = 0, walk = code < next ? code : before;
        if (code > next || (code == next && before < 0)) return 0;
        if (code == next) depth++; /* its last byte is its first; filled in below */
        for (; walk > end; walk = prefix[walk]) string[depth++] = (unsigned char)suffix[walk];
        string[depth++] = (unsigned char)walk;
        if (code == next) string[0] = string[depth - 1];
        if (before >= 0 && next < 4096) {
            prefix[next] = before;
            suffix[next++] = string[depth - 1];
            if (next == 1 << length && length < 12) length++;
        }
        before = code;
        while (depth > 0 && count < room) out[count++] = string[--depth];
    }
}

static void read_picture(decoder *d, int transparent)
{
    int left = next_word(d), top = next_word(d), width = next_word(d), height = next_word(d);
    next_byte(d);
    int bits = next_byte(d);
    size_t room = (size_t)(d->end - d->at), pixels = (size_t)width * (size_t)height;
    unsigned char *packed = malloc(room), *plain = malloc(pixels + 1);
    size_t size = join_blocks(d, packed, room);
    if (left + width > d->width || top + height > d->height ||
        unpack(packed, size, bits, plain, pixels + 1) != pixels)
        d->broken = true;
    for (int y = 0; y < height && !d->broken; y++)
        for (int x = 0; x < width; x++)
            if (plain[y * width + x] != transparent)
                d->screen[(top + y) * d->width + left + x] = plain[y * width + x];
    free(packed);
    free(plain);
    d->pictures++;
}

/* Shows the file up to the picture with that number (from 1). */
static bool decode(decoder *d, const file_bytes *bytes, int wanted)
{
    memset(d, 0, sizeof *d);
    d->at = (const unsigned char *)bytes->data + 6;
    d->end = (const unsigned char *)bytes->data + bytes->size;
    if (memcmp(bytes->data, "GIF89a", 6) != 0) return false;
    d->width = next_word(d);
    d->height = next_word(d);
    if (next_byte(d) != 0xf7) return false;
    next_word(d);
    for (int i = 0; i < 256; i++)
        for (int k = 0; k < 3; k++) d->colors[i][k] = (unsigned char)next_byte(d);
    d->screen = calloc((size_t)d->width, (size_t)d->height);
    int transparent = -1;
    while (!d->broken && d->pictures < wanted) {
        int kind = next_byte(d);
        if (kind == 0x3b) break;
        if (kind == 0x21 && next_byte(d) == 0xf9) {
            next_word(d);
            d->hundredths += next_word(d);
            transparent = next_byte(d);
            next_byte(d);
        } else if (kind == 0x21) {
            skip_blocks(d);
        } else if (kind == 0x2c) {
            read_picture(d, transparent);
        } else {
            d->broken = true;
        }
    }
    return !d->broken;
}

/* ---- tests ---- */

/* Noise fills the code table many times; the second half of the picture stays as it is. */
static void make_picture(image *picture, int number)
{
    random_state r = {(uint64_t)number};
    for (int i = 0; i < picture->width * picture->height; i++) {
        bool lower = i > picture->width * picture->height / 2;
        int level = lower ? i % 7 : (int)random_below(&r, 8);
        for (int k = 0; k < 3; k++) picture->rgb[3 * i + k] = (unsigned char)(16 + 32 * level);
    }
}

static abut_status write_animation(palette *colors, image *picture, int count, abut_error *err)
{
    gif_writer *gif;
    TRY(gif_open(&gif, path, picture->width, picture->height, colors, err));
    abut_status status = ABUT_OK;
    for (int i = 1; i <= count && status == ABUT_OK; i++) {
        make_picture(picture, i < 3 ? i : 2); /* the third equals the second */
        status = gif_add(gif, picture, 4, err);
    }
    if (status == ABUT_OK) return gif_close(gif, err);
    gif_discard(gif);
    return status;
}

static void prepare(palette *colors, image *picture)
{
    abut_error err;
    CHECK_OK(image_init(picture, 150, 90, &err), err);
    CHECK_OK(palette_init(colors, &err), err);
    make_picture(picture, 1);
    palette_sample(colors, picture);
    CHECK_OK(palette_choose(colors, &err), err);
}

TEST(an_animation_comes_back)
{
    abut_error err;
    palette colors;
    image picture;
    file_bytes bytes;
    prepare(&colors, &picture);
    CHECK(colors.count == 8);
    CHECK_OK(write_animation(&colors, &picture, 3, &err), err);
    CHECK_OK(file_read(path, &bytes, &err), err);
    for (int number = 1; number <= 3; number++) {
        decoder d;
        CHECK(decode(&d, &bytes, number));
        CHECK(d.width == 150 && d.height == 90 && d.pictures == number);
        CHECK(d.hundredths == 4 * number);
        make_picture(&picture, number < 3 ? number : 2);
        int wrong = 0;
        for (int i = 0; i < 150 * 90; i++)
            for (int k = 0; k < 3; k++)
                wrong += abs(d.colors[d.screen[i]][k] - picture.rgb[3 * i + k]) > 3;
        CHECK(wrong == 0);
        free(d.screen);
    }
    file_free(&bytes);
    unlink(path);
    image_free(&picture);
    palette_free(&colors);
}

/* A smooth gradient keeps its mean although there are few colours. */
TEST(smooth_areas_stay_smooth)
{
    abut_error err;
    palette colors;
    image picture;
    CHECK_OK(image_init(&picture, 256, 256, &err), err);
    CHECK_OK(palette_init(&colors, &err), err);
    for (int i = 0; i < 256 * 256; i++) {
        picture.rgb[3 * i] = (unsigned char)(i % 256);
        picture.rgb[3 * i + 1] = (unsigned char)(i / 256);
        picture.rgb[3 * i + 2] = 100;
    }
    palette_sample(&colors, &picture);
    CHECK_OK(palette_choose(&colors, &err), err);
    CHECK(colors.count == PALETTE_SIZE);
    unsigned char *indices = mem_alloc(256 * 256, 1);
    palette_map(&colors, &picture, indices);
    for (int block = 0; block < 16; block++) {
        double sum = 0.0, expected = 0.0;
        for (int y = 0; y < 64; y++)
            for (int x = 0; x < 64; x++) {
                int i = (block / 4 * 64 + y) * 256 + block % 4 * 64 + x;
                sum += colors.colors[indices[i]][0];
                expected += picture.rgb[3 * i];
            }
        CHECK_NEAR(sum / 4096, expected / 4096, 3.0);
    }
    mem_free(indices);
    image_free(&picture);
    palette_free(&colors);
}

TEST(faults_leave_no_file)
{
    abut_error err;
    palette colors;
    image picture, other;
    prepare(&colors, &picture);
    for (int i = 0;; i++) {
        mem_fail_after(i);
        abut_status status = write_animation(&colors, &picture, 2, &err);
        bool injected = mem_failure_happened();
        mem_fail_after(-1);
        CHECK(status == (injected ? ABUT_ERROR_MEMORY : ABUT_OK));
        CHECK(file_exists(path) == !injected);
        if (!injected) break;
    }
    unlink(path);
    file_fail_after_bytes(1000);
    CHECK(write_animation(&colors, &picture, 2, &err) == ABUT_ERROR_IO);
    file_fail_after_bytes(-1);
    CHECK(!file_exists(path));
    gif_writer *gif;
    CHECK_OK(image_init(&other, 20, 20, &err), err);
    CHECK_OK(gif_open(&gif, path, 30, 20, &colors, &err), err);
    CHECK(gif_add(gif, &other, 4, &err) == ABUT_ERROR_INTERNAL);
    gif_discard(gif);
    CHECK(!file_exists(path));
    for (int i = 0; i < 3; i++) {
        palette p = {0};
        mem_fail_after(i);
        abut_status status = palette_init(&p, &err);
        if (status == ABUT_OK) status = palette_choose(&p, &err);
        mem_fail_after(-1);
        CHECK(status == ABUT_ERROR_MEMORY);
        palette_free(&p);
    }
    image_free(&other);
    image_free(&picture);
    palette_free(&colors);
}

int main(void)
{
    strcpy(folder, "/tmp/abut-test-gif-XXXXXX");
    if (!mkdtemp(folder)) return 1;
    path_join(path, sizeof path, folder, "film.gif");
    RUN(an_animation_comes_back);
    RUN(smooth_areas_stay_smooth);
    RUN(faults_leave_no_file);
    CHECK(rmdir(folder) == 0);
    return TEST_END();
}
