#define _GNU_SOURCE

#include "CImageLoadTool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_all(int file, const uint8_t *bytes, size_t length) {
    while (length > 0) {
        ssize_t count = write(file, bytes, length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno;
        bytes += count;
        length -= (size_t)count;
    }
    return 0;
}

/* Opens a file without a name, or one with the name `aside` where that is not possible. */
static int open_aside(const char *folder, const char *aside, int *is_named) {
    int file = -1;
#ifdef O_TMPFILE
    file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
#endif
    *is_named = file < 0;
    return file < 0 ? open(aside, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600) : file;
}

/* Gives a file without a name its name, unless a file has it. */
static int link_file(int file, const char *path) {
    char name[32];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    return linkat(AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

static int finish(int file, int is_named, const char *path, const char *aside) {
    if (!is_named) {
        int error = link_file(file, path);
        if (error != EEXIST) return error;
        error = link_file(file, aside);
        if (error) return error;
    }
    return rename(aside, path) == 0 ? 0 : errno;
}

int tool_write_file(
    const char *folder, const char *path, const char *aside, const uint8_t *bytes, size_t length, unsigned mode, int syncs
) {
    int is_named = 0;
    int file = open_aside(folder, aside, &is_named);
    if (file < 0) return errno;
    int error = write_all(file, bytes, length);
    if (!error && fchmod(file, mode)) error = errno;
    if (!error && syncs && fsync(file)) error = errno;
    if (!error) error = finish(file, is_named, path, aside);
    if (error) unlink(aside);
    close(file);
    return error;
}
