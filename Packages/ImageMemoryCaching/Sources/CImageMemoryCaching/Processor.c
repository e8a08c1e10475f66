#include "CImageMemoryCaching.h"

#include <stdatomic.h>

// Plus one; 0 until it is given.
static _Thread_local uint32_t number;

uint32_t memory_thread_number(void) {
    static _Atomic uint32_t count;
    if (number == 0) number = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed) + 1;
    return number - 1;
}

void memory_thread_moves_on(void) { number++; }

uint64_t memory_ticks(void) {
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    static _Atomic uint64_t ticks;
    return atomic_fetch_add_explicit(&ticks, 1, memory_order_relaxed);
#endif
}
