#include "CImageLoadTool.h"

#include <libdeflate.h>
#include <stdlib.h>

int tool_deflate(const uint8_t *bytes, size_t length, int level, tool_bytes *compressed) {
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
    if (!compressor) return 0;
    size_t bound = libdeflate_zlib_compress_bound(compressor, length);
    compressed->bytes = malloc(bound);
    compressed->length =
        compressed->bytes ? libdeflate_zlib_compress(compressor, bytes, length, compressed->bytes, bound) : 0;
    libdeflate_free_compressor(compressor);
    return compressed->length > 0;
}

int tool_inflate(const uint8_t *bytes, size_t compressed, uint8_t *inflated, size_t length) {
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    if (!decompressor) return 0;
    int is_good =
        libdeflate_zlib_decompress(decompressor, bytes, compressed, inflated, length, NULL) == LIBDEFLATE_SUCCESS;
    libdeflate_free_decompressor(decompressor);
    return is_good;
}
