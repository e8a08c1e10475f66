#ifdef JXL

#include "CImageCodecJXL.h"

#include "../CLibJXL/shim.h"
#include <stdlib.h>
#include <string.h>

struct jxl_encoder {
    JxlEncoder *handle;
    JxlEncoderFrameSettings *frames; /* owned by handle */
    JxlPixelFormat format;
    uint32_t width, height;
    int is_animated;
};

static int is_good(JxlEncoderStatus status) { return status == JXL_ENC_SUCCESS; }

static int set_basic_info(JxlEncoder *handle, const jxl_settings *settings) {
    JxlBasicInfo info;
    JxlEncoderInitBasicInfo(&info);
    info.xsize = settings->width;
    info.ysize = settings->height;
    info.bits_per_sample = 8;
    info.num_color_channels = 3;
    info.orientation = (JxlOrientation)settings->orientation;
    info.uses_original_profile = settings->is_lossless ? JXL_TRUE : JXL_FALSE;
    if (settings->has_alpha) {
        info.num_extra_channels = 1;
        info.alpha_bits = 8;
    }
    if (settings->is_animated) {
        info.have_animation = JXL_TRUE;
        info.animation.tps_numerator = 1000;
        info.animation.tps_denominator = 1;
        info.animation.num_loops = settings->loops;
    }
    return is_good(JxlEncoderSetBasicInfo(handle, &info));
}

static int set_color(JxlEncoder *handle, const jxl_settings *settings) {
    if (settings->profile != NULL)
        return is_good(JxlEncoderSetICCProfile(handle, settings->profile, settings->profile_length));
    JxlColorEncoding color;
    JxlColorEncodingSetToSRGB(&color, JXL_FALSE);
    /* libjxl stores the numbers of those that it knows. */
    color.white_point = JXL_WHITE_POINT_CUSTOM;
    color.primaries = JXL_PRIMARIES_CUSTOM;
    memcpy(color.white_point_xy, settings->white, sizeof settings->white);
    memcpy(color.primaries_red_xy, settings->red, sizeof settings->red);
    memcpy(color.primaries_green_xy, settings->green, sizeof settings->green);
    memcpy(color.primaries_blue_xy, settings->blue, sizeof settings->blue);
    color.transfer_function = (JxlTransferFunction)settings->transfer;
    return is_good(JxlEncoderSetColorEncoding(handle, &color));
}

static int set_option(jxl_encoder *encoder, JxlEncoderFrameSettingId option, int64_t value) {
    return is_good(JxlEncoderFrameSettingsSetOption(encoder->frames, option, value));
}

static int set_compression(jxl_encoder *encoder, const jxl_settings *settings) {
    if (!set_option(encoder, JXL_ENC_FRAME_SETTING_EFFORT, settings->effort)) return 0;
    if (settings->is_progressive
        && !(set_option(encoder, JXL_ENC_FRAME_SETTING_PROGRESSIVE_AC, 1)
             && set_option(encoder, JXL_ENC_FRAME_SETTING_RESPONSIVE, 1)))
        return 0;
    if (settings->is_lossless) {
        /* The color under alpha 0 is kept, too. */
        return is_good(JxlEncoderSetFrameLossless(encoder->frames, JXL_TRUE))
            && set_option(encoder, JXL_ENC_FRAME_SETTING_KEEP_INVISIBLE, 1);
    }
    return is_good(JxlEncoderSetFrameDistance(encoder->frames, settings->distance));
}

jxl_encoder *jxl_encoder_open(const jxl_settings *settings) {
    jxl_encoder *encoder = calloc(1, sizeof *encoder);
    if (encoder == NULL) return NULL;
    encoder->handle = JxlEncoderCreate(NULL);
    encoder->width = settings->width;
    encoder->height = settings->height;
    encoder->is_animated = settings->is_animated;
    encoder->format = (JxlPixelFormat){settings->has_alpha ? 4 : 3, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    if (encoder->handle != NULL && set_basic_info(encoder->handle, settings) && set_color(encoder->handle, settings)) {
        encoder->frames = JxlEncoderFrameSettingsCreate(encoder->handle, NULL);
        if (encoder->frames != NULL && set_compression(encoder, settings)) return encoder;
    }
    jxl_encoder_close(encoder);
    return NULL;
}

void jxl_encoder_close(jxl_encoder *encoder) {
    JxlEncoderDestroy(encoder->handle);
    free(encoder);
}

/* Each frame is stored in a slot, from which the next one has the pixels outside of its area. A frame with a delay can't be
   stored in slot 0. */
enum { slot = 1 };

static int set_frame(jxl_encoder *encoder, jxl_area area, uint32_t milliseconds) {
    JxlFrameHeader header;
    JxlEncoderInitFrameHeader(&header);
    header.duration = milliseconds;
    header.layer_info.save_as_reference = slot;
    if (area.width != encoder->width || area.height != encoder->height) {
        header.layer_info.have_crop = JXL_TRUE;
        header.layer_info.crop_x0 = (int32_t)area.left;
        header.layer_info.crop_y0 = (int32_t)area.top;
        header.layer_info.xsize = area.width;
        header.layer_info.ysize = area.height;
        header.layer_info.blend_info.source = slot;
    }
    return is_good(JxlEncoderSetFrameHeader(encoder->frames, &header));
}

int jxl_encoder_add(
    jxl_encoder *encoder, const uint8_t *pixels, size_t length, jxl_area area, uint32_t milliseconds, int is_last) {
    if (encoder->is_animated && !set_frame(encoder, area, milliseconds)) return 0;
    if (!is_good(JxlEncoderAddImageFrame(encoder->frames, &encoder->format, pixels, length))) return 0;
    if (is_last) JxlEncoderCloseInput(encoder->handle);
    return 1;
}

ptrdiff_t jxl_encoder_write(jxl_encoder *encoder, uint8_t *bytes, size_t capacity) {
    uint8_t *next = bytes;
    size_t available = capacity;
    JxlEncoderStatus status = JxlEncoderProcessOutput(encoder->handle, &next, &available);
    if (status != JXL_ENC_SUCCESS && status != JXL_ENC_NEED_MORE_OUTPUT) return -1;
    return next - bytes;
}

#endif
