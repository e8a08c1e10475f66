#include "CImageCodecPNG.h"

#include <string.h>

/* Blends two samples of color. The weights are in units of 1/maximum². */
static inline uint32_t mixed(uint64_t above, uint64_t weight, uint64_t below, uint64_t weight_below) {
    uint64_t sum = weight + weight_below;
    return (uint32_t)((above * weight + below * weight_below + sum / 2) / sum);
}

/* Blends pixels of `channels` samples, of which the last is straight alpha. */
static void blend8(const uint8_t *row, size_t count, size_t channels, uint8_t *below) {
    const size_t alpha = channels - 1;
    for (; count > 0; count--, row += channels, below += channels) {
        if (row[alpha] == 255 || below[alpha] == 0) {
            memcpy(below, row, channels);
        } else if (row[alpha] != 0) {
            uint32_t weight = row[alpha] * 255u, weight_below = below[alpha] * (255u - row[alpha]);
            for (size_t i = 0; i < alpha; i++) below[i] = (uint8_t)mixed(row[i], weight, below[i], weight_below);
            below[alpha] = (uint8_t)((weight + weight_below + 127) / 255);
        }
    }
}

static void blend16(const uint8_t *row, size_t count, uint8_t *below) {
    for (; count > 0; count--, row += 8, below += 8) {
        uint16_t pixel[4], under[4];
        memcpy(pixel, row, 8);
        memcpy(under, below, 8);
        if (pixel[3] == 0 && under[3] != 0) continue;
        uint64_t weight = pixel[3] * 65535ull, weight_below = under[3] * (65535ull - pixel[3]);
        for (int i = 0; i < 3 && weight_below > 0; i++)
            pixel[i] = (uint16_t)mixed(pixel[i], weight, under[i], weight_below);
        pixel[3] = (uint16_t)((weight + weight_below + 32767) / 65535);
        memcpy(below, pixel, 8);
    }
}

void ilp_draw(const uint8_t *row, size_t count, ilp_layout layout, bool blends, uint8_t *below) {
    if (!blends || layout == ILP_GRAY8) memcpy(below, row, count);
    else if (layout == ILP_RGBA16) blend16(row, count / 8, below);
    else if (layout == ILP_GRAY_ALPHA8) blend8(row, count / 2, 2, below);
    else blend8(row, count / 4, 4, below);
}
