/* Decodes the content codings gzip and deflate with zlib. */
#ifndef C_IMAGE_CONTENT_CODING_H
#define C_IMAGE_CONTENT_CODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct icc_inflater icc_inflater;

typedef enum {
    ICC_INFLATE_CONTINUE, /* the stream has not ended; call again with more space or input */
    ICC_INFLATE_ENDED,    /* the stream has ended, with a valid checksum; only another gzip member may follow */
    ICC_INFLATE_ERROR     /* the stream is invalid */
} icc_status;

/* Makes a decoder for gzip and zlib, which are distinguished by their first bytes, or for `raw` deflate data (RFC 1951).
   Returns NULL if there is no memory. */
icc_inflater *icc_inflater_make(bool raw);
void icc_inflater_free(icc_inflater *inflater);
/* Decodes as much as fits. The counts are the available bytes on entry, and the consumed and written ones on return. */
icc_status icc_inflater_run(
    icc_inflater *inflater, const uint8_t *coded, size_t *coded_count, uint8_t *decoded, size_t *decoded_count);

#endif
