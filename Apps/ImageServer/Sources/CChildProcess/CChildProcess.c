#define _GNU_SOURCE

#include "CChildProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int spawn(const char *program, char *const arguments[], int socket, pid_t *process) {
    /* The filters of SVG would use all processors otherwise. */
    char *const variables[] = {"RAYON_NUM_THREADS=1", "LC_ALL=C.UTF-8", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
#ifdef __GLIBC__
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#endif
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int error = posix_spawn(process, program, &actions, &attributes, arguments, variables);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* Creates two sockets that other programs, which are started at the same time, don't inherit. */
static int create_sockets(int sockets[2]) {
#ifdef SOCK_CLOEXEC
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0 ? 0 : errno;
#else
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return errno;
    fcntl(sockets[0], F_SETFD, FD_CLOEXEC);
    fcntl(sockets[1], F_SETFD, FD_CLOEXEC);
    return 0;
#endif
}

int child_start(const char *program, const char *first, const char *second, child_process *process) {
    char *const arguments[] = {(char *)program, (char *)first, (char *)second, NULL};
    int sockets[2];
    pid_t child;
    int error = create_sockets(sockets);
    if (error != 0) return error;
    error = spawn(program, arguments, sockets[1], &child);
    close(sockets[1]);
    if (error == 0) *process = (child_process){.process = child, .socket = sockets[0]};
    else close(sockets[0]);
    return error;
}

static int is_temporary(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

child_state child_exchange(
    child_process *process, const uint8_t *input, size_t length, uint8_t *output, size_t capacity, int milliseconds) {
    int sends = process->sent < length;
    struct pollfd poller = {.fd = process->socket, .events = (short)(POLLIN | (sends ? POLLOUT : 0))};
    int count = poll(&poller, 1, milliseconds);
    if (count <= 0) return count == 0 || errno == EINTR ? child_running : child_failed;
    if (sends && (poller.revents & POLLOUT)) {
        ssize_t sent = send(
            process->socket, input + process->sent, length - process->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && !is_temporary()) return child_failed;
        if (sent > 0) process->sent += (size_t)sent;
        if (process->sent == length) shutdown(process->socket, SHUT_WR);
    }
    if (!(poller.revents & (POLLIN | POLLHUP | POLLERR))) return child_running;
    ssize_t received = recv(process->socket, output + process->received, capacity - process->received, MSG_DONTWAIT);
    if (received < 0) return is_temporary() ? child_running : child_failed;
    process->received += (size_t)received;
    if (process->received == capacity) return child_ended;
    return received == 0 ? child_failed : child_running;
}

void child_stop(child_process *process) {
    if (process->process <= 0) return; /* It didn't start, and has no socket. */
    kill(process->process, SIGKILL);
    while (waitpid(process->process, NULL, 0) < 0 && errno == EINTR) {}
    close(process->socket);
}

void child_depend_on_parent(void) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* A parent that has ended before this call has closed its socket. */
    struct pollfd parent = {.fd = STDIN_FILENO};
    if (poll(&parent, 1, 0) > 0 && (parent.revents & POLLHUP)) _exit(1);
    int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score >= 0) {
        (void)!write(score, "1000", 4);
        close(score);
    }
#endif
}

static int limit(int resource, rlim_t value) {
    struct rlimit limits;
    if (getrlimit(resource, &limits) != 0) return errno;
    if (value < limits.rlim_max) limits.rlim_max = value;
    limits.rlim_cur = limits.rlim_max;
    return setrlimit(resource, &limits) == 0 ? 0 : errno;
}

int child_limit(uint64_t seconds, uint64_t bytes) {
    int error = limit(RLIMIT_CPU, seconds);
    if (error == 0) error = limit(RLIMIT_CORE, 0);
    return error == 0 ? limit(RLIMIT_AS, bytes) : error;
}
