#ifdef AVIF

#include "CImageCodecAVIF.h"

#include "Shrinking.h"

#include "../CLibAVIF/shim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static avif_outcome outcome_of(avifResult result) {
    switch (result) {
    case AVIF_RESULT_OK: return avif_ok;
    case AVIF_RESULT_TRUNCATED_DATA:
    case AVIF_RESULT_WAITING_ON_IO:
    case AVIF_RESULT_IO_ERROR: return avif_truncated;
    case AVIF_RESULT_UNSUPPORTED_DEPTH:
    case AVIF_RESULT_NO_CODEC_AVAILABLE:
    case AVIF_RESULT_REFORMAT_FAILED:
    case AVIF_RESULT_NOT_IMPLEMENTED: return avif_unsupported;
    case AVIF_RESULT_OUT_OF_MEMORY: return avif_out_of_memory;
    default: return avif_malformed;
    }
}

struct avif_reader {
    avifDecoder *decoder;
    uint8_t *bytes;         /* the file */
    avifImage *view;        /* rows of the decoded image, or of a smaller image in `scratch` */
    uint8_t *scratch;
    size_t scratch_length;
    avif_info info;
};

/* libavif names the size only in its message: "... too large [WIDTHxHEIGHT]". */
static int is_too_large(const avifDecoder *decoder, avif_info *info) {
    const char *size = strrchr(decoder->diag.error, '[');
    if (size == NULL || strstr(decoder->diag.error, "too large") == NULL) return 0;
    return sscanf(size, "[%ux%u]", &info->width, &info->height) == 2;
}

static avifDecoder *make_decoder(avif_limits limits) {
    avifDecoder *decoder = avifDecoderCreate();
    if (decoder == NULL) return NULL;
    if (avifCodecName(AVIF_CODEC_CHOICE_DAV1D, AVIF_CODEC_FLAG_CAN_DECODE) != NULL)
        decoder->codecChoice = AVIF_CODEC_CHOICE_DAV1D;
    decoder->maxThreads = 1;
    decoder->ignoreExif = AVIF_TRUE;
    decoder->ignoreXMP = AVIF_TRUE;
    /* Files without 'pixi', with an invalid clean aperture or without the size of alpha are shown by browsers. */
    decoder->strictFlags = AVIF_STRICT_DISABLED;
    if (limits.pixels < decoder->imageSizeLimit) decoder->imageSizeLimit = limits.pixels;
    decoder->imageDimensionLimit = limits.side;
    decoder->imageCountLimit = limits.frames;
    return decoder;
}

/* Sets the crop to the clean aperture. An invalid one is ignored, as in browsers. One that divides a chroma sample is
   valid (ISO/IEC 23000-22, 7.3.6.7), but libavif 0.11 only accepts it for 4:4:4. */
static void read_crop(avifImage *image, avif_info *info) {
    avifCropRect rect = {0, 0, image->width, image->height};
    avifDiagnostics diagnostics;
    memset(&diagnostics, 0, sizeof diagnostics);
    int is_valid = (image->transformFlags & AVIF_TRANSFORM_CLAP)
        && avifCropRectConvertCleanApertureBox(
            &rect, &image->clap, image->width, image->height, AVIF_PIXEL_FORMAT_YUV444, &diagnostics);
    int is_inside = rect.width > 0 && rect.height > 0 && rect.x < image->width && rect.y < image->height
        && rect.width <= image->width - rect.x && rect.height <= image->height - rect.y;
    if (!is_valid || !is_inside) rect = (avifCropRect){0, 0, image->width, image->height};
    info->crop_x = rect.x;
    info->crop_y = rect.y;
    info->crop_width = rect.width;
    info->crop_height = rect.height;
}

static int mirror_of(const avifImage *image) {
    if (!(image->transformFlags & AVIF_TRANSFORM_IMIR)) return 0;
#if AVIF_VERSION >= 1000000
    return image->imir.axis + 1;
#else
    return image->imir.mode + 1;
#endif
}

static void read_info(const avifDecoder *decoder, avif_info *info) {
    avifImage *image = decoder->image;
    avifPixelFormatInfo format;
    memset(&format, 0, sizeof format);
    memset(info, 0, sizeof *info);
    avifGetPixelFormatInfo(image->yuvFormat, &format);
    info->width = image->width;
    info->height = image->height;
    read_crop(image, info);
    info->depth = (int)image->depth;
    info->is_gray = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400;
    info->chroma_shift_x = format.chromaShiftX;
    info->chroma_shift_y = format.chromaShiftY;
    info->has_alpha = decoder->alphaPresent;
    info->rotation = image->transformFlags & AVIF_TRANSFORM_IROT ? image->irot.angle & 3 : 0;
    info->mirror = mirror_of(image);
    info->primaries = image->colorPrimaries;
    info->transfer = image->transferCharacteristics;
    info->matrix = image->matrixCoefficients;
    info->is_full_range = image->yuvRange == AVIF_RANGE_FULL;
    info->frame_count = decoder->imageCount;
    info->timescale = decoder->timescale;
    info->profile_length = image->icc.size;
}

static avif_outcome parse(avif_reader *reader, const uint8_t *bytes, size_t length, avif_limits limits) {
    reader->decoder = make_decoder(limits);
    reader->view = avifImageCreateEmpty();
    reader->bytes = malloc(length + 1);
    if (reader->decoder == NULL || reader->view == NULL || reader->bytes == NULL) return avif_out_of_memory;
    if (length > 0) memcpy(reader->bytes, bytes, length);
    avifResult result = avifDecoderSetIOMemory(reader->decoder, reader->bytes, length);
    if (result == AVIF_RESULT_OK) result = avifDecoderParse(reader->decoder);
    if (result != AVIF_RESULT_OK) {
        return is_too_large(reader->decoder, &reader->info) ? avif_too_large : outcome_of(result);
    }
    read_info(reader->decoder, &reader->info);
    if (reader->info.width == 0 || reader->info.height == 0 || reader->info.frame_count < 1) return avif_malformed;
    return avif_ok;
}

avif_outcome avif_reader_open(
    const uint8_t *bytes, size_t length, avif_limits limits, avif_reader **reader, avif_info *info) {
    *reader = NULL;
    memset(info, 0, sizeof *info);
    avif_reader *opened = calloc(1, sizeof *opened);
    if (opened == NULL) return avif_out_of_memory;
    avif_outcome outcome = parse(opened, bytes, length, limits);
    *info = opened->info;
    if (outcome == avif_ok) {
        *reader = opened;
    } else {
        avif_reader_close(opened);
    }
    return outcome;
}

void avif_reader_close(avif_reader *reader) {
    if (reader->view != NULL) avifImageDestroy(reader->view);
    if (reader->decoder != NULL) avifDecoderDestroy(reader->decoder);
    free(reader->scratch);
    free(reader->bytes);
    free(reader);
}

void avif_reader_copy_profile(const avif_reader *reader, uint8_t *profile) {
    if (reader->info.profile_length > 0)
        memcpy(profile, reader->decoder->image->icc.data, reader->info.profile_length);
}

avif_outcome avif_reader_restart(avif_reader *reader) { return outcome_of(avifDecoderReset(reader->decoder)); }

uint32_t avif_reader_nearest_keyframe(const avif_reader *reader, uint32_t index) {
    return avifDecoderNearestKeyframe(reader->decoder, index);
}

/* The AV1 frames may disagree with the container. */
static int is_as_announced(const avif_reader *reader) {
    const avifImage *image = reader->decoder->image;
    if (image->width != reader->info.width || image->height != reader->info.height) return 0;
    if (image->yuvPlanes[AVIF_CHAN_Y] == NULL) return 0;
    return (image->alphaPlane != NULL) == (reader->info.has_alpha != 0);
}

avif_outcome avif_reader_decode(avif_reader *reader, uint32_t index) {
    avifResult result = avifDecoderNthImage(reader->decoder, index);
    if (result != AVIF_RESULT_OK) return outcome_of(result);
    return is_as_announced(reader) ? avif_ok : avif_malformed;
}

static avif_outcome convert(const avifImage *image, int depth, uint8_t *rgba) {
    avifRGBImage rgb;
    avifRGBImageSetDefaults(&rgb, image);
    rgb.depth = (uint32_t)depth;
    /* libyuv has factors of 7 bits: in limited ranges, that of blue saturates. */
    rgb.avoidLibYUV = image->depth > 8;
    rgb.format = AVIF_RGB_FORMAT_RGBA;
    /* Otherwise libavif repeats the chroma of 12-bit images instead of interpolating it. */
    rgb.chromaUpsampling = AVIF_CHROMA_UPSAMPLING_BILINEAR;
    rgb.pixels = rgba;
    rgb.rowBytes = 4 * image->width * ((uint32_t)depth / 8);
    return outcome_of(avifImageYUVToRGB(image, &rgb));
}

avif_outcome avif_reader_rows(
    avif_reader *reader, int depth, uint32_t first_row, uint32_t row_count, uint8_t *rgba, uint32_t *skipped) {
    const avifImage *image = reader->decoder->image;
    if (first_row > image->height || row_count > image->height - first_row) return avif_malformed;
    uint32_t start = first_row, end = first_row + row_count;
    /* libavif also demands even rows of images without chroma. */
    if (image->yuvFormat == AVIF_PIXEL_FORMAT_YUV420 || image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400) {
        start = first_row < 2 ? 0 : (first_row - 1) & ~1u;
        if (end < image->height && end % 2 == 0) end++;
    }
    *skipped = first_row - start;
    avifCropRect rect = {0, start, image->width, end - start};
    avifResult result = avifImageSetViewRect(reader->view, image, &rect);
    return result == AVIF_RESULT_OK ? convert(reader->view, depth, rgba) : outcome_of(result);
}

static int reserve_scratch(avif_reader *reader, size_t length) {
    if (length <= reader->scratch_length) return 1;
    free(reader->scratch);
    reader->scratch = malloc(length);
    reader->scratch_length = reader->scratch == NULL ? 0 : length;
    return reader->scratch != NULL;
}

/* Makes `view` an image without planes that has the color of the decoded one. */
static void describe_view(avif_reader *reader, uint32_t width, uint32_t height) {
    const avifImage *image = reader->decoder->image;
    avifImage *view = reader->view;
    avifImageFreePlanes(view, AVIF_PLANES_ALL);
    view->width = width;
    view->height = height;
    view->depth = image->depth;
    view->yuvFormat =
        image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400 ? AVIF_PIXEL_FORMAT_YUV400 : AVIF_PIXEL_FORMAT_YUV444;
    view->yuvRange = image->yuvRange;
    view->colorPrimaries = image->colorPrimaries;
    view->transferCharacteristics = image->transferCharacteristics;
    view->matrixCoefficients = image->matrixCoefficients;
    view->alphaPremultiplied = AVIF_FALSE;
}

/* The part of a plane within the crop. */
static image_plane cropped_plane(const avif_reader *reader, int channel, int shift_x, int shift_y) {
    const avifImage *image = reader->decoder->image;
    const avif_info *info = &reader->info;
    size_t bytes_per_sample = image->depth > 8 ? 2 : 1, stride = image->yuvRowBytes[channel];
    size_t first = (info->crop_y >> shift_y) * stride + (info->crop_x >> shift_x) * bytes_per_sample;
    image_plane plane = {
        .samples = image->yuvPlanes[channel] + first,
        .stride = stride,
        .width = (int)((info->crop_width + (1u << shift_x) - 1) >> shift_x),
        .height = (int)((info->crop_height + (1u << shift_y) - 1) >> shift_y),
        .bytes_per_sample = (int)bytes_per_sample,
    };
    return plane;
}

avif_outcome avif_reader_smaller_rows(
    avif_reader *reader, int depth, int divisor, uint32_t first_row, uint32_t row_count, uint8_t *rgba) {
    const avifImage *image = reader->decoder->image;
    const avif_info *info = &reader->info;
    uint32_t step = (uint32_t)divisor, height = (info->crop_height + step - 1) / step;
    if (first_row > height || row_count > height - first_row) return avif_malformed;
    avifPixelFormatInfo format;
    avifGetPixelFormatInfo(image->yuvFormat, &format);
    uint32_t width = (info->crop_width + step - 1) / step;
    size_t stride = (size_t)width * (image->depth > 8 ? 2 : 1), length = stride * row_count;
    size_t sums_length = (size_t)info->crop_width * sizeof(uint32_t);
    int channels = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400 ? 1 : 3;
    if (!reserve_scratch(reader, sums_length + length * (size_t)channels)) return avif_out_of_memory;
    describe_view(reader, width, row_count);
    for (int channel = 0; channel < channels; channel++) {
        int shift_x = channel == 0 ? 0 : format.chromaShiftX, shift_y = channel == 0 ? 0 : format.chromaShiftY;
        uint8_t *target = reader->scratch + sums_length + (size_t)channel * length;
        image_plane plane = cropped_plane(reader, channel, shift_x, shift_y);
        for (uint32_t row = 0; row < row_count; row++)
            shrink_row(
                plane, divisor >> shift_x, divisor >> shift_y, (int)(first_row + row), (uint32_t *)reader->scratch,
                target + row * stride);
        reader->view->yuvPlanes[channel] = target;
        reader->view->yuvRowBytes[channel] = (uint32_t)stride;
    }
    avif_outcome outcome = convert(reader->view, depth, rgba);
    avifImageFreePlanes(reader->view, AVIF_PLANES_ALL);
    return outcome;
}

struct avif_writer {
    avifEncoder *encoder;
    avif_settings settings;
    uint32_t width, height;
    avifRWData profile;
};

void avif_free(avif_bytes *bytes) {
    avifRWData data = {bytes->bytes, bytes->length};
    avifRWDataFree(&data);
    bytes->bytes = NULL;
    bytes->length = 0;
}

static int at_least_0(int value) { return value < 0 ? 0 : value; }
static int at_most_63(int value) { return value > 63 ? 63 : value; }

static void set_quality(avifEncoder *encoder, avif_settings settings) {
    int quantizer = settings.is_lossless ? 0 : settings.quantizer, margin = quantizer == 0 ? 0 : 4;
    encoder->minQuantizer = at_least_0(quantizer - margin);
    encoder->maxQuantizer = at_most_63(quantizer + margin);
    encoder->minQuantizerAlpha = AVIF_QUANTIZER_LOSSLESS;
    encoder->maxQuantizerAlpha = AVIF_QUANTIZER_LOSSLESS;
    if (quantizer == 0) return;
    char level[8];
    snprintf(level, sizeof level, "%d", quantizer);
    avifEncoderSetCodecSpecificOption(encoder, "color:end-usage", "q");
    avifEncoderSetCodecSpecificOption(encoder, "color:cq-level", level);
}

avif_writer *avif_writer_open(
    uint32_t width, uint32_t height, avif_settings settings, uint64_t timescale, const uint8_t *profile,
    size_t profile_length) {
    if (avifCodecName(AVIF_CODEC_CHOICE_AOM, AVIF_CODEC_FLAG_CAN_ENCODE) == NULL) return NULL;
    avif_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) return NULL;
    writer->encoder = avifEncoderCreate();
    if (writer->encoder == NULL) {
        free(writer);
        return NULL;
    }
    writer->settings = settings;
    writer->width = width;
    writer->height = height;
    writer->encoder->codecChoice = AVIF_CODEC_CHOICE_AOM;
    writer->encoder->maxThreads = 1;
    writer->encoder->speed = settings.speed;
    writer->encoder->timescale = timescale;
#if AVIF_VERSION >= 1000000
    writer->encoder->repetitionCount = settings.loops > 0 ? settings.loops - 1 : AVIF_REPETITION_COUNT_INFINITE;
#endif
    set_quality(writer->encoder, settings);
    if (profile_length > 0) (void)avifRWDataSet(&writer->profile, profile, profile_length);
    return writer;
}

void avif_writer_close(avif_writer *writer) {
    avifEncoderDestroy(writer->encoder);
    avifRWDataFree(&writer->profile);
    free(writer);
}

static void set_transform(avifImage *image, avif_settings settings) {
    if (settings.rotation != 0) {
        image->transformFlags |= AVIF_TRANSFORM_IROT;
        image->irot.angle = (uint8_t)settings.rotation;
    }
    if (settings.mirror == 0) return;
    image->transformFlags |= AVIF_TRANSFORM_IMIR;
#if AVIF_VERSION >= 1000000
    image->imir.axis = (uint8_t)(settings.mirror - 1);
#else
    image->imir.mode = (uint8_t)(settings.mirror - 1);
#endif
}

static avifImage *make_image(const avif_writer *writer) {
    avif_settings settings = writer->settings;
    avifPixelFormat format =
        settings.halves_chroma && !settings.is_lossless ? AVIF_PIXEL_FORMAT_YUV420 : AVIF_PIXEL_FORMAT_YUV444;
    avifImage *image = avifImageCreate(writer->width, writer->height, 8, format);
    if (image == NULL) return NULL;
    image->yuvRange = AVIF_RANGE_FULL;
    image->colorPrimaries = (avifColorPrimaries)settings.primaries;
    image->transferCharacteristics = (avifTransferCharacteristics)settings.transfer;
    image->matrixCoefficients =
        settings.is_lossless ? AVIF_MATRIX_COEFFICIENTS_IDENTITY : AVIF_MATRIX_COEFFICIENTS_BT601;
    if (writer->profile.size > 0) (void)avifImageSetProfileICC(image, writer->profile.data, writer->profile.size);
    set_transform(image, settings);
    return image;
}

avif_outcome avif_writer_add(avif_writer *writer, const uint8_t *rgba, uint64_t duration) {
    avifImage *image = make_image(writer);
    if (image == NULL) return avif_out_of_memory;
    avifRGBImage rgb;
    avifRGBImageSetDefaults(&rgb, image);
    rgb.format = AVIF_RGB_FORMAT_RGBA;
    rgb.ignoreAlpha = !writer->settings.has_alpha;
    rgb.pixels = (uint8_t *)rgba; /* only read */
    rgb.rowBytes = 4 * writer->width;
    avifResult result = avifImageRGBToYUV(image, &rgb);
    avifAddImageFlags flags = duration == 0 ? AVIF_ADD_IMAGE_FLAG_SINGLE : AVIF_ADD_IMAGE_FLAG_NONE;
    if (result == AVIF_RESULT_OK)
        result = avifEncoderAddImage(writer->encoder, image, duration == 0 ? 1 : duration, flags);
    avifImageDestroy(image);
    return outcome_of(result);
}

avif_outcome avif_writer_finish(avif_writer *writer, avif_bytes *file) {
    avifRWData data = AVIF_DATA_EMPTY;
    avifResult result = avifEncoderFinish(writer->encoder, &data);
    file->bytes = data.data;
    file->length = data.size;
    if (result != AVIF_RESULT_OK) avif_free(file);
    return outcome_of(result);
}

#endif
