#define _GNU_SOURCE
#include "CImageDiskCaching.h"

#include <string.h>

#if defined(__APPLE__)
#include <sys/sysctl.h>

uint64_t disk_boot_number(void) {
    char text[64] = {0};
    size_t count = sizeof text;
    if (sysctlbyname("kern.bootsessionuuid", text, &count, NULL, 0) != 0) return 0;
    return disk_checksum(text, strnlen(text, sizeof text));
}
#else
#include <fcntl.h>
#include <unistd.h>

uint64_t disk_boot_number(void) {
    char text[64];
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t count = read(file, text, sizeof text);
    close(file);
    return count > 0 ? disk_checksum(text, (size_t)count) : 0;
}
#endif
