#define _GNU_SOURCE
#include "CDiskFloor.h"

#include <fcntl.h>
#include <sqlite3.h>
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

struct floor_database {
    sqlite3 *handle;
    sqlite3_stmt *get, *put;
};

floor_database *floor_database_open(const char *path) {
    floor_database *database = calloc(1, sizeof *database);
    if (!database) return NULL;
    const char *schema =
        "pragma journal_mode=wal; pragma synchronous=normal; pragma mmap_size=67108864;"
        "create table entry(key text primary key, value blob)";
    if (sqlite3_open(path, &database->handle) != SQLITE_OK ||
        sqlite3_exec(database->handle, schema, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(database->handle, "select value from entry where key=?", -1, &database->get, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(database->handle, "insert or replace into entry values(?,?)", -1, &database->put, NULL) != SQLITE_OK) {
        floor_database_close(database);
        return NULL;
    }
    return database;
}

void floor_database_close(floor_database *database) {
    sqlite3_finalize(database->get);
    sqlite3_finalize(database->put);
    sqlite3_close(database->handle);
    free(database);
}

long floor_database_get(floor_database *database, const char *key) {
    sqlite3_bind_text(database->get, 1, key, -1, SQLITE_STATIC);
    long count = -1;
    if (sqlite3_step(database->get) == SQLITE_ROW) {
        const uint8_t *bytes = sqlite3_column_blob(database->get, 0);
        count = sqlite3_column_bytes(database->get, 0);
        touch(bytes, (size_t)count);
    }
    sqlite3_reset(database->get);
    return count;
}

bool floor_database_put(floor_database *database, const char *key, const void *bytes, size_t count) {
    sqlite3_bind_text(database->put, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_blob(database->put, 2, bytes, (int)count, SQLITE_STATIC);
    bool is_done = sqlite3_step(database->put) == SQLITE_DONE;
    sqlite3_reset(database->put);
    return is_done;
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
