#ifndef CIMAGECODECGIF_H
#define CIMAGECODECGIF_H

#include <stddef.h>
#include <stdint.h>

/* Reading: giflib walks the records of a file in memory. Pixel data is stepped over, never decompressed. */

typedef enum {
    gif_record_image,
    gif_record_cut_image, /* an image whose data is cut off; nothing follows */
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
    /* gif_record_image, gif_record_cut_image */
    int left, top, width, height;
    int is_interlaced;
    int palette_count;     /* entries of the local palette, 0 when there is none */
    size_t palette_offset; /* where in the file it starts */
    size_t data_offset;    /* of the LZW code size; the sub-blocks follow it */
    /* gif_record_graphic_control */
    int disposal;
    int delay;             /* hundredths of a second */
    int transparent_index; /* -1 when there is none */
    /* gif_record_loop: repetitions after the first play, 0 is for ever */
    int repetitions;
} gif_record;

typedef struct gif_walker gif_walker;

/* Reads signature, screen and global palette. The bytes have to stay where they are until gif_walker_close.
   NULL and a kind in *failure (truncated or malformed) when that fails. */
gif_walker *gif_walker_open(const uint8_t *bytes, size_t length, gif_record_kind *failure);
void gif_walker_close(gif_walker *walker);

int gif_walker_width(const gif_walker *walker);
int gif_walker_height(const gif_walker *walker);
/* Entries of the global palette, which starts at byte 13; 0 when there is none. */
int gif_walker_palette_count(const gif_walker *walker);

/* The next record. After an image or any kind of extension there may be another. */
gif_record gif_walker_next(gif_walker *walker);

/* Decompressing. */

typedef struct gif_lzw gif_lzw;

typedef enum {
    gif_lzw_ok,
    gif_lzw_truncated, /* the codes end before the pixels */
    gif_lzw_malformed,
} gif_lzw_outcome;

/* NULL when there is no memory. Only good for gif_lzw_start and gif_lzw_close. */
gif_lzw *gif_lzw_open(void);
void gif_lzw_close(gif_lzw *lzw);

/* Begins with the image whose LZW code size lies at `offset`. Malformed when that is not from 1 to 11. */
gif_lzw_outcome gif_lzw_start(gif_lzw *lzw, const uint8_t *bytes, size_t length, size_t offset);

/* Writes the next `count` indices to `row`; `filled` tells how many there were. Same bytes and length as at the start. */
gif_lzw_outcome gif_lzw_read(
    gif_lzw *lzw, const uint8_t *bytes, size_t length, uint8_t *row, size_t count, size_t *filled);

/* Sets pixels to the colours of their indices; pixels whose index is `transparent` (-1: none) stay. `colors` has 256. */
void gif_paint(const uint8_t *indices, size_t count, const uint32_t *colors, int transparent, uint32_t *pixels);

/* Writing. Every function returns 0 when giflib or memory failed; the writer is then only good for gif_writer_close. */

typedef struct gif_writer gif_writer;

/* repetitions: -1 writes no loop extension, 0 is for ever. */
gif_writer *gif_writer_open(int width, int height, int repetitions);

typedef struct {
    int left, top, width, height;
    int is_interlaced;
    int disposal;
    int delay;             /* hundredths of a second */
    int transparent_index; /* -1: none */
    int palette_count;     /* a power of two from 2 to 256 */
} gif_writer_frame;

/* rgb: palette_count times 3 bytes. indices: width times height bytes, from the top, below palette_count. */
int gif_writer_put(gif_writer *writer, const gif_writer_frame *frame, const uint8_t *rgb, const uint8_t *indices);

/* Ends the file. Its bytes belong to the writer. */
int gif_writer_finish(gif_writer *writer, const uint8_t **bytes, size_t *length);
void gif_writer_close(gif_writer *writer);

#endif
