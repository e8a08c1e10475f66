#ifdef RedisCaching
#include "CImageRedisCaching.h"

#include <xxhash.h>

uint64_t irc_checksum(const uint8_t *bytes, size_t count) { return XXH3_64bits(bytes, count); }
#endif
