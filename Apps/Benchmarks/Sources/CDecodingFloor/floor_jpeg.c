#include "CDecodingFloor.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

struct error_handler {
    struct jpeg_error_mgr manager;
    jmp_buf environment;
};

static void handle_error(j_common_ptr info) { longjmp(((struct error_handler *)info->err)->environment, 1); }

static void choose_scale(struct jpeg_decompress_struct *info, int width, int height) {
    info->scale_num = width == 0 ? 8 : 1;
    info->scale_denom = 8;
    while (info->scale_num < 8 && ((int)(info->image_width * info->scale_num + 7) / 8 < width ||
                                   (int)(info->image_height * info->scale_num + 7) / 8 < height))
        info->scale_num *= 2;
}

bool floor_jpeg(const uint8_t *data, size_t count, int width, int height, uint8_t *pixels, size_t capacity) {
    struct jpeg_decompress_struct info;
    struct error_handler errors;
    info.err = jpeg_std_error(&errors.manager);
    errors.manager.error_exit = handle_error;
    if (setjmp(errors.environment)) {
        jpeg_destroy_decompress(&info);
        return false;
    }
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, data, count);
    jpeg_read_header(&info, TRUE);
    choose_scale(&info, width, height);
    info.out_color_space = JCS_EXT_RGBA;
    jpeg_start_decompress(&info);
    size_t stride = (size_t)info.output_width * 4;
    bool fits = stride * info.output_height <= capacity;
    while (fits && info.output_scanline < info.output_height) {
        JSAMPROW row = pixels + stride * info.output_scanline;
        jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_destroy_decompress(&info);
    return fits;
}
