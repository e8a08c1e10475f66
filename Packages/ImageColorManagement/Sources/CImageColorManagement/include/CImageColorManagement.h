#ifndef CIMAGECOLORMANAGEMENT_H
#define CIMAGECOLORMANAGEMENT_H

#include <stddef.h>
#include <stdint.h>

/* A transform from an ICC profile or a calibration to sRGB, for one row layout. It has its own Little CMS context, and
   does not print errors. It is immutable, so threads can use it concurrently. */
typedef struct color_transform color_transform;

typedef enum {
    color_layout_rgba,
    color_layout_gray,
    color_layout_gray_alpha,
    color_layout_cmyk, /* 0 is no ink */
} color_layout;

/* Returns NULL if the profile can't be read, is for a different layout, or can't be applied. */
color_transform *color_transform_open(const uint8_t *profile, size_t length, color_layout layout);

/* From stored values to light: (scale * value + offset)^exponent from the threshold on, slope * value below. */
typedef struct color_curve {
    double exponent, scale, offset, slope, threshold;
} color_curve;

/* The chromaticities are x and y of white, red, green and blue. */
typedef struct color_calibration {
    double chromaticities[4][2];
    color_curve curve;
} color_calibration;

/* Creates a transform for RGBA. Returns NULL if the calibration can't be applied. */
color_transform *color_transform_open_calibrated(const color_calibration *calibration);

/* Creates a transform for RGBA with the white point and primaries of sRGB. It uses an exact lookup table. */
color_transform *color_transform_open_curve(const color_curve *curve);

void color_transform_close(color_transform *transform);

/* Converts `count` pixels of the layout to straight RGBA. Alpha is copied, or 255 if the layout has none.
   `rgba` must not overlap `pixels`. */
void color_transform_apply(const color_transform *transform, const uint8_t *pixels, uint8_t *rgba, size_t count);

#endif
