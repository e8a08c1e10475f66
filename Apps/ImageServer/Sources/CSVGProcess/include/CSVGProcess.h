#ifndef CSVGPROCESS_H
#define CSVGPROCESS_H

#include <stddef.h>
#include <stdint.h>

/* A process that reads bytes and writes bytes. */
typedef struct {
    int process, socket;
    size_t sent, received;
} svg_process;

typedef enum {
    svg_running,
    svg_ended,
    svg_failed,
} svg_state;

/* Starts a program with two numbers as arguments. It inherits no variables and, with glibc, no files. Returns 0 or an error number. */
int svg_start(const char *program, int width, int height, svg_process *process);

/* Waits up to `milliseconds`, and sends and receives what is possible. The output has ended when it has `capacity` bytes. Call it
   until it doesn't return svg_running. */
svg_state svg_exchange(
    svg_process *process, const uint8_t *input, size_t length, uint8_t *output, size_t capacity, int milliseconds);

/* Ends the process. Call it once, in any state. */
void svg_stop(svg_process *process);

#endif
