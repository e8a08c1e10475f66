#include "CImageCodecWebP.h"

#include <stdlib.h>
#include <string.h>
#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/encode.h>
#include <webp/mux.h>

static webp_outcome outcome_of(VP8StatusCode status) {
    switch (status) {
    case VP8_STATUS_OK: return webp_ok;
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED: return webp_truncated;
    case VP8_STATUS_OUT_OF_MEMORY: return webp_out_of_memory;
    case VP8_STATUS_UNSUPPORTED_FEATURE: return webp_unsupported;
    default: return webp_malformed;
    }
}

webp_outcome webp_inspect(const uint8_t *bytes, size_t length, webp_file *file) {
    WebPData data = {bytes, length};
    WebPDemuxState state = WEBP_DEMUX_PARSE_ERROR;
    WebPDemuxer *demuxer = WebPDemuxPartial(&data, &state);
    memset(file, 0, sizeof *file);
    if (demuxer != NULL && (state == WEBP_DEMUX_DONE || state == WEBP_DEMUX_PARSED_HEADER)) {
        uint32_t flags = WebPDemuxGetI(demuxer, WEBP_FF_FORMAT_FLAGS);
        file->width = (int)WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_WIDTH);
        file->height = (int)WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_HEIGHT);
        file->is_animated = (flags & ANIMATION_FLAG) != 0;
        file->has_alpha = (flags & ALPHA_FLAG) != 0;
        file->has_profile = (flags & ICCP_FLAG) != 0;
        file->has_exif = (flags & EXIF_FLAG) != 0;
        file->loop_count = (int)WebPDemuxGetI(demuxer, WEBP_FF_LOOP_COUNT);
        file->frame_count = (int)WebPDemuxGetI(demuxer, WEBP_FF_FRAME_COUNT);
    }
    WebPDemuxDelete(demuxer);
    if (state == WEBP_DEMUX_PARSE_ERROR) return webp_malformed;
    return state == WEBP_DEMUX_DONE ? webp_ok : webp_truncated;
}

webp_outcome webp_read_header(const uint8_t *bytes, size_t length, webp_image *image) {
    WebPBitstreamFeatures features;
    VP8StatusCode status = WebPGetFeatures(bytes, length, &features);
    memset(image, 0, sizeof *image);
    if (status != VP8_STATUS_OK) return outcome_of(status);
    image->width = features.width;
    image->height = features.height;
    image->has_alpha = features.has_alpha != 0;
    image->is_lossless = features.format == 2;
    return webp_ok;
}

/* The alpha of a pixel, with its color set to 0. */
static uint32_t alpha_of(uint32_t pixel) {
    static const uint8_t bytes[4] = {0, 0, 0, 255};
    uint32_t mask;
    memcpy(&mask, bytes, 4);
    return pixel & mask;
}

static uint32_t load(const uint8_t *rgba) {
    uint32_t pixel;
    memcpy(&pixel, rgba, 4);
    return pixel;
}

void webp_make_opaque(uint8_t *rgba, size_t pixels) {
    for (size_t index = 0; index < pixels; index++) {
        uint32_t pixel = load(rgba + 4 * index) | alpha_of(UINT32_MAX);
        memcpy(rgba + 4 * index, &pixel, 4);
    }
}

webp_outcome webp_decode(const uint8_t *bytes, size_t length, uint8_t *rgba, size_t stride, size_t size) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) return webp_unsupported;
    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = rgba;
    config.output.u.RGBA.stride = (int)stride;
    config.output.u.RGBA.size = size;
    return outcome_of(WebPDecode(bytes, length, &config));
}

/* Blends two pixels of which neither is transparent. The weights are in units of 1/255². */
static void blend(const uint8_t *rgba, uint8_t *below) {
    uint32_t weight = rgba[3] * 255u, weight_below = below[3] * (255u - rgba[3]), sum = weight + weight_below;
    for (int channel = 0; channel < 3; channel++)
        below[channel] = (uint8_t)((rgba[channel] * weight + below[channel] * weight_below + sum / 2) / sum);
    below[3] = (uint8_t)((sum + 127) / 255);
}

static void draw_each(const uint8_t *rgba, size_t count, uint8_t *below) {
    for (; count > 0; count--, rgba += 4, below += 4) {
        if (rgba[3] == 255 || below[3] == 0) memcpy(below, rgba, 4);
        else if (rgba[3] != 0) blend(rgba, below);
    }
}

enum { group = 16 };

/* Draws a group of pixels. Most groups are only opaque and transparent; the compiler vectorizes the loops for these. */
static void draw_group(const uint8_t *rgba, uint8_t *below) {
    const uint32_t opaque = alpha_of(UINT32_MAX);
    uint32_t pixels[group], pixels_below[group], translucent = 0;
    memcpy(pixels, rgba, sizeof pixels);
    memcpy(pixels_below, below, sizeof pixels_below);
    for (int x = 0; x < group; x++) translucent |= alpha_of(pixels[x]) != 0 && alpha_of(pixels[x]) != opaque;
    if (translucent) {
        draw_each(rgba, group, below);
        return;
    }
    for (int x = 0; x < group; x++)
        if (alpha_of(pixels[x]) != opaque && alpha_of(pixels_below[x]) != 0) pixels[x] = pixels_below[x];
    memcpy(below, pixels, sizeof pixels);
}

void webp_blend(const uint8_t *rgba, size_t count, uint8_t *below) {
    for (; count >= group; count -= group, rgba += 4 * group, below += 4 * group) draw_group(rgba, below);
    draw_each(rgba, count, below);
}

struct webp_session {
    WebPIDecoder *decoder;
    uint8_t *rgba;
    int width, height, makes_opaque;
    int rows;
};

webp_session *webp_session_open(int width, int height, int makes_opaque, uint8_t *rgba) {
    webp_session *session = calloc(1, sizeof *session);
    if (session == NULL) return NULL;
    size_t size = 4 * (size_t)width * (size_t)height;
    session->decoder = WebPINewRGB(MODE_RGBA, rgba, size, 4 * width);
    session->rgba = rgba;
    session->width = width;
    session->height = height;
    session->makes_opaque = makes_opaque;
    if (session->decoder != NULL) return session;
    free(session);
    return NULL;
}

void webp_session_close(webp_session *session) {
    WebPIDelete(session->decoder);
    free(session);
}

/* libwebp does not read rows again after it has reported them, so their alpha can be changed. */
static void take_rows(webp_session *session, int rows) {
    if (rows > session->height) rows = session->height;
    if (rows > session->rows && session->makes_opaque) {
        size_t first = (size_t)session->rows * (size_t)session->width, end = (size_t)rows * (size_t)session->width;
        webp_make_opaque(session->rgba + 4 * first, end - first);
    }
    if (rows > session->rows) session->rows = rows;
}

webp_outcome webp_session_update(webp_session *session, const uint8_t *bytes, size_t length, int *rows) {
    VP8StatusCode status = WebPIUpdate(session->decoder, bytes, length);
    int last = 0;
    if (status == VP8_STATUS_OK || status == VP8_STATUS_SUSPENDED || status == VP8_STATUS_NOT_ENOUGH_DATA) {
        if (WebPIDecGetRGB(session->decoder, &last, NULL, NULL, NULL) != NULL) take_rows(session, last);
    }
    *rows = session->rows;
    return outcome_of(status);
}

void webp_free(webp_bytes *bytes) {
    WebPFree(bytes->bytes);
    bytes->bytes = NULL;
    bytes->length = 0;
}

static int is_configured(WebPConfig *config, webp_settings settings) {
    if (!WebPConfigInit(config)) return 0;
    config->quality = settings.quality;
    if (settings.is_lossless) {
        config->lossless = 1;
        config->exact = 1; /* also preserve the color of transparent pixels */
        config->quality = 75;
    }
    return WebPValidateConfig(config);
}

int webp_encode(const uint8_t *rgba, int stride, int width, int height, webp_settings settings, webp_bytes *encoded) {
    WebPConfig config;
    WebPPicture image;
    WebPMemoryWriter writer;
    memset(encoded, 0, sizeof *encoded);
    if (!is_configured(&config, settings) || !WebPPictureInit(&image)) return VP8_ENC_ERROR_INVALID_CONFIGURATION;
    WebPMemoryWriterInit(&writer);
    image.use_argb = settings.is_lossless;
    image.width = width;
    image.height = height;
    image.writer = WebPMemoryWrite;
    image.custom_ptr = &writer;
    int is_good = WebPPictureImportRGBA(&image, rgba, stride) && WebPEncode(&config, &image);
    int error = is_good ? VP8_ENC_OK : (int)image.error_code;
    WebPPictureFree(&image);
    if (is_good) {
        encoded->bytes = writer.mem;
        encoded->length = writer.size;
    } else {
        WebPMemoryWriterClear(&writer);
    }
    return error;
}

struct webp_animation {
    WebPMux *mux;
};

webp_animation *webp_animation_open(int width, int height, int loop_count) {
    webp_animation *animation = calloc(1, sizeof *animation);
    if (animation == NULL) return NULL;
    animation->mux = WebPMuxNew();
    WebPMuxAnimParams params = {.bgcolor = 0, .loop_count = loop_count};
    if (animation->mux != NULL && WebPMuxSetCanvasSize(animation->mux, width, height) == WEBP_MUX_OK
        && WebPMuxSetAnimationParams(animation->mux, &params) == WEBP_MUX_OK)
        return animation;
    webp_animation_close(animation);
    return NULL;
}

int webp_animation_add(webp_animation *animation, const webp_bytes *image, int x, int y, int milliseconds) {
    WebPMuxFrameInfo frame;
    memset(&frame, 0, sizeof frame);
    frame.bitstream.bytes = image->bytes;
    frame.bitstream.size = image->length;
    frame.x_offset = x;
    frame.y_offset = y;
    frame.duration = milliseconds;
    frame.id = WEBP_CHUNK_ANMF;
    frame.dispose_method = WEBP_MUX_DISPOSE_NONE;
    frame.blend_method = WEBP_MUX_NO_BLEND;
    return WebPMuxPushFrame(animation->mux, &frame, 1) == WEBP_MUX_OK;
}

int webp_animation_finish(webp_animation *animation, webp_bytes *file) {
    WebPData data;
    WebPDataInit(&data);
    memset(file, 0, sizeof *file);
    if (WebPMuxAssemble(animation->mux, &data) != WEBP_MUX_OK) return 0;
    file->bytes = (uint8_t *)data.bytes;
    file->length = data.size;
    return 1;
}

void webp_animation_close(webp_animation *animation) {
    WebPMuxDelete(animation->mux);
    free(animation);
}
