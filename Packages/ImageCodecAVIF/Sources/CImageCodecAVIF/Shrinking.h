#ifndef SHRINKING_H
#define SHRINKING_H

#include <stddef.h>
#include <stdint.h>

/* A plane of samples of 1 or 2 bytes. */
typedef struct {
    const uint8_t *samples;
    size_t stride; /* bytes per row */
    int width, height, bytes_per_sample;
} image_plane;

/* Writes a row of a plane that is made smaller: the mean of each block of `across` by `down` samples, or of the part of
   it that is within the plane. `sums` has space for a row of the plane. */
void shrink_row(image_plane plane, int across, int down, int row, uint32_t *sums, uint8_t *target);

#endif
