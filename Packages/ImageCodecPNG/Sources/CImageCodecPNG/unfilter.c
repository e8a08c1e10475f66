#include "unfilter.h"

#include <string.h>

/* Unfilters a pixel at a time, in vectors that the compiler maps to SSE2, NEON or plain instructions. Each pixel
   depends on the previous one, so the latency of this chain limits the speed. Channels are computed in parallel. Lanes
   beyond the pixel hold bytes of the next one and are not stored. */
typedef uint8_t bytes8 __attribute__((vector_size(8)));
typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef int16_t words8 __attribute__((vector_size(16)));

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE bytes8 load(const uint8_t *from) {
    bytes8 bytes;
    memcpy(&bytes, from, sizeof bytes);
    return bytes;
}

ALWAYS_INLINE void store(uint8_t *to, bytes8 bytes, const int count) { memcpy(to, &bytes, (size_t)count); }

ALWAYS_INLINE words8 widen(bytes8 bytes) { return __builtin_convertvector(bytes, words8); }

/* Adds modulo 256 in each word. Both operands hold bytes. */
ALWAYS_INLINE words8 add(words8 a, words8 b) { return (words8)((bytes16)a + (bytes16)b); }

ALWAYS_INLINE bytes8 narrow(words8 words) { return __builtin_convertvector(words, bytes8); }

static void undo_up(uint8_t *row, const uint8_t *above, size_t count) {
    for (size_t i = 0; i < count; i++) row[i] = (uint8_t)(row[i] + above[i]);
}

ALWAYS_INLINE void undo_sub(uint8_t *row, size_t count, const int size) {
    bytes8 left = {0};
    for (size_t i = 0; i < count; i += (size_t)size) {
        left += load(row + i);
        store(row + i, left, size);
    }
}

ALWAYS_INLINE void undo_average(uint8_t *row, const uint8_t *above, size_t count, const int size) {
    words8 left = {0};
    for (size_t i = 0; i < count; i += (size_t)size) {
        words8 mean = (left + widen(load(above + i))) >> 1;
        left = add(widen(load(row + i)), mean);
        store(row + i, narrow(left), size);
    }
}

/* Returns the predictor nearest to left + above - corner, without computing the distances: the smaller of left and
   above if the larger is not above 3 * corner - left - above, the larger if the smaller is not below it, or else the
   corner. Little depends on `left`, which halves the length of the chain. The saturating subtraction never saturates,
   but keeps the compiler from reordering the operations into a longer chain. */
ALWAYS_INLINE words8 paeth(words8 left, words8 above, words8 corner) {
    words8 threshold = __builtin_elementwise_sub_sat(corner * 3 - above, left);
    words8 low = __builtin_elementwise_min(left, above);
    words8 high = __builtin_elementwise_max(left, above);
    words8 takes_low = high <= threshold;
    words8 takes_high = threshold <= low;
    return (takes_low & low) | (takes_high & high) | (~(takes_low | takes_high) & corner);
}

ALWAYS_INLINE void undo_paeth(uint8_t *row, const uint8_t *above, size_t count, const int size) {
    words8 left = {0}, corner = {0};
    for (size_t i = 0; i < count; i += (size_t)size) {
        words8 over = widen(load(above + i));
        left = add(widen(load(row + i)), paeth(left, over, corner));
        corner = over;
        store(row + i, narrow(left), size);
    }
}

ALWAYS_INLINE bool undo(int filter, uint8_t *row, const uint8_t *above, size_t count, const int size) {
    switch (filter) {
    case 0: return true;
    case 1: undo_sub(row, count, size); return true;
    case 2: undo_up(row, above, count); return true;
    case 3: undo_average(row, above, count, size); return true;
    case 4: undo_paeth(row, above, count, size); return true;
    default: return false;
    }
}

bool ilp_unfilter(int filter, uint8_t *row, const uint8_t *above, size_t count, int pixel_bytes) {
    switch (pixel_bytes) {
    case 1: return undo(filter, row, above, count, 1);
    case 2: return undo(filter, row, above, count, 2);
    case 3: return undo(filter, row, above, count, 3);
    case 4: return undo(filter, row, above, count, 4);
    case 6: return undo(filter, row, above, count, 6);
    case 8: return undo(filter, row, above, count, 8);
    default: return false;
    }
}
