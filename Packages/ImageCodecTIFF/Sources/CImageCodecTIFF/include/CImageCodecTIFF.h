#ifndef CIMAGECODECTIFF_H
#define CIMAGECODECTIFF_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    tiff_ok,
    tiff_malformed,
    tiff_truncated,
    tiff_unsupported,
    tiff_out_of_memory,
} tiff_outcome;

/* The channels of the rows. */
typedef enum {
    tiff_rgba,
    tiff_gray,
    tiff_gray_alpha,
    tiff_cmyk,
} tiff_layout;

typedef struct {
    int width, height;
    int orientation; /* as in Exif; the file can have another number */
    tiff_layout layout;
    int has_alpha;
    size_t held_bytes;      /* the memory while rows are read */
    const uint8_t *profile; /* an ICC profile, or NULL; valid until tiff_close */
    size_t profile_length;
} tiff_header;

/* The first page of a file in memory. */
typedef struct tiff_image tiff_image;

/* Opens a file, whose bytes must be valid until tiff_close. libtiff allocates at most `memory` bytes at once. */
tiff_outcome tiff_open(const uint8_t *bytes, size_t length, size_t memory, tiff_image **image, tiff_header *header);

/* Decodes the next row, from the top as stored, with 8 bits per channel and straight alpha: to RGBA, or to the layout of the
   header. */
tiff_outcome tiff_read_row(tiff_image *image, int is_rgba, uint8_t *row);

void tiff_close(tiff_image *image);

#endif
