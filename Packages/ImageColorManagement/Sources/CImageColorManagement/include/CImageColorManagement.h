#ifndef CIMAGECOLORMANAGEMENT_H
#define CIMAGECOLORMANAGEMENT_H

#include <stddef.h>
#include <stdint.h>

/* A transform from one ICC profile to another, for one row layout. It has its own Little CMS context, and
   does not print errors. It is immutable, so threads can use it concurrently. */
typedef struct color_transform color_transform;

typedef enum {
    color_layout_rgba,
    color_layout_gray,
    color_layout_gray_alpha,
    color_layout_cmyk, /* 0 is no ink */
} color_layout;

/* Creates a transform from pixels of the source profile to RGBA of the target profile, or of sRGB if `target` is NULL.
   Returns NULL if a profile can't be read, is for a different layout, or can't be applied. */
color_transform *color_transform_open(
    const uint8_t *source, size_t source_length, color_layout layout, const uint8_t *target, size_t target_length);

void color_transform_close(color_transform *transform);

/* Converts `count` pixels of the layout to straight RGBA. Alpha is copied, or 255 if the layout has none.
   `rgba` must not overlap `pixels`. */
void color_transform_apply(const color_transform *transform, const uint8_t *pixels, uint8_t *rgba, size_t count);

#endif
