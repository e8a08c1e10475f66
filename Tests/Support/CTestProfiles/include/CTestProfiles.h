#ifndef CTESTPROFILES_H
#define CTESTPROFILES_H

#include <stddef.h>
#include <stdint.h>

/* ICC profiles made by Little CMS. Each function returns the bytes that it needs, and writes them when `capacity`
   suffices; 0 on failure. */

/* A matrix profile: white and the three primaries as CIE xy, and one gamma for all channels. */
size_t test_profile_rgb(
    const double white[2], const double primaries[6], double gamma, uint8_t *bytes, size_t capacity);
size_t test_profile_srgb(uint8_t *bytes, size_t capacity);
size_t test_profile_gray(double gamma, uint8_t *bytes, size_t capacity);
/* Lightness is 100 times what cyan, magenta, yellow (a third each) and black leave; the colour is neutral.
   So for the relative colorimetric intent; for the perceptual one the lightness is half of that. */
size_t test_profile_cmyk(uint8_t *bytes, size_t capacity);

#endif
