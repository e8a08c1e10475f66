#ifndef CIMAGEPROCESSING_H
#define CIMAGEPROCESSING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The inner loops of resampling. Each is compiled twice: for all CPUs of the architecture, and for CPUs with 32-byte
   vectors. Both give the same bytes: they use integers, or the same unfused IEEE 754 operations in order. */
typedef enum {
    instructions_portable,
        instructions_avx2, /* x86 with AVX2; the same as portable on other architectures */
} instruction_set;

/* Returns the best instruction set of the current CPU. */
instruction_set best_instructions(void);

/* The number of samples that filters process at a time. The length of a filter is a multiple of it. */
enum { opaque_filter_step = 16, alpha_filter_step = 8 };

/* Splits `count` RGBA pixels into three planes of red, green and blue, `stride` samples apart. */
void deinterleave_opaque(
    instruction_set instructions, const uint8_t *rgba, size_t count, int16_t *planes, size_t stride);

/* Splits `count` RGBA pixels into four planes: color times alpha, and alpha times 255. */
void deinterleave_alpha(
    instruction_set instructions, const uint8_t *rgba, size_t count, float *planes, size_t stride);

/* Writes three floats for each of `count` output pixels, and one more float at the end: the weighted sums of three planes,
   times `scale`. A sum includes the `taps` samples from `starts[x]` and the next `taps` weights. Each sum must fit in 32
   bits. */
void filter_opaque(
    instruction_set instructions, const int16_t *planes, size_t stride, const int32_t *starts, const int16_t *weights,
    size_t taps, size_t count, float scale, float *pixels);

/* Filters four planes of floats. Writes four floats for each pixel. */
void filter_alpha(
    instruction_set instructions, const float *planes, size_t stride, const int32_t *starts, const float *weights,
    size_t taps, size_t count, float *pixels);

/* The length of a row that is summed is a multiple of this number of floats. */
enum { sum_step = 32 };

/* Writes the weighted sum of `taps` rows, in order. Row `tap` has `count` floats from rows + offsets[tap], and the weight
   weights[tap]. */
void sum_rows(
    instruction_set instructions, const float *rows, const ptrdiff_t *offsets, const float *weights, size_t taps,
    float *sums, size_t count);

/* Rounds `count` pixels to straight RGBA bytes. Opaque pixels have three floats, with one more float at the end, and get an
   alpha of 255. Premultiplied pixels have four floats and are divided by alpha; transparent ones become zeros. */
void finish_row(
    instruction_set instructions, const float *pixels, bool premultiplied, uint8_t *rgba, size_t count);

/* The same in linear light, on all CPUs. The tables have the light of each value, and the value of each amount of light. */
enum { light_of_white = 32767 };
void deinterleave_light(const uint8_t *rgba, size_t count, const int16_t light[256], int16_t *planes, size_t stride);
void deinterleave_light_alpha(
    const uint8_t *rgba, size_t count, const float light[256], float *planes, size_t stride);
void finish_light(
    const float *pixels, bool premultiplied, const uint8_t values[light_of_white + 1], uint8_t *rgba, size_t count);

#endif
