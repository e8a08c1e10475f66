#include "CImagePlanes.h"

static int at_most(int value, int limit) { return value < limit ? value : limit; }

/* The mean of the block at (x, y), which may reach beyond the plane. */
#define DEFINE_BLOCK_MEAN(type)                                                                               \
    static type block_mean_##type(image_plane plane, int x, int y, int across, int down) {                    \
        int right = at_most(x + across, plane.width), bottom = at_most(y + down, plane.height);               \
        uint32_t sum = 0, count = (uint32_t)(right - x) * (uint32_t)(bottom - y);                             \
        for (int row = y; row < bottom; row++) {                                                              \
            const type *samples = (const type *)(plane.samples + (size_t)row * plane.stride);                 \
            for (int column = x; column < right; column++) sum += samples[column];                            \
        }                                                                                                     \
        return (type)((sum + count / 2) / count);                                                             \
    }

DEFINE_BLOCK_MEAN(uint8_t)
DEFINE_BLOCK_MEAN(uint16_t)

/* A row of whole blocks. `across` and `down` are constants where this is inlined, so that the compiler uses vectors. */
#define DEFINE_WHOLE_BLOCKS(type)                                                                             \
    static inline void whole_blocks_##type(                                                                   \
        const uint8_t *first, size_t stride, int count, int across, int down, int shift, type *target) {      \
        for (int block = 0; block < count; block++) {                                                         \
            uint32_t sum = (uint32_t)across * (uint32_t)down / 2;                                             \
            for (int row = 0; row < down; row++) {                                                            \
                const type *samples = (const type *)(first + (size_t)row * stride) + block * across;          \
                for (int column = 0; column < across; column++) sum += samples[column];                       \
            }                                                                                                 \
            target[block] = (type)(sum >> shift);                                                             \
        }                                                                                                     \
    }

DEFINE_WHOLE_BLOCKS(uint8_t)
DEFINE_WHOLE_BLOCKS(uint16_t)

/* Calls `blocks` with constants for the sizes that chroma subsampling leads to: equal, or one twice the other. */
#define WITH_CONSTANTS(blocks, across, down, ...)                                                             \
    switch ((across) << 4 | (down)) {                                                                         \
    case 0x11: blocks(__VA_ARGS__, 1, 1, 0, row); break;                                                      \
    case 0x12: blocks(__VA_ARGS__, 1, 2, 1, row); break;                                                      \
    case 0x21: blocks(__VA_ARGS__, 2, 1, 1, row); break;                                                      \
    case 0x22: blocks(__VA_ARGS__, 2, 2, 2, row); break;                                                      \
    case 0x24: blocks(__VA_ARGS__, 2, 4, 3, row); break;                                                      \
    case 0x42: blocks(__VA_ARGS__, 4, 2, 3, row); break;                                                      \
    case 0x44: blocks(__VA_ARGS__, 4, 4, 4, row); break;                                                      \
    case 0x48: blocks(__VA_ARGS__, 4, 8, 5, row); break;                                                      \
    case 0x84: blocks(__VA_ARGS__, 8, 4, 5, row); break;                                                      \
    case 0x88: blocks(__VA_ARGS__, 8, 8, 6, row); break;                                                      \
    default: is_known = 0;                                                                                    \
    }

#define DEFINE_SHRINK_ROW(type)                                                                               \
    static void shrink_row_##type(image_plane plane, int across, int down, int y, uint8_t *target) {          \
        type *row = (type *)target;                                                                           \
        int width = (plane.width + across - 1) / across, whole = plane.width / across, is_known = 1;          \
        if (y + down > plane.height) whole = 0;                                                               \
        const uint8_t *first = plane.samples + (size_t)y * plane.stride;                                      \
        if (whole > 0) { WITH_CONSTANTS(whole_blocks_##type, across, down, first, plane.stride, whole) }      \
        if (!is_known) whole = 0;                                                                             \
        for (int x = whole; x < width; x++) row[x] = block_mean_##type(plane, x * across, y, across, down);   \
    }

DEFINE_SHRINK_ROW(uint8_t)
DEFINE_SHRINK_ROW(uint16_t)

void shrink_plane(
    image_plane plane, int across, int down, int first_row, int row_count, uint8_t *target, size_t target_stride) {
    for (int row = 0; row < row_count; row++) {
        uint8_t *start = target + (size_t)row * target_stride;
        if (plane.bytes_per_sample == 1) {
            shrink_row_uint8_t(plane, across, down, (first_row + row) * down, start);
        } else {
            shrink_row_uint16_t(plane, across, down, (first_row + row) * down, start);
        }
    }
}
