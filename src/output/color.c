#include "output/color.h"

#include <math.h>
#include <stdbool.h>

static const double degree = 0.017453292519943295;

static double to_srgb(double linear)
{
    linear = fmin(1.0, fmax(0.0, linear));
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1.0 / 2.4) - 0.055;
}

/* OKLab to linear RGB: cone responses are the cubes of a linear map (Ottosson 2020). */
static void oklab_to_linear(double lightness, double a, double b, double rgb[3])
{
    double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
    double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
    double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
    l = l * l * l, m = m * m * m, s = s * s * s;
    rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

static bool displayable(const double rgb[3])
{
    for (int i = 0; i < 3; i++)
        if (rgb[i] < -1e-4 || rgb[i] > 1.0001) return false;
    return true;
}

/* A colour that no screen has gets greyer until one has it. */
color color_oklch(double lightness, double chroma, double hue)
{
    double rgb[3];
    for (int i = 0; i < 60; i++, chroma *= 0.97) {
        oklab_to_linear(lightness, chroma * cos(hue * degree), chroma * sin(hue * degree), rgb);
        if (displayable(rgb)) break;
    }
    return (color){(unsigned char)lrint(255.0 * to_srgb(rgb[0])),
                   (unsigned char)lrint(255.0 * to_srgb(rgb[1])),
                   (unsigned char)lrint(255.0 * to_srgb(rgb[2]))};
}

/* The golden angle spreads any number of hues; three levels of lightness part near ones. */
color color_of_body(int body)
{
    static const double lightness[3] = {0.69, 0.62, 0.76};
    return color_oklch(lightness[(unsigned)body % 3], 0.125, 40.0 + 137.50776 * body);
}

color color_neutral(void) { return color_oklch(0.78, 0.012, 250.0); }

color color_of_value(double t)
{
    if (isnan(t)) return color_neutral();
    t = fmin(1.0, fmax(0.0, t));
    return color_oklch(0.36 + 0.53 * t, 0.125 + 0.03 * t, 285.0 - 187.0 * t);
}
