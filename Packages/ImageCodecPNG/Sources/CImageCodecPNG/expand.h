#ifndef ILP_EXPAND_H
#define ILP_EXPAND_H

#include "CImageCodecPNG.h"

/* How stored pixels become those of a layout. */
typedef struct ilp_expansion ilp_expansion;

struct ilp_expansion {
    /* NULL when the stored bytes are what is wanted. */
    void (*expand)(const ilp_expansion *expansion, const uint8_t *stored, uint8_t *pixels, size_t count);
    uint16_t key[3];
    uint8_t table[256][4];   /* what each stored value becomes, where there are at most 256 of them */
};

ilp_expansion ilp_expansion_make(const ilp_format *format, ilp_layout layout);

/* Bits of a stored pixel, and bytes of one in a layout. */
int ilp_stored_bits(const ilp_format *format);
int ilp_pixel_bytes(ilp_layout layout);

#endif
