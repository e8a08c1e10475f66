#ifndef CTESTHEIF_H
#define CTESTHEIF_H

#include <stddef.h>
#include <stdint.h>

/* Encodes planes losslessly with libheif and x265, without a conversion of color. `samples` has the planes one after the other.
   `chroma` is 0 for monochrome, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4. Sides are multiples of 64. Returns a HEIF file with `*length`
   bytes, which the caller frees with free(), or NULL. */
uint8_t *test_heif_encode(const uint16_t *samples, int width, int height, int chroma, int bit_depth, size_t *length);

/* Encodes the luma of gray pictures of 8 bits as a sequence in 4:2:0 with x265. `options` are its parameters, as "name=value:name=value". `samples` has
   `count` pictures, which become the decoded ones. `lengths` and `frames` have memory for `count` numbers: the lengths of the coded
   pictures, in the order of decoding, and the indices of their frames. Returns `*length` bytes, which the caller frees with free(): the
   parameter sets and `*sets_length`, then the pictures; NAL units, each after its length in four big-endian bytes. */
uint8_t *test_heif_encode_sequence(
    uint8_t *samples, int width, int height, int count, const char *options, size_t *sets_length, size_t *lengths,
    int *frames, size_t *length);

#endif
