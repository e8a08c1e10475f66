#ifndef CIMAGECODECGIF_H
#define CIMAGECODECGIF_H

#include <stddef.h>
#include <stdint.h>

/* Reading: giflib walks the records of a file in memory. Pixel data is stepped over, never decompressed. */

typedef enum {
    gif_record_image,
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
    /* gif_record_image */
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
