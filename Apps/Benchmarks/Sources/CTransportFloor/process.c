#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
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

size_t floor_resident_bytes(void) {
    unsigned long whole, resident;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    int found = fscanf(file, "%lu %lu", &whole, &resident);
    fclose(file);
    return found == 2 ? resident * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

size_t floor_peak_resident_bytes(void) {
    char line[256];
    unsigned long kibibytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file) && sscanf(line, "VmHWM: %lu", &kibibytes) != 1) continue;
    fclose(file);
    return kibibytes * 1024;
}

void floor_set_up_allocator(void) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, 2 << 20);
    mallopt(M_TRIM_THRESHOLD, 2 << 20);
#endif
}
