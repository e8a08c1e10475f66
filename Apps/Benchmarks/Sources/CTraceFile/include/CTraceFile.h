#ifndef C_TRACE_FILE_H
#define C_TRACE_FILE_H

#include <stddef.h>

// Reads a file, through gzip if it is compressed (zlib). Null when it can't be opened.
void *trace_file_open(const char *path);

// Fills `buffer`; returns how many bytes there were, 0 at the end, below 0 for a damaged file.
int trace_file_read(void *file, unsigned char *buffer, unsigned count);

void trace_file_close(void *file);

#endif
