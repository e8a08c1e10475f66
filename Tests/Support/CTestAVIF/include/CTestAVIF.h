#ifndef CTESTAVIF_H
#define CTESTAVIF_H

#include <stddef.h>
#include <stdint.h>

/* Writes AVIF files in codings that the package's encoder doesn't offer, with libavif and aom. */

typedef struct {
    uint32_t width, height;
    int depth;  /* 8, 10 or 12 */
    int format; /* 400, 420, 422 or 444 */
    int is_full_range;
    int primaries, transfer, matrix; /* ITU-T H.273 */
    int has_alpha, is_premultiplied;
    int rotation; /* of 'irot', or -1 */
    int mirror;   /* of 'imir': 0 exchanges top and bottom, 1 left and right, -1 for none */
    uint32_t crop_x, crop_y, crop_width, crop_height; /* the clean aperture; width 0 for none */
    int frame_count;                                  /* luma is brighter by 1 in each further frame */
    uint32_t timescale, durations[8];
} test_avif_settings;

/* Writes a lossless file. Planes have no padding, and aren't used where there are none. Returns the bytes of the file, to
   be freed with test_avif_free, or NULL. */
uint8_t *test_avif_write(
    test_avif_settings settings, const uint16_t *y, const uint16_t *u, const uint16_t *v, const uint16_t *a,
    const uint8_t *profile, size_t profile_length, const uint8_t *exif, size_t exif_length, size_t *length);
void test_avif_free(uint8_t *bytes);

/* Decodes a frame and converts the whole image at once to straight RGBA, 4 * width * height bytes. Returns 0 on
   failure. */
int test_avif_read(const uint8_t *bytes, size_t length, uint32_t frame, uint8_t *rgba, size_t rgba_length);

#endif
