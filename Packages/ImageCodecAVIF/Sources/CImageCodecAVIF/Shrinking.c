#ifdef AVIF

#include "Shrinking.h"

#include <string.h>

static int at_most(int value, int limit) { return value < limit ? value : limit; }

static void add_row(image_plane plane, int y, uint32_t *sums) {
    const uint8_t *row = plane.samples + (size_t)y * plane.stride;
    if (plane.bytes_per_sample == 1) {
        for (int x = 0; x < plane.width; x++) sums[x] += row[x];
    } else {
        const uint16_t *samples = (const uint16_t *)row;
        for (int x = 0; x < plane.width; x++) sums[x] += samples[x];
    }
}

/* Most blocks are whole, and their number of samples is a power of two. */
static uint32_t mean(uint32_t sum, uint32_t count) {
    sum += count / 2;
    return count & (count - 1) ? sum / count : sum >> __builtin_ctz(count);
}

void shrink_row(image_plane plane, int across, int down, int row, uint32_t *sums, uint8_t *target) {
    int top = row * down, bottom = at_most(top + down, plane.height);
    memset(sums, 0, (size_t)plane.width * sizeof *sums);
    for (int y = top; y < bottom; y++) add_row(plane, y, sums);
    for (int left = 0, x = 0; left < plane.width; left += across, x++) {
        int right = at_most(left + across, plane.width);
        uint32_t sum = 0;
        for (int column = left; column < right; column++) sum += sums[column];
        uint32_t value = mean(sum, (uint32_t)(right - left) * (uint32_t)(bottom - top));
        if (plane.bytes_per_sample == 1) {
            target[x] = (uint8_t)value;
        } else {
            ((uint16_t *)target)[x] = (uint16_t)value;
        }
    }
}

#endif
