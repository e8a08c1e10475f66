#ifndef CIMAGECOLORMANAGING_H
#define CIMAGECOLORMANAGING_H

#include <stddef.h>
#include <stdint.h>

/* A transform from the colours of one ICC profile to sRGB, for one row layout. It has a context of its own, shares
   nothing with any other and prints nothing. Using it changes nothing in it, so several threads may at once. */
typedef struct color_transform color_transform;

typedef enum {
    color_layout_rgba,
    color_layout_gray,
    color_layout_gray_alpha,
    color_layout_cmyk, /* 0 is no ink */
} color_layout;

/* NULL when the profile can't be read, is not for this layout, or can't be applied. */
color_transform *color_transform_open(const uint8_t *profile, size_t length, color_layout layout);

/* Chromaticities are x and y of white, red, green and blue. A gamma of 0 stands for the curve of sRGB. */
typedef struct color_calibration {
    double chromaticities[4][2];
    double gamma;
} color_calibration;

/* For RGBA. NULL when it can't be applied. */
color_transform *color_transform_open_calibrated(const color_calibration *calibration);

/* The same for white and primaries of sRGB: a table for each channel, which is exact. */
color_transform *color_transform_open_tones(double gamma);

void color_transform_close(color_transform *transform);

/* From `count` pixels of the layout to straight RGBA. Alpha is copied, or 255 where the layout has none.
   `rgba` must not overlap `pixels`. */
void color_transform_apply(const color_transform *transform, const uint8_t *pixels, uint8_t *rgba, size_t count);

#endif
