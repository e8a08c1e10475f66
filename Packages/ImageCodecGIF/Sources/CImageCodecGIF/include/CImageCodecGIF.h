#ifndef CIMAGECODECGIF_H
#define CIMAGECODECGIF_H

#include <stddef.h>
#include <stdint.h>

/* Reading: giflib reads the records of a file in memory. Pixel data is skipped, never decompressed. */

typedef enum {
    gif_record_image,
    gif_record_truncated_image, /* an image with incomplete data; the last record */
    gif_record_graphic_control,
    gif_record_loop,
    gif_record_plain_text,
    gif_record_other,
    gif_record_end,
    gif_record_no_trailer, /* the file ends between two records */
    gif_record_truncated,
    gif_record_malformed,
} gif_record_kind;

typedef struct {
    gif_record_kind kind;
    /* gif_record_image, gif_record_truncated_image */
    int left, top, width, height;
    int is_interlaced;
    int palette_count;     /* entries of the local palette; 0 if there is none */
    size_t palette_offset; /* in the file */
    size_t data_offset;    /* of the LZW code size byte, before the sub-blocks */
    int is_empty;          /* the data has no pixel: no sub-blocks, or no code before the end code */
    /* gif_record_graphic_control */
    int disposal;
    int delay;             /* hundredths of a second */
    int transparent_index; /* -1 if there is none */
    /* gif_record_loop: repetitions after the first play; 0 loops forever */
    int repetitions;
} gif_record;

typedef struct gif_reader gif_reader;

/* Reads the signature, the screen descriptor and the global palette. The bytes must stay valid until gif_reader_close.
   Returns NULL on failure and sets *failure to gif_record_truncated or gif_record_malformed. */
gif_reader *gif_reader_open(const uint8_t *bytes, size_t length, gif_record_kind *failure);
void gif_reader_close(gif_reader *reader);

int gif_reader_width(const gif_reader *reader);
int gif_reader_height(const gif_reader *reader);
/* Returns the number of entries of the global palette, which starts at byte 13. Returns 0 if there is none. */
int gif_reader_palette_count(const gif_reader *reader);

/* Reads the next record. Further records can follow an image or an extension. */
gif_record gif_reader_next(gif_reader *reader);

/* Decompressing. */

typedef struct gif_lzw gif_lzw;

typedef enum {
    gif_lzw_ok,
    gif_lzw_truncated, /* the codes end before the image is complete */
    gif_lzw_malformed,
    gif_lzw_out_of_memory,
} gif_lzw_outcome;

/* Returns NULL if memory is exhausted. Call gif_lzw_start next. */
gif_lzw *gif_lzw_open(void);
void gif_lzw_close(gif_lzw *lzw);

/* Starts the image whose LZW code size byte is at `offset`. Returns gif_lzw_malformed if it is not from 1 to 11. */
gif_lzw_outcome gif_lzw_start(gif_lzw *lzw, const uint8_t *bytes, size_t length, size_t offset);

/* Writes the next `count` indices to `row` and sets *filled to their number. Bytes and length as in gif_lzw_start. */
gif_lzw_outcome gif_lzw_read(
    gif_lzw *lzw, const uint8_t *bytes, size_t length, uint8_t *row, size_t count, size_t *filled);

/* Returns whether the data at `offset`, as for gif_lzw_start, ends before the first pixel. */
int gif_lzw_is_empty(const uint8_t *bytes, size_t length, size_t offset);

/* Sets pixels to the colors of their indices, except for `transparent` (-1: none). `colors` has 256 entries.
   `canvas` is aligned for uint32_t. */
void gif_paint(const uint8_t *indices, size_t count, const uint32_t *colors, int transparent, void *canvas);

/* Writing. All functions return 0 on failure. After that, only gif_writer_close may be called. */

typedef struct gif_writer gif_writer;

/* repetitions: -1 to omit the loop extension, 0 to loop forever. */
gif_writer *gif_writer_open(int width, int height, int repetitions);

typedef struct {
    int left, top, width, height;
    int is_interlaced;
    int disposal;
    int delay;             /* hundredths of a second */
    int transparent_index; /* -1: none */
    int palette_count;     /* a power of two from 2 to 256 */
} gif_writer_frame;

/* rgb: 3 * palette_count bytes. indices: width * height bytes below palette_count, from the top left. */
int gif_writer_put(gif_writer *writer, const gif_writer_frame *frame, const uint8_t *rgb, const uint8_t *indices);

/* Finishes the file. The writer owns the bytes. */
int gif_writer_finish(gif_writer *writer, const uint8_t **bytes, size_t *length);
void gif_writer_close(gif_writer *writer);

#endif
