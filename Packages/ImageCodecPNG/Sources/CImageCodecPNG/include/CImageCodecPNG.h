#ifndef C_IMAGE_CODEC_PNG_H
#define C_IMAGE_CODEC_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- reading ---- */

/* What a row's pixels are to become. The gray layouts are for gray images; ILP_GRAY8 for those without alpha. */
typedef enum ilp_layout { ILP_RGBA8, ILP_GRAY8, ILP_GRAY_ALPHA8 } ilp_layout;

/* How the pixels of a file are stored. Valid combinations of depth and colour type only: the caller checks. */
typedef struct ilp_format {
    uint32_t width, height;       /* 1 to 2^31 - 1; the caller checks that rows fit in memory */
    uint8_t depth, color_type;    /* as in IHDR */
    bool is_interlaced;
    bool has_key;                 /* there is a transparent gray level or colour: the key, at the image's depth */
    uint16_t key[3];
    uint8_t palette[256][4];      /* RGBA; entries that the file does not have are opaque black */
} ilp_format;

typedef enum ilp_status {
    ILP_ROW,                      /* here is a row */
    ILP_HUNGRY,                   /* all bytes are used up, and more are needed */
    ILP_COMPLETE,                 /* all rows were there; bytes from now on mean nothing */
    ILP_SHORT,                    /* the compressed stream ended before the image */
    ILP_DAMAGED                   /* the data breaks the rules: see the message */
} ilp_status;

/* Turns the compressed bytes of IDAT chunks into rows of pixels. Belongs to one thread at a time. Reads and writes
   within its own buffers and the bytes it is given, whatever they hold. */
typedef struct ilp_rows ilp_rows;

/* When it keeps the rows, memory for the whole image is taken, which costs nothing until rows come. NULL when there is no
   memory. */
ilp_rows *ilp_rows_create(const ilp_format *format, ilp_layout layout, bool keeps);
void ilp_rows_destroy(ilp_rows *rows);

/* The next bytes, when those before are used up. They must stay where they are until that is so again. */
void ilp_rows_feed(ilp_rows *rows, const uint8_t *bytes, size_t count);

/* The next row: of a plain image `width` pixels, of an interlaced one a row of the present pass, which is of use only
   when rows are kept. Valid until the next call. */
ilp_status ilp_rows_next(ilp_rows *rows, const uint8_t **row);

/* Why the last status was ILP_DAMAGED, for people. */
const char *ilp_rows_message(const ilp_rows *rows);

/* Passes that are complete, of 7, or of 1 when the image is not interlaced; and rows of the pass in progress. */
int ilp_rows_passes(const ilp_rows *rows);
uint32_t ilp_rows_in_pass(const ilp_rows *rows);

/* Rows from the top of which something is known after `passes` complete passes and `in_pass` rows of the next. */
uint32_t ilp_rows_known(const ilp_rows *rows, int passes, uint32_t in_pass);

/* A kept row as it is known after these passes and rows, which must not be more than there were: pixels that had not
   come show the one of an earlier pass to whose block they belong. `y` is below ilp_rows_known. Valid until the next call. */
const uint8_t *ilp_rows_kept(ilp_rows *rows, uint32_t y, int passes, uint32_t in_pass);

/* CRC-32 of PNG chunks (ISO 3309), continued from `crc`; 0 to begin with. */
uint32_t ilp_crc32(uint32_t crc, const uint8_t *bytes, size_t count);

/* Inflates the beginning of a whole zlib stream: as many bytes as there are, at most `capacity`. False when it is damaged. */
bool ilp_inflate(const uint8_t *bytes, size_t count, uint8_t *inflated, size_t capacity, size_t *made);

/* ---- writing ---- */

/* libpng reports errors by longjmp. Every function below sets its own landing place and returns whether it worked, so that
   no frame of the caller is ever jumped over, and calls nothing of the caller's. A writer belongs to one thread at a time. */
typedef struct ilp_writer ilp_writer;

typedef struct ilp_writer_options {
    int width, height;
    bool has_alpha;          /* RGBA, else RGB: the fourth byte of each pixel is left out */
    bool is_interlaced;
    int compression_level;   /* zlib's, 0 to 9 */
} ilp_writer_options;

ilp_writer *ilp_writer_create(void);
void ilp_writer_destroy(ilp_writer *writer);

/* Writes a whole image from rows of RGBA8 without padding. The bytes belong to the writer. */
bool ilp_writer_write(
    ilp_writer *writer, ilp_writer_options options, const uint8_t *pixels, const uint8_t **bytes, size_t *count);

/* Text of the last failure, for people. */
const char *ilp_writer_message(const ilp_writer *writer);

#endif
