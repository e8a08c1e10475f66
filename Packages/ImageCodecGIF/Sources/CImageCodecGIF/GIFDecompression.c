#include "CImageCodecGIF.h"

#include <stdlib.h>
#include <string.h>

enum { capacity = 4096, chunk = 8 };

/* The string of a code is the string of its prefix, followed by its chunk of up to 8 bytes. A string is written in
   chunks, from the last one. Entries from `next` on are never read: codes are checked first. */
typedef struct {
    uint8_t bytes[chunk];
    uint16_t prefix;
    uint16_t last; /* the length of the string minus 1 */
} lzw_entry;

struct gif_lzw {
    lzw_entry entries[capacity];
    uint32_t clear_code, next;
    int code_size, code_width;
    int32_t previous; /* -1 after a clear code */
    uint8_t previous_first;

    size_t cursor, block_end;
    uint64_t accumulator;
    uint32_t bit_count;

    /* The rest of a string that did not fit in the previous row. */
    uint8_t pending[capacity + chunk];
    size_t pending_start, pending_end;
};

gif_lzw *gif_lzw_open(void) { return malloc(sizeof(gif_lzw)); }

void gif_lzw_close(gif_lzw *lzw) { free(lzw); }

static void clear(gif_lzw *lzw) {
    lzw->next = lzw->clear_code + 2;
    lzw->code_width = lzw->code_size + 1;
    lzw->previous = -1;
}

gif_lzw_outcome gif_lzw_start(gif_lzw *lzw, const uint8_t *bytes, size_t length, size_t offset) {
    if (offset >= length) return gif_lzw_truncated;
    int code_size = bytes[offset];
    if (code_size < 1 || code_size > 11) return gif_lzw_malformed;
    lzw->code_size = code_size;
    lzw->clear_code = 1u << code_size;
    for (uint32_t code = 0; code < lzw->clear_code; code++) {
        lzw->entries[code].bytes[0] = (uint8_t)code;
        lzw->entries[code].prefix = 0;
        lzw->entries[code].last = 0;
    }
    clear(lzw);
    lzw->cursor = lzw->block_end = offset + 1;
    lzw->accumulator = 0;
    lzw->bit_count = 0;
    lzw->pending_start = lzw->pending_end = 0;
    return gif_lzw_ok;
}

/* Fills the accumulator with at least `code_width` bits. Returns 0 at the end of the sub-blocks (GIF89a, 15). */
static int refill(gif_lzw *lzw, const uint8_t *bytes, size_t length) {
    uint32_t width = (uint32_t)lzw->code_width;
    size_t end = lzw->block_end < length ? lzw->block_end : length;
    if (end >= 4 && lzw->cursor <= end - 4) {
        const uint8_t *next = bytes + lzw->cursor;
        uint32_t four = next[0] | (uint32_t)next[1] << 8 | (uint32_t)next[2] << 16 | (uint32_t)next[3] << 24;
        lzw->accumulator |= (uint64_t)four << lzw->bit_count;
        lzw->bit_count += 32;
        lzw->cursor += 4;
        return 1;
    }
    while (lzw->bit_count < width) {
        if (lzw->cursor == lzw->block_end) {
            if (lzw->cursor >= length || bytes[lzw->cursor] == 0) return 0;
            lzw->block_end = lzw->cursor + 1 + bytes[lzw->cursor];
            lzw->cursor++;
        }
        if (lzw->cursor >= length) return 0;
        lzw->accumulator |= (uint64_t)bytes[lzw->cursor++] << lzw->bit_count;
        lzw->bit_count += 8;
    }
    return 1;
}

/* Writes a string to `target`, which must have space for the length rounded up to a multiple of 8. */
static void expand(const gif_lzw *lzw, uint32_t code, uint8_t *target) {
    const lzw_entry *entry = &lzw->entries[code];
    for (size_t start = entry->last & ~(size_t)(chunk - 1);; start -= chunk) {
        memcpy(target + start, entry->bytes, chunk);
        if (start == 0) return;
        entry = &lzw->entries[entry->prefix];
    }
}

/* Adds an entry: the string of the previous code and one more byte. */
static void add_entry(gif_lzw *lzw, uint8_t byte) {
    lzw_entry *entry = &lzw->entries[lzw->next++];
    const lzw_entry *previous = &lzw->entries[lzw->previous];
    uint16_t last = (uint16_t)(previous->last + 1);
    if (last % chunk != 0) {
        *entry = *previous;
    } else {
        entry->prefix = (uint16_t)lzw->previous;
    }
    entry->bytes[last % chunk] = byte;
    entry->last = last;
}

static size_t take_pending(gif_lzw *lzw, uint8_t *row, size_t space) {
    size_t count = lzw->pending_end - lzw->pending_start;
    if (count > space) count = space;
    memcpy(row, lzw->pending + lzw->pending_start, count);
    lzw->pending_start += count;
    return count;
}

/* Writes a string to the row, and what does not fit to `pending`. Returns the number of bytes written to the row. */
static size_t write_string(gif_lzw *lzw, uint32_t code, uint8_t *row, size_t space, uint8_t *first) {
    size_t last = lzw->entries[code].last;
    if ((last | (chunk - 1)) < space) {
        expand(lzw, code, row);
        *first = row[0];
        return last + 1;
    }
    expand(lzw, code, lzw->pending);
    *first = lzw->pending[0];
    lzw->pending_start = 0;
    lzw->pending_end = last + 1;
    return take_pending(lzw, row, space);
}

gif_lzw_outcome gif_lzw_read(
    gif_lzw *lzw, const uint8_t *bytes, size_t length, uint8_t *row, size_t count, size_t *filled) {
    size_t position = take_pending(lzw, row, count);
    gif_lzw_outcome outcome = gif_lzw_ok;
    while (position < count) {
        outcome = gif_lzw_truncated;
        if (lzw->bit_count < (uint32_t)lzw->code_width && !refill(lzw, bytes, length)) break;
        uint32_t code = (uint32_t)lzw->accumulator & ((1u << lzw->code_width) - 1);
        lzw->accumulator >>= lzw->code_width;
        lzw->bit_count -= (uint32_t)lzw->code_width;
        if (code == lzw->clear_code) {
            clear(lzw);
            continue;
        }
        if (code == lzw->clear_code + 1) break;
        outcome = gif_lzw_malformed;
        /* A code may be `next` only if the entry can be added now. */
        if (code >= lzw->next && (lzw->previous < 0 || code > lzw->next || lzw->next >= capacity)) break;
        int adds_entry = lzw->previous >= 0 && lzw->next < capacity;
        uint8_t first = lzw->previous_first;
        if (code == lzw->next) {
            add_entry(lzw, first);
            adds_entry = 0;
        }
        position += write_string(lzw, code, row + position, count - position, &first);
        if (adds_entry) add_entry(lzw, first);
        if (lzw->next == 1u << lzw->code_width && lzw->code_width < 12) lzw->code_width++;
        lzw->previous = (int32_t)code;
        lzw->previous_first = first;
        outcome = gif_lzw_ok;
    }
    *filled = position;
    return position < count ? outcome : gif_lzw_ok;
}

void gif_paint(const uint8_t *indices, size_t count, const uint32_t *colors, int transparent, uint32_t *pixels) {
    if (transparent < 0 || transparent > 255) {
        for (size_t x = 0; x < count; x++) pixels[x] = colors[indices[x]];
    } else {
        for (size_t x = 0; x < count; x++) pixels[x] = indices[x] == transparent ? pixels[x] : colors[indices[x]];
    }
}
