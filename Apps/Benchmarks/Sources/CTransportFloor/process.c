#include <stdio.h>
#include <sys/resource.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "CTransportFloor.h"

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

double floor_children_seconds(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_CHILDREN, &usage) != 0) return 0;
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Returns a field of /proc/self/status in bytes, or 0.
static size_t status_bytes(const char *field) {
    char line[256];
    unsigned long kibibytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file) && sscanf(line, field, &kibibytes) != 1) continue;
    fclose(file);
    return kibibytes * 1024;
}

size_t floor_resident_bytes(void) { return status_bytes("VmRSS: %lu"); }

size_t floor_peak_resident_bytes(void) { return status_bytes("VmHWM: %lu"); }

void floor_set_up_allocator(void) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, 2 << 20);
    mallopt(M_TRIM_THRESHOLD, 2 << 20);
#endif
}
