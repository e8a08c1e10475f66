#ifndef CIMAGECODECJXL_H
#define CIMAGECODECJXL_H

#include <stddef.h>
#include <stdint.h>

/* Reading. */

/* libjxl's decoder. */
typedef struct JxlDecoderStruct jxl_decoder;

typedef enum {
    jxl_needs_input,   /* all input was read */
    jxl_has_header,    /* size, color and channels are known: call jxl_read_header */
    jxl_needs_output,  /* call jxl_set_output, or the frame fails */
    jxl_frame_done,    /* the output is complete; more input continues with the next frame */
    jxl_finished,      /* there are no more frames */
    jxl_failed,        /* libjxl rejected the data; only call jxl_close */
} jxl_event;

/* Creates a decoder for a codestream without container. It keeps the stored orientation and outputs straight alpha. Layers
   are composed, or are frames of their own. Returns NULL if memory is exhausted. */
jxl_decoder *jxl_open(int composes_layers);
void jxl_close(jxl_decoder *decoder);

/* Starts again at the first byte of the codestream. Delivers no frame before number `frame`. */
int jxl_restart(jxl_decoder *decoder, size_t frame);
/* Skips frames after the current one. Call it only after jxl_frame_done. */
void jxl_skip(jxl_decoder *decoder, size_t frames);
/* Skips the rest of the current frame, also of a hidden one. Returns 0 if its table of contents is incomplete. */
int jxl_skip_rest(jxl_decoder *decoder);

/* Reads input until an event. Sets *used to the number of bytes that were read. Pass the other bytes again in the next
   call, which continues after the event. */
jxl_event jxl_process(jxl_decoder *decoder, const uint8_t *bytes, size_t length, size_t *used);

/* Sets the memory of the current frame: rows of channels of 8 or 16 bits without padding. One channel is gray, two are gray
   and alpha, four are RGBA. `length` is at least that of the image. The memory is used until jxl_frame_done, or until the decoder
   is restarted or closed. */
int jxl_set_output(jxl_decoder *decoder, int channels, int depth, uint8_t *pixels, size_t length);

/* Writes the decoded part of the current frame to the output. Returns 0 if nothing can be shown. */
int jxl_flush(jxl_decoder *decoder);

typedef enum { jxl_transfer_srgb, jxl_transfer_gamma, jxl_transfer_pq, jxl_transfer_hlg } jxl_transfer;

typedef struct {
    uint32_t width, height, preview_width, preview_height;
    int orientation;                                                         /* as in Exif, 1 to 8 */
    int has_preview, has_animation, has_timecodes, is_xyb, is_gray, has_alpha, is_premultiplied;
    int has_black;                                                           /* the image is CMYK */
    uint32_t extra_channels;                                                 /* including alpha */
    uint32_t ticks_numerator, ticks_denominator, loops;                      /* of an animation */
    int has_profile;                                                         /* the output has the stored ICC profile */
    size_t profile_length;
    jxl_transfer transfer;                                                   /* of the output without a profile */
    double gamma;                                                            /* exponent of jxl_transfer_gamma */
    double white[2], red[2], green[2], blue[2];
    float intensity_target;                                                  /* of the brightest pixel in cd/m² */
} jxl_header;

/* Returns the header after jxl_has_header. If the color space of the output can be chosen, it is the stored one with the
   transfer function of sRGB, PQ or HLG, or Display P3 in place of a profile. Returns 0 if
   libjxl has no color information. */
int jxl_read_header(jxl_decoder *decoder, jxl_header *header);

/* Copies the ICC profile of the output, profile_length bytes. Returns 0 on failure. */
int jxl_copy_profile(const jxl_decoder *decoder, uint8_t *profile, size_t length);

/* Writing. */

typedef struct {
    uint32_t width, height;
    int has_alpha, is_lossless;
    float distance;       /* of lossy encoding, 0.01 to 25 */
    int effort;           /* 1 to 9 */
    int is_progressive;
    int orientation;      /* as in Exif, 1 to 8 */
    const uint8_t *profile; /* ICC, or NULL; read by jxl_encoder_open only */
    size_t profile_length;
    double white[2], red[2], green[2], blue[2]; /* without a profile: chromaticities, */
    int transfer;                               /* and a transfer function in code points of H.273 */
    int is_animated;
    uint32_t loops;       /* 0 repeats forever */
} jxl_settings;

typedef struct jxl_encoder jxl_encoder;

/* Creates an encoder. Delays of an animation are in milliseconds. Returns NULL on failure. */
jxl_encoder *jxl_encoder_open(const jxl_settings *settings);
void jxl_encoder_close(jxl_encoder *encoder);

typedef struct {
    uint32_t left, top, width, height;
} jxl_area;

/* Adds a frame: rows of RGBA with straight alpha if the settings have alpha, or else RGB, without padding. A frame of an
   animation replaces an area of the one before it. */
int jxl_encoder_add(
    jxl_encoder *encoder, const uint8_t *pixels, size_t length, jxl_area area, uint32_t milliseconds, int is_last);

/* Writes the next part of the file to `bytes`. Returns its length, 0 at the end, or -1 on failure. */
ptrdiff_t jxl_encoder_write(jxl_encoder *encoder, uint8_t *bytes, size_t capacity);

#endif
