#ifdef JXL

#include "CImageCodecJXL.h"

#include "../CLibJXL/shim.h"
#include <stdlib.h>
#include <string.h>

static int is_good(JxlDecoderStatus status) { return status == JXL_DEC_SUCCESS; }

/* Sets the options that are only accepted before the first byte. */
static int configure(jxl_decoder *decoder, int composes_layers) {
    int events = JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FULL_IMAGE;
    return is_good(JxlDecoderSubscribeEvents(decoder, events))
        && is_good(JxlDecoderSetKeepOrientation(decoder, JXL_TRUE))
        && is_good(JxlDecoderSetUnpremultiplyAlpha(decoder, JXL_TRUE))
        && is_good(JxlDecoderSetCoalescing(decoder, composes_layers ? JXL_TRUE : JXL_FALSE));
}

jxl_decoder *jxl_open(int composes_layers) {
    jxl_decoder *decoder = JxlDecoderCreate(NULL);
    if (decoder == NULL || configure(decoder, composes_layers)) return decoder;
    jxl_close(decoder);
    return NULL;
}

void jxl_close(jxl_decoder *decoder) { JxlDecoderDestroy(decoder); }

int jxl_restart(jxl_decoder *decoder, size_t frame) {
    JxlDecoderRewind(decoder);
    if (!configure(decoder, 1)) return 0;
    if (frame > 0) JxlDecoderSkipFrames(decoder, frame);
    return 1;
}

void jxl_skip(jxl_decoder *decoder, size_t frames) { JxlDecoderSkipFrames(decoder, frames); }

int jxl_skip_rest(jxl_decoder *decoder) { return is_good(JxlDecoderSkipCurrentFrame(decoder)); }

jxl_event jxl_process(jxl_decoder *decoder, const uint8_t *bytes, size_t length, size_t *used) {
    *used = 0;
    if (!is_good(JxlDecoderSetInput(decoder, bytes, length))) return jxl_failed;
    JxlDecoderStatus status = JxlDecoderProcessInput(decoder);
    while (status == JXL_DEC_BASIC_INFO) status = JxlDecoderProcessInput(decoder);
    size_t unread = JxlDecoderReleaseInput(decoder);
    if (unread > length) return jxl_failed;
    *used = length - unread;
    switch (status) {
    case JXL_DEC_NEED_MORE_INPUT: return jxl_needs_input;
    case JXL_DEC_COLOR_ENCODING: return jxl_has_header;
    case JXL_DEC_NEED_IMAGE_OUT_BUFFER: return jxl_needs_output;
    case JXL_DEC_FULL_IMAGE: return jxl_frame_done;
    case JXL_DEC_SUCCESS: return jxl_finished;
    default: return jxl_failed;
    }
}

int jxl_set_output(jxl_decoder *decoder, int channels, int depth, uint8_t *pixels, size_t length) {
    JxlDataType type = depth == 16 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8;
    JxlPixelFormat format = {(uint32_t)channels, type, JXL_NATIVE_ENDIAN, 0};
    size_t needed = 0;
    if (!is_good(JxlDecoderImageOutBufferSize(decoder, &format, &needed)) || needed > length) return 0;
    return is_good(JxlDecoderSetImageOutBuffer(decoder, &format, pixels, length));
}

int jxl_flush(jxl_decoder *decoder) { return is_good(JxlDecoderFlushImage(decoder)); }

static jxl_transfer transfer_of(const JxlColorEncoding *color, double *gamma) {
    *gamma = 1;
    switch (color->transfer_function) {
    case JXL_TRANSFER_FUNCTION_PQ: return jxl_transfer_pq;
    case JXL_TRANSFER_FUNCTION_HLG: return jxl_transfer_hlg;
    case JXL_TRANSFER_FUNCTION_LINEAR: return jxl_transfer_gamma;
    case JXL_TRANSFER_FUNCTION_DCI: *gamma = 2.6; return jxl_transfer_gamma;
    case JXL_TRANSFER_FUNCTION_GAMMA:
        /* The stored exponent is that of encoding. */
        *gamma = color->gamma > 0 ? 1 / color->gamma : 1;
        return jxl_transfer_gamma;
    default: return jxl_transfer_srgb;
    }
}

/* Asks for the stored color space, or for Display P3 if `stored` is NULL. A curve other than that of HDR is replaced by sRGB's,
   which suits 8 bits. */
static void choose_color(jxl_decoder *decoder, const JxlColorEncoding *stored, int is_gray) {
    JxlColorEncoding color;
    memset(&color, 0, sizeof color);
    color.white_point = JXL_WHITE_POINT_D65;
    color.primaries = JXL_PRIMARIES_P3;
    color.rendering_intent = JXL_RENDERING_INTENT_RELATIVE;
    if (stored != NULL) color = *stored;
    color.color_space = is_gray ? JXL_COLOR_SPACE_GRAY : JXL_COLOR_SPACE_RGB;
    if (color.transfer_function != JXL_TRANSFER_FUNCTION_PQ && color.transfer_function != JXL_TRANSFER_FUNCTION_HLG)
        color.transfer_function = JXL_TRANSFER_FUNCTION_SRGB;
    /* It is only a preference: the color space of the output is read afterwards. */
    (void)JxlDecoderSetPreferredColorProfile(decoder, &color);
}

static void copy_basic_info(const JxlBasicInfo *info, jxl_header *header) {
    header->width = info->xsize;
    header->height = info->ysize;
    header->orientation = (int)info->orientation;
    header->has_preview = info->have_preview != 0;
    header->preview_width = info->have_preview ? info->preview.xsize : 0;
    header->preview_height = info->have_preview ? info->preview.ysize : 0;
    header->has_animation = info->have_animation != 0;
    header->is_xyb = !info->uses_original_profile;
    header->is_gray = info->num_color_channels == 1;
    header->has_alpha = info->alpha_bits > 0;
    header->is_premultiplied = info->alpha_bits > 0 && info->alpha_premultiplied;
    header->extra_channels = info->num_extra_channels;
    header->intensity_target = info->intensity_target;
    if (!info->have_animation) return;
    header->has_timecodes = info->animation.have_timecodes != 0;
    header->ticks_numerator = info->animation.tps_numerator;
    header->ticks_denominator = info->animation.tps_denominator;
    header->loops = info->animation.num_loops;
}

static int has_black(jxl_decoder *decoder, uint32_t extra_channels) {
    JxlExtraChannelInfo info;
    for (uint32_t index = 0; index < extra_channels; index++) {
        if (is_good(JxlDecoderGetExtraChannelInfo(decoder, index, &info)) && info.type == JXL_CHANNEL_BLACK) return 1;
    }
    return 0;
}

static void copy_color(const JxlColorEncoding *color, jxl_header *header) {
    header->transfer = transfer_of(color, &header->gamma);
    memcpy(header->white, color->white_point_xy, sizeof header->white);
    if (color->color_space == JXL_COLOR_SPACE_GRAY) {
        /* Gray has no primaries: only the transfer function and the white point apply. */
        const double red[2] = {0.64, 0.33}, green[2] = {0.30, 0.60}, blue[2] = {0.15, 0.06};
        memcpy(header->red, red, sizeof red);
        memcpy(header->green, green, sizeof green);
        memcpy(header->blue, blue, sizeof blue);
        return;
    }
    memcpy(header->red, color->primaries_red_xy, sizeof header->red);
    memcpy(header->green, color->primaries_green_xy, sizeof header->green);
    memcpy(header->blue, color->primaries_blue_xy, sizeof header->blue);
}

int jxl_read_header(jxl_decoder *decoder, jxl_header *header) {
    JxlBasicInfo info;
    JxlColorEncoding color;
    memset(header, 0, sizeof *header);
    if (!is_good(JxlDecoderGetBasicInfo(decoder, &info))) return 0;
    copy_basic_info(&info, header);
    header->has_black = has_black(decoder, info.num_extra_channels);
    if (header->is_xyb) {
        int is_known = is_good(
            JxlDecoderGetColorAsEncodedProfile(decoder, NULL, JXL_COLOR_PROFILE_TARGET_ORIGINAL, &color));
        choose_color(decoder, is_known ? &color : NULL, header->is_gray);
    }
    if (is_good(JxlDecoderGetColorAsEncodedProfile(decoder, NULL, JXL_COLOR_PROFILE_TARGET_DATA, &color))) {
        copy_color(&color, header);
        return 1;
    }
    header->has_profile = is_good(
        JxlDecoderGetICCProfileSize(decoder, NULL, JXL_COLOR_PROFILE_TARGET_DATA, &header->profile_length));
    return header->has_profile;
}

int jxl_copy_profile(const jxl_decoder *decoder, uint8_t *profile, size_t length) {
    return is_good(
        JxlDecoderGetColorAsICCProfile(decoder, NULL, JXL_COLOR_PROFILE_TARGET_DATA, profile, length));
}

#endif
