// The baselines of the disk benchmarks: the operations of the disk cache with plain files and with SQLite.
#ifndef CDISKFLOOR_H
#define CDISKFLOOR_H

#include <stdbool.h>
#include <stddef.h>

// Reads a whole file with open, fstat, read and close. Returns its length, or -1 on failure.
long floor_file_get(const char *path, void *buffer, size_t capacity);

// Writes a file at `temporary` and renames it to `path`.
bool floor_file_put(const char *temporary, const char *path, const void *bytes, size_t count);

// A database with a write-ahead log, synchronous=normal and a memory map of 64 MiB.
typedef struct floor_database floor_database;
// Returns null if the database can't be opened.
floor_database *floor_database_open(const char *path);
void floor_database_close(floor_database *database);
// Reads a byte of each cache line of the value. Returns the value's length, or -1 on failure.
long floor_database_get(floor_database *database, const char *key);
bool floor_database_put(floor_database *database, const char *key, const void *bytes, size_t count);

// Returns the number of bytes that all threads have allocated with malloc and not freed, or 0 if unknown.
size_t floor_heap_bytes(void);

#endif
