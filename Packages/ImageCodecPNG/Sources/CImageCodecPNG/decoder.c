#include "CImageCodecPNG.h"

#include <stdlib.h>
#include <string.h>

#include "../CLibISAL/shim.h"

#include "expand.h"
#include "unfilter.h"

enum {
    /* The number of bytes to inflate at a time. Large enough for the library to write most of them directly to the
       buffer, and small enough to stay in the second-level cache until they are unfiltered. */
    batch_bytes = 192 << 10,
    /* Rows are moved to the front of the buffer if less space than this is left after them. */
    least_space = 64 << 10,
    longest_match = 258,                 /* RFC 1951, 3.2.5 */
    pass_count = 7
};

/* Adam7 (PNG 3rd edition, 8.1): the first pixel of each pass and the distance of its pixels. A pixel fills a block
   until later passes are available. No block covers a pixel of an earlier pass. */
static const struct pass {
    uint8_t x, y, x_step, y_step, block_width, block_height;
} adam7[pass_count] = {
    {0, 0, 8, 8, 8, 8}, {4, 0, 8, 8, 4, 8}, {0, 4, 4, 8, 4, 4}, {2, 0, 4, 4, 2, 4},
    {0, 2, 2, 4, 2, 2}, {1, 0, 2, 2, 1, 2}, {0, 1, 1, 2, 1, 1},
};

/* The library reads from the target of a distance before it finds that it is before the first byte. So 32 KiB, the
   longest distance (RFC 1951, 3.2.5), precede the output. Bytes that are copied from there are never used. */
struct inflater {
    uint8_t before[32 << 10];
    struct inflate_state state;
};

struct ilp_decoder {
    uint32_t width, height;
    bool is_interlaced;
    int stored_bits, unfilter_bytes, pixel_bytes;
    ilp_expansion expansion;

    int pass;                            /* the current pass, of 7 or of 1 */
    uint32_t pass_width, pass_height, in_pass;
    size_t row_bytes;                    /* of a stored row, without the filter byte */

    uint8_t *buffer;                     /* the row above, then stored rows, each with a filter byte */
    size_t capacity, above, next, end;   /* `above` and `next`: starts of rows; `end`: the end of inflated bytes */
    bool has_above;
    uint8_t *zeros;                      /* the row above the first row of a pass */
    uint8_t *pixels;                     /* a row in the layout */
    uint8_t *image;                      /* NULL if rows are not stored */

    uint8_t header[2];                   /* the zlib header */
    int header_count;                    /* the number of its bytes that have arrived */
    bool has_ended, has_surplus;         /* whether the stream has ended; whether it continues after the last row */
    bool has_wrong_checksum;
    const char *failure;
    struct inflater inflater;
};

/* ---- passes ---- */

static uint32_t steps(uint32_t extent, uint32_t start, uint32_t step) {
    return extent <= start ? 0 : (extent - start - 1) / step + 1;
}

static size_t stored_bytes(const ilp_decoder *decoder, uint32_t width) {
    return ((size_t)width * (size_t)decoder->stored_bits + 7) / 8;
}

static void begin_pass(ilp_decoder *decoder, int pass) {
    const struct pass *grid = &adam7[pass];
    decoder->pass = pass;
    decoder->in_pass = 0;
    decoder->has_above = false;
    decoder->pass_width = decoder->is_interlaced ? steps(decoder->width, grid->x, grid->x_step) : decoder->width;
    decoder->pass_height = decoder->is_interlaced ? steps(decoder->height, grid->y, grid->y_step) : decoder->height;
    if (decoder->pass_width == 0) decoder->pass_height = 0;
    decoder->row_bytes = stored_bytes(decoder, decoder->pass_width);
}

/* Advances to the pass with the next row. Returns false after the last row. */
static bool find_row(ilp_decoder *decoder) {
    while (decoder->in_pass == decoder->pass_height) {
        if (!decoder->is_interlaced || decoder->pass == pass_count - 1) return false;
        begin_pass(decoder, decoder->pass + 1);
    }
    return true;
}

int ilp_decoder_passes(const ilp_decoder *decoder) { return decoder->pass + (decoder->in_pass == decoder->pass_height); }

uint32_t ilp_decoder_rows_in_pass(const ilp_decoder *decoder) {
    return decoder->in_pass == decoder->pass_height ? 0 : decoder->in_pass;
}

/* ---- creating and destroying ---- */

/* Returns the size of two rows and a batch, or less if the whole image is smaller. */
static size_t buffer_capacity(const ilp_decoder *decoder) {
    size_t row = stored_bytes(decoder, decoder->width) + 1;
    size_t most = batch_bytes + 2 * row;
    size_t whole = decoder->height < most / row ? row * (decoder->height + 2) : most;
    return decoder->is_interlaced ? most : whole;
}

static bool allocate(ilp_decoder *decoder, bool stores_rows) {
    size_t row = stored_bytes(decoder, decoder->width), pixels = (size_t)decoder->width * (size_t)decoder->pixel_bytes;
    decoder->capacity = buffer_capacity(decoder);
    decoder->buffer = malloc(decoder->capacity + ilp_unfilter_slack);
    decoder->zeros = calloc(1, row + ilp_unfilter_slack);
    decoder->pixels = malloc(pixels);
    if (stores_rows) decoder->image = calloc(decoder->height, pixels);
    return decoder->buffer && decoder->zeros && decoder->pixels && (decoder->image || !stores_rows);
}

ilp_decoder *ilp_decoder_create(const ilp_format *format, ilp_layout layout, bool stores_rows) {
    ilp_decoder *decoder = malloc(sizeof *decoder);
    if (!decoder) return NULL;
    memset(decoder, 0, offsetof(ilp_decoder, inflater.state));
    decoder->width = format->width;
    decoder->height = format->height;
    decoder->is_interlaced = format->is_interlaced;
    decoder->stored_bits = ilp_stored_bits(format);
    decoder->unfilter_bytes = (decoder->stored_bits + 7) / 8;
    decoder->pixel_bytes = ilp_pixel_bytes(layout);
    decoder->expansion = ilp_expansion_make(format, layout);
    isal_inflate_init(&decoder->inflater.state);
    decoder->inflater.state.crc_flag = ISAL_ZLIB_NO_HDR_VER;
    ilp_decoder_feed(decoder, NULL, 0);
    begin_pass(decoder, 0);
    if (allocate(decoder, stores_rows)) return decoder;
    ilp_decoder_destroy(decoder);
    return NULL;
}

void ilp_decoder_destroy(ilp_decoder *decoder) {
    if (!decoder) return;
    free(decoder->buffer);
    free(decoder->zeros);
    free(decoder->pixels);
    free(decoder->image);
    free(decoder);
}

const char *ilp_decoder_message(const ilp_decoder *decoder) { return decoder->failure ? decoder->failure : ""; }

/* ---- inflating ---- */

static const char *message(int code) {
    switch (code) {
    case ISAL_INVALID_LOOKBACK: return "invalid distance too far back";
    case ISAL_INCORRECT_CHECKSUM: return "wrong checksum of the pixels";
    default: return "invalid deflate stream";
    }
}

void ilp_decoder_feed(ilp_decoder *decoder, const uint8_t *bytes, size_t count) {
    decoder->inflater.state.next_in = (uint8_t *)bytes;   /* read only */
    decoder->inflater.state.avail_in = (uint32_t)count;
}

/* Returns the error in the first `count` bytes, 0 to 2, of a zlib stream (RFC 1950, 2.2), or NULL. The library's own
   check accepts invalid window sizes, and forgets a required dictionary if the header arrives in parts. */
static const char *header_error(const uint8_t *header, int count) {
    if (count > 0 && (header[0] & 15) != 8) return "no zlib stream";
    if (count > 0 && header[0] >> 4 > 7) return "invalid window size";
    if (count > 1 && ((header[0] << 8 | header[1]) % 31 != 0 || header[1] & 0x20)) return "no zlib stream";
    return NULL;
}

/* Reads the zlib header. Returns false if it is incomplete or invalid. */
static bool read_header(ilp_decoder *decoder) {
    struct inflate_state *state = &decoder->inflater.state;
    for (; decoder->header_count < 2 && state->avail_in > 0; state->avail_in--)
        decoder->header[decoder->header_count++] = *state->next_in++;
    decoder->failure = header_error(decoder->header, decoder->header_count);
    return decoder->header_count == 2 && !decoder->failure;
}

/* Inflates up to `space` bytes after `end`. Returns false if there was no output: at the end, on an error or without
   input. */
static bool inflate_some(ilp_decoder *decoder, size_t space) {
    if (decoder->has_ended || decoder->failure || !read_header(decoder)) return false;
    struct inflate_state *state = &decoder->inflater.state;
    state->next_out = decoder->buffer + decoder->end;
    state->avail_out = (uint32_t)(space > UINT32_MAX / 2 ? UINT32_MAX / 2 : space);
    uint32_t offered = state->avail_out, fed = state->avail_in;
    int code = isal_inflate(state);
    if (state->avail_out > offered || state->avail_in > fed) code = ISAL_INVALID_BLOCK;
    uint32_t inflated = state->avail_out > offered ? 0 : offered - state->avail_out;
    /* The output is valid in this case. A wrong checksum is an error only if no row is missing and nothing follows, so
       that the result does not depend on the amount that is inflated at once. */
    decoder->has_wrong_checksum = code == ISAL_INCORRECT_CHECKSUM;
    bool has_failed = code < 0 && !decoder->has_wrong_checksum;
    /* The library may have copied an invalid match before it detects a distance to before the first byte. */
    if (has_failed) inflated = inflated > longest_match ? inflated - longest_match : 0;
    decoder->end += inflated;
    if (has_failed) decoder->failure = message(code);
    else if (decoder->has_wrong_checksum) decoder->has_ended = true;
    else if (state->block_state == ISAL_BLOCK_FINISH) decoder->has_ended = true;
    else if (inflated == 0 && fed > 0 && fed == state->avail_in) decoder->failure = message(code);
    return inflated > 0;
}

static ilp_status failure_status(ilp_decoder *decoder) {
    if (decoder->has_wrong_checksum) decoder->failure = message(ISAL_INCORRECT_CHECKSUM);
    return decoder->failure ? ILP_MALFORMED : decoder->has_ended ? ILP_TRUNCATED : ILP_NEEDS_INPUT;
}

/* Moves the bytes that are still needed to the front. */
static void make_space(ilp_decoder *decoder) {
    size_t first = decoder->has_above ? decoder->above : decoder->next;
    memmove(decoder->buffer, decoder->buffer + first, decoder->end - first);
    decoder->above = 0;
    decoder->next -= first;
    decoder->end -= first;
}

static bool has_row(const ilp_decoder *decoder) { return decoder->end - decoder->next > decoder->row_bytes; }

/* Checks the stream after the last row. A wrong checksum is an error; surplus data is accepted. */
static ilp_status finish(ilp_decoder *decoder) {
    if (decoder->end > decoder->next) decoder->has_surplus = true;
    if (!decoder->has_surplus && !decoder->has_ended) {
        decoder->has_above = false;
        make_space(decoder);
        decoder->has_surplus = inflate_some(decoder, 1);
    }
    if (decoder->has_surplus) return ILP_COMPLETE;
    ilp_status status = failure_status(decoder);
    return status == ILP_TRUNCATED ? ILP_COMPLETE : status;
}

/* ---- rows ---- */

static void store_row(ilp_decoder *decoder, const uint8_t *row) {
    size_t size = (size_t)decoder->pixel_bytes, stride = decoder->width * size;
    if (!decoder->is_interlaced) {
        memcpy(decoder->image + decoder->in_pass * stride, row, stride);
        return;
    }
    const struct pass *grid = &adam7[decoder->pass];
    uint8_t *to = decoder->image + ((size_t)grid->y + (size_t)decoder->in_pass * grid->y_step) * stride;
    for (size_t i = 0, x = grid->x; i < decoder->pass_width; i++, x += grid->x_step)
        memcpy(to + x * size, row + i * size, size);
}

/* Unfilters and expands the row at `next`. */
static const uint8_t *decode_row(ilp_decoder *decoder) {
    uint8_t *stored = decoder->buffer + decoder->next + 1;
    const uint8_t *above = decoder->has_above ? decoder->buffer + decoder->above : decoder->zeros;
    if (!ilp_unfilter(stored[-1], stored, above, decoder->row_bytes, decoder->unfilter_bytes)) return NULL;
    decoder->above = decoder->next + 1;
    decoder->has_above = true;
    decoder->next += decoder->row_bytes + 1;
    if (!decoder->expansion.expand) return stored;
    decoder->expansion.expand(&decoder->expansion, stored, decoder->pixels, decoder->pass_width);
    return decoder->pixels;
}

ilp_status ilp_decoder_next_row(ilp_decoder *decoder, const uint8_t **row) {
    if (!find_row(decoder)) return finish(decoder);
    while (!has_row(decoder)) {
        size_t missing = decoder->row_bytes + 1 - (decoder->end - decoder->next);
        size_t needed = missing > least_space ? missing : least_space;
        if (decoder->capacity - decoder->end < needed) make_space(decoder);
        if (!inflate_some(decoder, decoder->capacity - decoder->end)) return failure_status(decoder);
    }
    const uint8_t *decoded = decode_row(decoder);
    if (!decoded) {
        decoder->failure = "unknown filter";
        return ILP_MALFORMED;
    }
    if (decoder->image) store_row(decoder, decoded);
    decoder->in_pass++;
    *row = decoded;
    return ILP_ROW;
}

/* ---- stored rows ---- */

uint32_t ilp_decoder_available_rows(const ilp_decoder *decoder, int passes, uint32_t in_pass) {
    if (passes > 0) return decoder->height;
    uint64_t available = (uint64_t)in_pass * (decoder->is_interlaced ? adam7[0].block_height : 1);
    return available < decoder->height ? (uint32_t)available : decoder->height;
}

/* Fills the parts of the row `y` that are covered by blocks of a pass. */
static void fill_blocks(
    const ilp_decoder *decoder, const struct pass *grid, uint32_t y, uint32_t available, uint8_t *filled
) {
    if (y < grid->y) return;
    uint32_t in_pass = (y - grid->y) / grid->y_step, below = (y - grid->y) % grid->y_step;
    if (in_pass >= available || below >= grid->block_height) return;
    size_t size = (size_t)decoder->pixel_bytes;
    const uint8_t *from = decoder->image + (size_t)(y - below) * decoder->width * size;
    for (size_t x = grid->x; x < decoder->width; x += grid->x_step)
        for (size_t i = x; i < x + grid->block_width && i < decoder->width; i++)
            memcpy(filled + i * size, from + x * size, size);
}

const uint8_t *ilp_decoder_stored_row(ilp_decoder *decoder, uint32_t y, int passes, uint32_t in_pass) {
    size_t stride = (size_t)decoder->width * (size_t)decoder->pixel_bytes;
    if (!decoder->is_interlaced || passes == pass_count) return decoder->image + y * stride;
    for (int pass = 0; pass < passes; pass++) fill_blocks(decoder, &adam7[pass], y, UINT32_MAX, decoder->pixels);
    fill_blocks(decoder, &adam7[passes], y, in_pass, decoder->pixels);
    return decoder->pixels;
}

/* ---- whole streams and checksums ---- */

uint32_t ilp_crc32(uint32_t crc, const uint8_t *bytes, size_t count) { return crc32_gzip_refl(crc, bytes, count); }

bool ilp_inflate(const uint8_t *bytes, size_t count, uint8_t *output, size_t capacity, size_t *output_count) {
    if (count < 2 || count > UINT32_MAX || capacity > UINT32_MAX || header_error(bytes, 2)) return false;
    struct inflater *inflater = calloc(1, sizeof *inflater);
    if (!inflater) return false;
    struct inflate_state *state = &inflater->state;
    isal_inflate_init(state);
    state->crc_flag = ISAL_ZLIB_NO_HDR_VER;
    state->next_in = (uint8_t *)bytes + 2;   /* read only */
    state->avail_in = (uint32_t)count - 2;
    state->next_out = output;
    state->avail_out = (uint32_t)capacity;
    int code = isal_inflate(state);
    bool is_good = code >= 0 && state->avail_out <= capacity;
    *output_count = is_good ? capacity - state->avail_out : 0;
    free(inflater);
    return is_good;
}
