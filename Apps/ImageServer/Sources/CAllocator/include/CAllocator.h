#ifndef CALLOCATOR_H
#define CALLOCATOR_H

/* Lets glibc return the memory of large blocks at once, such as images and results. Call it once, at the start.

   By default, glibc raises the size from which blocks are mapped on their own, up to 32 MB, and gives each thread an
   arena. Freed blocks between used ones then stay resident for the life of the process. Does nothing elsewhere. */
void return_freed_memory(void);

#endif
