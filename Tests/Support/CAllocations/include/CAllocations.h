#ifndef C_ALLOCATIONS_H
#define C_ALLOCATIONS_H

/// Returns the number of bytes that Swift and C code have allocated and not freed, or -1 if it is unknown.
long long bytes_in_use(void);

#endif
