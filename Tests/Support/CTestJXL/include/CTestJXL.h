#ifndef CTESTJXL_H
#define CTESTJXL_H

#include <stddef.h>
#include <stdint.h>

/* Writes JPEG XL files in codings that JXLEncoder doesn't offer. */

typedef struct {
    uint32_t width, height;
    int channels;            /* 1 to 4: gray, gray and alpha, RGB, RGB and alpha */
    int bits;                /* 8 to 16 */
    int is_lossless;         /* or else distance 1 */
    int is_modular;          /* lossy without blocks */
    int effort;
    int is_progressive;      /* several passes, or several resolutions */
    int keeps_order;         /* 0: the groups are stored from the center */
    int resampling;          /* 0 for 1, or 2, 4, 8 */
    int patches;
    int uses_container;
    int orientation;
    int extra_channel;       /* type of an additional channel, or -1 */
    /* Color: as in JxlColorEncoding; 0 for sRGB. */
    int primaries, transfer;
    double gamma;
    const uint8_t *profile;
    size_t profile_length;
    /* Animation: 0 ticks a second for a still image. */
    uint32_t ticks_numerator, ticks_denominator, loops;
} test_jxl_options;

typedef struct {
    uint32_t duration;
    int x, y;                /* position of the frame on the canvas */
    uint32_t width, height;
    int blend_mode;          /* as in JxlBlendMode */
    int source, saved_slot;
} test_jxl_frame;

typedef struct test_jxl_writer test_jxl_writer;

test_jxl_options test_jxl_defaults(uint32_t width, uint32_t height, int channels);

/* Returns NULL if libjxl rejects the options. */
test_jxl_writer *test_jxl_open(const test_jxl_options *options);
/* Adds a frame of 16-bit samples (8 to 16 bits, in the options' bits). `frame` is NULL for the whole canvas.
   `name` can be empty. */
int test_jxl_add(
    test_jxl_writer *writer, const void *samples, size_t length, const test_jxl_frame *frame, const char *name);
/* Adds a JPEG file that can be restored from the JPEG XL file. */
int test_jxl_add_jpeg(test_jxl_writer *writer, const uint8_t *bytes, size_t length);
/* Ends the file. Returns its bytes, which the caller frees, or NULL on failure. */
uint8_t *test_jxl_finish(test_jxl_writer *writer, size_t *length);
void test_jxl_close(test_jxl_writer *writer);

#endif
