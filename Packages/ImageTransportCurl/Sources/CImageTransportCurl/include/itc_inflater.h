/* zlib's inflate for the content codings gzip and deflate, told apart by their first bytes. */
#ifndef ITC_INFLATER_H
#define ITC_INFLATER_H

#include <stddef.h>
#include <stdint.h>

typedef struct itc_inflater itc_inflater;

typedef enum {
    ITC_INFLATE_GOING_ON, /* the stream has not ended; call again with room or input */
    ITC_INFLATE_ENDED,    /* the stream has ended, its checksum is right; what follows is ignored unless it is another member */
    ITC_INFLATE_BROKEN
} itc_inflation;

/* NULL when memory is short. */
itc_inflater *itc_inflater_make(void);
void itc_inflater_free(itc_inflater *inflater);
/* Unpacks as much as fits. Counts say what there is on entry, and what was taken and given on return. */
itc_inflation itc_inflater_run(
    itc_inflater *inflater, const uint8_t *coded, size_t *coded_count, uint8_t *decoded, size_t *decoded_count);

#endif
