#ifndef PLANES_H
#define PLANES_H

#include "CImageCodecHEIF.h"

struct heic_planes {
    heic_format format;
    heic_color color;
    int first_row; /* the row of the image that is stored first; even */
    int row_count; /* the number of luma rows that are present */
    int capacity;  /* the number of luma rows for which there is memory */
    const uint8_t *samples[3];
    size_t stride[3];
    uint8_t *memory; /* has the samples; NULL before libde265 asks for it */
};

static inline int rounded_up(int value, int divisor) { return (value + divisor - 1) / divisor; }

static inline int at_most(int value, int limit) { return value < limit ? value : limit; }

/* Creates planes without memory. Returns NULL if memory is exhausted. */
heic_planes *planes_without_memory(heic_format format, int capacity);

static inline int bytes_per_sample(const heic_planes *planes) { return planes->format.bit_depth > 8 ? 2 : 1; }

static inline int plane_count(const heic_planes *planes) { return planes->format.across == 0 ? 1 : 3; }

static inline int across_of(const heic_planes *planes, int plane) { return plane == 0 ? 1 : planes->format.across; }

static inline int down_of(const heic_planes *planes, int plane) { return plane == 0 ? 1 : planes->format.down; }

static inline int plane_width(const heic_planes *planes, int plane) {
    return rounded_up(planes->format.width, across_of(planes, plane));
}

#endif
