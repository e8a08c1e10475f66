#ifndef CTESTHEIF_H
#define CTESTHEIF_H

#include <stddef.h>
#include <stdint.h>

/* Encodes planes losslessly with libheif and x265, without a conversion of color. `samples` has the planes one after the other.
   `chroma` is 0 for monochrome, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4. Sides are multiples of 64. Returns a HEIF file with `*length`
   bytes, which the caller frees with free(), or NULL. */
uint8_t *test_heif_encode(const uint16_t *samples, int width, int height, int chroma, int bit_depth, size_t *length);

#endif
