#ifndef CDECODINGFLOOR_H
#define CDECODINGFLOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Decoding on the bare C libraries, as little as one can ask of them: into memory that the caller keeps, RGBA, 8 bits a channel.
// All return false when the library refuses or the pixels would not fit into `capacity` bytes.

// The smallest of 1/8, 1/4, 1/2 and 1 that is not below `width` by `height`; 0 by 0 for the whole image.
bool floor_jpeg(const uint8_t *data, size_t count, int width, int height, uint8_t *pixels, size_t capacity);

// With `keeps_rows` the whole image; without, each row over the last.
bool floor_png(const uint8_t *data, size_t count, bool keeps_rows, uint8_t *pixels, size_t capacity);

// Scaled by the library to `width` by `height`; 0 by 0 for the whole image.
bool floor_webp(const uint8_t *data, size_t count, int width, int height, uint8_t *pixels, size_t capacity);

// All frames, composited by the library.
bool floor_webp_animation(const uint8_t *data, size_t count);

// All frames, read by the library and drawn on a canvas by the plain rules.
bool floor_gif(const uint8_t *data, size_t count, uint8_t *canvas, size_t capacity);

#endif
