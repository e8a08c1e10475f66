#ifdef JXL

#include "CTestJXL.h"

#include <jxl/encode.h>
#include <stdlib.h>
#include <string.h>

struct test_jxl_writer {
    JxlEncoder *handle;
    JxlEncoderFrameSettings *frames;
    test_jxl_options options;
    JxlPixelFormat format;
};

static int is_good(JxlEncoderStatus status) { return status == JXL_ENC_SUCCESS; }

test_jxl_options test_jxl_defaults(uint32_t width, uint32_t height, int channels) {
    test_jxl_options options;
    memset(&options, 0, sizeof options);
    options.width = width;
    options.height = height;
    options.channels = channels;
    options.bits = 8;
    options.effort = 3;
    options.keeps_order = 1;
    options.orientation = 1;
    options.extra_channel = -1;
    options.patches = -1;
    return options;
}

static int set_channel(test_jxl_writer *writer, uint32_t index, JxlExtraChannelType type, const JxlBasicInfo *info) {
    JxlExtraChannelInfo channel;
    JxlEncoderInitExtraChannelInfo(type, &channel);
    channel.bits_per_sample = info->bits_per_sample;
    return is_good(JxlEncoderSetExtraChannelInfo(writer->handle, index, &channel));
}

static int set_basic_info(test_jxl_writer *writer) {
    const test_jxl_options *options = &writer->options;
    JxlBasicInfo info;
    JxlEncoderInitBasicInfo(&info);
    info.xsize = options->width;
    info.ysize = options->height;
    info.bits_per_sample = (uint32_t)options->bits;
    info.num_color_channels = options->channels < 3 ? 1 : 3;
    info.orientation = (JxlOrientation)options->orientation;
    info.uses_original_profile = options->is_lossless ? JXL_TRUE : JXL_FALSE;
    if (options->channels % 2 == 0) {
        info.num_extra_channels = 1;
        info.alpha_bits = info.bits_per_sample;
    }
    if (options->extra_channel >= 0) info.num_extra_channels += 1;
    if (options->ticks_numerator > 0) {
        info.have_animation = JXL_TRUE;
        info.animation.tps_numerator = options->ticks_numerator;
        info.animation.tps_denominator = options->ticks_denominator;
        info.animation.num_loops = options->loops;
    }
    if (!is_good(JxlEncoderSetBasicInfo(writer->handle, &info))) return 0;
    if (options->extra_channel < 0) return 1;
    return set_channel(writer, info.num_extra_channels - 1, (JxlExtraChannelType)options->extra_channel, &info);
}

static int set_color(test_jxl_writer *writer) {
    const test_jxl_options *options = &writer->options;
    if (options->profile != NULL)
        return is_good(JxlEncoderSetICCProfile(writer->handle, options->profile, options->profile_length));
    JxlColorEncoding color;
    JxlColorEncodingSetToSRGB(&color, options->channels < 3);
    if (options->primaries) color.primaries = (JxlPrimaries)options->primaries;
    if (options->transfer) color.transfer_function = (JxlTransferFunction)options->transfer;
    color.gamma = options->gamma;
    return is_good(JxlEncoderSetColorEncoding(writer->handle, &color));
}

static int set_option(test_jxl_writer *writer, JxlEncoderFrameSettingId option, int64_t value) {
    return is_good(JxlEncoderFrameSettingsSetOption(writer->frames, option, value));
}

static int set_coding(test_jxl_writer *writer) {
    const test_jxl_options *options = &writer->options;
    int good = set_option(writer, JXL_ENC_FRAME_SETTING_EFFORT, options->effort);
    if (options->is_lossless) {
        good &= is_good(JxlEncoderSetFrameLossless(writer->frames, JXL_TRUE));
        good &= set_option(writer, JXL_ENC_FRAME_SETTING_KEEP_INVISIBLE, 1);
    } else {
        good &= is_good(JxlEncoderSetFrameDistance(writer->frames, 1));
    }
    if (options->is_modular) good &= set_option(writer, JXL_ENC_FRAME_SETTING_MODULAR, 1);
    if (options->is_progressive) {
        good &= set_option(writer, JXL_ENC_FRAME_SETTING_RESPONSIVE, 1);
        good &= set_option(writer, JXL_ENC_FRAME_SETTING_PROGRESSIVE_DC, options->is_progressive - 1);
        good &= set_option(writer, JXL_ENC_FRAME_SETTING_PROGRESSIVE_AC, 1);
    }
    if (!options->keeps_order) good &= set_option(writer, JXL_ENC_FRAME_SETTING_GROUP_ORDER, 1);
    if (options->resampling) good &= set_option(writer, JXL_ENC_FRAME_SETTING_RESAMPLING, options->resampling);
    if (options->patches >= 0) good &= set_option(writer, JXL_ENC_FRAME_SETTING_PATCHES, options->patches);
    return good;
}

test_jxl_writer *test_jxl_open(const test_jxl_options *options) {
    test_jxl_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) return NULL;
    writer->options = *options;
    writer->handle = JxlEncoderCreate(NULL);
    JxlDataType type = options->bits > 8 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8;
    writer->format = (JxlPixelFormat){(uint32_t)options->channels, type, JXL_NATIVE_ENDIAN, 0};
    JxlEncoderUseContainer(writer->handle, options->uses_container ? JXL_TRUE : JXL_FALSE);
    writer->frames = JxlEncoderFrameSettingsCreate(writer->handle, NULL);
    if (set_coding(writer)) return writer;
    test_jxl_close(writer);
    return NULL;
}

void test_jxl_close(test_jxl_writer *writer) {
    JxlEncoderDestroy(writer->handle);
    free(writer);
}

static int is_started(test_jxl_writer *writer) {
    if (writer->options.width == 0) return 1;
    int good = set_basic_info(writer) && set_color(writer);
    writer->options.width = 0;
    return good;
}

static int set_frame(test_jxl_writer *writer, const test_jxl_frame *frame) {
    JxlFrameHeader header;
    JxlEncoderInitFrameHeader(&header);
    header.duration = frame->duration;
    header.layer_info.have_crop = frame->width > 0;
    header.layer_info.crop_x0 = frame->x;
    header.layer_info.crop_y0 = frame->y;
    header.layer_info.xsize = frame->width;
    header.layer_info.ysize = frame->height;
    header.layer_info.blend_info.blendmode = (JxlBlendMode)frame->blend_mode;
    header.layer_info.blend_info.source = (uint32_t)frame->source;
    header.layer_info.save_as_reference = (uint32_t)frame->saved_slot;
    return is_good(JxlEncoderSetFrameHeader(writer->frames, &header));
}

/* Adds the samples of the additional channel. */
static int add_zeros(test_jxl_writer *writer, size_t pixels) {
    JxlPixelFormat format = {1, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    uint32_t index = writer->options.channels % 2 == 0 ? 1 : 0;
    uint8_t *zeros = calloc(pixels, 1);
    if (zeros == NULL) return 0;
    int good = is_good(JxlEncoderSetExtraChannelBuffer(writer->frames, &format, zeros, pixels, index));
    free(zeros);
    return good;
}

int test_jxl_add(
    test_jxl_writer *writer, const void *samples, size_t length, const test_jxl_frame *frame, const char *name) {
    uint32_t width = writer->options.width;
    size_t pixels = (size_t)width * writer->options.height;
    if (!is_started(writer)) return 0;
    if (frame != NULL && !set_frame(writer, frame)) return 0;
    /* Setting the frame's header clears the name. */
    if (!is_good(JxlEncoderSetFrameName(writer->frames, name))) return 0;
    if (!is_good(JxlEncoderAddImageFrame(writer->frames, &writer->format, samples, length))) return 0;
    return writer->options.extra_channel < 0 || add_zeros(writer, pixels);
}

int test_jxl_add_jpeg(test_jxl_writer *writer, const uint8_t *bytes, size_t length) {
    writer->options.width = 0;
    return is_good(JxlEncoderStoreJPEGMetadata(writer->handle, JXL_TRUE))
        && is_good(JxlEncoderAddJPEGFrame(writer->frames, bytes, length));
}

uint8_t *test_jxl_finish(test_jxl_writer *writer, size_t *length) {
    size_t capacity = 1 << 16;
    uint8_t *bytes = malloc(capacity), *next = bytes;
    size_t available = capacity;
    JxlEncoderCloseInput(writer->handle);
    JxlEncoderStatus status;
    while ((status = JxlEncoderProcessOutput(writer->handle, &next, &available)) == JXL_ENC_NEED_MORE_OUTPUT) {
        size_t offset = (size_t)(next - bytes);
        capacity *= 2;
        bytes = realloc(bytes, capacity);
        next = bytes + offset;
        available = capacity - offset;
    }
    *length = (size_t)(next - bytes);
    if (status == JXL_ENC_SUCCESS) return bytes;
    free(bytes);
    return NULL;
}

#endif
