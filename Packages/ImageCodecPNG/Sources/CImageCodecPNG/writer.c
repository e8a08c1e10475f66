#include "CImageCodecPNG.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "../CLibPNG/shim.h"

enum { message_capacity = 200 };

struct ilp_writer {
    png_structp png;
    png_infop info;
    jmp_buf escape;
    char message[message_capacity];
    uint8_t *bytes;
    size_t count, capacity;
};

static void fail(png_structp png, png_const_charp message) {
    ilp_writer *writer = png_get_error_ptr(png);
    strncpy(writer->message, message, message_capacity - 1);
    longjmp(writer->escape, 1);
}

static void ignore(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

/* ---- destination: a buffer that doubles its capacity ---- */

static void write_bytes(png_structp png, png_bytep bytes, size_t count) {
    ilp_writer *writer = png_get_io_ptr(png);
    if (count > writer->capacity - writer->count) {
        size_t needed = writer->count + count;
        size_t capacity = writer->capacity ? writer->capacity * 2 : 1 << 16;
        if (capacity < needed) capacity = needed;
        uint8_t *grown = realloc(writer->bytes, capacity);
        if (!grown) png_error(png, "out of memory");
        writer->bytes = grown;
        writer->capacity = capacity;
    }
    memcpy(writer->bytes + writer->count, bytes, count);
    writer->count += count;
}

static void flush(png_structp png) { (void)png; }

/* ---- creating and destroying ---- */

static bool set_up(ilp_writer *writer) {
    if (setjmp(writer->escape)) return false;
    writer->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, writer, fail, ignore);
    if (!writer->png) return false;
    writer->info = png_create_info_struct(writer->png);
    if (!writer->info) return false;
    png_set_write_fn(writer->png, writer, write_bytes, flush);
    png_set_user_limits(writer->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    return true;
}

ilp_writer *ilp_writer_create(void) {
    ilp_writer *writer = calloc(1, sizeof *writer);
    if (!writer) return NULL;
    if (set_up(writer)) return writer;
    ilp_writer_destroy(writer);
    return NULL;
}

void ilp_writer_destroy(ilp_writer *writer) {
    if (!writer) return;
    png_destroy_write_struct(&writer->png, &writer->info);
    free(writer->bytes);
    free(writer);
}

const char *ilp_writer_message(const ilp_writer *writer) { return writer->message; }

/* ---- writing ---- */

/* The smallest depth of indices of a palette, otherwise 8. */
static int depth(ilp_writer_options options) {
    if (!options.palette || options.palette_count > 16) return 8;
    return options.palette_count > 4 ? 4 : options.palette_count > 2 ? 2 : 1;
}

/* Sets the colors, and their alpha up to the last color that is not opaque. */
static void set_palette(ilp_writer *writer, ilp_writer_options options) {
    png_color colors[256];
    png_byte alpha[256];
    int alpha_count = 0;
    for (int index = 0; index < options.palette_count; index++) {
        const uint8_t *color = options.palette + 4 * index;
        colors[index] = (png_color){color[0], color[1], color[2]};
        alpha[index] = color[3];
        if (color[3] < 255) alpha_count = index + 1;
    }
    png_set_PLTE(writer->png, writer->info, colors, options.palette_count);
    if (alpha_count > 0) png_set_tRNS(writer->png, writer->info, alpha, alpha_count, NULL);
}

static void write_image(ilp_writer *writer, ilp_writer_options options, const uint8_t *pixels) {
    png_structp png = writer->png;
    int color_type = options.has_alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB;
    png_set_IHDR(
        png, writer->info, (png_uint_32)options.width, (png_uint_32)options.height, depth(options),
        options.palette ? PNG_COLOR_TYPE_PALETTE : color_type,
        options.is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, options.compression_level);
    if (options.profile_length > 0)
        png_set_iCCP(
            png, writer->info, "ICC profile", PNG_COMPRESSION_TYPE_DEFAULT, options.profile,
            (png_uint_32)options.profile_length);
    if (options.palette) set_palette(writer, options);
    png_write_info(png, writer->info);
    if (options.palette) png_set_packing(png);
    else if (!options.has_alpha) png_set_filler(png, 0, PNG_FILLER_AFTER);
    int passes = png_set_interlace_handling(png);
    for (int pass = 0; pass < passes; pass++)
        for (int row = 0; row < options.height; row++) {
            if (options.is_cancelled && options.is_cancelled()) png_error(png, "cancelled");
            png_write_row(png, pixels + options.row_bytes * (size_t)row);
        }
    png_write_end(png, NULL);
}

bool ilp_writer_write(
    ilp_writer *writer, ilp_writer_options options, const uint8_t *pixels, const uint8_t **bytes, size_t *count
) {
    if (setjmp(writer->escape)) return false;
    write_image(writer, options, pixels);
    *bytes = writer->bytes;
    *count = writer->count;
    return true;
}
