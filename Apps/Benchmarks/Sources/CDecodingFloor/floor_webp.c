#include "CDecodingFloor.h"

#include <webp/decode.h>
#include <webp/demux.h>

bool floor_webp(const uint8_t *data, size_t count, int width, int height, uint8_t *pixels, size_t capacity) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config) || WebPGetFeatures(data, count, &config.input) != VP8_STATUS_OK) return false;
    config.options.use_scaling = width != 0;
    config.options.scaled_width = width;
    config.options.scaled_height = height;
    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = pixels;
    config.output.u.RGBA.stride = 4 * (width == 0 ? config.input.width : width);
    config.output.u.RGBA.size = capacity;
    return WebPDecode(data, count, &config) == VP8_STATUS_OK;
}

bool floor_webp_animation(const uint8_t *data, size_t count) {
    WebPAnimDecoderOptions options;
    WebPData bytes = {data, count};
    if (!WebPAnimDecoderOptionsInit(&options)) return false;
    options.color_mode = MODE_RGBA;
    WebPAnimDecoder *decoder = WebPAnimDecoderNew(&bytes, &options);
    if (decoder == NULL) return false;
    bool succeeded = true;
    while (succeeded && WebPAnimDecoderHasMoreFrames(decoder)) {
        uint8_t *canvas;
        int end;
        succeeded = WebPAnimDecoderGetNext(decoder, &canvas, &end);
    }
    WebPAnimDecoderDelete(decoder);
    return succeeded;
}
