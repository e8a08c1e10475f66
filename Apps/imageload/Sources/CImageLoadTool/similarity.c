#include "CImageLoadTool.h"

#include <math.h>
#include <stdlib.h>

enum { window_side = 11, plane_count = 5, bin_count = 4096 };

/* Windows with less variance in both images count as flat. */
static const double detail = 4;
static const double lowest_part = 0.01;

static void make_weights(float weights[window_side]) {
    double sum = 0, values[window_side];
    for (int index = 0; index < window_side; index++) {
        double distance = index - window_side / 2;
        values[index] = exp(-distance * distance / (2 * 1.5 * 1.5));
        sum += values[index];
    }
    for (int index = 0; index < window_side; index++) weights[index] = (float)(values[index] / sum);
}

/* Sums of windows: those of the values of both images, of their squares, and of their products. */
typedef struct sums {
    double mean, detailed;
    size_t count, detailed_count, bins[bin_count];
} sums;

static void add_window(sums *sums, const double means[plane_count]) {
    const double c1 = (0.01 * 255) * (0.01 * 255), c2 = (0.03 * 255) * (0.03 * 255);
    double a = means[0], b = means[1], left = means[2] - a * a, right = means[3] - b * b;
    double covariance = means[4] - a * b;
    double ssim = (2 * a * b + c1) * (2 * covariance + c2) / ((a * a + b * b + c1) * (left + right + c2));
    sums->mean += ssim;
    sums->count++;
    if (fmax(left, right) <= detail) return;
    sums->detailed += ssim;
    sums->detailed_count++;
    sums->bins[(size_t)(fmin(fmax(ssim, 0), 1) * (bin_count - 1))]++;
}

/* Filters the rows of a row of windows vertically, into a row for each plane. */
static void filter_rows(
    const uint8_t *first, const uint8_t *second, size_t width, const float *weights, float *rows
) {
    float *a = rows, *b = a + width, *aa = b + width, *bb = aa + width, *ab = bb + width;
    for (size_t x = 0; x < plane_count * width; x++) rows[x] = 0;
    for (size_t tap = 0; tap < window_side; tap++, first += width, second += width) {
        for (size_t x = 0; x < width; x++) {
            float left = first[x], right = second[x], weight = weights[tap];
            a[x] += weight * left, b[x] += weight * right;
            aa[x] += weight * left * left, bb[x] += weight * right * right, ab[x] += weight * left * right;
        }
    }
}

/* Adds the image as one window with equal weights. */
static void add_all(sums *sums, const uint8_t *first, const uint8_t *second, size_t count) {
    double means[plane_count] = {0};
    for (size_t index = 0; index < count; index++) {
        double a = first[index], b = second[index], products[] = {a, b, a * a, b * b, a * b};
        for (int plane = 0; plane < plane_count; plane++) means[plane] += products[plane] / (double)count;
    }
    add_window(sums, means);
}

static int add_windows(
    sums *sums, const uint8_t *first, const uint8_t *second, size_t width, size_t height, size_t step
) {
    float weights[window_side], *rows = malloc(plane_count * width * sizeof(float));
    if (!rows) return 0;
    make_weights(weights);
    for (size_t y = 0; y + window_side <= height; y += step) {
        filter_rows(first + y * width, second + y * width, width, weights, rows);
        for (size_t x = 0; x + window_side <= width; x += step) {
            double means[plane_count];
            for (size_t plane = 0; plane < plane_count; plane++) {
                float mean = 0;
                for (size_t tap = 0; tap < window_side; tap++) mean += weights[tap] * rows[plane * width + x + tap];
                means[plane] = mean;
            }
            add_window(sums, means);
        }
    }
    free(rows);
    return 1;
}

/* The similarity below which the worst detailed windows are. */
static double lowest(const sums *sums) {
    size_t index = 0, left = (size_t)(lowest_part * (double)sums->detailed_count);
    while (index < bin_count - 1 && sums->bins[index] <= left) left -= sums->bins[index++];
    return (double)index / (bin_count - 1);
}

tool_similarity tool_ssim(const uint8_t *first, const uint8_t *second, size_t width, size_t height, size_t step) {
    sums sums = {0};
    if (width < window_side || height < window_side) {
        add_all(&sums, first, second, width * height);
    } else if (!add_windows(&sums, first, second, width, height, step)) {
        return (tool_similarity){NAN, NAN, NAN};
    }
    double mean = sums.mean / (double)sums.count;
    if (sums.detailed_count == 0) return (tool_similarity){mean, mean, mean};
    return (tool_similarity){mean, sums.detailed / (double)sums.detailed_count, lowest(&sums)};
}
