#include "output/palette.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { LEVELS = 1 << PALETTE_BITS, SHIFT = 8 - PALETTE_BITS };

abut_status palette_init(palette *p, abut_error *err)
{
    memset(p, 0, sizeof *p);
    p->histogram = mem_calloc(PALETTE_CELLS, sizeof *p->histogram);
    p->nearest = mem_alloc(PALETTE_CELLS, 1);
    if (p->histogram && p->nearest) return ABUT_OK;
    palette_free(p);
    return error_memory(err, "choosing colours");
}

void palette_free(palette *p)
{
    mem_free(p->histogram);
    mem_free(p->nearest);
    memset(p, 0, sizeof *p);
}

static int cell_of(int r, int g, int b)
{
    return ((r >> SHIFT) * LEVELS + (g >> SHIFT)) * LEVELS + (b >> SHIFT);
}

static int cell_level(int cell, int channel)
{
    return cell >> (PALETTE_BITS * (2 - channel)) & (LEVELS - 1);
}

void palette_sample(palette *p, const image *picture)
{
    size_t count = (size_t)picture->width * (size_t)picture->height;
    for (size_t i = 0; i < count; i++) {
        const unsigned char *c = picture->rgb + 3 * i;
        p->histogram[cell_of(c[0], c[1], c[2])]++;
    }
}

/* A box of used cells: cells[first] .. cells[end - 1]. */
typedef struct color_box {
    size_t first, end;
    double spread; /* largest sum of squared deviations of a channel */
    int channel;   /* that channel */
    double mean[3];
} color_box;

static void measure(const palette *p, const int *cells, color_box *box)
{
    double weight = 0.0, sum[3] = {0}, squares[3] = {0};
    for (size_t i = box->first; i < box->end; i++) {
        double w = p->histogram[cells[i]];
        weight += w;
        for (int k = 0; k < 3; k++) {
            double level = cell_level(cells[i], k);
            sum[k] += w * level;
            squares[k] += w * level * level;
        }
    }
    box->spread = -1.0;
    for (int k = 0; k < 3; k++) {
        box->mean[k] = sum[k] / weight;
        double spread = squares[k] - sum[k] * box->mean[k];
        if (spread > box->spread) box->spread = spread, box->channel = k;
    }
}

/* Cuts a box at the mean of its widest channel; the upper part is returned. */
static color_box cut(int *cells, color_box *box)
{
    size_t low = box->first, high = box->end;
    while (low < high) {
        if (cell_level(cells[low], box->channel) <= box->mean[box->channel]) {
            low++;
        } else {
            int swap = cells[--high];
            cells[high] = cells[low];
            cells[low] = swap;
        }
    }
    color_box upper = {.first = low, .end = box->end};
    box->end = low;
    return upper;
}

/* Halves the box with the largest error until there are enough or every one is a single cell. */
static int cut_boxes(const palette *p, int *cells, size_t used, color_box boxes[PALETTE_SIZE])
{
    int count = 1;
    boxes[0] = (color_box){.first = 0, .end = used};
    measure(p, cells, &boxes[0]);
    while (count < PALETTE_SIZE) {
        int widest = 0;
        for (int i = 1; i < count; i++)
            if (boxes[i].spread > boxes[widest].spread) widest = i;
        if (boxes[widest].spread < 1e-6) break;
        boxes[count] = cut(cells, &boxes[widest]);
        measure(p, cells, &boxes[widest]);
        measure(p, cells, &boxes[count++]);
    }
    return count;
}

static void find_nearest(palette *p)
{
    for (int cell = 0; cell < PALETTE_CELLS; cell++) {
        int best = 0, best_distance = 1 << 30;
        for (int i = 0; i < p->count; i++) {
            int distance = 0;
            for (int k = 0; k < 3; k++) {
                int d = (cell_level(cell, k) << SHIFT) + (1 << SHIFT) / 2 - p->colors[i][k];
                distance += (k == 1 ? 2 : 1) * d * d; /* the eye sees green best */
            }
            if (distance < best_distance) best = i, best_distance = distance;
        }
        p->nearest[cell] = (unsigned char)best;
    }
}

abut_status palette_choose(palette *p, abut_error *err)
{
    int *cells = mem_alloc(PALETTE_CELLS, sizeof *cells);
    color_box boxes[PALETTE_SIZE];
    if (!cells) return error_memory(err, "choosing colours");
    size_t used = 0;
    for (int cell = 0; cell < PALETTE_CELLS; cell++)
        if (p->histogram[cell] > 0) cells[used++] = cell;
    p->count = used > 0 ? cut_boxes(p, cells, used, boxes) : 0;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < 3; k++)
            p->colors[i][k] =
                (unsigned char)lrint(fmin(255.0, (boxes[i].mean[k] + 0.5) * (1 << SHIFT)));
    mem_free(cells);
    find_nearest(p);
    return ABUT_OK;
}

/* Entry of the 8 x 8 ordered pattern, 0 .. 63: the bits of x ^ y and y, interleaved backwards. */
static int pattern(int x, int y)
{
    int value = 0;
    for (int bit = 0; bit < 3; bit++)
        value |= ((x ^ y) >> bit & 1) << (5 - 2 * bit) | (y >> bit & 1) << (4 - 2 * bit);
    return value;
}

static int clamp_byte(int value) { return value < 0 ? 0 : value > 255 ? 255 : value; }

void palette_map(const palette *p, const image *picture, unsigned char *indices)
{
    for (int y = 0; y < picture->height; y++)
        for (int x = 0; x < picture->width; x++) {
            size_t i = (size_t)y * (size_t)picture->width + (size_t)x;
            const unsigned char *c = picture->rgb + 3 * i;
            int shift = pattern(x & 7, y & 7) / 7 - 4; /* -4 .. 5 */
            indices[i] = p->nearest[cell_of(clamp_byte(c[0] + shift), clamp_byte(c[1] + shift),
                                            clamp_byte(c[2] + shift))];
        }
}
