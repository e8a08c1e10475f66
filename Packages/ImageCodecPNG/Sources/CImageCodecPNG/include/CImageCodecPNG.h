#ifndef C_IMAGE_CODEC_PNG_H
#define C_IMAGE_CODEC_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libpng reports errors by longjmp. Every function here sets its own landing place and returns a status instead,
   so that no frame of the caller is ever jumped over, and calls nothing of the caller's.
   A reader or writer belongs to one thread at a time. */

typedef enum ilp_status {
    ILP_OK = 0,
    ILP_MALFORMED,       /* the data breaks the rules: see the message */
    ILP_TRUNCATED,       /* the data ends before the picture does */
    ILP_OUT_OF_MEMORY
} ilp_status;

typedef enum ilp_layout { ILP_RGBA8, ILP_GRAY8, ILP_GRAY_ALPHA8 } ilp_layout;

typedef struct ilp_header {
    int width, height;
    bool is_gray;
    bool has_alpha;          /* an alpha channel or tRNS */
    bool is_interlaced;
    const uint8_t *icc;      /* belongs to the reader; NULL when there is no profile or it is broken */
    size_t icc_length;
} ilp_header;

typedef struct ilp_reader ilp_reader;

/* `bytes` must stay where they are as long as the reader is read from. Chunks that need more than `metadata_limit` bytes
   are left out. NULL when there is no memory. */
ilp_reader *ilp_reader_create(const uint8_t *bytes, size_t count, size_t metadata_limit);
void ilp_reader_destroy(ilp_reader *reader);

/* Call once, first. */
ilp_status ilp_reader_read_header(ilp_reader *reader, ilp_header *header);

/* Call once, after the header. The gray layouts are for gray pictures. */
ilp_status ilp_reader_start(ilp_reader *reader, ilp_layout layout, size_t *row_bytes);

/* The next `count` rows of a picture that is not interlaced. */
ilp_status ilp_reader_read_rows(ilp_reader *reader, uint8_t *rows, int count);

/* All rows of an interlaced picture. */
ilp_status ilp_reader_read_interlaced(ilp_reader *reader, uint8_t *rows);

/* After the last row: reads up to the end chunk. */
ilp_status ilp_reader_finish(ilp_reader *reader);

/* Text of the last failure, for people. */
const char *ilp_reader_message(const ilp_reader *reader);

typedef struct ilp_writer ilp_writer;

typedef struct ilp_writer_options {
    int width, height;
    bool has_alpha;          /* RGBA, else RGB: the fourth byte of each pixel is left out */
    bool is_interlaced;
    int compression_level;   /* zlib's, 0 to 9 */
} ilp_writer_options;

ilp_writer *ilp_writer_create(void);
void ilp_writer_destroy(ilp_writer *writer);

/* Writes a whole picture from rows of RGBA8 without padding. The bytes belong to the writer. */
ilp_status ilp_writer_write(
    ilp_writer *writer, ilp_writer_options options, const uint8_t *pixels, const uint8_t **bytes, size_t *count);
const char *ilp_writer_message(const ilp_writer *writer);

#endif
