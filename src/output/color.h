/* Colours that are equally light to the eye (OKLCH): one per body, and a scale for values. */
#ifndef OUTPUT_COLOR_H
#define OUTPUT_COLOR_H

typedef struct color {
    unsigned char r, g, b; /* sRGB */
} color;

/* Lightness 0..1, chroma (0 = grey, 0.15 = strong), hue in degrees. */
color color_oklch(double lightness, double chroma, double hue);

/* Neighbouring indices differ clearly, whatever their number. */
color color_of_body(int body);
/* Light grey, for what does not move. */
color color_neutral(void);
/* From dark blue (0) over green to yellow (1); values outside are clamped, NaN is grey. */
color color_of_value(double t);

#endif
