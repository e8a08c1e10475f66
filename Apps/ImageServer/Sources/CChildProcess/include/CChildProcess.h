#ifndef CCHILDPROCESS_H
#define CCHILDPROCESS_H

#include <stddef.h>
#include <stdint.h>

/* A process that reads bytes and writes bytes. */
typedef struct {
    int process, socket;
    size_t sent, received;
} child_process;

typedef enum {
    child_running,
    child_ended,
    child_failed,
} child_state;

/* Starts a program with two arguments. It inherits no variables and, with glibc, no files. Returns 0 or an error number. */
int child_start(const char *program, const char *first, const char *second, child_process *process);

/* Waits up to `milliseconds`, and sends and receives what is possible. The output has ended when it has `capacity` bytes. Call it
   until it doesn't return child_running. */
child_state child_exchange(
    child_process *process, const uint8_t *input, size_t length, uint8_t *output, size_t capacity, int milliseconds);

/* Ends the process. Call it once, in any state. */
void child_stop(child_process *process);

/* Called in such a process: it ends with the one that started it, and if memory is short, the system ends it first. */
void child_depend_on_parent(void);

/* Limits the processor's time and the address space of this process, and forbids core dumps. Returns 0 or an error number. */
int child_limit(uint64_t seconds, uint64_t bytes);

#endif
