#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens a file without following links. If cached is true, fails with EAGAIN if the call would wait for a device. */
int disk_open(const char *path, int flags, bool cached);

/* Reads bytes at an offset. If cached is true, reads only what is in memory. */
long disk_read(int file, void *bytes, size_t count, long offset, bool cached);

/* Adds 32-bit words, little-endian, to sums[0], and each value of sums[0] to sums[1]. Zeros complete the last word. */
void disk_checksum(uint64_t sums[2], const uint8_t *bytes, size_t count);
