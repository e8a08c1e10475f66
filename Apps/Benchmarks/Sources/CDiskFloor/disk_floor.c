#define _GNU_SOURCE
#include "CDiskFloor.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// Holds the sum of one byte per cache line, so that the compiler can't remove the reads.
static volatile uint8_t touched;

static void touch(const uint8_t *bytes, size_t count) {
    uint8_t sum = 0;
    for (size_t at = 0; at < count; at += 64) sum = (uint8_t)(sum + bytes[at]);
    touched = sum;
}

long floor_file_get(const char *path, void *buffer, size_t capacity) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    struct stat status;
    long count = -1;
    if (fstat(file, &status) == 0 && (size_t)status.st_size <= capacity) count = read(file, buffer, (size_t)status.st_size);
    close(file);
    if (count > 0) touch(buffer, (size_t)count);
    return count;
}

bool floor_file_put(const char *temporary, const char *path, const void *bytes, size_t count) {
    int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return false;
    bool is_written = write(file, bytes, count) == (ssize_t)count;
    close(file);
    return is_written && rename(temporary, path) == 0;
}

#ifdef __GLIBC__
// Returns the size in the last element of this kind, which is the total of all threads.
static size_t last_size(const char *text, const char *element) {
    const char *last = NULL;
    for (const char *at = strstr(text, element); at; at = strstr(at + 1, element)) last = at;
    const char *size = last ? strstr(last, "size=\"") : NULL;
    return size ? strtoull(size + 6, NULL, 10) : 0;
}

size_t floor_heap_bytes(void) {
    char *text = NULL;
    size_t count = 0;
    FILE *stream = open_memstream(&text, &count);
    if (!stream) return 0;
    malloc_info(0, stream);
    fclose(stream);
    size_t taken = last_size(text, "<system type=\"current\"") + last_size(text, "<total type=\"mmap\"");
    size_t spare = last_size(text, "<total type=\"fast\"") + last_size(text, "<total type=\"rest\"");
    free(text);
    return taken - spare;
}
#else
size_t floor_heap_bytes(void) { return 0; }
#endif
