/* Decodes the content codings gzip and deflate with zlib. */
#ifndef C_IMAGE_TRANSPORTING_H
#define C_IMAGE_TRANSPORTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct it_inflater it_inflater;

typedef enum {
    IT_INFLATE_CONTINUE, /* the stream has not ended; call again with more space or input */
    IT_INFLATE_ENDED,    /* the stream has ended, with a valid checksum; only another gzip member may follow */
    IT_INFLATE_ERROR     /* the stream is invalid */
} it_status;

/* Makes a decoder for gzip and zlib, which are distinguished by their first bytes, or for `raw` deflate data (RFC 1951).
   Returns NULL if there is no memory. */
it_inflater *it_inflater_make(bool raw);
void it_inflater_free(it_inflater *inflater);
/* Decodes as much as fits. The counts are the available bytes on entry, and the consumed and written ones on return. */
it_status it_inflater_run(
    it_inflater *inflater, const uint8_t *coded, size_t *coded_count, uint8_t *decoded, size_t *decoded_count);

#endif
