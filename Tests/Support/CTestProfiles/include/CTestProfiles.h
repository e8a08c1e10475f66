#ifndef CTESTPROFILES_H
#define CTESTPROFILES_H

#include <stddef.h>
#include <stdint.h>

/* Creates ICC profiles with Little CMS. Each function returns the size of the profile in bytes, and writes it if `capacity`
   suffices. Returns 0 on failure. */

/* A matrix profile: white and the three primaries as CIE xy, and one gamma for all channels. */
size_t test_profile_rgb(
    const double white[2], const double primaries[6], double gamma, uint8_t *bytes, size_t capacity);
size_t test_profile_srgb(uint8_t *bytes, size_t capacity);
size_t test_profile_gray(double gamma, uint8_t *bytes, size_t capacity);
/* A neutral CMYK profile. Lightness is 100 times the light that cyan, magenta, yellow (a third each) and black leave. For the
   perceptual intent, it is half of that for the relative colorimetric intent. */
size_t test_profile_cmyk(uint8_t *bytes, size_t capacity);

#endif
