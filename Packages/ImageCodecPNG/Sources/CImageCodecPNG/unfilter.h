#ifndef ILP_UNFILTER_H
#define ILP_UNFILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* Bytes behind the end of a row, and of the row above, that must be readable; they are not looked at. */
    ilp_unfilter_slack = 8
};

/* Undoes the filter of a row in place (PNG 3rd edition, 9.2). `pixel_bytes` is 1, 2, 3, 4, 6 or 8, `count` a multiple of it.
   False when there is no such filter. */
bool ilp_unfilter(int filter, uint8_t *row, const uint8_t *above, size_t count, int pixel_bytes);

#endif
