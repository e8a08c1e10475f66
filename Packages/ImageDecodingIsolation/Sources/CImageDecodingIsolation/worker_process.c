#ifdef __linux__
#define _GNU_SOURCE

#include "CImageDecodingIsolation.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int is_prepared;

void worker_prepare(void) { __atomic_store_n(&is_prepared, 1, __ATOMIC_RELAXED); }
int worker_is_prepared(void) { return __atomic_load_n(&is_prepared, __ATOMIC_RELAXED); }

static int spawn(const char *program, const char *argument, int socket, int *process) {
    char *const arguments[] = {(char *)program, (char *)argument, NULL};
    /* The filters of SVG would use all processors otherwise, and a crash would start a debugger. */
    char *const variables[] = {"RAYON_NUM_THREADS=1", "LC_ALL=C.UTF-8", "SWIFT_BACKTRACE=enable=no", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
#ifdef __GLIBC__
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#endif
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t child = 0;
    int error = posix_spawn(&child, program, &actions, &attributes, arguments, variables);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    *process = child;
    return error;
}

int worker_start_starter(const char *program, const char *argument, int *process, int *socket) {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) return errno;
    int error = spawn(program, argument, sockets[1], process);
    close(sockets[1]);
    if (error == 0) *socket = sockets[0];
    else close(sockets[0]);
    return error;
}

/* The first message of a worker is its process. */
static int receive_process(int socket, int64_t deadline, int *process) {
    worker_event event;
    do event = worker_wait(socket, -1, deadline);
    while (event == worker_silent);
    if (event == worker_late) return ETIMEDOUT;
    long count = worker_receive(socket, (uint8_t *)process, sizeof *process, NULL);
    return count == (long)sizeof *process ? 0 : ECHILD;
}

int worker_start(int starter, int64_t deadline, int *process, int *socket) {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) return errno;
    int error = worker_send(starter, (const uint8_t *)"", 1, sockets[1]);
    close(sockets[1]);
    if (error == 0) error = receive_process(sockets[0], deadline, process);
    if (error == 0) *socket = sockets[0];
    else close(sockets[0]);
    return error;
}

void worker_start_others(void) {
    /* Little CMS asks for the time zone, which is a file. */
    tzset();
    for (;;) {
        uint8_t byte;
        int socket = -1;
        if (worker_receive(STDIN_FILENO, &byte, sizeof byte, &socket) <= 0) _exit(0);
        /* Not fork, so that the worker is a child of the application, which ends it and learns how it ended. There is one thread,
           and so no lock that another one holds. */
        if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL) == 0) {
            int process = getpid();
            dup2(socket, STDIN_FILENO);
            worker_close(socket);
            worker_send(STDIN_FILENO, (const uint8_t *)&process, sizeof process, -1);
            return;
        }
        worker_close(socket);
    }
}

int worker_end(int process) {
    int status = 0;
    kill(process, SIGKILL);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

int worker_end_signal(int status) { return WIFSIGNALED(status) ? WTERMSIG(status) : 0; }
int worker_exit_code(int status) { return WEXITSTATUS(status); }

int worker_memory(const uint8_t *bytes, size_t length, int writes) {
    int file = memfd_create("image", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -errno;
    int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | (writes ? 0 : F_SEAL_WRITE);
    int error = ftruncate(file, (off_t)length) == 0 ? 0 : errno;
    if (error == 0 && bytes != NULL) error = worker_write(file, bytes, length, 0);
    if (error == 0 && fcntl(file, F_ADD_SEALS, seals) != 0) error = errno;
    if (error == 0) return file;
    close(file);
    return -error;
}

int worker_read(int file, uint8_t *bytes, size_t length, size_t offset) {
    while (length > 0) {
        ssize_t count = pread(file, bytes, length, (off_t)offset);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count < 0 ? errno : EIO;
        bytes += count, offset += (size_t)count, length -= (size_t)count;
    }
    return 0;
}

int worker_write(int file, const uint8_t *bytes, size_t length, size_t offset) {
    while (length > 0) {
        ssize_t count = pwrite(file, bytes, length, (off_t)offset);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count < 0 ? errno : EIO;
        bytes += count, offset += (size_t)count, length -= (size_t)count;
    }
    return 0;
}

void *worker_map(int file, size_t length) {
    void *bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, file, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

void worker_close(int file) {
    if (file >= 0) close(file);
}

typedef union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
} control_message;

int worker_send(int socket, const uint8_t *bytes, size_t length, int file) {
    struct iovec vector = {.iov_base = (void *)bytes, .iov_len = length};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    control_message control = {0};
    if (file >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        control.header = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(sizeof file), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.header), &file, sizeof file);
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? errno : 0;
}

long worker_receive(int socket, uint8_t *bytes, size_t capacity, int *file) {
    struct iovec vector = {.iov_base = bytes, .iov_len = capacity};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    control_message control = {0};
    if (file != NULL) {
        *file = -1;
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
    }
    ssize_t received;
    do received = recvmsg(socket, &message, MSG_TRUNC | MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    if (received < 0) return -errno;
    struct cmsghdr *first = file == NULL ? NULL : CMSG_FIRSTHDR(&message);
    if (first != NULL && first->cmsg_type == SCM_RIGHTS) memcpy(file, CMSG_DATA(first), sizeof *file);
    return received;
}

int64_t worker_deadline(int64_t milliseconds) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000 + milliseconds;
}

worker_event worker_wait(int socket, int calls, int64_t deadline) {
    struct pollfd files[2] = {{.fd = socket, .events = POLLIN}, {.fd = calls, .events = POLLIN}};
    int64_t remaining = deadline - worker_deadline(0);
    if (remaining <= 0) return worker_late;
    int count = poll(files, 2, remaining < 20 ? (int)remaining : 20);
    if (count <= 0) return worker_silent;
    if (files[1].revents & POLLIN) return worker_call;
    if (files[0].revents & POLLIN) return worker_message;
    return files[0].revents ? worker_gone : worker_silent;
}

static void *wait_for_end(void *context) {
    struct pollfd file = {.fd = (int)(intptr_t)context, .events = 0};
    while (!(file.revents & (POLLHUP | POLLERR))) poll(&file, 1, -1);
    _exit(0);
}

int worker_end_with(int socket) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int error = pthread_create(&thread, &attributes, wait_for_end, (void *)(intptr_t)socket);
    pthread_attr_destroy(&attributes);
    return error;
}

void worker_depend_on_parent(void) {
    int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score < 0) return;
    (void)!write(score, "1000", 4);
    close(score);
}

#endif
