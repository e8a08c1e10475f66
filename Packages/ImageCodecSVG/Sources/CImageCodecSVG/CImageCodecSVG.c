#ifdef SVG

#include "CImageCodecSVG.h"

#include "../CLibRSVG/shim.h"
#include <string.h>

static RsvgHandle *open_document(const uint8_t *bytes, size_t length) {
    /* Without a base address, librsvg loads nothing but data: URLs. */
    RsvgHandle *handle = rsvg_handle_new_from_data(bytes, length, NULL);
    if (handle != NULL) rsvg_handle_set_dpi(handle, 96);
    return handle;
}

svg_drawing *svg_draw(const uint8_t *bytes, size_t length, int width, int height) {
    RsvgRectangle viewport = {0, 0, width, height};
    RsvgHandle *handle = open_document(bytes, length);
    if (handle == NULL) return NULL;
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    cairo_t *context = cairo_create(surface);
    gboolean is_drawn = rsvg_handle_render_document(handle, context, &viewport, NULL);
    cairo_destroy(context);
    g_object_unref(handle);
    cairo_surface_flush(surface);
    if (is_drawn && cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS) return surface;
    cairo_surface_destroy(surface);
    return NULL;
}

/* Converts a pixel of cairo, which is multiplied by alpha. */
static void convert(uint32_t pixel, uint8_t *target) {
    uint32_t alpha = pixel >> 24;
    for (int channel = 0; channel < 3; channel++) {
        uint32_t value = pixel >> (16 - 8 * channel) & 255;
        target[channel] = (uint8_t)(alpha == 0 ? 0 : (value * 255 + alpha / 2) / alpha);
    }
    target[3] = (uint8_t)alpha;
}

void svg_read_row(svg_drawing *drawing, int y, uint8_t *row) {
    size_t width = (size_t)cairo_image_surface_get_width(drawing);
    size_t stride = (size_t)cairo_image_surface_get_stride(drawing);
    const uint8_t *pixels = cairo_image_surface_get_data(drawing) + (size_t)y * stride;
    for (size_t x = 0; x < width; x++) {
        uint32_t pixel;
        memcpy(&pixel, pixels + 4 * x, 4);
        convert(pixel, row + 4 * x);
    }
}

void svg_close(svg_drawing *drawing) { cairo_surface_destroy(drawing); }

#endif
