#ifndef CIMAGECODECHEIF_H
#define CIMAGECODECHEIF_H

#include <stddef.h>
#include <stdint.h>

/* The names start with heic_, because those of libheif start with heif_. */

typedef enum {
    heic_ok,
    heic_malformed,
    heic_unsupported,
    heic_out_of_memory,
} heic_outcome;

/* Planes. */

typedef struct {
    int width, height; /* of the luma plane, in samples */
    int across, down;  /* luma samples per chroma sample, each 1 or 2; 0 if there is no chroma */
    int bit_depth;     /* 8 to 12. Samples of more than 8 bits are 16-bit numbers */
} heic_format;

/* The color in HEVC data, in code points of H.273. 2 is unspecified. */
typedef struct {
    int primaries, transfer, matrix, is_full_range;
} heic_color;

/* Consecutive rows of an image: one luma plane, and two chroma planes or none. */
typedef struct heic_planes heic_planes;

/* Decodes one picture with libde265. `sets` has parameter sets and `slices` has slices: NAL units, each after its length in four
   big-endian bytes. The picture must have this format. Sets *planes, whose samples are those of libde265, without a copy. */
heic_outcome heic_planes_decode(
    const uint8_t *sets, size_t sets_length, const uint8_t *slices, size_t slices_length, heic_format format,
    heic_planes **planes);

/* Creates planes without rows, for images of this format, with memory for `capacity` rows. Returns NULL if memory is exhausted. */
heic_planes *heic_planes_create(heic_format format, int capacity);

void heic_planes_close(heic_planes *planes);

/* The color of decoded planes. */
heic_color heic_planes_color(const heic_planes *planes);

/* Copies `tile` to column `x`, below the rows that are present. Drops what is beyond the right and bottom edge of the image. Returns 0
   if the formats differ or the rows don't fit. */
int heic_planes_paste(heic_planes *planes, const heic_planes *tile, int x);

/* Makes `count` pasted rows present. */
void heic_planes_add_rows(heic_planes *planes, int count);

/* Removes the rows above row `row` of the image, or one row less, because chroma rows can belong to two rows. */
void heic_planes_remove_rows(heic_planes *planes, int row);

/* Sequences. */

/* Decodes the pictures of a sequence in the order of their data. */
typedef struct heic_stream heic_stream;

/* Opens a stream with parameter sets, as for heic_planes_decode. All pictures have this format. The stream holds up to `picture_limit`
   pictures. Returns NULL if memory is exhausted or the sets are invalid. */
heic_stream *heic_stream_open(const uint8_t *sets, size_t sets_length, heic_format format, int picture_limit);

void heic_stream_close(heic_stream *stream);

/* Decodes the next picture. Sets *planes to a copy of it, unless `planes` is NULL. After a failure, the stream can only be closed. */
heic_outcome heic_stream_decode(heic_stream *stream, const uint8_t *slices, size_t length, heic_planes **planes);

/* Conversion. */

typedef struct {
    int left, top, width, height; /* the part to convert, in luma samples, within the image */
    int is_premultiplied;
    int is_deep; /* whether channels have 16 bits in the byte order of the processor, or 8 bits */
    float red[4], green[4], blue[4]; /* factors of luma and of both chroma samples, and an offset. White is 255 or 65,535 */
} heic_conversion;

/* Converts rows of the part from `first_row` on to RGBA with straight alpha.

   The luma rows must be present, and with subsampled chroma one more above and below, if the image has them. `alpha` is NULL, or has
   the same size. `rgba` has memory for `row_count` rows. Returns 0 if memory is exhausted. */
int heic_convert(
    const heic_planes *color, const heic_planes *alpha, const heic_conversion *conversion, int first_row, int row_count,
    uint8_t *rgba);

/* Writing. */

typedef struct {
    int width, height;
    int quality; /* 0 to 100 */
    int is_lossless, has_alpha;
    int orientation;        /* as in Exif, 1 to 8 */
    int primaries, transfer; /* code points of H.273 */
    const uint8_t *profile; /* an ICC profile, or NULL */
    size_t profile_length;
} heic_settings;

typedef struct {
    uint8_t *bytes; /* owned by the caller, which calls heic_free */
    size_t length;
} heic_bytes;

void heic_free(heic_bytes *bytes);

/* Encodes RGBA pixels with straight alpha, without padding between rows. On failure, returns libheif's heif_error_code, and leaves
   `encoded` empty. */
int heic_encode(const uint8_t *rgba, const heic_settings *settings, heic_bytes *encoded);

#endif
