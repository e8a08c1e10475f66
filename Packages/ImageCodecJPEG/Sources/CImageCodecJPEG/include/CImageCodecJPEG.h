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
    ILJ_TRUNCATED,       /* the data ends before the picture does */
    ILJ_UNSUPPORTED,     /* lossless, 12 bits, an unknown colour model: see ilj_reader_message */
    ILJ_OUT_OF_MEMORY,   /* more than the budget, or malloc failed */
    ILJ_TOO_MANY_SCANS
} ilj_status;

typedef enum ilj_model { ILJ_GRAY, ILJ_COLOR, ILJ_CMYK, ILJ_OTHER } ilj_model;

typedef enum ilj_layout { ILJ_RGBA8, ILJ_GRAY8, ILJ_CMYK8 } ilj_layout;

typedef struct ilj_header {
    int width, height;
    ilj_model model;
    bool has_multiple_scans;
    uint64_t coefficient_bytes;   /* held for the whole picture when it has several scans, else 0 */
    const uint8_t *exif;          /* within the bytes given; starts with "Exif", 0, 0. NULL when there is none */
    size_t exif_length;
    size_t icc_length;            /* 0 when there is no profile, or not all of it */
} ilj_header;

typedef struct ilj_reader ilj_reader;

/* `bytes` must stay where they are as long as the reader is read from. NULL when there is no memory. */
ilj_reader *ilj_reader_create(const uint8_t *bytes, size_t count);
void ilj_reader_destroy(ilj_reader *reader);

/* Call once, first. */
ilj_status ilj_reader_read_header(ilj_reader *reader, ilj_header *header);

/* Writes header.icc_length bytes, the chunks of APP2 joined in their numbered order (ICC.1, annex B.4). */
void ilj_reader_copy_icc(const ilj_reader *reader, uint8_t *profile);

/* Call once, after the header. `denominator` is 1, 2, 4 or 8. A picture of several scans is read to its end here. */
ilj_status ilj_reader_start(ilj_reader *reader, ilj_layout layout, int denominator, long memory, int max_scans);
void ilj_reader_output_size(const ilj_reader *reader, int *width, int *height);

/* Decodes up to `capacity` rows to `rows`, `stride` bytes apart. 0 rows once all are read. */
ilj_status ilj_reader_read_rows(ilj_reader *reader, uint8_t *rows, size_t stride, int capacity, int *produced);

int ilj_reader_scan_number(const ilj_reader *reader);

/* Text of the last failure, for people. */
const char *ilj_reader_message(const ilj_reader *reader);

typedef struct ilj_writer ilj_writer;

typedef struct ilj_writer_options {
    int width, height;
    int quality;                /* 1 to 100 */
    bool subsamples_chroma;     /* 4:2:0, else 4:4:4 */
    bool is_progressive;
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
