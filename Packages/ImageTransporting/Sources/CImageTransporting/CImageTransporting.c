#include "CImageTransporting.h"

#include <stdbool.h>
#include <stdlib.h>
#if __has_include(<zlib.h>)
#include <zlib.h>
#else
#error "zlib.h is missing: install zlib1g-dev (Debian), zlib-devel (Fedora) or zlib (Homebrew)"
#endif

struct it_inflater {
    z_stream stream;
    bool raw;
    bool ended;
};

enum { MAX_WINDOW_BITS = 15, DETECT_GZIP_OR_ZLIB = 32, GZIP_FIRST_BYTE = 0x1f };

it_inflater *it_inflater_make(bool raw) {
    it_inflater *inflater = calloc(1, sizeof *inflater);
    if (inflater == NULL) return NULL;
    inflater->raw = raw;
    if (inflateInit2(&inflater->stream, raw ? -MAX_WINDOW_BITS : MAX_WINDOW_BITS + DETECT_GZIP_OR_ZLIB) != Z_OK) {
        free(inflater);
        return NULL;
    }
    return inflater;
}

void it_inflater_free(it_inflater *inflater) {
    inflateEnd(&inflater->stream);
    free(inflater);
}

it_status it_inflater_run(
    it_inflater *inflater, const uint8_t *coded, size_t *coded_count, uint8_t *decoded, size_t *decoded_count) {
    z_stream *stream = &inflater->stream;
    if (inflater->ended) {
        if (inflater->raw || *coded_count == 0 || coded[0] != GZIP_FIRST_BYTE) {
            *decoded_count = 0;
            return IT_INFLATE_ENDED;
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
    if (inflater->ended) return IT_INFLATE_ENDED;
    return result == Z_OK || result == Z_BUF_ERROR ? IT_INFLATE_CONTINUE : IT_INFLATE_ERROR;
}
