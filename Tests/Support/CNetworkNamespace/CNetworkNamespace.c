#define _GNU_SOURCE
#include "CNetworkNamespace.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

int cnn_enter_new_namespace(void) {
#ifdef __linux__
    return unshare(CLONE_NEWNET) == 0 ? 0 : errno;
#else
    return ENOSYS;
#endif
}

int cnn_run(const char *command) {
#ifdef __linux__
    return system(command);
#else
    (void)command;
    return ENOSYS;
#endif
}
