#ifndef C_IMAGE_CODEC_JPEG_H
#define C_IMAGE_CODEC_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libjpeg reports errors by longjmp. Every function here sets its own landing place and returns a status instead,
   so that no frame of the caller is ever jumped over, and calls nothing of the caller's.
   A reader or writer belongs to one thread at a time. */

typedef enum ilj_status {
    ILJ_OK = 0,
    ILJ_MALFORMED,       /* the data breaks the rules: see ilj_reader_message */
    ILJ_TRUNCATED,       /* the data ends before the image does */
    ILJ_UNSUPPORTED,     /* lossless, 12 bits, an unknown colour model: see ilj_reader_message */
    ILJ_OUT_OF_MEMORY,   /* more than the budget, or malloc failed */
    ILJ_TOO_MANY_SCANS,
    ILJ_INCOMPLETE       /* a stream: append more, and call again */
} ilj_status;

typedef enum ilj_model { ILJ_GRAY, ILJ_COLOR, ILJ_CMYK, ILJ_OTHER } ilj_model;

typedef enum ilj_layout { ILJ_RGBA8, ILJ_GRAY8, ILJ_CMYK8 } ilj_layout;

typedef struct ilj_header {
    int width, height;
    ilj_model model;
    bool has_multiple_scans;
    bool is_progressive;
    uint64_t coefficient_bytes[4];  /* held for the whole image at 1, 1/2, 1/4, 1/8 when it has several scans, else 0 */
    const uint8_t *exif;          /* the reader's; starts with "Exif", 0, 0. NULL when there is none */
    size_t exif_length;
    size_t icc_length;            /* 0 when there is no profile, or not all of it */
} ilj_header;

typedef struct ilj_reader ilj_reader;

/* `bytes` must stay where they are as long as the reader is read from. NULL when there is no memory. */
ilj_reader *ilj_reader_create(const uint8_t *bytes, size_t count);

/* A file whose bytes come in by and by. Exif and profile are copied, `metadata_limit` bytes at most. NULL when there is no
   memory. */
ilj_reader *ilj_reader_create_stream(size_t metadata_limit);
ilj_status ilj_reader_append(ilj_reader *reader, const uint8_t *bytes, size_t count);

void ilj_reader_destroy(ilj_reader *reader);

/* Call first: once, or of a stream until it is no longer ILJ_INCOMPLETE. */
ilj_status ilj_reader_read_header(ilj_reader *reader, ilj_header *header);

/* Writes header.icc_length bytes, the chunks of APP2 joined in their numbered order (ICC.1, annex B.4). */
void ilj_reader_copy_icc(const ilj_reader *reader, uint8_t *profile);

typedef struct ilj_options {
    ilj_layout layout;
    int denominator;        /* 1, 2, 4 or 8 */
    long memory;            /* bytes that the library may take */
    int max_scans;          /* scans that may be read */
    bool prefers_speed;     /* below full size, leave out scans for less detail */
} ilj_options;

/* Call once, after the header. */
ilj_status ilj_reader_start(ilj_reader *reader, ilj_options options);
void ilj_reader_output_size(const ilj_reader *reader, int *width, int *height);

typedef enum ilj_progress { ILJ_WORKING, ILJ_NEEDS_BYTES, ILJ_DONE } ilj_progress;

/* Only for an image of several scans: reads a small part of them, up to 8 rows of blocks of one. Below full size leaves out
   scans that the size does not need, and is done as soon as all that it needs is there. */
ilj_status ilj_reader_read_scans(ilj_reader *reader, ilj_progress *progress);
int ilj_reader_scans_read(const ilj_reader *reader);

/* Only for an image of several scans: around reading all of its rows, or some, as the scans read so far tell them. */
ilj_status ilj_reader_start_pass(ilj_reader *reader);
ilj_status ilj_reader_end_pass(ilj_reader *reader);

/* Only for a stream of one scan, after bytes were appended: shows some more of them to the library, whose rows are to be read
   before the next call. False when there are no more. */
bool ilj_reader_expose(ilj_reader *reader);

/* Decodes up to `capacity` rows to `rows`, `stride` bytes apart. 0 rows once all are read, or a stream has no more.
   ILJ_TRUNCATED once all rows that a truncated file tells are read; those of this call come before it. */
ilj_status ilj_reader_read_rows(ilj_reader *reader, uint8_t *rows, size_t stride, int capacity, int *produced);

/* Text of the last failure, for people. */
const char *ilj_reader_message(const ilj_reader *reader);

typedef struct ilj_writer ilj_writer;

typedef struct ilj_writer_options {
    int width, height;
    int quality;                /* 1 to 100 */
    bool subsamples_chroma;     /* 4:2:0, else 4:4:4 */
    bool is_progressive;
    bool is_arithmetic;         /* arithmetic coding in place of Huffman's: few programs can read it */
} ilj_writer_options;

ilj_writer *ilj_writer_create(void);
void ilj_writer_destroy(ilj_writer *writer);
ilj_status ilj_writer_start(ilj_writer *writer, ilj_writer_options options);

/* `pixels` holds `count` rows of RGBA8 without padding; alpha is not looked at. */
ilj_status ilj_writer_write_rows(ilj_writer *writer, const uint8_t *pixels, int count);

/* After the last row. The bytes belong to the writer. */
ilj_status ilj_writer_finish(ilj_writer *writer, const uint8_t **bytes, size_t *count);
const char *ilj_writer_message(const ilj_writer *writer);

#endif
