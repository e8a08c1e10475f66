#include "CAllocations.h"

#include <stdlib.h> /* defines __GLIBC__ */

#ifdef __GLIBC__
#include <malloc.h>

long long bytes_in_use(void) {
    struct mallinfo2 information = mallinfo2();
    return (long long)(information.uordblks + information.hblkhd);
}
#else
long long bytes_in_use(void) { return -1; }
#endif
