#ifdef AVIF
#include "CDecodingFloor.h"

#include <avif/avif.h>

bool floor_avif(const uint8_t *data, size_t count, uint8_t *pixels, size_t capacity) {
    avifDecoder *decoder = avifDecoderCreate();
    if (!decoder) return false;
    decoder->maxThreads = 1;
    bool is_decoded = false;
    if (avifDecoderSetIOMemory(decoder, data, count) == AVIF_RESULT_OK && avifDecoderParse(decoder) == AVIF_RESULT_OK &&
        avifDecoderNextImage(decoder) == AVIF_RESULT_OK) {
        avifRGBImage rgb;
        avifRGBImageSetDefaults(&rgb, decoder->image);
        rgb.depth = 8;
        rgb.rowBytes = rgb.width * 4;
        rgb.pixels = pixels;
        is_decoded = (size_t)rgb.rowBytes * rgb.height <= capacity &&
            avifImageYUVToRGB(decoder->image, &rgb) == AVIF_RESULT_OK;
    }
    avifDecoderDestroy(decoder);
    return is_decoded;
}
#endif
