#ifndef CDECODINGFLOOR_H
#define CDECODINGFLOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The baseline of the decoding benchmarks: decodes with the C libraries alone into the caller's memory, as RGBA with 8 bits per
// channel. All functions return false if the library fails or the pixels don't fit into `capacity` bytes.

// Decodes at the smallest scale of 1/8, 1/4, 1/2 and 1 that covers `width` by `height`. 0 by 0 means the full size.
bool floor_jpeg(const uint8_t *data, size_t count, int width, int height, uint8_t *pixels, size_t capacity);

// Stores the whole image if `keeps_rows` is true. Otherwise each row overwrites the previous one.
bool floor_png(const uint8_t *data, size_t count, bool keeps_rows, uint8_t *pixels, size_t capacity);

// Lets the library scale to `width` by `height`. 0 by 0 means the full size.
bool floor_webp(const uint8_t *data, size_t count, int width, int height, uint8_t *pixels, size_t capacity);

// Decodes all frames. The library composites them.
bool floor_webp_animation(const uint8_t *data, size_t count);

// These decode with the library and let it convert to RGBA. They are compiled only with the trait of their format.
bool floor_avif(const uint8_t *data, size_t count, uint8_t *pixels, size_t capacity);
bool floor_heif(const uint8_t *data, size_t count, uint8_t *pixels, size_t capacity);
bool floor_jxl(const uint8_t *data, size_t count, uint8_t *pixels, size_t capacity);

// Decodes the color indices of all frames. The library doesn't draw them.
bool floor_gif(const uint8_t *data, size_t count);

#endif
