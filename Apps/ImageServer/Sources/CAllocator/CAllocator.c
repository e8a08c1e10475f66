#include "CAllocator.h"

#include <stdlib.h> /* defines __GLIBC__ */

#ifdef __GLIBC__
#include <malloc.h>
#endif

void return_freed_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
    mallopt(M_TRIM_THRESHOLD, 4 << 20);
    mallopt(M_ARENA_MAX, 4);
#endif
}
