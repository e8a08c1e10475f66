#ifdef JXL
#include "CDecodingFloor.h"

#include <jxl/decode.h>

bool floor_jxl(const uint8_t *data, size_t count, uint8_t *pixels, size_t capacity) {
    JxlDecoder *decoder = JxlDecoderCreate(NULL);
    if (!decoder) return false;
    JxlPixelFormat format = {4, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    bool is_decoded = false;
    JxlDecoderStatus status = JxlDecoderSubscribeEvents(decoder, JXL_DEC_FULL_IMAGE);
    if (status == JXL_DEC_SUCCESS) status = JxlDecoderSetInput(decoder, data, count);
    if (status == JXL_DEC_SUCCESS) {
        JxlDecoderCloseInput(decoder);
        status = JxlDecoderProcessInput(decoder);
        if (status == JXL_DEC_NEED_IMAGE_OUT_BUFFER &&
            JxlDecoderSetImageOutBuffer(decoder, &format, pixels, capacity) == JXL_DEC_SUCCESS) {
            is_decoded = JxlDecoderProcessInput(decoder) == JXL_DEC_FULL_IMAGE;
        }
    }
    JxlDecoderDestroy(decoder);
    return is_decoded;
}
#endif
