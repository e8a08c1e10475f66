#ifndef C_IMAGE_DISK_CACHING_H
#define C_IMAGE_DISK_CACHING_H

#include <stddef.h>
#include <stdint.h>

/* Returns the 64-bit XXH3 checksum without a seed, with the default secret: xxHash specification 0.2.0 (doc/xxhash_spec.md).
 * Uses the widest vectors of the processor. The result doesn't depend on them. */
uint64_t disk_checksum(const void *bytes, size_t count);

/* Returns the same checksum without wide vectors. For tests. */
uint64_t disk_checksum_portable(const void *bytes, size_t count);

/* The next two functions never wait for a device. On failure they return -1 and set errno: EAGAIN if the call would wait, ENOSYS
 * if the system doesn't support it. */

/* Opens a file for reading if all parts of its path are in memory. Returns its descriptor. Doesn't follow a link at the end of
 * the path. */
int disk_open_cached(const char *path);

/* Reads from the start of a file as far as its contents are in memory. Returns the number of bytes. */
long disk_read_cached(int file, void *bytes, size_t count);

/* Requests that new subfolders of an open folder are placed far apart on the device: attribute T of ext4, see chattr(1). Returns 0,
 * or -1 if the system or file system doesn't support it. */
int disk_scatter_folders(int folder);

/* Returns a number that changes with each start of the system, or 0 if there is none. */
uint64_t disk_boot_number(void);

#endif
