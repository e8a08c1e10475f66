#include "CImageProcessing.h"

#include <string.h>

/* A fused multiply-add rounds once instead of twice. Its result differs from that of a CPU without it. */
#pragma clang fp contract(off)
/* The warning is about vectors as function parameters. All functions with such parameters are inlined. */
#pragma clang diagnostic ignored "-Wpsabi"

#define INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#define HAS_AVX2_VARIANT 1
#define AVX2 __attribute__((target("avx2")))
#else
#define HAS_AVX2_VARIANT 0
#define AVX2
#endif

typedef float float8 __attribute__((vector_size(32), aligned(4)));
typedef float float4 __attribute__((vector_size(16), aligned(4)));
typedef int32_t int4 __attribute__((vector_size(16)));
typedef int32_t int8 __attribute__((vector_size(32)));
typedef int16_t short8 __attribute__((vector_size(16), aligned(2)));
typedef uint8_t uchar4 __attribute__((vector_size(4)));

INLINE float8 load8(const float *values) { return *(const float8 *)values; }
INLINE float4 load4(const float *values) { return *(const float4 *)values; }

INLINE uint32_t load_pixel(const uint8_t *rgba) {
    uint32_t pixel;
    memcpy(&pixel, rgba, 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    pixel = __builtin_bswap32(pixel);
#endif
    return pixel;
}

INLINE void deinterleave_colors(const uint8_t *rgba, size_t count, int16_t *planes, size_t stride) {
    for (size_t i = 0; i < count; i++) {
        uint32_t pixel = load_pixel(rgba + 4 * i);
        planes[i] = (int16_t)(pixel & 255);
        planes[stride + i] = (int16_t)(pixel >> 8 & 255);
        planes[2 * stride + i] = (int16_t)(pixel >> 16 & 255);
    }
}

INLINE void deinterleave_premultiplied(const uint8_t *rgba, size_t count, float *planes, size_t stride) {
    for (size_t i = 0; i < count; i++) {
        uint32_t pixel = load_pixel(rgba + 4 * i);
        float alpha = (float)(int32_t)(pixel >> 24);
        planes[i] = (float)(int32_t)(pixel & 255) * alpha;
        planes[stride + i] = (float)(int32_t)(pixel >> 8 & 255) * alpha;
        planes[2 * stride + i] = (float)(int32_t)(pixel >> 16 & 255) * alpha;
        planes[3 * stride + i] = alpha * 255;
    }
}

/* The horizontal sums of four vectors with eight lanes: first of adjacent pairs in each half, then of both halves. */
#define TOTALS(name, attributes, half, whole)                                                                          \
    attributes INLINE half name(whole a, whole b, whole c, whole d) {                                                  \
        whole ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)                                             \
                   + __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);                                        \
        whole cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13)                                             \
                   + __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);                                        \
        whole abcd = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13)                                         \
                     + __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);                                    \
        return __builtin_shufflevector(abcd, abcd, 0, 1, 2, 3) + __builtin_shufflevector(abcd, abcd, 4, 5, 6, 7);      \
    }
TOTALS(float_totals, , float4, float8)
TOTALS(int_totals, , int4, int8)
TOTALS(int_totals_avx2, AVX2, int4, int8)

INLINE void filter_premultiplied(
    const float *planes, size_t stride, const int32_t *starts, const float *weights, size_t taps, size_t count,
    float *pixels
) {
    const int32_t *end = starts + count;
    for (; starts < end; starts++, pixels += 4) {
        const float *samples = planes + *starts;
        const float *last = weights + taps;
        float8 red = {0}, green = {0}, blue = {0}, alpha = {0};
#pragma clang loop unroll(disable)
        for (; weights < last; weights += 8, samples += 8) {
            float8 weight = load8(weights);
            red += weight * load8(samples);
            green += weight * load8(samples + stride);
            blue += weight * load8(samples + 2 * stride);
            alpha += weight * load8(samples + 3 * stride);
        }
        *(float4 *)pixels = float_totals(red, green, blue, alpha);
    }
}

/* Sixteen products, summed in eight lanes. The order does not matter for integers. */
INLINE int8 products(const int16_t *first, const int16_t *second) {
    short8 a = *(const short8 *)first, b = *(const short8 *)second;
    short8 c = *(const short8 *)(first + 8), d = *(const short8 *)(second + 8);
#if defined(__SSE2__)
    int4 low = (int4)_mm_madd_epi16((__m128i)a, (__m128i)b), high = (int4)_mm_madd_epi16((__m128i)c, (__m128i)d);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    return __builtin_convertvector(a, int8) * __builtin_convertvector(b, int8)
           + __builtin_convertvector(c, int8) * __builtin_convertvector(d, int8);
#endif
}

#if HAS_AVX2_VARIANT
AVX2 INLINE int8 products_avx2(const int16_t *first, const int16_t *second) {
    return (int8)_mm256_madd_epi16(
        _mm256_loadu_si256((const __m256i *)first), _mm256_loadu_si256((const __m256i *)second));
}
#else
#define products_avx2 products
#endif

/* `taps` is a constant for common lengths, so that the compiler can unroll the loop. */
#define FILTER_OPAQUE(name, attributes, products, totals)                                                              \
    attributes INLINE void name##_of(                                                                                  \
        const int16_t *planes, size_t stride, const int32_t *starts, const int16_t *weights, size_t taps,              \
        size_t count, float scale, float *pixels                                                                       \
    ) {                                                                                                                \
        for (size_t x = 0; x < count; x++, weights += taps) {                                                          \
            const int16_t *samples = planes + starts[x];                                                               \
            int8 red = products(weights, samples);                                                                     \
            int8 green = products(weights, samples + stride);                                                          \
            int8 blue = products(weights, samples + 2 * stride);                                                       \
            for (size_t tap = 16; tap < taps; tap += 16) {                                                             \
                red += products(weights + tap, samples + tap);                                                         \
                green += products(weights + tap, samples + stride + tap);                                              \
                blue += products(weights + tap, samples + 2 * stride + tap);                                           \
            }                                                                                                          \
            float4 sums = __builtin_convertvector(totals(red, green, blue, (int8){0}), float4);                        \
            *(float4 *)(pixels + 3 * x) = sums * scale;                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    attributes static void name(                                                                                       \
        const int16_t *planes, size_t stride, const int32_t *starts, const int16_t *weights, size_t taps,              \
        size_t count, float scale, float *pixels                                                                       \
    ) {                                                                                                                \
        if (taps == 16) name##_of(planes, stride, starts, weights, 16, count, scale, pixels);                          \
        else if (taps == 32) name##_of(planes, stride, starts, weights, 32, count, scale, pixels);                     \
        else name##_of(planes, stride, starts, weights, taps, count, scale, pixels);                                   \
    }
FILTER_OPAQUE(filter_opaque_portable, , products, int_totals)
FILTER_OPAQUE(filter_opaque_avx2, AVX2, products_avx2, int_totals_avx2)

INLINE void sum_rows_portable(
    const float *rows, const ptrdiff_t *offsets, const float *weights, size_t taps, float *sums, size_t count
) {
    for (size_t i = 0; i < count; i += 32) {
        float8 first = {0}, second = {0}, third = {0}, fourth = {0};
        for (size_t tap = 0; tap < taps; tap++) {
            const float *row = rows + offsets[tap] + i;
            first += load8(row) * weights[tap];
            second += load8(row + 8) * weights[tap];
            third += load8(row + 16) * weights[tap];
            fourth += load8(row + 24) * weights[tap];
        }
        *(float8 *)(sums + i) = first;
        *(float8 *)(sums + i + 8) = second;
        *(float8 *)(sums + i + 16) = third;
        *(float8 *)(sums + i + 24) = fourth;
    }
}

/* Rounds four values to the nearest integers from 0 to 255, and stores them as the bytes of a pixel. */
INLINE void store_rounded(float4 values, int32_t least_alpha, uint8_t *rgba) {
    int4 whole = __builtin_convertvector(values + 0.5f, int4);
    whole = __builtin_elementwise_max(whole, (int4){0, 0, 0, least_alpha});
    whole = __builtin_elementwise_min(whole, (int4){255, 255, 255, 255});
    uchar4 bytes = __builtin_convertvector(whole, uchar4);
    memcpy(rgba, &bytes, 4);
}

INLINE void finish_opaque(const float *pixels, uint8_t *rgba, size_t count) {
    for (size_t i = 0; i < count; i++) store_rounded(load4(pixels + 3 * i), 255, rgba + 4 * i);
}

INLINE void finish_premultiplied(const float *pixels, uint8_t *rgba, size_t count) {
    for (size_t i = 0; i < count; i++) {
        float alpha = pixels[4 * i + 3] / 255;
        float4 straight = load4(pixels + 4 * i) / alpha;
        straight[3] = alpha;
        if (alpha < 0.5f) straight = (float4){0};
        store_rounded(straight, 0, rgba + 4 * i);
    }
}

/* The AVX2 variant of each kernel, then the functions that select a variant. */

AVX2 static void deinterleave_opaque_avx2(const uint8_t *rgba, size_t count, int16_t *planes, size_t stride) {
    deinterleave_colors(rgba, count, planes, stride);
}

AVX2 static void deinterleave_alpha_avx2(const uint8_t *rgba, size_t count, float *planes, size_t stride) {
    deinterleave_premultiplied(rgba, count, planes, stride);
}

AVX2 static void filter_alpha_avx2(
    const float *planes, size_t stride, const int32_t *starts, const float *weights, size_t taps, size_t count,
    float *pixels
) {
    filter_premultiplied(planes, stride, starts, weights, taps, count, pixels);
}

AVX2 static void sum_rows_avx2(
    const float *rows, const ptrdiff_t *offsets, const float *weights, size_t taps, float *sums, size_t count
) {
    sum_rows_portable(rows, offsets, weights, taps, sums, count);
}

AVX2 static void finish_row_avx2(const float *pixels, bool premultiplied, uint8_t *rgba, size_t count) {
    if (premultiplied) finish_premultiplied(pixels, rgba, count);
    else finish_opaque(pixels, rgba, count);
}

instruction_set best_instructions(void) {
#if HAS_AVX2_VARIANT
    if (__builtin_cpu_supports("avx2")) return instructions_avx2;
#endif
    return instructions_portable;
}

void deinterleave_opaque(
    instruction_set instructions, const uint8_t *rgba, size_t count, int16_t *planes, size_t stride
) {
    if (instructions == instructions_avx2) deinterleave_opaque_avx2(rgba, count, planes, stride);
    else deinterleave_colors(rgba, count, planes, stride);
}

void deinterleave_alpha(
    instruction_set instructions, const uint8_t *rgba, size_t count, float *planes, size_t stride
) {
    if (instructions == instructions_avx2) deinterleave_alpha_avx2(rgba, count, planes, stride);
    else deinterleave_premultiplied(rgba, count, planes, stride);
}

void filter_opaque(
    instruction_set instructions, const int16_t *planes, size_t stride, const int32_t *starts, const int16_t *weights,
    size_t taps, size_t count, float scale, float *pixels
) {
    if (instructions == instructions_avx2)
        filter_opaque_avx2(planes, stride, starts, weights, taps, count, scale, pixels);
    else filter_opaque_portable(planes, stride, starts, weights, taps, count, scale, pixels);
}

void filter_alpha(
    instruction_set instructions, const float *planes, size_t stride, const int32_t *starts, const float *weights,
    size_t taps, size_t count, float *pixels
) {
    if (instructions == instructions_avx2) filter_alpha_avx2(planes, stride, starts, weights, taps, count, pixels);
    else filter_premultiplied(planes, stride, starts, weights, taps, count, pixels);
}

void sum_rows(
    instruction_set instructions, const float *rows, const ptrdiff_t *offsets, const float *weights, size_t taps,
    float *sums, size_t count
) {
    if (instructions == instructions_avx2) sum_rows_avx2(rows, offsets, weights, taps, sums, count);
    else sum_rows_portable(rows, offsets, weights, taps, sums, count);
}

void finish_row(
    instruction_set instructions, const float *pixels, bool premultiplied, uint8_t *rgba, size_t count
) {
    if (instructions == instructions_avx2) finish_row_avx2(pixels, premultiplied, rgba, count);
    else if (premultiplied) finish_premultiplied(pixels, rgba, count);
    else finish_opaque(pixels, rgba, count);
}

/* ---- linear light ---- */

void deinterleave_light(
    const uint8_t *restrict rgba, size_t count, const int16_t light[restrict 256], int16_t *restrict planes,
    size_t stride
) {
    for (size_t i = 0; i < count; i++) {
        uint32_t pixel = load_pixel(rgba + 4 * i);
        planes[i] = light[pixel & 255];
        planes[stride + i] = light[pixel >> 8 & 255];
        planes[2 * stride + i] = light[pixel >> 16 & 255];
    }
}

void deinterleave_light_alpha(
    const uint8_t *restrict rgba, size_t count, const float light[restrict 256], float *restrict planes, size_t stride
) {
    for (size_t i = 0; i < count; i++) {
        uint32_t pixel = load_pixel(rgba + 4 * i);
        float alpha = (float)(int32_t)(pixel >> 24);
        planes[i] = light[pixel & 255] * alpha;
        planes[stride + i] = light[pixel >> 8 & 255] * alpha;
        planes[2 * stride + i] = light[pixel >> 16 & 255] * alpha;
        planes[3 * stride + i] = alpha * 255;
    }
}

INLINE void store_light(float4 light, uint8_t alpha, const uint8_t *values, uint8_t *rgba) {
    int4 whole = __builtin_convertvector(light + 0.5f, int4);
    whole = __builtin_elementwise_max(whole, (int4){0});
    whole = __builtin_elementwise_min(whole, (int4){0} + light_of_white);
    uchar4 bytes = {values[whole[0]], values[whole[1]], values[whole[2]], alpha};
    memcpy(rgba, &bytes, 4);
}

void finish_light(
    const float *pixels, bool premultiplied, const uint8_t values[light_of_white + 1], uint8_t *rgba, size_t count
) {
    if (!premultiplied) {
        for (size_t i = 0; i < count; i++) store_light(load4(pixels + 3 * i), 255, values, rgba + 4 * i);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        float4 light = load4(pixels + 4 * i);
        float alpha = light[3] / 255;
        if (alpha < 0.5f) memset(rgba + 4 * i, 0, 4);
        else store_light(light / alpha, alpha < 255 ? (uint8_t)(alpha + 0.5f) : 255, values, rgba + 4 * i);
    }
}
