#ifndef CIMAGEPLANES_H
#define CIMAGEPLANES_H

#include <stddef.h>
#include <stdint.h>

/* Shrinking of the planes that video codecs decode to, for still-image formats that are built on them. */

/* One plane: luma, chroma or alpha. */
typedef struct {
    const uint8_t *samples; /* bytes, or 16-bit numbers in the machine's byte order */
    size_t stride;          /* bytes from one row to the next */
    int width, height;      /* in samples */
    int bytes_per_sample;   /* 1 or 2 */
} image_plane;

/* Writes `row_count` rows, from row `first_row` on, of the plane that is smaller by `across` and `down`, which are 1, 2, 4 or 8. Each
   sample is the rounded mean of a block of `across` by `down` samples. Blocks at the right and bottom edge may be smaller. The target
   has the bytes per sample of the plane, and ceil(width / across) samples per row. */
void shrink_plane(
    image_plane plane, int across, int down, int first_row, int row_count, uint8_t *target, size_t target_stride);

#endif
