#include "itc_inflater.h"

#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

struct itc_inflater {
    z_stream stream;
    bool ended;
};

enum { LARGEST_WINDOW = 15, TELL_GZIP_FROM_ZLIB = 32, GZIP_FIRST_BYTE = 0x1f };

itc_inflater *itc_inflater_make(void) {
    itc_inflater *inflater = calloc(1, sizeof *inflater);
    if (inflater == NULL) return NULL;
    if (inflateInit2(&inflater->stream, LARGEST_WINDOW + TELL_GZIP_FROM_ZLIB) != Z_OK) {
        free(inflater);
        return NULL;
    }
    return inflater;
}

void itc_inflater_free(itc_inflater *inflater) {
    inflateEnd(&inflater->stream);
    free(inflater);
}

itc_inflation itc_inflater_run(
    itc_inflater *inflater, const uint8_t *coded, size_t *coded_count, uint8_t *decoded, size_t *decoded_count) {
    z_stream *stream = &inflater->stream;
    if (inflater->ended) {
        if (*coded_count == 0 || coded[0] != GZIP_FIRST_BYTE) {
            *decoded_count = 0;
            return ITC_INFLATE_ENDED;
        }
        inflater->ended = false;
        inflateReset(stream);
    }
    stream->next_in = (Bytef *)(uintptr_t)coded;
    stream->avail_in = (uInt)*coded_count;
    stream->next_out = decoded;
    stream->avail_out = (uInt)*decoded_count;
    int result = inflate(stream, Z_NO_FLUSH);
    *coded_count -= stream->avail_in;
    *decoded_count -= stream->avail_out;
    inflater->ended = result == Z_STREAM_END;
    if (inflater->ended) return ITC_INFLATE_ENDED;
    return result == Z_OK || result == Z_BUF_ERROR ? ITC_INFLATE_GOING_ON : ITC_INFLATE_BROKEN;
}
