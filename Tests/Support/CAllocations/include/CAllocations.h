#ifndef C_ALLOCATIONS_H
#define C_ALLOCATIONS_H

/// Returns the bytes allocated by the C library's allocator, for Swift and for C, and not freed. -1 if unknown.
long long bytes_in_use(void);

#endif
