#ifdef HEIF
#include "CDecodingFloor.h"

#include <libheif/heif.h>
#include <string.h>

static bool copy_rows(const struct heif_image *image, uint8_t *pixels, size_t capacity) {
    int stride = 0;
    const uint8_t *rows = heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride);
    size_t width = (size_t)heif_image_get_primary_width(image) * 4;
    size_t height = (size_t)heif_image_get_primary_height(image);
    if (!rows || width * height > capacity) return false;
    for (size_t y = 0; y < height; y++) memcpy(pixels + y * width, rows + y * (size_t)stride, width);
    return true;
}

bool floor_heif(const uint8_t *data, size_t count, uint8_t *pixels, size_t capacity) {
    struct heif_context *context = heif_context_alloc();
    if (!context) return false;
    struct heif_image_handle *handle = NULL;
    struct heif_image *image = NULL;
    bool is_decoded = heif_context_read_from_memory_without_copy(context, data, count, NULL).code == heif_error_Ok &&
        heif_context_get_primary_image_handle(context, &handle).code == heif_error_Ok &&
        heif_decode_image(handle, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGBA, NULL).code == heif_error_Ok &&
        copy_rows(image, pixels, capacity);
    heif_image_release(image);
    heif_image_handle_release(handle);
    heif_context_free(context);
    return is_decoded;
}
#endif
