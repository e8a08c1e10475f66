#define _GNU_SOURCE
#include "CImageDiskCaching.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#if defined(__linux__)
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#endif

int disk_open(const char *path, int flags, bool cached) {
    flags |= O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
#if defined(__linux__)
    struct open_how how = {.flags = (uint64_t)flags, .resolve = RESOLVE_CACHED};
    if (cached) return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
#else
    if (cached) return errno = ENOSYS, -1;
#endif
    return open(path, flags, 0600);
}

#if defined(__linux__)
/* Whether others have locked a byte of a range. A count of 0 means all bytes from the start on. */
static bool is_locked(int file, int64_t start, int64_t count) {
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = count};
    return fcntl(file, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

int disk_claim(const char *folder, int64_t place) {
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) return -1;
    struct flock own = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
    bool is_claimed = (place > 0 && is_locked(file, 0, place)) || (place < INT64_MAX && is_locked(file, place + 1, 0));
    if (!is_claimed && fcntl(file, F_OFD_SETLK, &own) == 0) return file;
    close(file);
    return is_claimed ? disk_is_claimed : -1;
}

void disk_end_claim(int file) {
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    fcntl(file, F_OFD_SETLK, &all);
    close(file);
}
#else
int disk_claim(const char *folder, int64_t place) {
    (void)folder, (void)place;
    return errno = ENOTSUP, -1;
}

void disk_end_claim(int file) { close(file); }
#endif

long disk_read(int file, void *bytes, size_t count, long offset, bool cached) {
#if defined(__linux__)
    if (cached) return preadv2(file, &(struct iovec){bytes, count}, 1, offset, RWF_NOWAIT);
#else
    if (cached) return errno = ENOSYS, -1;
#endif
    return pread(file, bytes, count, offset);
}

typedef uint32_t row_words __attribute__((vector_size(32)));
typedef uint64_t row_sums __attribute__((vector_size(64)));
enum { block = 1024, words_per_block = block / 4, words_per_row = 8 };

/* Eight sums side by side, which processors add at once. Word i of n counts n - i times in the second sum. */
static inline __attribute__((always_inline)) void add_blocks(uint64_t sums[2], const uint8_t *bytes, size_t count) {
    for (; count >= block; bytes += block, count -= block) {
        row_words words;
        row_sums first = {0}, second = {0};
        for (int at = 0; at < block; at += sizeof words) {
            memcpy(&words, bytes + at, sizeof words);
            second += first += __builtin_convertvector(words, row_sums);
        }
        sums[1] += words_per_block * sums[0];
        for (int lane = 0; lane < words_per_row; lane++) {
            sums[0] += first[lane];
            sums[1] += words_per_row * second[lane] - lane * first[lane];
        }
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void add_blocks_avx2(uint64_t sums[2], const uint8_t *bytes, size_t count) {
    add_blocks(sums, bytes, count);
}
#endif

static void add_blocks_portable(uint64_t sums[2], const uint8_t *bytes, size_t count) {
    add_blocks(sums, bytes, count);
}

void disk_checksum(uint64_t sums[2], const uint8_t *bytes, size_t count) {
    void (*add)(uint64_t *, const uint8_t *, size_t) = add_blocks_portable;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) add = add_blocks_avx2;
#endif
    add(sums, bytes, count);
    for (size_t at = count - count % block; at < count; at += 4) {
        uint32_t word = 0;
        memcpy(&word, bytes + at, count - at < 4 ? count - at : 4);
        sums[1] += sums[0] += word;
    }
}
