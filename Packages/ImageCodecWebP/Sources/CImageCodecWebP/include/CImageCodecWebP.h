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
    int frame_count;
} webp_file;

/* Checks the container from end to end, and the headers of its images; decodes no pixel. When it is truncated, `file` is
   filled in as far as it can be told: width is 0 when the canvas can't. */
webp_outcome webp_inspect(const uint8_t *bytes, size_t length, webp_file *file);

typedef struct {
    int width, height, has_alpha, is_lossless;
} webp_picture;

/* The header of one image: a file, or the data of one frame. */
webp_outcome webp_read_header(const uint8_t *bytes, size_t length, webp_picture *image);

/* Decodes one image, whose header told width and height, to straight RGBA: width times height times 4 bytes. */
webp_outcome webp_decode(const uint8_t *bytes, size_t length, int width, int height, uint8_t *rgba);

/* Sets the alpha of this many pixels to 255. */
void webp_make_opaque(uint8_t *rgba, size_t pixels);

/* Decoding of one image whose bytes are there in part. */

typedef struct webp_session webp_session;

/* The image's header told width and height. rgba: as for webp_decode, valid until webp_session_close. NULL when there is
   no memory. */
webp_session *webp_session_open(int width, int height, int makes_opaque, uint8_t *rgba);
void webp_session_close(webp_session *session);

/* Goes on with the image's first `length` bytes, those before among them. `rows` tells how many rows from the top are there.
   webp_truncated while more bytes are needed; after any other outcome the session is only good for webp_session_close. */
webp_outcome webp_session_update(webp_session *session, const uint8_t *bytes, size_t length, int *rows);

/* Writing. */

typedef struct {
    float quality; /* 0 to 100 */
    int is_lossless;
} webp_settings;

typedef struct {
    uint8_t *bytes; /* owned by the receiver, who calls webp_free */
    size_t length;
} webp_bytes;

void webp_free(webp_bytes *bytes);

/* Encodes a part of straight RGBA pixels, whose rows lie `stride` bytes apart. On failure the return value is
   libwebp's WebPEncodingError, and `encoded` is empty. */
int webp_encode(const uint8_t *rgba, int stride, int width, int height, webp_settings settings, webp_bytes *encoded);

typedef struct webp_animation webp_animation;

/* NULL when memory is short. loop_count 0 is for ever. */
webp_animation *webp_animation_open(int width, int height, int loop_count);
/* Adds an image that replaces the canvas at x and y, which are even. Its bytes are copied. 0 on failure. */
int webp_animation_add(webp_animation *animation, const webp_bytes *image, int x, int y, int milliseconds);
int webp_animation_finish(webp_animation *animation, webp_bytes *file);
void webp_animation_close(webp_animation *animation);

#endif
