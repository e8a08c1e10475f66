#define _GNU_SOURCE

#include "CImageLoadTool.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef __GLIBC__

/* What the Swift runtime, the C++ runtime, and assertions write before they end the process. */
static const char *const crashes[] = {"Fatal error", "terminate called", "what():", "ssertion", "ASSERT"};

static int is_crash(const char *bytes, size_t length) {
    for (size_t index = 0; index < sizeof crashes / sizeof *crashes; index++) {
        if (memmem(bytes, length, crashes[index], strlen(crashes[index])) != NULL) return 1;
    }
    return 0;
}

static ssize_t write_crash(void *cookie, const char *bytes, size_t length) {
    (void)cookie;
    if (is_crash(bytes, length)) (void)!write(STDERR_FILENO, bytes, length);
    return (ssize_t)length;
}

void hide_library_messages(void) {
    cookie_io_functions_t functions = {.write = write_crash};
    FILE *stream = fopencookie(NULL, "w", functions);
    if (stream == NULL) return;
    setvbuf(stream, NULL, _IOLBF, BUFSIZ);
    stderr = stream;
}

#else

void hide_library_messages(void) {}

#endif
