#ifdef HEIF

#include "Planes.h"

#include <stdlib.h>

/* Memory for one row. Without chroma, the rows of chroma stay 0. */
typedef struct {
    float *planes[3];   /* samples at the resolution of luma */
    float *near, *far;  /* two subsampled rows; with one more sample on each side */
} row_memory;

static void release(row_memory memory) {
    for (int plane = 0; plane < 3; plane++) free(memory.planes[plane]);
    free(memory.near);
    free(memory.far);
}

static int allocate(row_memory *memory, int width) {
    size_t samples = (size_t)width + 16;
    int is_good = 1;
    for (int plane = 0; plane < 3; plane++)
        is_good &= (memory->planes[plane] = calloc(samples, sizeof(float))) != NULL;
    is_good &= (memory->near = calloc(samples, sizeof(float))) != NULL;
    is_good &= (memory->far = calloc(samples, sizeof(float))) != NULL;
    return is_good;
}

/* Returns a row of a plane. Outside the rows that are present, returns the nearest one. */
static const uint8_t *row_of(const heic_planes *planes, int plane, int row) {
    int down = down_of(planes, plane), first = planes->first_row / down;
    int last = first + rounded_up(planes->row_count, down) - 1;
    int nearest = row < first ? first : at_most(row, last);
    return planes->samples[plane] + (size_t)(nearest - first) * planes->stride[plane];
}

static void widen(const heic_planes *planes, const uint8_t *row, int count, float *target) {
    if (bytes_per_sample(planes) == 1) {
        for (int x = 0; x < count; x++) target[x] = row[x];
    } else {
        const uint16_t *samples = (const uint16_t *)row;
        for (int x = 0; x < count; x++) target[x] = samples[x];
    }
}

/* Rounds a value to a byte. */
static inline uint32_t byte(float value) {
    value = value < 0.0f ? 0.0f : value;
    value = value > 255.0f ? 255.0f : value;
    return (uint32_t)(int)(value + 0.5f);
}

/* Rounds a value to 16 bits. */
static inline uint16_t deep_sample(float value) {
    value = value < 0.0f ? 0.0f : value;
    value = value > 65535.0f ? 65535.0f : value;
    return (uint16_t)(value + 0.5f);
}

/* Converts samples to opaque pixels, whose bytes are in memory order. Has no branches, so that the compiler uses vectors. */
static void color(float *const rows[3], int left, int count, const heic_conversion *conversion, uint8_t *rgba) {
    const float *luma = rows[0] + left, *cb = rows[1] + left, *cr = rows[2] + left;
    uint32_t *target = (uint32_t *)rgba;
    heic_conversion c = *conversion;
    for (int x = 0; x < count; x++) {
        uint32_t red = byte(c.red[0] * luma[x] + c.red[1] * cb[x] + c.red[2] * cr[x] + c.red[3]);
        uint32_t green = byte(c.green[0] * luma[x] + c.green[1] * cb[x] + c.green[2] * cr[x] + c.green[3]);
        uint32_t blue = byte(c.blue[0] * luma[x] + c.blue[1] * cb[x] + c.blue[2] * cr[x] + c.blue[3]);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        target[x] = red << 24 | green << 16 | blue << 8 | 0xFFu;
#else
        target[x] = red | green << 8 | blue << 16 | 0xFF000000u;
#endif
    }
}

/* Converts samples to opaque pixels of 16 bits a channel. */
static void deep_color(float *const rows[3], int left, int count, const heic_conversion *conversion, uint16_t *rgba) {
    const float *factors[3] = {conversion->red, conversion->green, conversion->blue};
    for (int x = 0; x < count; x++, rgba += 4) {
        for (int channel = 0; channel < 3; channel++) {
            const float *factor = factors[channel];
            rgba[channel] = deep_sample(
                factor[0] * rows[0][left + x] + factor[1] * rows[1][left + x] + factor[2] * rows[2][left + x] + factor[3]);
        }
        rgba[3] = 0xFFFF;
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
static void enlarge(const heic_planes *planes, int plane, int y, row_memory memory) {
    int across = planes->format.across, down = planes->format.down, width = plane_width(planes, plane);
    float *target = memory.planes[plane], *row = across == 1 ? target : memory.near + 1;
    widen(planes, row_of(planes, plane, y / down), width, row);
    if (down == 2) {
        widen(planes, row_of(planes, plane, y % 2 == 0 ? y / 2 - 1 : y / 2 + 1), width, memory.far);
        for (int x = 0; x < width; x++) row[x] = 0.75f * row[x] + 0.25f * memory.far[x];
    }
    if (across == 1) return;
    row[-1] = row[0];
    row[width] = row[width - 1];
    double_row(row, width, target);
}

static void convert_row(
    const heic_planes *planes, const heic_conversion *conversion, int row, row_memory memory, uint8_t *rgba) {
    int y = conversion->top + row;
    widen(planes, row_of(planes, 0, y), planes->format.width, memory.planes[0]);
    for (int plane = 1; plane < plane_count(planes); plane++) enlarge(planes, plane, y, memory);
    if (conversion->is_deep) {
        deep_color(memory.planes, conversion->left, conversion->width, conversion, (uint16_t *)rgba);
    } else {
        color(memory.planes, conversion->left, conversion->width, conversion, rgba);
    }
}

/* Divides color by alpha. The color of transparent pixels becomes black. */
static void unpremultiply(uint8_t *rgba, int count) {
    for (int x = 0; x < count; x++, rgba += 4) {
        uint32_t alpha = rgba[3];
        for (int channel = 0; channel < 3; channel++)
            rgba[channel] = alpha == 0 ? 0 : (uint8_t)at_most((int)((rgba[channel] * 255u + alpha / 2) / alpha), 255);
    }
}

/* The same for 16 bits a channel. */
static void deep_unpremultiply(uint16_t *rgba, int count) {
    for (int x = 0; x < count; x++, rgba += 4) {
        uint32_t alpha = rgba[3];
        for (int channel = 0; channel < 3; channel++) {
            uint32_t value = alpha == 0 ? 0 : (rgba[channel] * 65535u + alpha / 2) / alpha;
            rgba[channel] = (uint16_t)(value < 65535u ? value : 65535u);
        }
    }
}

static void add_alpha(
    const heic_planes *alpha, const heic_conversion *conversion, int row, row_memory memory, uint8_t *rgba) {
    float factor = (conversion->is_deep ? 65535.0f : 255.0f) / (float)((1u << alpha->format.bit_depth) - 1);
    widen(alpha, row_of(alpha, 0, conversion->top + row), alpha->format.width, memory.near);
    if (conversion->is_deep) {
        uint16_t *pixels = (uint16_t *)rgba;
        for (int x = 0; x < conversion->width; x++)
            pixels[4 * x + 3] = deep_sample(factor * memory.near[conversion->left + x]);
        if (conversion->is_premultiplied) deep_unpremultiply(pixels, conversion->width);
        return;
    }
    for (int x = 0; x < conversion->width; x++)
        rgba[4 * x + 3] = (uint8_t)byte(factor * memory.near[conversion->left + x]);
    if (conversion->is_premultiplied) unpremultiply(rgba, conversion->width);
}

static int is_inside(const heic_conversion *part, heic_format format) {
    if (part->left < 0 || part->top < 0 || part->width < 1 || part->height < 1) return 0;
    return part->left <= format.width - part->width && part->top <= format.height - part->height;
}

int heic_convert(
    const heic_planes *planes, const heic_planes *alpha, const heic_conversion *conversion, int first_row, int row_count,
    uint8_t *rgba) {
    row_memory memory = {0};
    if (!is_inside(conversion, planes->format) || planes->row_count < 1) return 0;
    if (alpha != NULL && (!is_inside(conversion, alpha->format) || alpha->row_count < 1)) return 0;
    int is_good = allocate(&memory, planes->format.width);
    for (int row = 0; is_good && row < row_count; row++) {
        uint8_t *target = rgba + (size_t)row * (conversion->is_deep ? 8 : 4) * (size_t)conversion->width;
        convert_row(planes, conversion, first_row + row, memory, target);
        if (alpha != NULL) add_alpha(alpha, conversion, first_row + row, memory, target);
    }
    release(memory);
    return is_good;
}

#endif
