#ifndef C_NETWORK_NAMESPACE_H
#define C_NETWORK_NAMESPACE_H

/// Moves the calling thread to a new, empty network namespace. Returns 0, or the value of errno.
int cnn_leave_network(void);

/// Runs a shell command in the network namespace of the calling thread and waits for it. Returns 0, or the status of system(3).
int cnn_run(const char *command);

#endif
