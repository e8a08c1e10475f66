#include "CImageCodecWebP.h"

#include <stdlib.h>
#include <string.h>
#include "../CLibWebP/shim.h"

/* A fused multiply-add rounds once instead of twice. Its result differs from that of a CPU without it. */
#pragma clang fp contract(off)

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

static WebPDecBuffer pixels_at(uint8_t *rgba, size_t stride, size_t size) {
    WebPDecBuffer buffer;
    WebPInitDecBuffer(&buffer);
    buffer.colorspace = MODE_RGBA;
    buffer.is_external_memory = 1;
    buffer.u.RGBA = (WebPRGBABuffer){rgba, (int)stride, size};
    return buffer;
}

static size_t halved(int side) { return ((size_t)side + 1) / 2; }

static WebPDecBuffer planes_at(uint8_t *planes, int width, int height) {
    WebPDecBuffer buffer;
    WebPInitDecBuffer(&buffer);
    buffer.colorspace = MODE_YUV;
    buffer.is_external_memory = 1;
    WebPYUVABuffer *yuv = &buffer.u.YUVA;
    yuv->y_stride = width;
    yuv->u_stride = yuv->v_stride = (int)halved(width);
    yuv->y_size = (size_t)width * (size_t)height;
    yuv->u_size = yuv->v_size = halved(width) * halved(height);
    yuv->y = planes;
    yuv->u = yuv->y + yuv->y_size;
    yuv->v = yuv->u + yuv->u_size;
    return buffer;
}

size_t webp_planes_length(int width, int height) {
    return (size_t)width * (size_t)height + 2 * halved(width) * halved(height);
}

static webp_outcome decode(const uint8_t *bytes, size_t length, WebPDecBuffer output) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) return webp_unsupported;
    config.output = output;
    return outcome_of(WebPDecode(bytes, length, &config));
}

webp_outcome webp_decode(const uint8_t *bytes, size_t length, uint8_t *rgba, size_t stride, size_t size) {
    return decode(bytes, length, pixels_at(rgba, stride, size));
}

webp_outcome webp_decode_planes(const uint8_t *bytes, size_t length, int width, int height, uint8_t *planes) {
    return decode(bytes, length, planes_at(planes, width, height));
}

/* Rounds to the nearest byte. */
static inline uint8_t byte(float value) {
    return (uint8_t)(int)(value < 0 ? 0.5f : value > 255 ? 255.5f : value + 0.5f);
}

/* Converts the sum of four samples of luma, and one of each chroma plane, to an opaque pixel by ITU-R BT.601 (RFC 9649,
   2.5). */
static inline void write_pixel(int luma, int u, int v, uint8_t *rgba) {
    float y = 1.164383f * ((float)luma / 4 - 16), blue = (float)(u - 128), red = (float)(v - 128);
    rgba[0] = byte(y + 1.596027f * red);
    rgba[1] = byte(y - 0.391762f * blue - 0.812968f * red);
    rgba[2] = byte(y + 2.017232f * blue);
    rgba[3] = 255;
}

static inline __attribute__((always_inline)) void half_row(
    const uint8_t *planes, int width, int height, int row, uint8_t *restrict rgba) {
    const uint8_t *above = planes + 2 * (size_t)row * (size_t)width;
    const uint8_t *below = 2 * row + 1 < height ? above + width : above;
    const uint8_t *u = planes + (size_t)width * (size_t)height + (size_t)row * halved(width);
    const uint8_t *v = u + halved(width) * halved(height);
    size_t pairs = (size_t)width / 2;
    for (size_t x = 0; x < pairs; x++)
        write_pixel(above[2 * x] + above[2 * x + 1] + below[2 * x] + below[2 * x + 1], u[x], v[x], rgba + 4 * x);
    if (width % 2 != 0)
        write_pixel(2 * (above[width - 1] + below[width - 1]), u[pairs], v[pairs], rgba + 4 * pairs);
}

#if defined(__x86_64__)
/* The same with vectors of eight pixels. */
__attribute__((target("avx2"))) static void half_row_avx2(
    const uint8_t *planes, int width, int height, int row, uint8_t *rgba) {
    half_row(planes, width, height, row, rgba);
}
#endif

void webp_half_row(const uint8_t *planes, int width, int height, int row, uint8_t *rgba) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        half_row_avx2(planes, width, height, row, rgba);
        return;
    }
#endif
    half_row(planes, width, height, row, rgba);
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
    WebPDecBuffer buffer; /* used by the decoder */
    webp_output output;
    int width, height;
    int rows;
};

webp_session *webp_session_open(int width, int height, webp_output output, uint8_t *memory) {
    webp_session *session = calloc(1, sizeof *session);
    if (session == NULL) return NULL;
    size_t stride = 4 * (size_t)width;
    session->buffer = output == webp_output_planes ? planes_at(memory, width, height)
                                                   : pixels_at(memory, stride, stride * (size_t)height);
    session->output = output;
    session->width = width;
    session->height = height;
    session->decoder = WebPINewDecoder(&session->buffer);
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
    if (rows > session->rows && session->output == webp_output_opaque) {
        size_t first = (size_t)session->rows * (size_t)session->width, end = (size_t)rows * (size_t)session->width;
        webp_make_opaque(session->buffer.u.RGBA.rgba + 4 * first, end - first);
    }
    if (rows > session->rows) session->rows = rows;
}

webp_outcome webp_session_update(webp_session *session, const uint8_t *bytes, size_t length, int *rows) {
    VP8StatusCode status = WebPIUpdate(session->decoder, bytes, length);
    int last = 0;
    if (status == VP8_STATUS_OK || status == VP8_STATUS_SUSPENDED || status == VP8_STATUS_NOT_ENOUGH_DATA) {
        if (WebPIDecodedArea(session->decoder, NULL, NULL, NULL, &last) != NULL) take_rows(session, last);
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
    config->method = settings.effort;
    if (settings.is_lossless) {
        config->lossless = 1;
        config->exact = 1; /* also preserve the color of transparent pixels */
        config->quality = settings.effort == 6 ? 100 : 75; /* the effort of lossless compression */
    }
    return WebPValidateConfig(config);
}

static int goes_on(int percent, const WebPPicture *image) {
    const webp_settings *settings = image->user_data;
    (void)percent;
    return settings->is_cancelled == NULL || !settings->is_cancelled();
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
    image.progress_hook = goes_on;
    image.user_data = &settings;
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

/* Writes the file, and frees the earlier bytes. */
static int assemble(WebPMux *mux, webp_bytes *file) {
    WebPData data;
    WebPDataInit(&data);
    if (WebPMuxAssemble(mux, &data) != WEBP_MUX_OK) return 0;
    webp_free(file);
    file->bytes = (uint8_t *)data.bytes;
    file->length = data.size;
    return 1;
}

int webp_add_profile(webp_bytes *file, const uint8_t *profile, size_t length) {
    WebPData data = {file->bytes, file->length}, chunk = {profile, length};
    WebPMux *mux = WebPMuxCreate(&data, 0);
    int is_good = mux != NULL && WebPMuxSetChunk(mux, "ICCP", &chunk, 0) == WEBP_MUX_OK && assemble(mux, file);
    WebPMuxDelete(mux);
    return is_good;
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
    memset(file, 0, sizeof *file);
    return assemble(animation->mux, file);
}

void webp_animation_close(webp_animation *animation) {
    WebPMuxDelete(animation->mux);
    free(animation);
}
