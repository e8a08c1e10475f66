#include "CImageCodecGIF.h"

#include <stdlib.h>
#include <string.h>

/* Strings are copied in chunks. A copy may read and write up to 15 bytes beyond the end of a string. */
enum { capacity = 4096, literals = 256, chunk = 16 };

/* The string of a code in `strings`. */
typedef struct {
    uint32_t start, length;
} lzw_entry;

/* The state that each code changes. It is copied while codes are read, so that the compiler keeps it in registers. */
typedef struct {
    uint32_t next, code_width;
    uint32_t previous_length; /* of the string before `end`; 0 after a clear code */
    uint32_t end;             /* of the strings */
    uint32_t kept;            /* the end of the strings that entries refer to; later bytes are dropped once returned */
    size_t cursor, block_end;
    uint64_t accumulator;
    uint32_t bit_count;
} lzw_state;

struct gif_lzw {
    lzw_entry entries[capacity];
    uint32_t clear_code, code_size;
    lzw_state state;

    /* The 256 strings of one byte, then the output since the last clear code. An entry is the string of a code and the
       byte after it. Once the table is full, output is dropped when it has been returned. */
    uint8_t *strings;
    uint32_t size, taken; /* the bytes up to `taken` have been returned */
};

gif_lzw *gif_lzw_open(void) {
    gif_lzw *lzw = calloc(1, sizeof(gif_lzw));
    if (lzw == NULL) return NULL;
    lzw->size = 1 << 15;
    lzw->strings = malloc(lzw->size);
    if (lzw->strings == NULL) {
        free(lzw);
        return NULL;
    }
    for (int byte = 0; byte < literals; byte++) lzw->strings[byte] = (uint8_t)byte;
    return lzw;
}

void gif_lzw_close(gif_lzw *lzw) {
    free(lzw->strings);
    free(lzw);
}

/* Moves the bytes that have not been returned down to `start`, over those that are there. */
static void move_rest(gif_lzw *lzw, lzw_state *state, uint32_t start) {
    uint32_t rest = state->end - lzw->taken;
    memmove(lzw->strings + start, lzw->strings + lzw->taken, rest);
    lzw->taken = start;
    state->end = start + rest;
}

static void clear(gif_lzw *lzw, lzw_state *state) {
    state->next = lzw->clear_code + 2;
    state->code_width = lzw->code_size + 1;
    state->previous_length = 0;
    state->kept = literals;
    move_rest(lzw, state, literals);
}

gif_lzw_outcome gif_lzw_start(gif_lzw *lzw, const uint8_t *bytes, size_t length, size_t offset) {
    if (offset >= length) return gif_lzw_truncated;
    uint32_t code_size = bytes[offset];
    if (code_size < 1 || code_size > 11) return gif_lzw_malformed;
    lzw->code_size = code_size;
    lzw->clear_code = 1u << code_size;
    for (uint32_t code = 0; code < lzw->clear_code; code++) lzw->entries[code] = (lzw_entry){code % literals, 1};
    lzw->taken = literals;
    lzw->state = (lzw_state){.cursor = offset + 1, .block_end = offset + 1, .end = literals};
    clear(lzw, &lzw->state);
    return gif_lzw_ok;
}

/* Fills the accumulator with at least `code_width` bits. Returns 0 at the end of the sub-blocks (GIF89a, 15). */
static inline int refill(lzw_state *state, const uint8_t *bytes, size_t length) {
    if (state->block_end - state->cursor >= 4) {
        const uint8_t *next = bytes + state->cursor;
        uint32_t four = next[0] | (uint32_t)next[1] << 8 | (uint32_t)next[2] << 16 | (uint32_t)next[3] << 24;
        state->accumulator |= (uint64_t)four << state->bit_count;
        state->bit_count += 32;
        state->cursor += 4;
        return 1;
    }
    while (state->bit_count < state->code_width) {
        if (state->cursor == state->block_end) {
            if (state->cursor >= length || bytes[state->cursor] == 0) return 0;
            state->block_end = state->cursor + 1 + bytes[state->cursor];
            if (state->block_end > length) state->block_end = length;
            if (++state->cursor >= length) return 0;
        }
        state->accumulator |= (uint64_t)bytes[state->cursor++] << state->bit_count;
        state->bit_count += 8;
    }
    return 1;
}

/* Takes the next code from the accumulator. */
static inline uint32_t take_code(lzw_state *state) {
    uint32_t code = (uint32_t)state->accumulator & ((1u << state->code_width) - 1);
    state->accumulator >>= state->code_width;
    state->bit_count -= state->code_width;
    return code;
}

/* Makes space for a string. Their total length is bounded: while the table grows, strings grow by a byte at most. */
static int grow(gif_lzw *lzw, uint32_t end, uint32_t length) {
    uint32_t size = lzw->size;
    while (size - end < length + chunk) size *= 2;
    uint8_t *strings = realloc(lzw->strings, size);
    if (strings == NULL) return 0;
    lzw->strings = strings;
    lzw->size = size;
    return 1;
}

/* Copies a chunk that may overlap with the target. */
static inline void copy_chunk(uint8_t *target, const uint8_t *source) {
    uint8_t bytes[chunk];
    memcpy(bytes, source, chunk);
    memcpy(target, bytes, chunk);
}

/* Appends the string of an entry. It can be the last string and its own first byte, which is not yet written. */
static inline void append(uint8_t *strings, lzw_state *state, lzw_entry entry) {
    const uint8_t *source = strings + entry.start;
    uint8_t *target = strings + state->end;
    copy_chunk(target, source);
    for (uint32_t done = chunk; done < entry.length; done += chunk) copy_chunk(target + done, source + done);
    state->end += entry.length;
    if (entry.start + entry.length > state->end - entry.length) target[entry.length - 1] = target[0];
    state->previous_length = entry.length;
}

/* Reads codes until `count` bytes are available. */
static gif_lzw_outcome read_codes(gif_lzw *lzw, lzw_state *state, const uint8_t *bytes, size_t length, uint32_t count) {
    while (state->end - lzw->taken < count) {
        if (state->bit_count < state->code_width && !refill(state, bytes, length)) return gif_lzw_truncated;
        uint32_t code = take_code(state);
        if (code == lzw->clear_code) {
            clear(lzw, state);
            continue;
        }
        if (code == lzw->clear_code + 1) return gif_lzw_truncated;
        int is_growing = state->next < capacity;
        if (is_growing && state->previous_length > 0) {
            uint32_t start = state->end - state->previous_length;
            lzw->entries[state->next++] = (lzw_entry){start, state->previous_length + 1};
        }
        if (code >= state->next) return gif_lzw_malformed;
        lzw_entry entry = lzw->entries[code];
        if (lzw->size - state->end < entry.length + chunk && !grow(lzw, state->end, entry.length))
            return gif_lzw_out_of_memory;
        append(lzw->strings, state, entry);
        if (is_growing) state->kept = state->end;
        if (state->next == 1u << state->code_width && state->code_width < 12) state->code_width++;
    }
    return gif_lzw_ok;
}

gif_lzw_outcome gif_lzw_read(
    gif_lzw *lzw, const uint8_t *bytes, size_t length, uint8_t *row, size_t count, size_t *filled) {
    lzw_state state = lzw->state;
    if (lzw->taken > state.kept) move_rest(lzw, &state, state.kept);
    gif_lzw_outcome outcome = read_codes(lzw, &state, bytes, length, (uint32_t)count);
    uint32_t available = state.end - lzw->taken;
    *filled = available < count ? available : count;
    memcpy(row, lzw->strings + lzw->taken, *filled);
    lzw->taken += (uint32_t)*filled;
    lzw->state = state;
    return outcome;
}

int gif_lzw_is_empty(const uint8_t *bytes, size_t length, size_t offset) {
    if (offset + 1 >= length || bytes[offset + 1] == 0) return 1;
    uint32_t code_size = bytes[offset];
    if (code_size < 1 || code_size > 11) return 0;
    lzw_state state = {.code_width = code_size + 1, .cursor = offset + 1, .block_end = offset + 1};
    while (state.bit_count >= state.code_width || refill(&state, bytes, length)) {
        uint32_t code = take_code(&state);
        if (code != 1u << code_size) return code == (1u << code_size) + 1;
    }
    return 1;
}

void gif_paint(const uint8_t *indices, size_t count, const uint32_t *colors, int transparent, void *canvas) {
    uint32_t *pixels = canvas;
    if (transparent < 0 || transparent > 255) {
        for (size_t x = 0; x < count; x++) pixels[x] = colors[indices[x]];
    } else {
        for (size_t x = 0; x < count; x++) pixels[x] = indices[x] == transparent ? pixels[x] : colors[indices[x]];
    }
}
