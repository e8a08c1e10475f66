#ifndef ILP_UNFILTER_H
#define ILP_UNFILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* The number of bytes after a row, and after the row above, that must be readable. They are not used. */
    ilp_unfilter_slack = 8
};

/* Reverses the filter of a row in place (PNG 3rd edition, 9.2). `pixel_bytes` is 1, 2, 3, 4, 6 or 8, and `count` is a
   multiple of it. Returns false if the filter is unknown. */
bool ilp_unfilter(int filter, uint8_t *row, const uint8_t *above, size_t count, int pixel_bytes);

#endif
