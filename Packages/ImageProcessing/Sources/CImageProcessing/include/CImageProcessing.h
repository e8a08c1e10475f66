#ifndef CIMAGEPROCESSING_H
#define CIMAGEPROCESSING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The inner loops of resampling, each compiled twice: for every processor of its kind, and for those with 32-byte vectors.
   Both give the same bytes: they count in whole numbers, or do the same IEEE 754 operations in the same order, none fused. */
typedef enum {
    instructions_portable,
    instructions_avx2, /* x86 with AVX2; elsewhere the same as portable */
} instruction_set;

/* The best that this processor has. */
instruction_set best_instructions(void);

/* Filters take this many samples at a time: their lengths are multiples of it. */
enum { opaque_filter_step = 16, alpha_filter_step = 8 };

/* Splits `count` RGBA pixels into three planes of colour, `stride` samples apart. */
void spread_opaque(
    instruction_set instructions, const uint8_t *rgba, size_t count, int16_t *planes, size_t stride);

/* The same into four planes: colour times alpha, and alpha times 255. */
void spread_alpha(instruction_set instructions, const uint8_t *rgba, size_t count, float *planes, size_t stride);

/* For each of `count` output pixels, four floats: the sums of `taps` samples of each of three planes from `starts[x]` on,
   weighted by the next `taps` weights and times `scale`, and 0. No sum may leave 32 bits. */
void filter_opaque(
    instruction_set instructions, const int16_t *planes, size_t stride, const int32_t *starts, const int16_t *weights,
    size_t taps, size_t count, float scale, float *pixels);

/* The same of four planes of floats. */
void filter_alpha(
    instruction_set instructions, const float *planes, size_t stride, const int32_t *starts, const float *weights,
    size_t taps, size_t count, float *pixels);

/* Adds `row` times `weight` to `sums`, or puts it there when `is_first`. */
void add_weighted(
    instruction_set instructions, const float *row, float weight, bool is_first, float *sums, size_t count);

/* Puts into `sums` the sum of `taps` rows, each `count` floats long from rows + offsets[tap] on and times weights[tap]. */
void sum_rows(
    instruction_set instructions, const float *rows, const ptrdiff_t *offsets, const float *weights, size_t taps,
    float *sums, size_t count);

/* Rounds `count` pixels to RGBA bytes: opaque ones get an alpha of 255; premultiplied ones are divided by alpha, and without
   alpha lose their colour. */
void finish_row(
    instruction_set instructions, const float *pixels, bool premultiplied, uint8_t *rgba, size_t count);

#endif
