#ifndef CIMAGECODECAVIF_H
#define CIMAGECODECAVIF_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    avif_ok,
    avif_truncated,
    avif_malformed,
    avif_unsupported,
    avif_too_large,
    avif_out_of_memory,
} avif_outcome;

/* Reading. */

typedef struct {
    uint32_t pixels; /* width times height */
    uint32_t side;
    uint32_t frames;
} avif_limits;

typedef struct {
    uint32_t width, height; /* of the decoded image; also set if the outcome is avif_too_large */
    uint32_t crop_x, crop_y, crop_width, crop_height; /* the clean aperture, or the whole image */
    int depth;                                        /* bits per sample */
    int is_gray, chroma_shift_x, chroma_shift_y;
    int has_alpha;
    int rotation; /* quarter turns counterclockwise */
    int mirror;   /* 0: none, 1: top and bottom are exchanged, 2: left and right */
    int primaries, transfer, matrix, is_full_range; /* ITU-T H.273 */
    int frame_count;
    uint64_t timescale; /* units of a frame's duration per second */
    size_t profile_length; /* of the ICC profile, or 0 */
} avif_info;

typedef struct avif_reader avif_reader;

/* Copies the bytes and reads the container. Decodes no pixels. On failure, sets *reader to NULL. */
avif_outcome avif_reader_open(
    const uint8_t *bytes, size_t length, avif_limits limits, avif_reader **reader, avif_info *info);
void avif_reader_close(avif_reader *reader);

/* Copies the ICC profile to `profile`, which has space for its length. */
void avif_reader_copy_profile(const avif_reader *reader, uint8_t *profile);

/* Forgets the decoded frame, and the state after a failure. */
avif_outcome avif_reader_restart(avif_reader *reader);

/* Returns the last frame, not after `index`, that can be decoded without earlier ones. */
uint32_t avif_reader_nearest_keyframe(const avif_reader *reader, uint32_t index);

/* Decodes a frame, and the earlier ones that it needs. The next frame and the same frame again need no earlier ones.
   Fails if the size isn't that of the header; then only call avif_reader_restart or avif_reader_close. */
avif_outcome avif_reader_decode(avif_reader *reader, uint32_t index);

/* Converts rows of the decoded frame to straight RGBA with channels of 8 or 16 bits, without padding. Up to two rows
   above and one below are converted too, because chroma is interpolated between rows: the target has space for three
   additional rows. If the range starts and ends with odd numbers, only one is needed. Sets *skipped to the number of
   rows in the target before the first wanted one. */
avif_outcome avif_reader_rows(
    avif_reader *reader, int depth, uint32_t first_row, uint32_t row_count, uint8_t *rgba, uint32_t *skipped);

/* Converts rows of the cropped frame, made smaller by `divisor`, which is 2, 4 or 8, to the same. Ignores alpha. A row
   has ceil(crop_width / divisor) pixels, each the mean of a block. */
avif_outcome avif_reader_smaller_rows(
    avif_reader *reader, int depth, int divisor, uint32_t first_row, uint32_t row_count, uint8_t *rgba);

/* Writing. */

typedef struct {
    int speed;     /* 0 (best) to 10 (fastest) */
    int quantizer; /* 0 (best) to 63 */
    int is_lossless;
    int halves_chroma; /* 4:2:0, otherwise 4:4:4 */
    int has_alpha;
    int rotation, mirror; /* as in avif_info */
    int primaries, transfer; /* code points of H.273 */
    int loops;               /* 0 repeats forever; libavif before 1.0 doesn't write it */
} avif_settings;

typedef struct {
    uint8_t *bytes; /* owned by the caller, which calls avif_free */
    size_t length;
} avif_bytes;

void avif_free(avif_bytes *bytes);

typedef struct avif_writer avif_writer;

/* Creates a writer of images with this size, in which a second has `timescale` units. `profile` is an ICC profile, or
   NULL, and is copied. Returns NULL if memory is exhausted or there is no encoder. */
avif_writer *avif_writer_open(
    uint32_t width, uint32_t height, avif_settings settings, uint64_t timescale, const uint8_t *profile,
    size_t profile_length);
void avif_writer_close(avif_writer *writer);

/* Encodes a frame of RGBA pixels with straight alpha, 4 * width bytes per row. A duration of 0 is for a still image. */
avif_outcome avif_writer_add(avif_writer *writer, const uint8_t *rgba, uint64_t duration);
avif_outcome avif_writer_finish(avif_writer *writer, avif_bytes *file);

#endif
