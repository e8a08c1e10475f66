#ifdef HEIF

#include "CTestHEIF.h"

#include <libheif/heif.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint8_t *bytes;
    size_t length;
} buffer;

static struct heif_error append(struct heif_context *context, const void *data, size_t size, void *target) {
    buffer *file = target;
    (void)context;
    file->bytes = realloc(file->bytes, file->length + size);
    memcpy(file->bytes + file->length, data, size);
    file->length += size;
    return (struct heif_error){heif_error_Ok, heif_suberror_Unspecified, ""};
}

static const uint16_t *fill(
    struct heif_image *image, enum heif_channel channel, const uint16_t *samples, int width, int height, int bit_depth) {
    int stride = 0;
    heif_image_add_plane(image, channel, width, height, bit_depth);
    uint8_t *plane = heif_image_get_plane(image, channel, &stride);
    for (int y = 0; y < height; y++, plane += stride) {
        for (int x = 0; x < width; x++) {
            uint16_t sample = *samples++;
            if (bit_depth == 8) {
                plane[x] = (uint8_t)sample;
            } else {
                memcpy(plane + 2 * x, &sample, 2);
            }
        }
    }
    return samples;
}

static struct heif_image *image_of(const uint16_t *samples, int width, int height, int chroma, int bit_depth) {
    struct heif_image *image = NULL;
    enum heif_colorspace space = chroma == 0 ? heif_colorspace_monochrome : heif_colorspace_YCbCr;
    heif_image_create(width, height, space, (enum heif_chroma)chroma, &image);
    samples = fill(image, heif_channel_Y, samples, width, height, bit_depth);
    if (chroma == 0) return image;
    int across = chroma == 3 ? width : width / 2, down = chroma == 1 ? height / 2 : height;
    samples = fill(image, heif_channel_Cb, samples, across, down, bit_depth);
    fill(image, heif_channel_Cr, samples, across, down, bit_depth);
    return image;
}

uint8_t *test_heif_encode(const uint16_t *samples, int width, int height, int chroma, int bit_depth, size_t *length) {
    const char *const names[4] = {"420", "420", "422", "444"};
    struct heif_image *image = image_of(samples, width, height, chroma, bit_depth);
    struct heif_context *context = heif_context_alloc();
    struct heif_encoder *encoder = NULL;
    struct heif_encoding_options *options = heif_encoding_options_alloc();
    struct heif_color_profile_nclx *color = heif_nclx_color_profile_alloc();
    struct heif_writer writer = {.writer_api_version = 1, .write = append};
    buffer file = {NULL, 0};
    heif_image_set_nclx_color_profile(image, color);
    options->output_nclx_profile = color;
    options->macOS_compatibility_workaround = 0;
    heif_context_get_encoder_for_format(context, heif_compression_HEVC, &encoder);
    heif_encoder_set_lossless(encoder, 1);
    heif_encoder_set_parameter(encoder, "chroma", names[chroma]);
    if (heif_context_encode_image(context, image, encoder, options, NULL).code == heif_error_Ok)
        heif_context_write(context, &writer, &file);
    heif_nclx_color_profile_free(color);
    heif_encoding_options_free(options);
    heif_encoder_release(encoder);
    heif_image_release(image);
    heif_context_free(context);
    *length = file.length;
    return file.bytes;
}

#endif
