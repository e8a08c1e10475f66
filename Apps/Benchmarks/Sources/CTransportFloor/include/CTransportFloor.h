// A server on loopback for the transport benchmarks, and process statistics.
#ifndef CTRANSPORTFLOOR_H
#define CTRANSPORTFLOOR_H

#include <stdbool.h>
#include <stddef.h>

// Listens on a free port of 127.0.0.1 for at most 64 concurrent clients. Returns the socket, or -1 on failure.
int floor_origin_listen(int *port);
// Answers each GET with `body_bytes` bytes over persistent HTTP/1.1 connections until standard input ends.
void floor_origin_serve(int listener, size_t body_bytes);

// Returns the processor time of ended child processes in seconds.
double floor_children_seconds(void);
// Returns the resident memory of this process in bytes, or 0 if unknown.
size_t floor_resident_bytes(void);
// Returns the greatest resident memory of this process so far in bytes, or 0 if unknown.
size_t floor_peak_resident_bytes(void);
// Makes glibc return more freed memory to the system. By default, it has up to eight heaps per core and raises its thresholds with
// the sizes that it has seen, so each heap keeps several megabytes of freed downloads.
void floor_set_up_allocator(void);

#endif
