#ifndef CIMAGECODECSVG_H
#define CIMAGECODECSVG_H

#include <stddef.h>
#include <stdint.h>

/* The pixels of a drawing. */
typedef struct _cairo_surface svg_drawing;

/* Draws a document into this many pixels. Loads no other files: only data: URLs are followed. Returns NULL if librsvg rejects
   the document, or if memory is exhausted. Can't be interrupted. */
svg_drawing *svg_draw(const uint8_t *bytes, size_t length, int width, int height);

/* Writes a row: red, green, blue and straight alpha. */
void svg_read_row(svg_drawing *drawing, int y, uint8_t *row);

void svg_close(svg_drawing *drawing);

#endif
