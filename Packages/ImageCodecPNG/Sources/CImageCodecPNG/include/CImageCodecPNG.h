#ifndef C_IMAGE_CODEC_PNG_H
#define C_IMAGE_CODEC_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- reading ---- */

/* The layout of decoded pixels. The gray layouts are for gray images; ILP_GRAY8 for those without alpha. ILP_RGBA16 has
   numbers in the byte order of the processor. */
typedef enum ilp_layout { ILP_RGBA8, ILP_GRAY8, ILP_GRAY_ALPHA8, ILP_RGBA16 } ilp_layout;

/* The format of stored pixels. The caller checks that depth and color type are a valid combination. */
typedef struct ilp_format {
    uint32_t width, height;       /* 1 to 2^31 - 1; the caller checks that rows fit in memory */
    uint8_t depth, color_type;    /* as in IHDR */
    bool is_interlaced;
    bool has_key;                 /* whether there is a transparent gray level or color: the key, at the image's depth */
    uint16_t key[3];
    uint8_t palette[256][4];      /* RGBA; missing entries are opaque black */
} ilp_format;

typedef enum ilp_status {
    ILP_ROW,                      /* a row was decoded */
    ILP_NEEDS_INPUT,              /* all bytes have been read, and more are needed */
    ILP_COMPLETE,                 /* all rows have been decoded; further bytes are ignored */
    ILP_TRUNCATED,                /* the compressed stream ended before the image */
    ILP_MALFORMED                 /* see the message */
} ilp_status;

/* Decodes the compressed bytes of IDAT chunks to rows of pixels. Use it from one thread at a time. For any input, it
   only accesses its own buffers and the bytes it is given. */
typedef struct ilp_decoder ilp_decoder;

/* Creates a decoder. With `stores_rows`, it allocates memory for the whole image, which is not touched before rows are
   decoded. Returns NULL if memory is exhausted. */
ilp_decoder *ilp_decoder_create(const ilp_format *format, ilp_layout layout, bool stores_rows);
void ilp_decoder_destroy(ilp_decoder *decoder);

/* Sets the next bytes after all previous ones have been read. They must stay valid until they have been read. */
void ilp_decoder_feed(ilp_decoder *decoder, const uint8_t *bytes, size_t count);

/* Decodes the next row. Of an interlaced image it is a row of the current pass, to be used through stored rows only.
   The row is valid until the next call. */
ilp_status ilp_decoder_next_row(ilp_decoder *decoder, const uint8_t **row);

/* Returns the message for ILP_MALFORMED. */
const char *ilp_decoder_message(const ilp_decoder *decoder);

/* Return the number of complete passes, of 7 or 1, and of rows in the current pass. */
int ilp_decoder_passes(const ilp_decoder *decoder);
uint32_t ilp_decoder_rows_in_pass(const ilp_decoder *decoder);

/* Returns the number of available rows from the top after `passes` passes and `in_pass` rows of the next. */
uint32_t ilp_decoder_available_rows(const ilp_decoder *decoder, int passes, uint32_t in_pass);

/* Returns a stored row as it was after these passes and rows, which must have been decoded. Missing pixels are filled
   with the block of an earlier pass. `y` must be below the number of available rows. The row is valid until the next
   call. */
const uint8_t *ilp_decoder_stored_row(ilp_decoder *decoder, uint32_t y, int passes, uint32_t in_pass);

/* Draws a row of `count` bytes over another in the same layout. If it blends, it is composited by its alpha (PNG 3rd
   edition, 12.4), otherwise copied. */
void ilp_draw(const uint8_t *row, size_t count, ilp_layout layout, bool blends, uint8_t *below);

/* Updates the CRC-32 of a PNG chunk (ISO 3309). Start with 0. */
uint32_t ilp_crc32(uint32_t crc, const uint8_t *bytes, size_t count);

/* Inflates up to `capacity` bytes from the start of a complete zlib stream. Returns false if it is damaged. */
bool ilp_inflate(const uint8_t *bytes, size_t count, uint8_t *output, size_t capacity, size_t *output_count);

/* ---- writing ---- */

/* libpng reports errors with longjmp. Every function below calls setjmp and returns whether it succeeded, so that no
   frame of the caller is jumped over. Only `is_cancelled` is called back, before such a jump. Use a writer from one
   thread. */
typedef struct ilp_writer ilp_writer;

typedef struct ilp_writer_options {
    int width, height;
    size_t row_bytes;        /* the distance of the rows */
    bool has_alpha;          /* RGBA if true; RGB without the fourth byte of each pixel if false */
    bool is_interlaced;
    int compression_level;   /* zlib's, 0 to 9 */
    const uint8_t *palette;  /* RGBA colors, or NULL. With a palette, a pixel is an index, and has_alpha is not used */
    int palette_count;       /* 1 to 256 */
    const uint8_t *profile;  /* ICC, or NULL */
    size_t profile_length;
    bool (*is_cancelled)(void);  /* called for each row; true ends the work, as a failure */
} ilp_writer_options;

ilp_writer *ilp_writer_create(void);
void ilp_writer_destroy(ilp_writer *writer);

/* Writes a whole image from rows of RGBA8 or indices. The writer owns the bytes. */
bool ilp_writer_write(
    ilp_writer *writer, ilp_writer_options options, const uint8_t *pixels, const uint8_t **bytes, size_t *count);

/* Returns the message of the last failure. */
const char *ilp_writer_message(const ilp_writer *writer);

#endif
