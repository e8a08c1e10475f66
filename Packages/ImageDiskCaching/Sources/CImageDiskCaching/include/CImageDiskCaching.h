#ifndef C_IMAGE_DISK_CACHING_H
#define C_IMAGE_DISK_CACHING_H

#include <stddef.h>
#include <stdint.h>

/* The checksum XXH3 of 64 bits, unseeded, with the default secret, by the xxHash specification 0.2.0 (doc/xxhash_spec.md).
 * Picks the widest vectors that the processor has; the result is the same with all. */
uint64_t disk_checksum(const void *bytes, size_t count);

/* The same by plain vectors, for tests on processors that have wider ones. */
uint64_t disk_checksum_portable(const void *bytes, size_t count);

/* Calls that never wait for a device. Each returns -1 and sets errno: EAGAIN when it would have to wait; ENOSYS where the system
 * has no such call. */

/* Opens a file to read if all names on the way to it are in memory; follows no link at the end. */
int disk_open_cached(const char *path);

/* Reads from the beginning of a file as far as its contents are in memory. */
long disk_read_cached(int file, void *bytes, size_t count);

/* Asks for folders made in an open one to be laid apart on the device, as ext4 does it for folders with the attribute T
 * (chattr(1)). Returns -1 where that can't be asked for. */
int disk_scatter_folders(int folder);

/* A number that is another one after each start of the machine; 0 where none can be had. */
uint64_t disk_boot_number(void);

#endif
