#ifndef CIMAGEDECODINGISOLATION_H
#define CIMAGEDECODINGISOLATION_H

#include <stddef.h>
#include <stdint.h>

/* What a worker could forbid itself. */
enum { worker_no_new_privileges = 1, worker_landlock = 2, worker_seccomp = 4, worker_limits = 8, worker_locked = 15 };

typedef enum { worker_silent, worker_message, worker_call, worker_gone, worker_late } worker_event;

/* Remembers that this program would run a worker if it were started as one. */
void worker_prepare(void);
int worker_is_prepared(void);

/* Starts a program with an argument, which starts workers. It inherits no variables, and one file: a socket as its standard input.
   Returns 0 or an error number. */
int worker_start_starter(const char *program, const char *argument, int *process, int *socket);
/* Starts a worker. Waits until it is there. Returns 0 or an error number. */
int worker_start(int starter, int64_t deadline, int *process, int *socket);

/* Ends a process and waits for its end. Returns its wait status: that of a process that had ended by itself is its own. */
int worker_end(int process);
/* The signal that ended a process with a wait status, or 0. */
int worker_end_signal(int status);
int worker_exit_code(int status);

/* Creates memory of a fixed size, which nobody can change, or with `writes` nobody can resize. Returns a file or a negative
   error number. */
int worker_memory(const uint8_t *bytes, size_t length, int writes);
/* Reads or writes memory without mapping it: who maps a file that another process can change crashes if it is cut. Returns 0
   or an error number. */
int worker_read(int file, uint8_t *bytes, size_t length, size_t offset);
int worker_write(int file, const uint8_t *bytes, size_t length, size_t offset);
/* Maps sealed memory for reading, or returns null. */
void *worker_map(int file, size_t length);
void worker_close(int file);

/* Sends a message, with a file unless it is negative. Returns 0 or an error number. */
int worker_send(int socket, const uint8_t *bytes, size_t length, int file);
/* Receives a message. Returns its length, which can be more than the capacity, 0 at the end, or a negative error number. Files that
   come with it are closed unless `file` is not null. */
long worker_receive(int socket, uint8_t *bytes, size_t capacity, int *file);

/* The moment in some milliseconds. */
int64_t worker_deadline(int64_t milliseconds);
/* Waits up to 20 milliseconds. Returns worker_late after the deadline. */
worker_event worker_wait(int socket, int calls, int64_t deadline);

/* Takes a call that the filter of a worker has stopped. Refuses it, or with a forbidden call leaves the worker stopped, and sets
   `forbidden`. Returns its number, or -1 if none is refused: it started one of the first 256 threads, or the worker has ended. */
int worker_refuse(int calls, int *forbidden);
/* The name of a call, or null if it is not in the list of common ones. */
const char *worker_call_name(int number);

/* Called in a starter: starts workers as they are asked for. Returns in each worker, whose standard input is its socket. */
void worker_start_others(void);
/* Called in a worker: it ends with the socket, and if memory is short, the system ends it first. */
void worker_depend_on_parent(void);
int worker_end_with(int socket);
/* Called in a worker, before it has threads. It can read files in `folders` only. Returns what it could forbid, and in `calls` the
   file by which the parent learns of calls, or -1. */
int worker_lock(const char *const *folders, size_t count, uint64_t memory, int *calls);

#endif
