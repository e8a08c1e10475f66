/* image-server-svg WIDTH HEIGHT: draws an SVG file from standard input into this many pixels, and writes them to standard output:
   red, green, blue and straight alpha. The image server starts it for each drawing, because librsvg can't be interrupted, and
   ends the program if it fails. It has no address from which it could load other files, and limits its memory and time. */

#ifdef HAS_SVG

#include "CChildProcess.h"

#include <errno.h>
#include <librsvg/rsvg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { largest_side = 65535, largest_seconds = 120 };

static int limit(int resource, rlim_t value) {
    struct rlimit limits;
    if (getrlimit(resource, &limits) != 0) return 0;
    if (value < limits.rlim_max) limits.rlim_max = value;
    limits.rlim_cur = limits.rlim_max;
    return setrlimit(resource, &limits) == 0;
}

/* The memory is for libraries and fonts, the image, and as much again for each of some filters and groups. */
static int limit_resources(long width, long height) {
    child_depend_on_parent();
    return limit(RLIMIT_CPU, largest_seconds) && limit(RLIMIT_CORE, 0)
        && limit(RLIMIT_AS, ((rlim_t)768 << 20) + (rlim_t)width * (rlim_t)height * 32);
}

static GByteArray *read_input(void) {
    GByteArray *input = g_byte_array_new();
    uint8_t buffer[1 << 16];
    ssize_t count;
    while ((count = read(STDIN_FILENO, buffer, sizeof buffer)) != 0) {
        if (count > 0) g_byte_array_append(input, buffer, (guint)count);
        else if (errno != EINTR) break;
    }
    return input;
}

static cairo_surface_t *draw(const GByteArray *input, int width, int height) {
    RsvgRectangle viewport = {0, 0, width, height};
    RsvgHandle *handle = rsvg_handle_new_from_data(input->data, input->len, NULL);
    if (handle == NULL) return NULL;
    rsvg_handle_set_dpi(handle, 96);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    cairo_t *context = cairo_create(surface);
    gboolean is_drawn = rsvg_handle_render_document(handle, context, &viewport, NULL);
    cairo_destroy(context);
    g_object_unref(handle);
    if (is_drawn && cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS) return surface;
    cairo_surface_destroy(surface);
    return NULL;
}

static int write_all(const uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, count);
        if (written > 0) {
            bytes += written;
            count -= (size_t)written;
        } else if (errno != EINTR) {
            return 0;
        }
    }
    return 1;
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

static int write_pixels(cairo_surface_t *surface, int width, int height) {
    uint8_t *row = malloc((size_t)width * 4);
    int is_written = row != NULL;
    cairo_surface_flush(surface);
    for (int y = 0; is_written && y < height; y++) {
        const uint8_t *pixels = cairo_image_surface_get_data(surface) + (size_t)y * (size_t)cairo_image_surface_get_stride(surface);
        for (int x = 0; x < width; x++) {
            uint32_t pixel;
            memcpy(&pixel, pixels + 4 * (size_t)x, 4);
            convert(pixel, row + 4 * (size_t)x);
        }
        is_written = write_all(row, (size_t)width * 4);
    }
    free(row);
    return is_written;
}

int main(int count, char **arguments) {
    long width = count == 3 ? strtol(arguments[1], NULL, 10) : 0, height = count == 3 ? strtol(arguments[2], NULL, 10) : 0;
    if (width < 1 || height < 1 || width > largest_side || height > largest_side) return 2;
    if (!limit_resources(width, height)) return 3;
    GByteArray *input = read_input();
    cairo_surface_t *surface = draw(input, (int)width, (int)height);
    return surface != NULL && write_pixels(surface, (int)width, (int)height) ? 0 : 1;
}

#else

int main(void) { return 2; }

#endif
