#ifndef C_NETWORK_NAMESPACE_H
#define C_NETWORK_NAMESPACE_H

/// Moves the calling thread to a new, empty network namespace. Returns 0, or the value of errno.
int cnn_enter_new_namespace(void);

/// Runs a shell command in the network namespace of the calling thread and waits for it. Returns the result of system(3), which
/// is 0 if the command succeeded.
int cnn_run(const char *command);

#endif
