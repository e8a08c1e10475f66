#ifndef CIMAGECODECWEBP_H
#define CIMAGECODECWEBP_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    webp_ok,
    webp_truncated,
    webp_malformed,
    webp_unsupported,
    webp_out_of_memory,
} webp_outcome;

/* Reading. */

typedef struct {
    int width, height; /* of the canvas */
    int is_animated, has_alpha, has_profile, has_exif;
    int loop_count;
} webp_file;

/* Checks the whole container and the headers of its images. Decodes no pixels. If the file is truncated, the available
   fields of `file` are set; width is 0 if the canvas is unknown. */
webp_outcome webp_inspect(const uint8_t *bytes, size_t length, webp_file *file);

typedef struct {
    int width, height, has_alpha, is_lossless;
} webp_image;

/* Reads the header of an image: a file, or the data of a frame. */
webp_outcome webp_read_header(const uint8_t *bytes, size_t length, webp_image *image);

/* Decodes an image to RGBA with straight alpha, in rows that are `stride` bytes apart. Fails if its rows, the last one
   without padding, take more than `size` bytes. */
webp_outcome webp_decode(const uint8_t *bytes, size_t length, uint8_t *rgba, size_t stride, size_t size);

/* The bytes of the planes of a lossy image: luma, then both chroma planes, whose sides are halved and rounded up. */
size_t webp_planes_length(int width, int height);

/* Decodes a lossy image of this size to its planes. */
webp_outcome webp_decode_planes(const uint8_t *bytes, size_t length, int width, int height, uint8_t *planes);

/* Writes a row of the image with half the sides, rounded up, as opaque RGBA. Each pixel has the mean of its samples of
   luma, and one sample of each chroma plane. */
void webp_half_row(const uint8_t *planes, int width, int height, int row, uint8_t *rgba);

/* Composites RGBA pixels over those of `below`, both with straight alpha, rounded to the nearest. */
void webp_blend(const uint8_t *rgba, size_t count, uint8_t *below);

/* Sets the alpha of `pixels` pixels to 255. */
void webp_make_opaque(uint8_t *rgba, size_t pixels);

/* Decoding an image from a part of its bytes. */

typedef struct webp_session webp_session;

typedef enum {
    webp_output_rgba,
    webp_output_opaque, /* RGBA with alpha 255 */
    webp_output_planes, /* as for webp_decode_planes */
} webp_output;

/* Creates a session. Width and height are from the image's header. `memory` has space for the output without padding,
   and must stay valid until webp_session_close. Returns NULL if memory is exhausted. */
webp_session *webp_session_open(int width, int height, webp_output output, uint8_t *memory);
void webp_session_close(webp_session *session);

/* Decodes the first `length` bytes of the image, including those of earlier calls. Sets *rows to the number of decoded
   rows from the top. Returns webp_truncated if more bytes are needed. After any other result, only call
   webp_session_close. */
webp_outcome webp_session_update(webp_session *session, const uint8_t *bytes, size_t length, int *rows);

/* Writing. */

typedef struct {
    float quality; /* 0 to 100 */
    int is_lossless;
    int effort; /* 0 to 6 */
    int (*is_cancelled)(void); /* called for each percent; not 0 ends the work */
} webp_settings;

typedef struct {
    uint8_t *bytes; /* owned by the caller, which calls webp_free */
    size_t length;
} webp_bytes;

void webp_free(webp_bytes *bytes);

/* Encodes RGBA pixels with straight alpha, in rows that are `stride` bytes apart. On failure, returns libwebp's
   WebPEncodingError and leaves `encoded` empty. */
int webp_encode(const uint8_t *rgba, int stride, int width, int height, webp_settings settings, webp_bytes *encoded);

/* Adds an ICC profile to a file. Returns 0 on failure. */
int webp_add_profile(webp_bytes *file, const uint8_t *profile, size_t length);

typedef struct webp_animation webp_animation;

/* Creates an animation; loop_count 0 loops forever. Returns NULL if memory is exhausted. */
webp_animation *webp_animation_open(int width, int height, int loop_count);
/* Adds an image that replaces the canvas at x and y, which must be even. Copies its bytes. Returns 0 on failure. */
int webp_animation_add(webp_animation *animation, const webp_bytes *image, int x, int y, int milliseconds);
int webp_animation_finish(webp_animation *animation, webp_bytes *file);
void webp_animation_close(webp_animation *animation);

#endif
