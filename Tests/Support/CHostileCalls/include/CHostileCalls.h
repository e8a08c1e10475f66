#ifndef CHOSTILECALLS_H
#define CHOSTILECALLS_H

#include <stddef.h>
#include <stdint.h>

/* Does what code of an attacker would do in a worker, whose socket is its standard input. Returns if it is refused. */
void hostile_call(const char *name);
/* Sends a message of an attacker to the parent. */
void hostile_send(const uint8_t *bytes, size_t length);

#endif
