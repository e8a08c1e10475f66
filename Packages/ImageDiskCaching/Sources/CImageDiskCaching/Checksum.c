#include "CImageDiskCaching.h"

#include <string.h>

/* The warning concerns long vectors as function parameters. All such functions are inlined. */
#pragma clang diagnostic ignored "-Wpsabi"

#define INLINE static inline __attribute__((always_inline))

typedef uint64_t lanes __attribute__((vector_size(64), aligned(1)));

enum { stripe_size = 64, secret_size = 192, stripes_per_block = 16, block_size = stripe_size * stripes_per_block };

static const uint64_t prime32_1 = 0x9E3779B1, prime32_2 = 0x85EBCA77, prime32_3 = 0xC2B2AE3D;
static const uint64_t prime64_1 = 0x9E3779B185EBCA87, prime64_2 = 0xC2B2AE3D27D4EB4F, prime64_3 = 0x165667B19E3779F9,
                      prime64_4 = 0x85EBCA77C2B2AE63, prime64_5 = 0x27D4EB2F165667C5;
static const uint64_t prime_mx1 = 0x165667919E3779F9, prime_mx2 = 0x9FB21C651E98DF25;

static const uint8_t secret[secret_size] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c, 0xde, 0xd4, 0x6d, 0xe9,
    0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78,
    0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21, 0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6,
    0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8, 0xa8, 0xfa, 0x76, 0x3f,
    0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d, 0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31,
    0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64, 0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff,
    0xfa, 0x13, 0x63, 0xeb, 0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce, 0x45, 0xcb, 0x3a, 0x8f,
    0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

INLINE uint64_t word(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

INLINE uint32_t half(const uint8_t *bytes) {
    uint32_t half;
    memcpy(&half, bytes, 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    half = __builtin_bswap32(half);
#endif
    return half;
}

INLINE lanes stripe(const uint8_t *bytes) {
    lanes words;
    memcpy(&words, bytes, sizeof words);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (int i = 0; i < 8; i++) words[i] = __builtin_bswap64(words[i]);
#endif
    return words;
}

INLINE uint64_t rotate(uint64_t value, int count) { return value << count | value >> (64 - count); }

INLINE uint64_t multiply_and_fold(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

INLINE uint64_t mix(const uint8_t *bytes, const uint8_t *key) {
    return multiply_and_fold(word(bytes) ^ word(key), word(bytes + 8) ^ word(key + 8));
}

INLINE uint64_t avalanche(uint64_t hash) {
    hash = (hash ^ hash >> 37) * prime_mx1;
    return hash ^ hash >> 32;
}

/* The avalanche of XXH64. */
INLINE uint64_t strong_avalanche(uint64_t hash) {
    hash = (hash ^ hash >> 33) * prime64_2;
    hash = (hash ^ hash >> 29) * prime64_3;
    return hash ^ hash >> 32;
}

static uint64_t tiny(const uint8_t *bytes, size_t count) {
    if (count > 8) {
        uint64_t low = word(bytes) ^ word(secret + 24) ^ word(secret + 32);
        uint64_t high = word(bytes + count - 8) ^ word(secret + 40) ^ word(secret + 48);
        return avalanche(count + __builtin_bswap64(low) + high + multiply_and_fold(low, high));
    }
    if (count >= 4) {
        uint64_t hash = ((uint64_t)half(bytes) << 32) + half(bytes + count - 4);
        hash ^= word(secret + 8) ^ word(secret + 16);
        hash ^= rotate(hash, 49) ^ rotate(hash, 24);
        hash *= prime_mx2;
        hash = (hash ^ ((hash >> 35) + count)) * prime_mx2;
        return hash ^ hash >> 28;
    }
    if (count == 0) return strong_avalanche(word(secret + 56) ^ word(secret + 64));
    uint32_t joined = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[count >> 1] << 24 | (uint32_t)count << 8 | bytes[count - 1];
    return strong_avalanche((uint64_t)(joined ^ half(secret) ^ half(secret + 4)));
}

/* 17 to 240 bytes. */
static uint64_t short_checksum(const uint8_t *bytes, size_t count) {
    uint64_t hash = count * prime64_1;
    if (count <= 128) {
        for (size_t i = 0; i <= (count - 1) / 32; i++) {
            hash += mix(bytes + 16 * i, secret + 32 * i);
            hash += mix(bytes + count - 16 * (i + 1), secret + 32 * i + 16);
        }
        return avalanche(hash);
    }
    for (size_t i = 0; i < 8; i++) hash += mix(bytes + 16 * i, secret + 16 * i);
    hash = avalanche(hash);
    for (size_t i = 8; i < count / 16; i++) hash += mix(bytes + 16 * i, secret + 16 * (i - 8) + 3);
    return avalanche(hash + mix(bytes + count - 16, secret + 136 - 17));
}

INLINE lanes accumulate(lanes sums, const uint8_t *bytes, const uint8_t *key) {
    lanes data = stripe(bytes);
    lanes keyed = data ^ stripe(key);
    return sums + __builtin_shufflevector(data, data, 1, 0, 3, 2, 5, 4, 7, 6) + (keyed & 0xFFFFFFFF) * (keyed >> 32);
}

INLINE uint64_t merge(lanes sums, size_t count) {
    uint64_t hash = count * prime64_1;
    for (int i = 0; i < 8; i += 2)
        hash += multiply_and_fold(sums[i] ^ word(secret + 11 + 8 * i), sums[i + 1] ^ word(secret + 19 + 8 * i));
    return avalanche(hash);
}

/* More than 240 bytes. */
INLINE uint64_t long_checksum(const uint8_t *bytes, size_t count) {
    lanes sums = {prime32_3, prime64_1, prime64_2, prime64_3, prime64_4, prime32_2, prime64_5, prime32_1};
    const uint8_t *block = bytes;
    for (; block + block_size < bytes + count; block += block_size) {
        for (int i = 0; i < stripes_per_block; i++) sums = accumulate(sums, block + stripe_size * i, secret + 8 * i);
        sums = (sums ^ sums >> 47 ^ stripe(secret + secret_size - stripe_size)) * prime32_1;
    }
    const uint8_t *key = secret;
    for (; block + stripe_size < bytes + count; block += stripe_size, key += 8) sums = accumulate(sums, block, key);
    sums = accumulate(sums, bytes + count - stripe_size, secret + secret_size - stripe_size - 7);
    return merge(sums, count);
}

uint64_t disk_checksum_portable(const void *bytes, size_t count) {
    if (count <= 16) return tiny(bytes, count);
    if (count <= 240) return short_checksum(bytes, count);
    return long_checksum(bytes, count);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static uint64_t long_checksum_avx2(const uint8_t *bytes, size_t count) {
    return long_checksum(bytes, count);
}

uint64_t disk_checksum(const void *bytes, size_t count) {
    if (count <= 240) return disk_checksum_portable(bytes, count);
    if (__builtin_cpu_supports("avx2")) return long_checksum_avx2(bytes, count);
    return long_checksum(bytes, count);
}
#else
uint64_t disk_checksum(const void *bytes, size_t count) { return disk_checksum_portable(bytes, count); }
#endif
