#ifndef C_NETWORK_NAMESPACE_H
#define C_NETWORK_NAMESPACE_H

/// Gives the calling thread a network of its own, with nothing in it. 0, or the value of errno.
int cnn_leave_network(void);

/// Runs a command of the shell in the network of the calling thread, and waits for it. 0, or what went wrong, as system(3) says it.
int cnn_run(const char *command);

#endif
