#include "CDecodingFloor.h"

#include <png.h>
#include <string.h>

struct source {
    const uint8_t *bytes;
    size_t count;
};

static void read_bytes(png_structp png, png_bytep into, size_t count) {
    struct source *source = png_get_io_ptr(png);
    if (count > source->count) png_error(png, "no more bytes");
    memcpy(into, source->bytes, count);
    source->bytes += count;
    source->count -= count;
}

static void read_rows(png_structp png, png_infop info, bool keeps_rows, uint8_t *pixels, size_t capacity) {
    png_read_info(png, info);
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    size_t stride = png_get_rowbytes(png, info), height = png_get_image_height(png, info);
    if (stride * (keeps_rows || passes > 1 ? height : 1) > capacity) png_error(png, "does not fit");
    for (int pass = 0; pass < passes; pass++)
        for (size_t y = 0; y < height; y++) png_read_row(png, pixels + (keeps_rows || passes > 1 ? y * stride : 0), NULL);
}

bool floor_png(const uint8_t *data, size_t count, bool keeps_rows, uint8_t *pixels, size_t capacity) {
    struct source source = {data, count};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png == NULL ? NULL : png_create_info_struct(png);
    if (info == NULL || setjmp(png_jmpbuf(png))) {
        png_destroy_read_struct(&png, &info, NULL);
        return false;
    }
    png_set_read_fn(png, &source, read_bytes);
    read_rows(png, info, keeps_rows, pixels, capacity);
    png_destroy_read_struct(&png, &info, NULL);
    return true;
}
