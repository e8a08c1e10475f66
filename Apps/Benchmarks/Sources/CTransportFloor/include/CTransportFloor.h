// An origin on loopback, libcurl without anything around it, and what the system says of processes.
#ifndef CTRANSPORTFLOOR_H
#define CTRANSPORTFLOOR_H

#include <stdbool.h>
#include <stddef.h>

// Listens on a free port of 127.0.0.1, at most 64 clients at a time. Returns the socket, or -1.
int floor_origin_listen(int *port);
// Answers every GET with so many bytes, over HTTP/1.1 that is kept alive, until standard input ends.
void floor_origin_serve(int listener, size_t body_bytes);

// Fetches http://127.0.0.1:PORT/0 and so on, so many at a time, and drops the bodies. Returns their bytes, or -1.
long floor_curl_fetch(int port, int count, int connections);

// Seconds of processor time of the children that have ended.
double floor_children_seconds(void);
// Bytes of this process in memory, or 0 where the system does not tell.
size_t floor_resident_bytes(void);

#endif
