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

long disk_read(int file, void *bytes, size_t count, long offset, bool cached) {
#if defined(__linux__)
    if (cached) return preadv2(file, &(struct iovec){bytes, count}, 1, offset, RWF_NOWAIT);
#endif
    return pread(file, bytes, count, offset);
}

typedef uint64_t lanes __attribute__((vector_size(64)));
void disk_checksum(uint64_t sums[2], const uint8_t *bytes, size_t count) {
    /* Eight sums side by side, which processors add at once. Word i of n counts n - i times in the second sum. */
    for (; count >= 4096; bytes += 4096, count -= 4096) {
        lanes words, first = {0}, second = {0};
        for (int row = 0; row < 4096; row += sizeof words) {
            memcpy(&words, bytes + row, sizeof words);
            second += first += words;
        }
        sums[1] += 512 * sums[0];
        for (int lane = 0; lane < 8; lane++) sums[0] += first[lane], sums[1] += 8 * second[lane] - lane * first[lane];
    }
    for (size_t at = 0; at < count; at += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, count - at < 8 ? count - at : 8);
        sums[1] += sums[0] += word;
    }
}
