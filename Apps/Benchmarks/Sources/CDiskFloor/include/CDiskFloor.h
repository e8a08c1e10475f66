// Does the work of the disk cache with plain files and with SQLite: the baselines of the benchmarks.
#ifndef CDISKFLOOR_H
#define CDISKFLOOR_H

#include <stdbool.h>
#include <stddef.h>

// Reads a whole file with open, fstat, read and close. Returns its length, or -1 on failure.
long floor_file_get(const char *path, void *buffer, size_t capacity);

// Writes a file at `temporary` and renames it to `path`.
bool floor_file_put(const char *temporary, const char *path, const void *bytes, size_t count);

// A database with a write-ahead log, synchronous=normal and 64 MiB of memory map. Null if it can't be opened.
typedef struct floor_database floor_database;
floor_database *floor_database_open(const char *path);
void floor_database_close(floor_database *database);
// Returns the length of the value after reading from each of its cache lines, or -1 on failure.
long floor_database_get(floor_database *database, const char *key);
bool floor_database_put(floor_database *database, const char *key, const void *bytes, size_t count);

// Returns the bytes that all threads have allocated with malloc and not freed. 0 if unknown.
size_t floor_heap_bytes(void);

#endif
