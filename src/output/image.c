#include "output/image.h"

#include "base/array.h"
#include "base/file.h"

#include <png.h>
#include <string.h>

abut_status image_init(image *picture, int width, int height, abut_error *err)
{
    *picture = (image){.width = width, .height = height};
    picture->rgb = mem_calloc((size_t)width * (size_t)height, 3);
    return picture->rgb ? ABUT_OK : error_memory(err, "making a picture");
}

void image_free(image *picture)
{
    mem_free(picture->rgb);
    memset(picture, 0, sizeof *picture);
}

/* The PNG file as libpng produces it. */
typedef struct png_output {
    ARRAY(unsigned char) bytes;
} png_output;

static png_voidp allocate(png_structp png, png_alloc_size_t size)
{
    (void)png;
    return mem_alloc(size, 1);
}

static void release(png_structp png, png_voidp pointer)
{
    (void)png;
    mem_free(pointer);
}

static void collect(png_structp png, png_bytep data, size_t size)
{
    png_output *out = png_get_io_ptr(png);
    size_t at = out->bytes.count;
    if (!array_resize(&out->bytes, at + size)) png_error(png, "out of memory");
    memcpy(out->bytes.data + at, data, size);
}

static void flush_nothing(png_structp png) { (void)png; }

/* libpng must not print; its message is not needed, the only thing that can go wrong is memory. */
static void fail(png_structp png, png_const_charp message)
{
    (void)message;
    png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

/* False when out of memory. The jump buffer is in `png`, so no local changes after setjmp. */
static bool encode(png_structp png, png_infop info, const image *picture, png_output *out)
{
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_write_fn(png, out, collect, flush_nothing);
    png_set_IHDR(png, info, (png_uint_32)picture->width, (png_uint_32)picture->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = 0; y < picture->height; y++)
        png_write_row(png, picture->rgb + 3 * (size_t)y * (size_t)picture->width);
    png_write_end(png, info);
    return true;
}

abut_status image_write_png(const image *picture, const char *path, abut_error *err)
{
    png_output out = {0};
    png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, NULL, fail, ignore, NULL,
                                                allocate, release);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool good = info && encode(png, info, picture, &out);
    png_destroy_write_struct(&png, &info);
    abut_status status = good ? atomic_write(path, out.bytes.data, out.bytes.count, err)
                              : error_memory(err, "compressing a picture");
    array_free(&out.bytes);
    return status;
}
