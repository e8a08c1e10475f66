#ifndef C_TRACE_FILE_H
#define C_TRACE_FILE_H

#include <stddef.h>

// Opens a file, which may be gzip-compressed. Returns null if it can't be opened.
void *trace_file_open(const char *path);

// Fills `buffer`. Returns the number of bytes read, 0 at the end, or a negative number for a damaged file.
int trace_file_read(void *file, unsigned char *buffer, unsigned count);

void trace_file_close(void *file);

#endif
