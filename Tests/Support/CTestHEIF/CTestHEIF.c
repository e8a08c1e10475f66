#ifdef HEIF

#include "CTestHEIF.h"

#include <libheif/heif.h>
#include <stdlib.h>
#include <string.h>
#include <x265.h>

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

static size_t append_units(buffer *stream, const x265_nal *units, uint32_t count) {
    size_t start = stream->length;
    for (uint32_t unit = 0; unit < count; unit++) append(NULL, units[unit].payload, units[unit].sizeBytes, stream);
    return stream->length - start;
}

/* Returns an encoder without threads, whose files are always the same. */
static x265_encoder *open_encoder(x265_param *parameters, int width, int height, const char *options) {
    x265_param_default_preset(parameters, "medium", NULL);
    parameters->sourceWidth = width;
    parameters->sourceHeight = height;
    parameters->fpsNum = 25;
    parameters->fpsDenom = 1;
    parameters->bAnnexB = 0;
    parameters->logLevel = X265_LOG_NONE;
    parameters->bEmitInfoSEI = 0;
    parameters->bOpenGOP = 0;
    x265_param_parse(parameters, "pools", "none");
    x265_param_parse(parameters, "frame-threads", "1");
    char *copy = strdup(options), *rest = copy;
    for (char *option = strsep(&rest, ":"); option != NULL; option = strsep(&rest, ":")) {
        char *name = strsep(&option, "=");
        x265_param_parse(parameters, name, option);
    }
    free(copy);
    return x265_encoder_open(parameters);
}

uint8_t *test_heif_encode_sequence(
    uint8_t *samples, int width, int height, int count, const char *options, size_t *sets_length, size_t *lengths,
    int *frames, size_t *length) {
    x265_param *parameters = x265_param_alloc();
    x265_picture *input = x265_picture_alloc(), *decoded = x265_picture_alloc();
    x265_encoder *encoder = open_encoder(parameters, width, height, options);
    x265_nal *units = NULL;
    uint32_t unit_count = 0;
    buffer stream = {NULL, 0};
    size_t area = (size_t)width * (size_t)height;
    uint8_t *original = malloc(area * (size_t)count), *chroma = malloc(area / 4);
    memcpy(original, samples, area * (size_t)count);
    memset(chroma, 128, area / 4);
    x265_encoder_headers(encoder, &units, &unit_count);
    *sets_length = append_units(&stream, units, unit_count);
    x265_picture_init(parameters, input);
    input->planes[1] = input->planes[2] = chroma;
    input->stride[0] = width;
    input->stride[1] = input->stride[2] = width / 2;
    for (int given = 0, taken = 0; taken < count; given++) {
        input->pts = given;
        input->planes[0] = original + area * (size_t)(given < count ? given : 0);
        if (x265_encoder_encode(encoder, &units, &unit_count, given < count ? input : NULL, decoded) < 1) continue;
        lengths[taken] = append_units(&stream, units, unit_count);
        frames[taken++] = (int)decoded->pts;
        for (int row = 0; row < height; row++) {
            const uint8_t *source = (const uint8_t *)decoded->planes[0] + (size_t)row * (size_t)decoded->stride[0];
            memcpy(samples + area * (size_t)decoded->pts + (size_t)(row * width), source, (size_t)width);
        }
    }
    x265_encoder_close(encoder);
    x265_picture_free(input);
    x265_picture_free(decoded);
    x265_param_free(parameters);
    free(original);
    free(chroma);
    *length = stream.length;
    return stream.bytes;
}

#endif
