#ifndef CIMAGEMEMORYCACHING_H
#define CIMAGEMEMORYCACHING_H

#include <stdint.h>

/// Begins to fetch the line of memory around an address, to be written soon, and waits for nothing. Any address will do.
static inline void memory_prefetch(const void *address) { __builtin_prefetch(address, 1); }

/// The number of the calling thread, the same until it moves on: 0 for the first that asks, then 1, and so on.
uint32_t memory_thread_number(void);

/// The calling thread takes the next number.
void memory_thread_moves_on(void);

/// Ticks of a counter that all processors share: what happened later, and knows of it, has at least as many.
uint64_t memory_ticks(void);

#endif
