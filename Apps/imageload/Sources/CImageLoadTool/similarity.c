#include "CImageLoadTool.h"

#include <math.h>
#include <stdlib.h>

enum { window_side = 11, radius = window_side / 2, plane_count = 5 };

/* The statistics of a window: the means of both images, of their squares, and of their product. */
typedef struct planes {
    float *rows[plane_count]; /* window_side rows of `width` values each, filtered horizontally */
    size_t width;
} planes;

static void make_weights(float weights[window_side]) {
    double sum = 0, values[window_side];
    for (int index = 0; index < window_side; index++) {
        double distance = index - radius;
        values[index] = exp(-distance * distance / (2 * 1.5 * 1.5));
        sum += values[index];
    }
    for (int index = 0; index < window_side; index++) weights[index] = (float)(values[index] / sum);
}

/* Filters a row of a product of two images. */
static void filter_row(const float *values, const float *weights, size_t count, float *filtered) {
    for (size_t x = 0; x < count; x++) filtered[x] = 0;
    for (size_t tap = 0; tap < window_side; tap++)
        for (size_t x = 0; x < count; x++) filtered[x] += weights[tap] * values[x + tap];
}

static void add_row(
    planes *planes, const uint8_t *first, const uint8_t *second, size_t row, const float *weights, float *products
) {
    size_t count = planes->width - window_side + 1, offset = row % window_side * planes->width;
    for (int plane = 0; plane < plane_count; plane++) {
        for (size_t x = 0; x < planes->width; x++) {
            float a = first[x], b = second[x];
            products[x] = plane == 0 ? a : plane == 1 ? b : plane == 2 ? a * a : plane == 3 ? b * b : a * b;
        }
        filter_row(products, weights, count, planes->rows[plane] + offset);
    }
}

static double similarity(double a, double b, double aa, double bb, double ab) {
    const double c1 = (0.01 * 255) * (0.01 * 255), c2 = (0.03 * 255) * (0.03 * 255);
    double variance = aa - a * a + (bb - b * b), covariance = ab - a * b;
    return (2 * a * b + c1) * (2 * covariance + c2) / ((a * a + b * b + c1) * (variance + c2));
}

/* Adds up the windows that end in a row. `sums` has space for a row of each plane. */
static double row_total(const planes *planes, size_t row, const float *weights, float *sums) {
    size_t width = planes->width, count = width - window_side + 1;
    for (int plane = 0; plane < plane_count; plane++) {
        float *sum = sums + (size_t)plane * width;
        for (size_t x = 0; x < count; x++) sum[x] = 0;
        for (size_t tap = 0; tap < window_side; tap++) {
            const float *filtered = planes->rows[plane] + (row + 1 + tap) % window_side * width;
            for (size_t x = 0; x < count; x++) sum[x] += weights[tap] * filtered[x];
        }
    }
    double total = 0;
    for (size_t x = 0; x < count; x++)
        total += similarity(sums[x], sums[width + x], sums[2 * width + x], sums[3 * width + x], sums[4 * width + x]);
    return total;
}

/* The similarity of images that are smaller than a window: of all pixels, with equal weights. */
static double global_similarity(const uint8_t *first, const uint8_t *second, size_t count) {
    double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
    for (size_t index = 0; index < count; index++) {
        double left = first[index], right = second[index];
        a += left, b += right, aa += left * left, bb += right * right, ab += left * right;
    }
    double n = (double)count;
    return similarity(a / n, b / n, aa / n, bb / n, ab / n);
}

double tool_ssim(const uint8_t *first, const uint8_t *second, size_t width, size_t height) {
    if (width < window_side || height < window_side) return global_similarity(first, second, width * height);
    float weights[window_side], *memory = calloc(width * (plane_count * (window_side + 1) + 1), sizeof(float));
    if (!memory) return NAN;
    make_weights(weights);
    planes planes = {.width = width};
    for (int plane = 0; plane < plane_count; plane++) planes.rows[plane] = memory + (size_t)plane * window_side * width;
    float *sums = memory + (size_t)plane_count * window_side * width, *products = sums + plane_count * width;
    double total = 0;
    for (size_t row = 0; row < height; row++) {
        add_row(&planes, first + row * width, second + row * width, row, weights, products);
        if (row + 1 >= window_side) total += row_total(&planes, row, weights, sums);
    }
    free(memory);
    return total / ((double)(width - window_side + 1) * (double)(height - window_side + 1));
}
