#include "CTraceFile.h"

#include <zlib.h>

void *trace_file_open(const char *path) { return gzopen(path, "rb"); }

int trace_file_read(void *file, unsigned char *buffer, unsigned count) {
    int got = gzread(file, buffer, count);
    int code = Z_OK;
    // gzread reports no error for a truncated file.
    if (got == 0) gzerror(file, &code);
    return code == Z_OK || code == Z_STREAM_END ? got : -1;
}

void trace_file_close(void *file) { gzclose(file); }
