#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens a file without following links. If cached is true, fails with EAGAIN if the call would wait for a device. */
int disk_open(const char *path, int flags, bool cached);

/* Opens a folder and locks a place in it until it is closed, as others may do too. Returns disk_is_claimed if another place
   is locked. Fails with ENOTSUP except on Linux, whose locks of open files end with them. */
enum { disk_is_claimed = -2 };
int disk_claim(const char *folder, int64_t place);

/* Unlocks the place and closes the folder. Closing is not enough: a process that was just forked has the open file, too. */
void disk_end_claim(int file);

/* Reads bytes at an offset. If cached is true, reads only what is in memory. */
long disk_read(int file, void *bytes, size_t count, long offset, bool cached);

/* Adds 32-bit words, little-endian, to sums[0], and each value of sums[0] to sums[1]. Zeros complete the last word. */
void disk_checksum(uint64_t sums[2], const uint8_t *bytes, size_t count);
