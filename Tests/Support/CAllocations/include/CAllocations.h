#ifndef C_ALLOCATIONS_H
#define C_ALLOCATIONS_H

/// Bytes that the C library's allocator has handed out and not got back, for Swift's objects and for C's; -1 where it doesn't tell.
long long bytes_in_use(void);

#endif
