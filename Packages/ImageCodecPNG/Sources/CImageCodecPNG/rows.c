#include "CImageCodecPNG.h"

#include <stdlib.h>
#include <string.h>

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include "expand.h"
#include "unfilter.h"

enum {
    /* Inflated bytes at a time: enough for the library to write most of them straight here, and few enough to be still in
       the processor's second-level cache when they are unfiltered. */
    batch_bytes = 192 << 10,
    /* Rows are moved to the front of the buffer when there is less space than this behind them. */
    least_space = 64 << 10,
    longest_match = 258,                 /* RFC 1951, 3.2.5 */
    pass_count = 7
};

/* Adam7 (PNG 3rd edition, 8.1): where a pass starts and how far apart its pixels are. A pixel stands for a block as long as
   later passes have not come; no block covers a pixel of an earlier pass. */
static const struct pass {
    uint8_t x, y, x_step, y_step, block_width, block_height;
} adam7[pass_count] = {
    {0, 0, 8, 8, 8, 8}, {4, 0, 8, 8, 4, 8}, {0, 4, 4, 8, 4, 4}, {2, 0, 4, 4, 2, 4},
    {0, 2, 2, 4, 2, 2}, {1, 0, 2, 2, 1, 2}, {0, 1, 1, 2, 1, 1},
};

/* The library looks at where a distance leads before it finds that this is before the first byte: memory of our own, up to
   the longest distance (RFC 1951, 3.2.5). What it copies from there is never used. */
struct inflater {
    uint8_t before[32 << 10];
    struct inflate_state state;
};

struct ilp_rows {
    uint32_t width, height;
    bool is_interlaced;
    int stored_bits, unfilter_bytes, pixel_bytes;
    ilp_expansion expansion;

    int pass;                            /* of 7, or of 1 */
    uint32_t pass_width, pass_height, in_pass;
    size_t row_bytes;                    /* stored, without the filter's byte */

    uint8_t *buffer;                     /* the row above, then stored rows with a filter byte each */
    size_t capacity, above, next, end;   /* `above` and `next` are rows' first bytes, `end` is behind the last one inflated */
    bool has_above;
    uint8_t *zeros;                      /* above the first row of a pass */
    uint8_t *pixels;                     /* a row in the layout, or a kept one as it is shown */
    uint8_t *image;                    /* NULL when rows are not kept */

    uint8_t header[2];                   /* of the compressed stream */
    int header_count;                    /* how much of it has come */
    bool has_ended, has_surplus;         /* the compressed stream; and whether it goes on behind the last row */
    bool has_wrong_checksum;
    const char *failure;
    struct inflater inflater;
};

/* ---- passes ---- */

static uint32_t steps(uint32_t extent, uint32_t start, uint32_t step) {
    return extent <= start ? 0 : (extent - start - 1) / step + 1;
}

static size_t stored_bytes(const ilp_rows *rows, uint32_t width) {
    return ((size_t)width * (size_t)rows->stored_bits + 7) / 8;
}

static void begin_pass(ilp_rows *rows, int pass) {
    const struct pass *lattice = &adam7[pass];
    rows->pass = pass;
    rows->in_pass = 0;
    rows->has_above = false;
    rows->pass_width = rows->is_interlaced ? steps(rows->width, lattice->x, lattice->x_step) : rows->width;
    rows->pass_height = rows->is_interlaced ? steps(rows->height, lattice->y, lattice->y_step) : rows->height;
    if (rows->pass_width == 0) rows->pass_height = 0;
    rows->row_bytes = stored_bytes(rows, rows->pass_width);
}

/* Goes to the pass with the next row. False when there is none. */
static bool find_row(ilp_rows *rows) {
    while (rows->in_pass == rows->pass_height) {
        if (!rows->is_interlaced || rows->pass == pass_count - 1) return false;
        begin_pass(rows, rows->pass + 1);
    }
    return true;
}

int ilp_rows_passes(const ilp_rows *rows) { return rows->pass + (rows->in_pass == rows->pass_height); }

uint32_t ilp_rows_in_pass(const ilp_rows *rows) {
    return rows->in_pass == rows->pass_height ? 0 : rows->in_pass;
}

/* ---- life ---- */

/* Twice the length of a row and a batch, unless the whole image needs less. */
static size_t buffer_capacity(const ilp_rows *rows) {
    size_t row = stored_bytes(rows, rows->width) + 1;
    size_t most = batch_bytes + 2 * row;
    size_t whole = rows->height < most / row ? row * (rows->height + 2) : most;
    return rows->is_interlaced ? most : whole;
}

static bool take_memory(ilp_rows *rows, bool keeps) {
    size_t row = stored_bytes(rows, rows->width), pixels = (size_t)rows->width * (size_t)rows->pixel_bytes;
    rows->capacity = buffer_capacity(rows);
    rows->buffer = malloc(rows->capacity + ilp_unfilter_slack);
    rows->zeros = calloc(1, row + ilp_unfilter_slack);
    rows->pixels = malloc(pixels);
    if (keeps) rows->image = calloc(rows->height, pixels);
    return rows->buffer && rows->zeros && rows->pixels && (rows->image || !keeps);
}

ilp_rows *ilp_rows_create(const ilp_format *format, ilp_layout layout, bool keeps) {
    ilp_rows *rows = malloc(sizeof *rows);
    if (!rows) return NULL;
    memset(rows, 0, offsetof(ilp_rows, inflater.state));
    rows->width = format->width;
    rows->height = format->height;
    rows->is_interlaced = format->is_interlaced;
    rows->stored_bits = ilp_stored_bits(format);
    rows->unfilter_bytes = (rows->stored_bits + 7) / 8;
    rows->pixel_bytes = ilp_pixel_bytes(layout);
    rows->expansion = ilp_expansion_make(format, layout);
    isal_inflate_init(&rows->inflater.state);
    rows->inflater.state.crc_flag = ISAL_ZLIB_NO_HDR_VER;
    ilp_rows_feed(rows, NULL, 0);
    begin_pass(rows, 0);
    if (take_memory(rows, keeps)) return rows;
    ilp_rows_destroy(rows);
    return NULL;
}

void ilp_rows_destroy(ilp_rows *rows) {
    if (!rows) return;
    free(rows->buffer);
    free(rows->zeros);
    free(rows->pixels);
    free(rows->image);
    free(rows);
}

const char *ilp_rows_message(const ilp_rows *rows) { return rows->failure ? rows->failure : ""; }

/* ---- inflating ---- */

static const char *message(int code) {
    switch (code) {
    case ISAL_INVALID_LOOKBACK: return "invalid distance too far back";
    case ISAL_INCORRECT_CHECKSUM: return "wrong checksum of the pixels";
    default: return "invalid deflate stream";
    }
}

void ilp_rows_feed(ilp_rows *rows, const uint8_t *bytes, size_t count) {
    rows->inflater.state.next_in = (uint8_t *)bytes;   /* read only */
    rows->inflater.state.avail_in = (uint32_t)count;
}

/* What is wrong with the first bytes, 0 to 2, of a zlib stream (RFC 1950, 2.2); NULL for nothing. Not left to the library: it
   does not mind windows that do not exist, and forgets that a dictionary is asked for when the header comes in pieces. */
static const char *header_fault(const uint8_t *header, int count) {
    if (count > 0 && (header[0] & 15) != 8) return "no zlib stream";
    if (count > 0 && header[0] >> 4 > 7) return "invalid window size";
    if (count > 1 && ((header[0] << 8 | header[1]) % 31 != 0 || header[1] & 0x20)) return "no zlib stream";
    return NULL;
}

/* False as long as the header has not come. */
static bool take_header(ilp_rows *rows) {
    struct inflate_state *state = &rows->inflater.state;
    for (; rows->header_count < 2 && state->avail_in > 0; state->avail_in--)
        rows->header[rows->header_count++] = *state->next_in++;
    rows->failure = header_fault(rows->header, rows->header_count);
    return rows->header_count == 2 && !rows->failure;
}

/* Inflates up to `space` bytes behind `end`. False when nothing came of it: ended, damaged or hungry. */
static bool inflate_some(ilp_rows *rows, size_t space) {
    if (rows->has_ended || rows->failure || !take_header(rows)) return false;
    struct inflate_state *state = &rows->inflater.state;
    state->next_out = rows->buffer + rows->end;
    state->avail_out = (uint32_t)(space > UINT32_MAX / 2 ? UINT32_MAX / 2 : space);
    uint32_t offered = state->avail_out, fed = state->avail_in;
    int code = isal_inflate(state);
    uint32_t made = offered - state->avail_out;
    /* What was made is good then, and only counts if no row is missing and nothing more follows: so it does not depend on how
       much was inflated at once. */
    rows->has_wrong_checksum = code == ISAL_INCORRECT_CHECKSUM;
    bool has_failed = code < 0 && !rows->has_wrong_checksum;
    /* Before it notices that a distance leads before the first byte, the library has copied a match from anywhere. */
    if (has_failed) made = made > longest_match ? made - longest_match : 0;
    rows->end += made;
    if (has_failed) rows->failure = message(code);
    else if (rows->has_wrong_checksum) rows->has_ended = true;
    else if (state->block_state == ISAL_BLOCK_FINISH) rows->has_ended = true;
    else if (made == 0 && fed > 0 && fed == state->avail_in) rows->failure = message(code);
    return made > 0;
}

static ilp_status why_nothing(ilp_rows *rows) {
    if (rows->has_wrong_checksum) rows->failure = message(ISAL_INCORRECT_CHECKSUM);
    return rows->failure ? ILP_DAMAGED : rows->has_ended ? ILP_SHORT : ILP_HUNGRY;
}

/* Moves what is still needed to the front. */
static void make_room(ilp_rows *rows) {
    size_t first = rows->has_above ? rows->above : rows->next;
    memmove(rows->buffer, rows->buffer + first, rows->end - first);
    rows->above = 0;
    rows->next -= first;
    rows->end -= first;
}

static bool has_row(const ilp_rows *rows) { return rows->end - rows->next > rows->row_bytes; }

/* After the last row: the checksum, or the fact that the stream goes on, which is no reason to refuse the image. */
static ilp_status finish(ilp_rows *rows) {
    if (rows->end > rows->next) rows->has_surplus = true;
    if (!rows->has_surplus && !rows->has_ended) {
        rows->has_above = false;
        make_room(rows);
        rows->has_surplus = inflate_some(rows, 1);
    }
    if (rows->has_surplus) return ILP_COMPLETE;
    ilp_status status = why_nothing(rows);
    return status == ILP_SHORT ? ILP_COMPLETE : status;
}

/* ---- rows ---- */

static void keep(ilp_rows *rows, const uint8_t *row) {
    size_t size = (size_t)rows->pixel_bytes, stride = rows->width * size;
    if (!rows->is_interlaced) {
        memcpy(rows->image + rows->in_pass * stride, row, stride);
        return;
    }
    const struct pass *lattice = &adam7[rows->pass];
    uint8_t *to = rows->image + ((size_t)lattice->y + (size_t)rows->in_pass * lattice->y_step) * stride;
    for (size_t i = 0, x = lattice->x; i < rows->pass_width; i++, x += lattice->x_step)
        memcpy(to + x * size, row + i * size, size);
}

/* Unfilters and expands the row at `next`. */
static const uint8_t *take_row(ilp_rows *rows) {
    uint8_t *stored = rows->buffer + rows->next + 1;
    const uint8_t *above = rows->has_above ? rows->buffer + rows->above : rows->zeros;
    if (!ilp_unfilter(stored[-1], stored, above, rows->row_bytes, rows->unfilter_bytes)) return NULL;
    rows->above = rows->next + 1;
    rows->has_above = true;
    rows->next += rows->row_bytes + 1;
    if (!rows->expansion.expand) return stored;
    rows->expansion.expand(&rows->expansion, stored, rows->pixels, rows->pass_width);
    return rows->pixels;
}

ilp_status ilp_rows_next(ilp_rows *rows, const uint8_t **row) {
    if (!find_row(rows)) return finish(rows);
    while (!has_row(rows)) {
        size_t missing = rows->row_bytes + 1 - (rows->end - rows->next);
        size_t wanted = missing > least_space ? missing : least_space;
        if (rows->capacity - rows->end < wanted) make_room(rows);
        if (!inflate_some(rows, rows->capacity - rows->end)) return why_nothing(rows);
    }
    const uint8_t *taken = take_row(rows);
    if (!taken) {
        rows->failure = "unknown filter";
        return ILP_DAMAGED;
    }
    if (rows->image) keep(rows, taken);
    rows->in_pass++;
    *row = taken;
    return ILP_ROW;
}

/* ---- kept rows ---- */

uint32_t ilp_rows_known(const ilp_rows *rows, int passes, uint32_t in_pass) {
    if (passes > 0) return rows->height;
    uint64_t known = (uint64_t)in_pass * (rows->is_interlaced ? adam7[0].block_height : 1);
    return known < rows->height ? (uint32_t)known : rows->height;
}

/* Spreads the pixels of a pass over their blocks in the row `y`, where they reach it. */
static void show_pass(const ilp_rows *rows, const struct pass *lattice, uint32_t y, uint32_t known, uint8_t *shown) {
    if (y < lattice->y) return;
    uint32_t in_pass = (y - lattice->y) / lattice->y_step, below = (y - lattice->y) % lattice->y_step;
    if (in_pass >= known || below >= lattice->block_height) return;
    size_t size = (size_t)rows->pixel_bytes;
    const uint8_t *from = rows->image + (size_t)(y - below) * rows->width * size;
    for (size_t x = lattice->x; x < rows->width; x += lattice->x_step)
        for (size_t i = x; i < x + lattice->block_width && i < rows->width; i++)
            memcpy(shown + i * size, from + x * size, size);
}

const uint8_t *ilp_rows_kept(ilp_rows *rows, uint32_t y, int passes, uint32_t in_pass) {
    size_t stride = (size_t)rows->width * (size_t)rows->pixel_bytes;
    if (!rows->is_interlaced || passes == pass_count) return rows->image + y * stride;
    for (int pass = 0; pass < passes; pass++) show_pass(rows, &adam7[pass], y, UINT32_MAX, rows->pixels);
    show_pass(rows, &adam7[passes], y, in_pass, rows->pixels);
    return rows->pixels;
}

/* ---- whole streams and checksums ---- */

uint32_t ilp_crc32(uint32_t crc, const uint8_t *bytes, size_t count) { return crc32_gzip_refl(crc, bytes, count); }

bool ilp_inflate(const uint8_t *bytes, size_t count, uint8_t *inflated, size_t capacity, size_t *made) {
    if (count < 2 || count > UINT32_MAX || capacity > UINT32_MAX || header_fault(bytes, 2)) return false;
    struct inflater *inflater = calloc(1, sizeof *inflater);
    if (!inflater) return false;
    struct inflate_state *state = &inflater->state;
    isal_inflate_init(state);
    state->crc_flag = ISAL_ZLIB_NO_HDR_VER;
    state->next_in = (uint8_t *)bytes + 2;   /* read only */
    state->avail_in = (uint32_t)count - 2;
    state->next_out = inflated;
    state->avail_out = (uint32_t)capacity;
    int code = isal_inflate(state);
    *made = capacity - state->avail_out;
    free(inflater);
    return code >= 0;
}
