// The baselines of the disk benchmarks: the operations of the disk cache with plain files.
#ifndef CDISKFLOOR_H
#define CDISKFLOOR_H

#include <stdbool.h>
#include <stddef.h>

// Reads a whole file with open, fstat, read and close. Returns its length, or -1 on failure.
long floor_file_get(const char *path, void *buffer, size_t capacity);

// Writes a file at `temporary` and renames it to `path`.
bool floor_file_put(const char *temporary, const char *path, const void *bytes, size_t count);

// Returns the number of bytes that all threads have allocated with malloc and not freed, or 0 if unknown.
size_t floor_heap_bytes(void);

#endif
