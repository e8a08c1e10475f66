#ifndef ILP_EXPAND_H
#define ILP_EXPAND_H

#include "CImageCodecPNG.h"

/* A conversion of stored pixels to a layout. */
typedef struct ilp_expansion ilp_expansion;

struct ilp_expansion {
    /* NULL if the stored bytes need no conversion. */
    void (*expand)(const ilp_expansion *expansion, const uint8_t *stored, uint8_t *pixels, size_t count);
    /* For RGBA16: the same for RGBA8, or the number of stored channels of 16 bits. */
    void (*narrow)(const ilp_expansion *expansion, const uint8_t *stored, uint8_t *pixels, size_t count);
    int channels;
    bool has_key;
    uint16_t key[3];
    uint8_t table[256][4];   /* the pixel of each stored value of up to 8 bits */
};

ilp_expansion ilp_expansion_make(const ilp_format *format, ilp_layout layout);

/* Return the bits of a stored pixel, and the bytes of a pixel in a layout. */
int ilp_stored_bits(const ilp_format *format);
int ilp_pixel_bytes(ilp_layout layout);

#endif
