#include "CImageCodecPNG.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

enum { message_capacity = 200 };

struct ilp_reader {
    png_structp png;
    png_infop info;
    jmp_buf escape;
    ilp_status failure;
    char message[message_capacity];
    const uint8_t *next;
    size_t left;
    size_t row_bytes;
    int height;
    bool icc_is_damaged;
};

/* ---- errors ---- */

static void fail(png_structp png, png_const_charp message) {
    ilp_reader *reader = png_get_error_ptr(png);
    strncpy(reader->message, message, message_capacity - 1);
    if (reader->failure == ILP_OK) reader->failure = ILP_MALFORMED;
    if (strcmp(message, "Not enough image data") == 0) reader->failure = ILP_TRUNCATED;
    if (strstr(message, "memory")) reader->failure = ILP_OUT_OF_MEMORY;
    longjmp(reader->escape, 1);
}

/* libpng leaves out ancillary chunks whose checksum is wrong, but keeps a profile. */
static void note(png_structp png, png_const_charp message) {
    ilp_reader *reader = png_get_error_ptr(png);
    if (strcmp(message, "iCCP: CRC error") == 0) reader->icc_is_damaged = true;
}

/* ---- source ---- */

static void read_bytes(png_structp png, png_bytep out, size_t count) {
    ilp_reader *reader = png_get_io_ptr(png);
    if (count > reader->left) {
        reader->failure = ILP_TRUNCATED;
        png_error(png, "the data ends early");
    }
    memcpy(out, reader->next, count);
    reader->next += count;
    reader->left -= count;
}

/* ---- life ---- */

/* Chunks that change no pixel of ours. Leaving them unread keeps compressed text from costing time and memory.
   gAMA, cHRM and sRGB are among them: a picture without a profile is taken for sRGB. */
static const png_byte skipped[] =
    "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0sTER\0tEXt\0tIME\0zTXt";

static bool set_up(ilp_reader *reader, size_t metadata_limit) {
    if (setjmp(reader->escape)) return false;
    reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, fail, note);
    if (!reader->png) return false;
    reader->info = png_create_info_struct(reader->png);
    if (!reader->info) return false;
    png_set_read_fn(reader->png, reader, read_bytes);
    png_set_user_limits(reader->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);    /* the caller checks the size */
    png_set_chunk_malloc_max(reader->png, metadata_limit);
    png_set_chunk_cache_max(reader->png, 1000);
    png_set_benign_errors(reader->png, 1);
    png_set_keep_unknown_chunks(
        reader->png, PNG_HANDLE_CHUNK_NEVER, skipped, (int)(sizeof skipped / 5));
    return true;
}

ilp_reader *ilp_reader_create(const uint8_t *bytes, size_t count, size_t metadata_limit) {
    ilp_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->next = bytes;
    reader->left = count;
    if (set_up(reader, metadata_limit)) return reader;
    ilp_reader_destroy(reader);
    return NULL;
}

void ilp_reader_destroy(ilp_reader *reader) {
    if (!reader) return;
    png_destroy_read_struct(&reader->png, &reader->info, NULL);
    free(reader);
}

const char *ilp_reader_message(const ilp_reader *reader) { return reader->message; }

/* ---- reading ---- */

static bool has_alpha(const ilp_reader *reader) {
    return (png_get_color_type(reader->png, reader->info) & PNG_COLOR_MASK_ALPHA) != 0
        || png_get_valid(reader->png, reader->info, PNG_INFO_tRNS) != 0;
}

static bool is_gray(const ilp_reader *reader) {
    return (png_get_color_type(reader->png, reader->info) & PNG_COLOR_MASK_COLOR) == 0;
}

static void find_profile(const ilp_reader *reader, ilp_header *header) {
    png_charp name;
    png_bytep profile = NULL;
    png_uint_32 length = 0;
    int compression;
    header->icc = NULL;
    header->icc_length = 0;
    if (reader->icc_is_damaged) return;
    if (!png_get_iCCP(reader->png, reader->info, &name, &compression, &profile, &length)) return;
    header->icc = profile;
    header->icc_length = length;
}

ilp_status ilp_reader_read_header(ilp_reader *reader, ilp_header *header) {
    if (setjmp(reader->escape)) return reader->failure;
    png_read_info(reader->png, reader->info);
    header->width = (int)png_get_image_width(reader->png, reader->info);
    header->height = reader->height = (int)png_get_image_height(reader->png, reader->info);
    header->is_gray = is_gray(reader);
    header->has_alpha = has_alpha(reader);
    header->is_interlaced = png_get_interlace_type(reader->png, reader->info) != PNG_INTERLACE_NONE;
    find_profile(reader, header);
    return ILP_OK;
}

static void set_transforms(ilp_reader *reader, ilp_layout layout) {
    png_structp png = reader->png;
    png_set_expand(png);
    png_set_scale_16(png);
    if (layout == ILP_RGBA8 && is_gray(reader)) png_set_gray_to_rgb(png);
    if (layout != ILP_GRAY8 && !has_alpha(reader)) png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
    if (layout == ILP_GRAY8 && has_alpha(reader)) png_set_strip_alpha(png);
    png_set_interlace_handling(png);
}

ilp_status ilp_reader_start(ilp_reader *reader, ilp_layout layout, size_t *row_bytes) {
    if (setjmp(reader->escape)) return reader->failure;
    set_transforms(reader, layout);
    png_read_update_info(reader->png, reader->info);
    *row_bytes = reader->row_bytes = png_get_rowbytes(reader->png, reader->info);
    return ILP_OK;
}

ilp_status ilp_reader_read_rows(ilp_reader *reader, uint8_t *rows, int count) {
    if (setjmp(reader->escape)) return reader->failure;
    for (int row = 0; row < count; row++) png_read_row(reader->png, rows + reader->row_bytes * (size_t)row, NULL);
    return ILP_OK;
}

ilp_status ilp_reader_read_interlaced(ilp_reader *reader, uint8_t *rows) {
    if (setjmp(reader->escape)) return reader->failure;
    for (int pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; pass++)
        for (int row = 0; row < reader->height; row++)
            png_read_row(reader->png, rows + reader->row_bytes * (size_t)row, NULL);
    return ILP_OK;
}

ilp_status ilp_reader_finish(ilp_reader *reader) {
    if (setjmp(reader->escape)) return reader->failure;
    png_read_end(reader->png, NULL);
    return ILP_OK;
}
