// What other stores of bytes take for the same work as the disk cache, without anything around them.
#ifndef CDISKFLOOR_H
#define CDISKFLOOR_H

#include <stdbool.h>
#include <stddef.h>

// Reads a whole file by open, fstat, read, close. Returns its length, or -1.
long floor_file_get(const char *path, void *buffer, size_t capacity);

// Writes a file under the first name and renames it to the second.
bool floor_file_put(const char *temporary, const char *path, const void *bytes, size_t count);

// A database with a write-ahead log, synchronous=normal and 64 MiB of memory map. Null when it can't be opened.
typedef struct floor_database floor_database;
floor_database *floor_database_open(const char *path);
void floor_database_close(floor_database *database);
// Returns the length of the value, every cache line of which was touched, or -1.
long floor_database_get(floor_database *database, const char *key);
bool floor_database_put(floor_database *database, const char *key, const void *bytes, size_t count);

// Bytes that malloc has given out and not got back, to all threads. 0 where it does not tell.
size_t floor_heap_bytes(void);

#endif
