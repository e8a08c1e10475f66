/* zlib's inflate for the content codings gzip and deflate, told apart by their first bytes. */
#ifndef C_IMAGE_CONTENT_CODING_H
#define C_IMAGE_CONTENT_CODING_H

#include <stddef.h>
#include <stdint.h>

typedef struct icc_inflater icc_inflater;

typedef enum {
    ICC_INFLATE_GOING_ON, /* the stream has not ended; call again with space or input */
    ICC_INFLATE_ENDED,    /* the stream has ended, its checksum is right; what follows is ignored unless it is another member */
    ICC_INFLATE_BROKEN
} icc_inflation;

/* NULL when memory is short. */
icc_inflater *icc_inflater_make(void);
void icc_inflater_free(icc_inflater *inflater);
/* Unpacks as much as fits. Counts say what there is on entry, and what was taken and given on return. */
icc_inflation icc_inflater_run(
    icc_inflater *inflater, const uint8_t *coded, size_t *coded_count, uint8_t *decoded, size_t *decoded_count);

#endif
