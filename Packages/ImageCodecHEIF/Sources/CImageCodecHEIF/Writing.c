#ifdef HEIF

#include "CImageCodecHEIF.h"

#include "../CLibHEIF/shim.h"
#include <stdlib.h>
#include <string.h>

void heic_free(heic_bytes *bytes) {
    free(bytes->bytes);
    bytes->bytes = NULL;
    bytes->length = 0;
}

static struct heif_error failure(enum heif_error_code code) {
    return (struct heif_error){code, heif_suberror_Unspecified, "failed"};
}

static struct heif_error append(struct heif_context *context, const void *data, size_t size, void *target) {
    heic_bytes *bytes = target;
    (void)context;
    uint8_t *grown = realloc(bytes->bytes, bytes->length + size);
    if (grown == NULL) return failure(heif_error_Memory_allocation_error);
    memcpy(grown + bytes->length, data, size);
    bytes->bytes = grown;
    bytes->length += size;
    return failure(heif_error_Ok);
}

/* Copies the pixels, without alpha if it is not kept. */
static void fill(uint8_t *target, size_t stride, const uint8_t *rgba, const heic_settings *settings) {
    size_t width = (size_t)settings->width, channels = settings->has_alpha ? 4 : 3;
    for (int y = 0; y < settings->height; y++, target += stride, rgba += 4 * width)
        for (size_t x = 0; x < width; x++) memcpy(target + channels * x, rgba + 4 * x, channels);
}

/* The color of a file, in full range. Lossless files store green, blue and red in the planes (H.273, matrix coefficients 0).
   Returns NULL if memory is exhausted. */
static struct heif_color_profile_nclx *coding_of(const heic_settings *settings) {
    struct heif_color_profile_nclx *color = heif_nclx_color_profile_alloc();
    if (color == NULL) return NULL;
    color->color_primaries = (enum heif_color_primaries)settings->primaries;
    color->transfer_characteristics = (enum heif_transfer_characteristics)settings->transfer;
    color->matrix_coefficients =
        settings->is_lossless ? heif_matrix_coefficients_RGB_GBR : heif_matrix_coefficients_ITU_R_BT_601_6;
    color->full_range_flag = 1;
    return color;
}

static struct heif_error add_color(struct heif_image *image, const heic_settings *settings) {
    struct heif_color_profile_nclx *color = coding_of(settings);
    if (color == NULL) return failure(heif_error_Memory_allocation_error);
    struct heif_error error = heif_image_set_nclx_color_profile(image, color);
    heif_nclx_color_profile_free(color);
    if (error.code != heif_error_Ok || settings->profile == NULL) return error;
    return heif_image_set_raw_color_profile(image, "prof", settings->profile, settings->profile_length);
}

static struct heif_error image_of(const uint8_t *rgba, const heic_settings *settings, struct heif_image **image) {
    enum heif_chroma chroma = settings->has_alpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB;
    int stride = 0;
    struct heif_error error = heif_image_create(settings->width, settings->height, heif_colorspace_RGB, chroma, image);
    if (error.code != heif_error_Ok) return error;
    error = heif_image_add_plane(*image, heif_channel_interleaved, settings->width, settings->height, 8);
    if (error.code != heif_error_Ok) return error;
    uint8_t *plane = heif_image_get_plane(*image, heif_channel_interleaved, &stride);
    if (plane == NULL) return failure(heif_error_Memory_allocation_error);
    fill(plane, (size_t)stride, rgba, settings);
    return add_color(*image, settings);
}

static struct heif_error encoder_for(
    struct heif_context *context, const heic_settings *settings, struct heif_encoder **encoder) {
    struct heif_error error = heif_context_get_encoder_for_format(context, heif_compression_HEVC, encoder);
    if (error.code != heif_error_Ok) return error;
    heif_encoder_set_logging_level(*encoder, 0);
    /* libheif pads images to 64 pixels, but would choose x265's smallest units for flat ones. Levels above 4.1, which long sides
       need, don't allow these. */
    if (settings->width < 32 || settings->height < 32) error = heif_encoder_set_parameter(*encoder, "x265:ctu", "32");
    if (error.code != heif_error_Ok) return error;
    error = heif_encoder_set_lossy_quality(*encoder, settings->quality);
    if (error.code != heif_error_Ok || !settings->is_lossless) return error;
    error = heif_encoder_set_lossless(*encoder, 1);
    if (error.code != heif_error_Ok) return error;
    return heif_encoder_set_parameter(*encoder, "chroma", "444");
}

static struct heif_error encode_image(
    struct heif_context *context, const struct heif_image *image, struct heif_encoder *encoder,
    const heic_settings *settings) {
    struct heif_encoding_options *options = heif_encoding_options_alloc();
    struct heif_color_profile_nclx *color = coding_of(settings);
    struct heif_error error = failure(heif_error_Memory_allocation_error);
    if (options != NULL && color != NULL) {
        options->save_alpha_channel = settings->has_alpha != 0;
        /* Otherwise `ispe` has the cropped size, where ISO/IEC 23008-12, 6.5.3, wants that of the coded picture. Newer versions
           of libheif refuse such files. A grid of one tile crops the picture instead of `clap`. */
        options->macOS_compatibility_workaround = 1;
        options->macOS_compatibility_workaround_no_nclx_profile = 0;
        options->save_two_colr_boxes_when_ICC_and_nclx_available = 1;
        options->output_nclx_profile = color;
        options->image_orientation = (enum heif_orientation)settings->orientation;
        error = heif_context_encode_image(context, image, encoder, options, NULL);
    }
    heif_nclx_color_profile_free(color);
    heif_encoding_options_free(options);
    return error;
}

int heic_encode(const uint8_t *rgba, const heic_settings *settings, heic_bytes *encoded) {
    struct heif_context *context = heif_context_alloc();
    struct heif_image *image = NULL;
    struct heif_encoder *encoder = NULL;
    struct heif_writer writer = {.writer_api_version = 1, .write = append};
    memset(encoded, 0, sizeof *encoded);
    if (context == NULL) return heif_error_Memory_allocation_error;
    struct heif_error error = image_of(rgba, settings, &image);
    if (error.code == heif_error_Ok) error = encoder_for(context, settings, &encoder);
    if (error.code == heif_error_Ok) error = encode_image(context, image, encoder, settings);
    if (error.code == heif_error_Ok) error = heif_context_write(context, &writer, encoded);
    if (error.code != heif_error_Ok) heic_free(encoded);
    heif_encoder_release(encoder);
    heif_image_release(image);
    heif_context_free(context);
    return (int)error.code;
}

#endif
