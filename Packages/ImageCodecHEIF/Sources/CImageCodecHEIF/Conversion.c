#ifdef HEIF

#include "Planes.h"

#include <CImagePlanes.h>
#include <stdlib.h>

/* Memory for one row. */
typedef struct {
    float *chroma[2];   /* at the resolution of luma */
    float *blended;     /* two subsampled rows, blended; with one more sample on each side */
    uint8_t *shrunk[3]; /* planes after shrinking */
} row_memory;

static void release(row_memory memory) {
    free(memory.chroma[0]);
    free(memory.chroma[1]);
    free(memory.blended);
    for (int plane = 0; plane < 3; plane++) free(memory.shrunk[plane]);
}

static int allocate(row_memory *memory, int width, int is_shrinking) {
    size_t samples = (size_t)width + 16;
    int is_good = 1;
    for (int plane = 0; plane < 2; plane++) is_good &= (memory->chroma[plane] = calloc(samples, sizeof(float))) != NULL;
    is_good &= (memory->blended = calloc(samples, sizeof(float))) != NULL;
    for (int plane = 0; is_shrinking && plane < 3; plane++)
        is_good &= (memory->shrunk[plane] = calloc(samples, 2)) != NULL;
    return is_good;
}

/* Returns a row of a plane. Outside the rows that are present, returns the nearest one. */
static const uint8_t *row_of(const heic_planes *planes, int plane, int row) {
    int down = down_of(planes, plane), first = planes->first_row / down;
    int last = first + rounded_up(planes->row_count, down) - 1;
    int nearest = row < first ? first : at_most(row, last);
    return planes->samples[plane] + (size_t)(nearest - first) * planes->stride[plane];
}

/* Functions for both sizes of samples. Loops without branches, so that the compiler uses vectors. */
#define DEFINE_ROWS(type)                                                                                             \
    static void widen_##type(const uint8_t *bytes, int count, float *target) {                                        \
        const type *row = (const type *)bytes;                                                                        \
        for (int x = 0; x < count; x++) target[x] = row[x];                                                           \
    }                                                                                                                 \
    static void blend_##type(const uint8_t *near_bytes, const uint8_t *far_bytes, int count, float *target) {         \
        const type *near_row = (const type *)near_bytes, *far_row = (const type *)far_bytes;                          \
        for (int x = 0; x < count; x++) target[x] = 0.75f * (float)near_row[x] + 0.25f * (float)far_row[x];           \
    }                                                                                                                 \
    static void color_##type(                                                                                         \
        const uint8_t *bytes, const float *cb, const float *cr, int count, const heic_conversion *conversion,         \
        uint32_t *target) {                                                                                           \
        const type *luma = (const type *)bytes;                                                                       \
        heic_conversion c = *conversion;                                                                              \
        for (int x = 0; x < count; x++) {                                                                             \
            float y = luma[x], u = cb[x], v = cr[x];                                                                  \
            target[x] = pixel(                                                                                        \
                c.red[0] * y + c.red[1] * u + c.red[2] * v + c.red[3],                                                \
                c.green[0] * y + c.green[1] * u + c.green[2] * v + c.green[3],                                        \
                c.blue[0] * y + c.blue[1] * u + c.blue[2] * v + c.blue[3]);                                           \
        }                                                                                                             \
    }                                                                                                                 \
    static void gray_##type(const uint8_t *bytes, int count, const heic_conversion *conversion, uint32_t *target) {   \
        const type *luma = (const type *)bytes;                                                                       \
        float factor = conversion->red[0], offset = conversion->red[3];                                               \
        for (int x = 0; x < count; x++) {                                                                             \
            float value = factor * (float)luma[x] + offset;                                                           \
            target[x] = pixel(value, value, value);                                                                   \
        }                                                                                                             \
    }                                                                                                                 \
    static void set_alpha_##type(const uint8_t *bytes, int count, uint32_t largest, uint8_t *rgba) {                  \
        const type *alpha = (const type *)bytes;                                                                      \
        for (int x = 0; x < count; x++)                                                                               \
            rgba[4 * x + 3] = (uint8_t)((at_most_u(alpha[x], largest) * 255 + largest / 2) / largest);                \
    }

/* Rounds a value to a byte. */
static inline uint32_t byte(float value) {
    value = value < 0.0f ? 0.0f : value;
    value = value > 255.0f ? 255.0f : value;
    return (uint32_t)(int)(value + 0.5f);
}

/* Returns an opaque pixel, whose bytes are in memory order. */
static inline uint32_t pixel(float red, float green, float blue) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return byte(red) << 24 | byte(green) << 16 | byte(blue) << 8 | 0xFFu;
#else
    return byte(red) | byte(green) << 8 | byte(blue) << 16 | 0xFF000000u;
#endif
}

static inline uint32_t at_most_u(uint32_t value, uint32_t limit) { return value < limit ? value : limit; }

DEFINE_ROWS(uint8_t)
DEFINE_ROWS(uint16_t)

static int is_narrow(const heic_planes *planes) { return planes->format.bit_depth <= 8; }

static void widen(const heic_planes *planes, const uint8_t *row, int count, float *target) {
    (is_narrow(planes) ? widen_uint8_t : widen_uint16_t)(row, count, target);
}

static void color(
    const heic_planes *planes, const uint8_t *luma, const float *const chroma[2], int count, const heic_conversion *conversion,
    uint8_t *rgba) {
    uint32_t *target = (uint32_t *)rgba;
    if (plane_count(planes) == 1) {
        (is_narrow(planes) ? gray_uint8_t : gray_uint16_t)(luma, count, conversion, target);
    } else {
        (is_narrow(planes) ? color_uint8_t : color_uint16_t)(luma, chroma[0], chroma[1], count, conversion, target);
    }
}

/* Doubles a row of `count` samples that has one more sample on each side. The samples are centered between those of luma, so each
   result is three quarters of the nearest sample and one quarter of the next one. */
static void double_row(const float *row, int count, float *target) {
    for (int x = 0; x < count; x++) {
        target[2 * x] = 0.75f * row[x] + 0.25f * row[x - 1];
        target[2 * x + 1] = 0.75f * row[x] + 0.25f * row[x + 1];
    }
}

/* Writes row `y` of a chroma plane at the resolution of luma. `target` has memory for one more sample if the width is odd. */
static void enlarge(const heic_planes *planes, int plane, int y, float *blended, float *target) {
    int across = planes->format.across, down = planes->format.down, width = plane_width(planes, plane);
    float *row = across == 1 ? target : blended + 1;
    const uint8_t *nearest = row_of(planes, plane, y / down);
    if (down == 1) {
        widen(planes, nearest, width, row);
    } else {
        const uint8_t *next = row_of(planes, plane, y % 2 == 0 ? y / 2 - 1 : y / 2 + 1);
        (is_narrow(planes) ? blend_uint8_t : blend_uint16_t)(nearest, next, width, row);
    }
    if (across == 1) return;
    row[-1] = row[0];
    row[width] = row[width - 1];
    double_row(row, width, target);
}

static void convert_row(
    const heic_planes *planes, const heic_conversion *conversion, int row, row_memory memory, uint8_t *rgba) {
    int y = conversion->top + row, left = conversion->left;
    for (int plane = 1; plane < plane_count(planes); plane++)
        enlarge(planes, plane, y, memory.blended, memory.chroma[plane - 1]);
    const float *chroma[2] = {memory.chroma[0] + left, memory.chroma[1] + left};
    const uint8_t *luma = row_of(planes, 0, y) + (size_t)left * (size_t)bytes_per_sample(planes);
    color(planes, luma, chroma, conversion->width, conversion, rgba);
}

/* Shrinks the blocks of one output row. Chroma that is subsampled is shrunk by less, so that all planes get the same size. */
static void shrink_row(const heic_planes *planes, const heic_conversion *conversion, int row, row_memory memory) {
    int y = conversion->top + row * conversion->shrinking;
    int height = at_most(conversion->height - row * conversion->shrinking, conversion->shrinking);
    for (int plane = 0; plane < plane_count(planes); plane++) {
        int across = across_of(planes, plane), down = down_of(planes, plane), bytes = bytes_per_sample(planes);
        image_plane part = {
            .samples = row_of(planes, plane, y / down) + (size_t)(conversion->left / across) * (size_t)bytes,
            .stride = planes->stride[plane],
            .width = rounded_up(conversion->width, across),
            .height = rounded_up(height, down),
            .bytes_per_sample = bytes};
        shrink_plane(part, conversion->shrinking / across, conversion->shrinking / down, 0, 1, memory.shrunk[plane], 0);
    }
}

static void convert_shrunk_row(
    const heic_planes *planes, const heic_conversion *conversion, int row, row_memory memory, uint8_t *rgba) {
    int width = rounded_up(conversion->width, conversion->shrinking);
    shrink_row(planes, conversion, row, memory);
    for (int plane = 1; plane < plane_count(planes); plane++)
        widen(planes, memory.shrunk[plane], width, memory.chroma[plane - 1]);
    const float *chroma[2] = {memory.chroma[0], memory.chroma[1]};
    color(planes, memory.shrunk[0], chroma, width, conversion, rgba);
}

/* Divides color by alpha. The color of transparent pixels becomes black. */
static void unpremultiply(uint8_t *rgba, int count) {
    for (int x = 0; x < count; x++, rgba += 4) {
        uint32_t alpha = rgba[3];
        for (int channel = 0; channel < 3; channel++)
            rgba[channel] = alpha == 0 ? 0 : (uint8_t)at_most_u((rgba[channel] * 255u + alpha / 2) / alpha, 255);
    }
}

static void add_alpha(const heic_planes *alpha, const heic_conversion *conversion, int row, uint8_t *rgba) {
    size_t offset = (size_t)conversion->left * (size_t)bytes_per_sample(alpha);
    uint32_t largest = (1u << alpha->format.bit_depth) - 1;
    const uint8_t *samples = row_of(alpha, 0, conversion->top + row) + offset;
    (is_narrow(alpha) ? set_alpha_uint8_t : set_alpha_uint16_t)(samples, conversion->width, largest, rgba);
    if (conversion->is_premultiplied) unpremultiply(rgba, conversion->width);
}

/* Whether the part is within an image of this size, and its chroma can be shrunk. */
static int is_valid(const heic_conversion *conversion, const heic_planes *planes) {
    heic_format format = planes->format;
    int shrinking = conversion->shrinking;
    if (conversion->left < 0 || conversion->top < 0 || conversion->width < 1 || conversion->height < 1) return 0;
    if (conversion->left > format.width - conversion->width || conversion->top > format.height - conversion->height)
        return 0;
    if (shrinking != 1 && shrinking != 2 && shrinking != 4 && shrinking != 8) return 0;
    return shrinking == 1 || (conversion->left % 2 == 0 && conversion->top % 2 == 0);
}

int heic_convert(
    const heic_planes *planes, const heic_planes *alpha, const heic_conversion *conversion, int first_row, int row_count,
    uint8_t *rgba) {
    row_memory memory = {0};
    int shrinking = conversion->shrinking;
    if (!is_valid(conversion, planes) || planes->row_count < 1) return 0;
    if (alpha != NULL && (shrinking != 1 || alpha->row_count < 1 || !is_valid(conversion, alpha))) return 0;
    int is_good = allocate(&memory, planes->format.width, shrinking > 1);
    size_t stride = 4 * (size_t)rounded_up(conversion->width, shrinking);
    for (int row = 0; is_good && row < row_count; row++) {
        uint8_t *target = rgba + (size_t)row * stride;
        (shrinking == 1 ? convert_row : convert_shrunk_row)(planes, conversion, first_row + row, memory, target);
        if (alpha != NULL) add_alpha(alpha, conversion, first_row + row, target);
    }
    release(memory);
    return is_good;
}

#endif
