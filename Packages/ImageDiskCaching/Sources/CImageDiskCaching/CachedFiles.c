#define _GNU_SOURCE
#include "CImageDiskCaching.h"

#include <errno.h>
#include <fcntl.h>

#if defined(__linux__)
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif

int disk_open_cached(const char *path) {
    struct open_how how = {
        .flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
        .resolve = RESOLVE_CACHED,
    };
    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

long disk_read_cached(int file, void *bytes, size_t count) {
    struct iovec buffer = {.iov_base = bytes, .iov_len = count};
    return preadv2(file, &buffer, 1, 0, RWF_NOWAIT);
}
#else
int disk_open_cached(const char *path) {
    errno = ENOSYS;
    return -1;
}

long disk_read_cached(int file, void *bytes, size_t count) {
    errno = ENOSYS;
    return -1;
}
#endif
