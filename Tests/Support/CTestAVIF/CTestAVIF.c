#ifdef AVIF

#include "CTestAVIF.h"

#include <avif/avif.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const uint16_t *y, *u, *v, *a;
    const uint8_t *profile, *exif;
    size_t profile_length, exif_length;
} test_avif_content;

static avifPixelFormat format_of(int format) {
    switch (format) {
    case 400: return AVIF_PIXEL_FORMAT_YUV400;
    case 420: return AVIF_PIXEL_FORMAT_YUV420;
    case 422: return AVIF_PIXEL_FORMAT_YUV422;
    default: return AVIF_PIXEL_FORMAT_YUV444;
    }
}

static void fill(uint8_t *plane, uint32_t stride, uint32_t width, uint32_t height, int depth, const uint16_t *samples) {
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            uint16_t sample = samples[(size_t)y * width + x];
            if (depth > 8) {
                ((uint16_t *)(plane + (size_t)y * stride))[x] = sample;
            } else {
                plane[(size_t)y * stride + x] = (uint8_t)sample;
            }
        }
    }
}

static void describe(avifImage *image, test_avif_settings settings, test_avif_content content) {
    image->yuvRange = settings.is_full_range ? AVIF_RANGE_FULL : AVIF_RANGE_LIMITED;
    image->colorPrimaries = (avifColorPrimaries)settings.primaries;
    image->transferCharacteristics = (avifTransferCharacteristics)settings.transfer;
    image->matrixCoefficients = (avifMatrixCoefficients)settings.matrix;
    image->alphaPremultiplied = settings.is_premultiplied;
    if (content.profile_length > 0) (void)avifImageSetProfileICC(image, content.profile, content.profile_length);
    if (content.exif_length > 0) (void)avifRWDataSet(&image->exif, content.exif, content.exif_length);
    if (settings.rotation >= 0) {
        image->transformFlags |= AVIF_TRANSFORM_IROT;
        image->irot.angle = (uint8_t)settings.rotation;
    }
    if (settings.mirror >= 0) {
        image->transformFlags |= AVIF_TRANSFORM_IMIR;
#if AVIF_VERSION >= 1000000
        image->imir.axis = (uint8_t)settings.mirror;
#else
        image->imir.mode = (uint8_t)settings.mirror;
#endif
    }
    if (settings.crop_width > 0) {
        avifCropRect rect = {settings.crop_x, settings.crop_y, settings.crop_width, settings.crop_height};
        avifDiagnostics diagnostics;
        avifCleanApertureBoxConvertCropRect(
            &image->clap, &rect, image->width, image->height, image->yuvFormat, &diagnostics);
        image->transformFlags |= AVIF_TRANSFORM_CLAP;
    }
}

static avifImage *make_image(test_avif_settings settings, test_avif_content content) {
    avifImage *image =
        avifImageCreate(settings.width, settings.height, (uint32_t)settings.depth, format_of(settings.format));
    avifPixelFormatInfo format;
    avifGetPixelFormatInfo(image->yuvFormat, &format);
    (void)avifImageAllocatePlanes(image, settings.has_alpha ? AVIF_PLANES_ALL : AVIF_PLANES_YUV);
    fill(image->yuvPlanes[0], image->yuvRowBytes[0], settings.width, settings.height, settings.depth, content.y);
    if (!format.monochrome) {
        uint32_t width = (settings.width + (uint32_t)format.chromaShiftX) >> format.chromaShiftX;
        uint32_t height = (settings.height + (uint32_t)format.chromaShiftY) >> format.chromaShiftY;
        fill(image->yuvPlanes[1], image->yuvRowBytes[1], width, height, settings.depth, content.u);
        fill(image->yuvPlanes[2], image->yuvRowBytes[2], width, height, settings.depth, content.v);
    }
    if (settings.has_alpha)
        fill(image->alphaPlane, image->alphaRowBytes, settings.width, settings.height, settings.depth, content.a);
    describe(image, settings, content);
    return image;
}

static void brighten(avifImage *image) {
    for (uint32_t y = 0; y < image->height; y++) {
        uint8_t *row = image->yuvPlanes[0] + (size_t)y * image->yuvRowBytes[0];
        for (uint32_t x = 0; x < image->width; x++) row[x]++;
    }
}

static avifResult add_frames(avifEncoder *encoder, avifImage *image, test_avif_settings settings) {
    avifResult result = AVIF_RESULT_OK;
    for (int frame = 0; frame < settings.frame_count && result == AVIF_RESULT_OK; frame++) {
        if (frame > 0) brighten(image);
        result = avifEncoderAddImage(encoder, image, settings.durations[frame], AVIF_ADD_IMAGE_FLAG_NONE);
    }
    return result;
}

uint8_t *test_avif_write(
    test_avif_settings settings, const uint16_t *y, const uint16_t *u, const uint16_t *v, const uint16_t *a,
    const uint8_t *profile, size_t profile_length, const uint8_t *exif, size_t exif_length, size_t *length) {
    test_avif_content content = {y, u, v, a, profile, exif, profile_length, exif_length};
    avifImage *image = make_image(settings, content);
    avifEncoder *encoder = avifEncoderCreate();
    avifRWData file = AVIF_DATA_EMPTY;
    avifResult result;
    encoder->codecChoice = AVIF_CODEC_CHOICE_AOM;
    encoder->maxThreads = 1;
    encoder->speed = settings.frame_count > 1 ? 6 : 8; /* above, animations aren't lossless */
    encoder->minQuantizer = encoder->maxQuantizer = 0;
    encoder->minQuantizerAlpha = encoder->maxQuantizerAlpha = 0;
    if (settings.timescale > 0) encoder->timescale = settings.timescale;
    if (settings.frame_count > 1) {
        result = add_frames(encoder, image, settings);
    } else {
        result = avifEncoderAddImage(encoder, image, 1, AVIF_ADD_IMAGE_FLAG_SINGLE);
    }
    if (result == AVIF_RESULT_OK) result = avifEncoderFinish(encoder, &file);
    avifEncoderDestroy(encoder);
    avifImageDestroy(image);
    if (result != AVIF_RESULT_OK) avifRWDataFree(&file);
    *length = file.size;
    return file.data;
}

void test_avif_free(uint8_t *bytes) { avifFree(bytes); }

int test_avif_read(const uint8_t *bytes, size_t length, uint32_t frame, uint8_t *rgba, size_t rgba_length) {
    avifDecoder *decoder = avifDecoderCreate();
    avifRGBImage rgb;
    avifResult result = avifDecoderSetIOMemory(decoder, bytes, length);
    if (result == AVIF_RESULT_OK) result = avifDecoderParse(decoder);
    if (result == AVIF_RESULT_OK) result = avifDecoderNthImage(decoder, frame);
    if (result == AVIF_RESULT_OK) {
        avifRGBImageSetDefaults(&rgb, decoder->image);
        rgb.depth = 8;
        rgb.avoidLibYUV = decoder->image->depth > 8;
        rgb.pixels = rgba;
        rgb.rowBytes = 4 * rgb.width;
        result = (size_t)rgb.rowBytes * rgb.height == rgba_length ? avifImageYUVToRGB(decoder->image, &rgb)
                                                                  : AVIF_RESULT_INVALID_ARGUMENT;
    }
    avifDecoderDestroy(decoder);
    return result == AVIF_RESULT_OK;
}

#endif
