#include "expand.h"

#include <string.h>

enum { gray = 0, rgb = 2, indexed = 3, gray_alpha = 4, rgba = 6 };

static int channels_of(const ilp_format *format) {
    static const uint8_t channels[] = {1, 0, 3, 1, 2, 0, 4};
    return channels[format->color_type];
}

int ilp_stored_bits(const ilp_format *format) { return format->depth * channels_of(format); }

int ilp_pixel_bytes(ilp_layout layout) {
    switch (layout) {
    case ILP_GRAY8: return 1;
    case ILP_GRAY_ALPHA8: return 2;
    case ILP_RGBA16: return 8;
    default: return 4;
    }
}

/* ---- pixels of up to 8 bits: table lookup ---- */

static inline __attribute__((always_inline)) void look_up(
    const ilp_expansion *expansion, const uint8_t *stored, uint8_t *pixels, size_t count, const int depth, const int size
) {
    const size_t in_byte = (size_t)(8 / depth);
    for (size_t i = 0; i < count; i++) {
        int shift = 8 - depth * (int)(i % in_byte + 1);
        unsigned value = (unsigned)stored[i / in_byte] >> shift & ((1u << depth) - 1);
        memcpy(pixels + i * (size_t)size, expansion->table[value], (size_t)size);
    }
}

#define LOOK_UP(depth, size) \
    static void look_up_##depth##_##size( \
        const ilp_expansion *expansion, const uint8_t *stored, uint8_t *pixels, size_t count) { \
        look_up(expansion, stored, pixels, count, depth, size); \
    }
LOOK_UP(1, 1) LOOK_UP(2, 1) LOOK_UP(4, 1) LOOK_UP(8, 1)
LOOK_UP(1, 2) LOOK_UP(2, 2) LOOK_UP(4, 2) LOOK_UP(8, 2)
LOOK_UP(1, 4) LOOK_UP(2, 4) LOOK_UP(4, 4) LOOK_UP(8, 4)

static void use_table(ilp_expansion *made, int depth, int size) {
    static void (*const by_depth_and_size[4][3])(const ilp_expansion *, const uint8_t *, uint8_t *, size_t) = {
        {look_up_1_1, look_up_1_2, look_up_1_4}, {look_up_2_1, look_up_2_2, look_up_2_4},
        {look_up_4_1, look_up_4_2, look_up_4_4}, {look_up_8_1, look_up_8_2, look_up_8_4},
    };
    int row = depth == 1 ? 0 : depth == 2 ? 1 : depth == 4 ? 2 : 3;
    made->expand = by_depth_and_size[row][size / 2];
}

/* Writes a gray pixel in a layout. */
static inline void put_gray(uint8_t *pixel, ilp_layout layout, uint8_t level, uint8_t alpha) {
    switch (layout) {
    case ILP_GRAY8: pixel[0] = level; break;
    case ILP_GRAY_ALPHA8: pixel[0] = level; pixel[1] = alpha; break;
    default: pixel[0] = pixel[1] = pixel[2] = level; pixel[3] = alpha; break;
    }
}

static void fill_grays(ilp_expansion *made, const ilp_format *format, ilp_layout layout) {
    unsigned highest = (1u << format->depth) - 1;
    for (unsigned value = 0; value <= highest; value++) {
        bool is_transparent = format->has_key && value == (format->key[0] & highest);
        put_gray(made->table[value], layout, (uint8_t)(value * 255 / highest), is_transparent ? 0 : 255);
    }
}

/* ---- more than 8 bits ---- */

/* Converts 16 bits to 8, rounded to the nearest. */
static inline uint8_t scaled(const uint8_t *sample) {
    return (uint8_t)((((uint32_t)sample[0] << 8 | sample[1]) * 255 + 32895) >> 16);
}

static inline bool is_sample(const uint8_t *sample, uint16_t value) {
    return sample[0] == value >> 8 && sample[1] == (value & 0xFF);
}

#define EXPAND(name) \
    static void name(const ilp_expansion *expansion, const uint8_t *stored, uint8_t *pixels, size_t count)

EXPAND(rgb8) {
    (void)expansion;
    static const uint8_t opaque_bytes[4] = {0, 0, 0, 255};
    uint32_t opaque, pixel;
    memcpy(&opaque, opaque_bytes, 4);
    if (count == 0) return;
    for (size_t i = 0; i < count - 1; i++) {
        memcpy(&pixel, stored + 3 * i, 4);    /* the fourth byte belongs to the next pixel */
        pixel |= opaque;
        memcpy(pixels + 4 * i, &pixel, 4);
    }
    memcpy(pixels + 4 * (count - 1), stored + 3 * (count - 1), 3);
    pixels[4 * (count - 1) + 3] = 255;
}

EXPAND(rgb8_with_key) {
    const uint16_t *key = expansion->key;
    for (size_t i = 0; i < count; i++, stored += 3, pixels += 4) {
        memcpy(pixels, stored, 3);
        bool is_key = stored[0] == (key[0] & 0xFF) && stored[1] == (key[1] & 0xFF) && stored[2] == (key[2] & 0xFF);
        pixels[3] = is_key ? 0 : 255;
    }
}

static inline __attribute__((always_inline)) void expand_rgb16(
    const uint16_t *key, const uint8_t *stored, uint8_t *pixels, size_t count
) {
    for (size_t i = 0; i < count; i++, stored += 6, pixels += 4) {
        for (int channel = 0; channel < 3; channel++) pixels[channel] = scaled(stored + 2 * channel);
        bool is_key = key != NULL && is_sample(stored, key[0]) && is_sample(stored + 2, key[1])
            && is_sample(stored + 4, key[2]);
        pixels[3] = is_key ? 0 : 255;
    }
}

EXPAND(rgb16) { (void)expansion; expand_rgb16(NULL, stored, pixels, count); }
EXPAND(rgb16_with_key) { expand_rgb16(expansion->key, stored, pixels, count); }

EXPAND(rgba16) {
    (void)expansion;
    for (size_t i = 0; i < 4 * count; i++) pixels[i] = scaled(stored + 2 * i);
}

static inline __attribute__((always_inline)) void expand_gray16(
    const uint16_t *key, const uint8_t *stored, uint8_t *pixels, size_t count, const ilp_layout layout
) {
    for (size_t i = 0; i < count; i++, stored += 2, pixels += ilp_pixel_bytes(layout)) {
        put_gray(pixels, layout, scaled(stored), key != NULL && is_sample(stored, key[0]) ? 0 : 255);
    }
}

EXPAND(gray16) { (void)expansion; expand_gray16(NULL, stored, pixels, count, ILP_RGBA8); }
EXPAND(gray16_with_key) { expand_gray16(expansion->key, stored, pixels, count, ILP_RGBA8); }
EXPAND(gray16_to_gray_alpha) { (void)expansion; expand_gray16(NULL, stored, pixels, count, ILP_GRAY_ALPHA8); }
EXPAND(gray16_to_gray) { (void)expansion; expand_gray16(NULL, stored, pixels, count, ILP_GRAY8); }
EXPAND(gray16_with_key_to_gray_alpha) { expand_gray16(expansion->key, stored, pixels, count, ILP_GRAY_ALPHA8); }

EXPAND(gray_alpha8) {
    (void)expansion;
    for (size_t i = 0; i < count; i++) put_gray(pixels + 4 * i, ILP_RGBA8, stored[2 * i], stored[2 * i + 1]);
}

EXPAND(gray_alpha16) {
    (void)expansion;
    for (size_t i = 0; i < count; i++)
        put_gray(pixels + 4 * i, ILP_RGBA8, scaled(stored + 4 * i), scaled(stored + 4 * i + 2));
}

EXPAND(gray_alpha16_to_gray_alpha) {
    (void)expansion;
    for (size_t i = 0; i < 2 * count; i++) pixels[i] = scaled(stored + 2 * i);
}

/* ---- RGBA16 ---- */

/* Expands to bytes, and then widens each in place, from the end. */
EXPAND(widened) {
    if (expansion->narrow) {
        expansion->narrow(expansion, stored, pixels, count);
    } else {
        memcpy(pixels, stored, 4 * count);
    }
    for (size_t i = 4 * count; i-- > 0;) {
        uint16_t value = (uint16_t)(pixels[i] * 257);
        memcpy(pixels + 2 * i, &value, 2);
    }
}

EXPAND(deep) {
    const int channels = expansion->channels, colors = channels < 3 ? 1 : 3;
    for (size_t i = 0; i < count; i++, stored += 2 * channels, pixels += 8) {
        uint16_t pixel[4];
        bool is_key = expansion->has_key;
        for (int channel = 0; channel < 3; channel++) {
            const uint8_t *sample = stored + (colors == 3 ? 2 * channel : 0);
            pixel[channel] = (uint16_t)(sample[0] << 8 | sample[1]);
            if (channel < colors) is_key = is_key && pixel[channel] == expansion->key[channel];
        }
        const uint8_t *alpha = stored + 2 * colors;
        pixel[3] = channels > colors ? (uint16_t)(alpha[0] << 8 | alpha[1]) : is_key ? 0 : 0xFFFF;
        memcpy(pixels, pixel, 8);
    }
}

/* ---- selection ---- */

static void choose_gray(ilp_expansion *made, const ilp_format *format, ilp_layout layout) {
    if (format->depth < 16) {
        if (format->depth == 8 && layout == ILP_GRAY8) return;
        fill_grays(made, format, layout);
        use_table(made, format->depth, ilp_pixel_bytes(layout));
    } else if (layout == ILP_RGBA8) {
        made->expand = format->has_key ? gray16_with_key : gray16;
    } else {
        made->expand = layout == ILP_GRAY8 ? gray16_to_gray
                       : format->has_key ? gray16_with_key_to_gray_alpha : gray16_to_gray_alpha;
    }
}

static void choose_gray_alpha(ilp_expansion *made, const ilp_format *format, ilp_layout layout) {
    if (format->depth == 16) {
        made->expand = layout == ILP_RGBA8 ? gray_alpha16 : gray_alpha16_to_gray_alpha;
    } else if (layout == ILP_RGBA8) {
        made->expand = gray_alpha8;
    }
}

ilp_expansion ilp_expansion_make(const ilp_format *format, ilp_layout layout) {
    ilp_expansion made = {0};
    if (layout == ILP_RGBA16) {
        made = ilp_expansion_make(format, ILP_RGBA8);
        made.narrow = made.expand;
        made.expand = format->depth == 16 ? deep : widened;
        made.channels = channels_of(format);
        made.has_key = format->has_key;
        return made;
    }
    bool is_deep = format->depth == 16;
    memcpy(made.key, format->key, sizeof made.key);
    switch (format->color_type) {
    case gray: choose_gray(&made, format, layout); break;
    case rgb:
        made.expand = format->has_key ? (is_deep ? rgb16_with_key : rgb8_with_key) : (is_deep ? rgb16 : rgb8);
        break;
    case indexed:
        memcpy(made.table, format->palette, sizeof made.table);
        use_table(&made, format->depth, 4);
        break;
    case gray_alpha: choose_gray_alpha(&made, format, layout); break;
    case rgba: if (is_deep) made.expand = rgba16; break;
    }
    return made;
}
