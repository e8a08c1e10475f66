#ifndef C_IMAGE_CODEC_JPEG_H
#define C_IMAGE_CODEC_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libjpeg reports errors with longjmp. Every function here calls setjmp and returns a status, so that no frame of the
   caller is jumped over. Only `is_cancelled` is called back, before such a jump. Use a reader or writer from one thread at a time. */

typedef enum ilj_status {
    ILJ_OK = 0,
    ILJ_MALFORMED,       /* see ilj_reader_message */
    ILJ_TRUNCATED,       /* the data ends before the image */
    ILJ_UNSUPPORTED,     /* lossless, 12 bits, an unknown color model: see ilj_reader_message */
    ILJ_OUT_OF_MEMORY,   /* the memory limit was exceeded, or malloc failed */
    ILJ_TOO_MANY_SCANS,
    ILJ_INCOMPLETE,      /* append more bytes to the stream and call again */
    ILJ_CANCELLED        /* is_cancelled returned true */
} ilj_status;

typedef enum ilj_color_model { ILJ_GRAY, ILJ_COLOR, ILJ_CMYK, ILJ_OTHER } ilj_color_model;

typedef enum ilj_layout { ILJ_RGBA8, ILJ_GRAY8, ILJ_CMYK8 } ilj_layout;

typedef struct ilj_header {
    int width, height;
    ilj_color_model model;
    bool has_multiple_scans;
    bool is_progressive;
    uint64_t coefficient_bytes[4]; /* of all coefficients at 1, 1/2, 1/4, 1/8; 0 with one scan */
    int exif_count;                /* of ilj_reader_exif */
    size_t icc_length;             /* 0 if there is no complete profile */
    bool has_gain_map;
} ilj_header;

typedef struct ilj_reader ilj_reader;

/* Creates a reader of a file. `bytes` must stay valid until the reader is destroyed. Returns NULL if memory is
   exhausted. */
ilj_reader *ilj_reader_create(const uint8_t *bytes, size_t count);

/* Creates a reader of a stream. Up to `metadata_limit` bytes of Exif data and of the profile are copied. Returns NULL
   if memory is exhausted. */
ilj_reader *ilj_reader_create_stream(size_t metadata_limit);
ilj_status ilj_reader_append(ilj_reader *reader, const uint8_t *bytes, size_t count);

void ilj_reader_destroy(ilj_reader *reader);

/* Reads the header. Call it first; for a stream, until the result is not ILJ_INCOMPLETE. */
ilj_status ilj_reader_read_header(ilj_reader *reader, ilj_header *header);

/* Returns an Exif segment, in the order of the file. It starts with "Exif", 0, 0. The reader owns the bytes. */
const uint8_t *ilj_reader_exif(const ilj_reader *reader, int index, size_t *length);

/* Copies header.icc_length bytes of the profile, joined from the numbered APP2 chunks (ICC.1, annex B.4). */
void ilj_reader_copy_icc(const ilj_reader *reader, uint8_t *profile);

typedef struct ilj_options {
    ilj_layout layout;
    int denominator;        /* 1, 2, 4 or 8 */
    long memory;            /* the memory limit of libjpeg in bytes */
    int max_scans;          /* the maximum number of scans to read */
    bool prefers_speed;     /* below full size, skip scans with fine detail */
} ilj_options;

/* Starts decoding. Call it once, after the header. */
ilj_status ilj_reader_start(ilj_reader *reader, ilj_options options);
void ilj_reader_output_size(const ilj_reader *reader, int *width, int *height);

typedef enum ilj_progress { ILJ_WORKING, ILJ_NEEDS_BYTES, ILJ_DONE } ilj_progress;

/* Reads up to 8 block rows of the scans of an image with several scans. Below full size, it skips scans that the size
   does not need and is done once all needed scans have been read. */
ilj_status ilj_reader_read_scans(ilj_reader *reader, ilj_progress *progress);
int ilj_reader_scans_read(const ilj_reader *reader);

/* Start and end an output pass of an image with several scans. The rows in between are decoded from the scans read so
   far. */
ilj_status ilj_reader_start_pass(ilj_reader *reader);
ilj_status ilj_reader_end_pass(ilj_reader *reader);

/* Leaves out columns of the rows at full size. Call it after the start of decoding, or of an output pass. Sets `left` and
   `width` to the columns that are read, which include the wanted ones. */
ilj_status ilj_reader_crop(ilj_reader *reader, int *left, int *width);

/* Skips rows. */
ilj_status ilj_reader_skip_rows(ilj_reader *reader, int count);

/* Passes more available bytes of a stream with one scan to libjpeg. Read the available rows before the next call.
   Returns false if there are no more bytes. */
bool ilj_reader_feed_more(ilj_reader *reader);

/* Decodes up to `capacity` rows to `rows`, `stride` bytes apart. Sets *produced to 0 after the last row, or if a stream
   has no more rows. Returns ILJ_TRUNCATED with or after the last available row of a truncated file. */
ilj_status ilj_reader_read_rows(ilj_reader *reader, uint8_t *rows, size_t stride, int capacity, int *produced);

/* Returns the message of the last failure. */
const char *ilj_reader_message(const ilj_reader *reader);

typedef struct ilj_writer ilj_writer;

typedef struct ilj_writer_options {
    int width, height;
    int quality;                /* 1 to 100 */
    bool subsamples_chroma;     /* 4:2:0, else 4:4:4 */
    bool is_gray;               /* one component */
    bool is_progressive;
    bool is_arithmetic;         /* arithmetic coding, which few programs can read */
    const uint8_t *profile;     /* ICC, or NULL; read by ilj_writer_start only */
    size_t profile_length;
    bool (*is_cancelled)(void); /* called for each row of blocks; true ends the work */
} ilj_writer_options;

ilj_writer *ilj_writer_create(void);
void ilj_writer_destroy(ilj_writer *writer);
ilj_status ilj_writer_start(ilj_writer *writer, ilj_writer_options options);

/* Writes `count` rows of RGBA8 without padding. Alpha is ignored. */
ilj_status ilj_writer_write_rows(ilj_writer *writer, const uint8_t *pixels, int count);

/* Finishes the file after the last row. The writer owns the bytes. */
ilj_status ilj_writer_finish(ilj_writer *writer, const uint8_t **bytes, size_t *count);
const char *ilj_writer_message(const ilj_writer *writer);

#endif
