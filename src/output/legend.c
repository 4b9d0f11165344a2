#include "output/legend.h"

#include "output/color.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Strokes of a sign, separated by spaces; each is a chain of points, two digits per point: across
 * (0 to 4) and up (2 is the base line, 6 the height of small letters, 8 of digits). */
static const struct {
    char sign;
    const char *strokes;
} font[] = {
    {'0', "120307183847433212"},
    {'1', "172822 1232"},
    {'2', "07183847460242"},
    {'3', "0718384746354443321203 1535"},
    {'4', "32380444"},
    {'5', "480805354443321203"},
    {'6', "4738180703123243443505"},
    {'7', "084812"},
    {'8', "15060718384746351504031232434435"},
    {'9', "0312324347381807061545"},
    {'.', "2222"},
    {'-', "1535"},
    {'+', "0545 2327"},
    {'_', "0141"},
    {'/', "0248"},
    {'a', "06364542 4414031242"},
    {'b', "0802 0516364543321203"},
    {'c', "4536160503123243"},
    {'d', "4842 4536160503123243"},
    {'e', "044445361605031242"},
    {'f', "48382722 1646"},
    {'g', "46413000 4536160503123243"},
    {'h', "0802 0516364542"},
    {'i', "2622 2828"},
    {'j', "36312010 3838"},
    {'k', "0802 4603 1442"},
    {'l', "2822"},
    {'m', "0602 05162522 25364542"},
    {'n', "0602 0516364542"},
    {'o', "160503123243453616"},
    {'p', "0600 0516364543321203"},
    {'q', "4640 4536160503123243"},
    {'r', "0602 042646"},
    {'s', "4616051434433202"},
    {'t', "28233242 1646"},
    {'u', "0603123243 4642"},
    {'v', "062246"},
    {'w', "0612253246"},
    {'x', "0642 0246"},
    {'y', "0622 4610"},
    {'z', "06460242"},
};

static const char *strokes_of(char sign)
{
    for (size_t i = 0; i < sizeof font / sizeof *font; i++)
        if (font[i].sign == tolower((unsigned char)sign)) return font[i].strokes;
    return "";
}

static void blend(image *picture, int x, int y, const unsigned char ink[3], double cover)
{
    if (x < 0 || y < 0 || x >= picture->width || y >= picture->height || cover <= 0.0) return;
    unsigned char *pixel = picture->rgb + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
    for (int k = 0; k < 3; k++)
        pixel[k] = (unsigned char)lrint(pixel[k] + fmin(cover, 1.0) * (ink[k] - pixel[k]));
}

static double segment_distance(double px, double py, const double a[2], const double b[2])
{
    double dx = b[0] - a[0], dy = b[1] - a[1], length2 = dx * dx + dy * dy;
    double t = length2 > 0.0 ? ((px - a[0]) * dx + (py - a[1]) * dy) / length2 : 0.0;
    t = fmin(1.0, fmax(0.0, t));
    return hypot(px - a[0] - t * dx, py - a[1] - t * dy);
}

/* Nearest distance from a pixel to the strokes of a sign whose corner (0, 2) is at (x, y). */
static double sign_distance(const char *strokes, double x, double y, double unit, double px,
                            double py)
{
    double nearest = INFINITY, before[2] = {0, 0};
    bool started = false;
    for (const char *s = strokes; *s;) {
        if (*s == ' ') {
            started = false;
            s++;
            continue;
        }
        double point[2] = {x + unit * (s[0] - '0'), y - unit * (s[1] - '2')};
        if (started) nearest = fmin(nearest, segment_distance(px, py, before, point));
        memcpy(before, point, sizeof before);
        started = true;
        s += 2;
    }
    return nearest;
}

static void sign_extent(const char *strokes, int *left, int *right)
{
    *left = 9;
    *right = 0;
    for (const char *s = strokes; *s; s += *s == ' ' ? 1 : 2) {
        if (*s == ' ') continue;
        if (s[0] - '0' < *left) *left = s[0] - '0';
        if (s[0] - '0' > *right) *right = s[0] - '0';
    }
}

static void draw_sign(image *picture, const char *strokes, double x, double y, double unit)
{
    static const unsigned char ink[3] = {52, 58, 66};
    double thickness = 0.42 * unit;
    for (int py = (int)(y - 7.0 * unit); py <= (int)(y + 3.0 * unit) + 1; py++)
        for (int px = (int)(x - unit); px <= (int)(x + 5.0 * unit) + 1; px++) {
            double d = sign_distance(strokes, x, y, unit, px + 0.5, py + 0.5);
            blend(picture, px, py, ink, thickness + 0.5 - d);
        }
}

double text_draw(image *picture, const char *text, double x, double y, double unit)
{
    double start = x;
    for (; *text; text++) {
        const char *strokes = strokes_of(*text);
        int left, right;
        sign_extent(strokes, &left, &right);
        if (right < left) {
            x += 3.0 * unit;
            continue;
        }
        draw_sign(picture, strokes, x - left * unit, y, unit);
        x += (right - left + 1.9) * unit;
    }
    return x - start;
}

/* The bar with a thin dark rim. */
static void draw_bar(image *picture, int x, int y, int width, int height)
{
    static const unsigned char rim[3] = {52, 58, 66};
    for (int j = -1; j <= height; j++)
        for (int i = -1; i <= width; i++) {
            color c = color_of_value(1.0 - (j + 0.5) / height);
            unsigned char ink[3] = {c.r, c.g, c.b};
            bool border = i < 0 || j < 0 || i == width || j == height;
            blend(picture, x + i, y + j, border ? rim : ink, border ? 0.6 : 1.0);
        }
}

const char *field_unit(const char *name)
{
    static const char *const units[][2] = {
        {"displacement", "m"},  {"velocity", "m/s"},         {"stress", "Pa"},
        {"contact_force", "N"}, {"contact_pressure", "Pa"},  {"friction_traction", "Pa"},
        {"gap", "m"},           {"cauchy_stress", "Pa"},     {"second_piola_stress", "Pa"},
        {"von_mises", "Pa"},    {"energy_density", "J/m^3"}, {"dissipated_energy", "J/m^3"},
        {"depth", "m"},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i][0], name) == 0) return units[i][1];
    return "";
}

int legend_ticks(double low, double high, int max, double *out)
{
    if (!(high > low) || max < 2) {
        out[0] = low;
        return 1;
    }
    double rough = (high - low) / (max - 1), power = pow(10.0, floor(log10(rough)));
    double step = power * (rough <= power       ? 1.0
                           : rough <= 2 * power ? 2.0
                           : rough <= 5 * power ? 5.0
                                                : 10.0);
    int count = 0;
    for (double k = ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && count < max; k++)
        out[count++] = k * step == 0.0 ? 0.0 : k * step;
    return count;
}

void legend_draw(image *picture, const char *name, double low, double high)
{
    double unit = fmax(1.2, picture->height / 400.0), ticks[6];
    int height = (int)(0.4 * picture->height), width = (int)(7.0 * unit);
    int x = (int)(10.0 * unit), y = (int)(0.3 * picture->height);
    static const unsigned char ink[3] = {52, 58, 66};
    draw_bar(picture, x, y, width, height);
    double end = x + text_draw(picture, name, x, y - 8.0 * unit, unit);
    if (field_unit(name)[0]) {
        end += 3.0 * unit + text_draw(picture, "in", end + 3.0 * unit, y - 8.0 * unit, unit);
        text_draw(picture, field_unit(name), end + 3.0 * unit, y - 8.0 * unit, unit);
    }
    int count = legend_ticks(low, high, 6, ticks);
    for (int i = 0; i < count; i++) {
        char text[32];
        double t = high > low ? (high - ticks[i]) / (high - low) : 0.5;
        int at = y + (int)(t * (height - 1));
        for (int k = 0; k < (int)(2.5 * unit); k++) blend(picture, x + width + k, at, ink, 0.8);
        snprintf(text, sizeof text, "%.4g", ticks[i]);
        text_draw(picture, text, x + width + 5.0 * unit, at + 3.0 * unit, unit);
    }
}
