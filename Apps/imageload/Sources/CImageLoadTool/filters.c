#include "CImageLoadTool.h"

#include <stdlib.h>
#include <string.h>

enum { filter_none, filter_sub, filter_up, filter_average, filter_paeth, filter_adaptive };

static uint8_t paeth(int left, int above, int corner) {
    int to_left = abs(above - corner), to_above = abs(left - corner), to_corner = abs(left + above - 2 * corner);
    if (to_left <= to_above && to_left <= to_corner) return (uint8_t)left;
    return (uint8_t)(to_above <= to_corner ? above : corner);
}

/* What a filter predicts for a byte from those to the left, above, and above to the left. */
static uint8_t prediction(int filter, int left, int above, int corner) {
    switch (filter) {
        case filter_sub: return (uint8_t)left;
        case filter_up: return (uint8_t)above;
        case filter_average: return (uint8_t)((left + above) / 2);
        case filter_paeth: return paeth(left, above, corner);
        default: return 0;
    }
}

static void filter_row(
    const uint8_t *bytes, const uint8_t *above, size_t row, size_t pixel, int filter, uint8_t *filtered
) {
    *filtered++ = (uint8_t)filter;
    for (size_t x = 0; x < row; x++) {
        int left = x < pixel ? 0 : bytes[x - pixel], corner = x < pixel ? 0 : above[x - pixel];
        filtered[x] = (uint8_t)(bytes[x] - prediction(filter, left, above[x], corner));
    }
}

static size_t sum_of(const uint8_t *filtered, size_t row) {
    size_t sum = 0;
    for (size_t x = 1; x <= row; x++) sum += filtered[x] < 128 ? filtered[x] : 256u - filtered[x];
    return sum;
}

int tool_filter(const uint8_t *rows, size_t row, size_t height, size_t pixel, int strategy, uint8_t *filtered) {
    uint8_t *zeros = calloc(2, row + 1), *trial = zeros + row + 1;
    if (!zeros) return 0;
    for (size_t y = 0; y < height; y++, rows += row, filtered += row + 1) {
        const uint8_t *above = y > 0 ? rows - row : zeros;
        if (strategy != filter_adaptive) {
            filter_row(rows, above, row, pixel, strategy, filtered);
            continue;
        }
        size_t best = SIZE_MAX;
        for (int filter = filter_none; filter <= filter_paeth; filter++) {
            filter_row(rows, above, row, pixel, filter, trial);
            size_t sum = sum_of(trial, row);
            if (sum >= best) continue;
            best = sum;
            memcpy(filtered, trial, row + 1);
        }
    }
    free(zeros);
    return 1;
}

int tool_unfilter(uint8_t *filtered, size_t row, size_t height, size_t pixel) {
    for (size_t y = 0; y < height; y++, filtered += row + 1) {
        const uint8_t *above = y > 0 ? filtered - row - 1 : NULL;
        if (*filtered > filter_paeth) return 0;
        for (size_t x = 1; x <= row; x++) {
            int left = x <= pixel ? 0 : filtered[x - pixel], corner = x <= pixel || !above ? 0 : above[x - pixel];
            filtered[x] = (uint8_t)(filtered[x] + prediction(*filtered, left, above ? above[x] : 0, corner));
        }
    }
    return 1;
}
