#define _GNU_SOURCE

#include "CHostileCalls.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void end_successfully(int succeeded) {
    /* The test sees it: no attack may succeed. */
    if (succeeded) _exit(77);
}

static void open_file(const char *path) { end_successfully(open(path, O_RDONLY) >= 0); }

static void write_file(void) { end_successfully(open("/tmp/hostile", O_WRONLY | O_CREAT, 0600) >= 0); }

static void shrink(void) {
    for (int file = 1; file < 64; file++) end_successfully(file > 2 && ftruncate(file, 0) == 0);
}

static void connect_socket(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = 9, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int file = socket(AF_INET, SOCK_STREAM, 0);
    end_successfully(file >= 0);
    connect(file, (struct sockaddr *)&address, sizeof address);
}

static void execute(void) {
    char *const none[] = {NULL};
    execve("/bin/true", none, none);
}

static void fork_process(void) {
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    end_successfully(child >= 0);
}

static void start_as_thread(void) {
    end_successfully(syscall(SYS_clone3, NULL, 0) >= 0);
    end_successfully(prctl(PR_SET_DUMPABLE, 0) == 0);
}

static void map_code(void) {
    end_successfully(mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
}

static void make_code(void) {
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    end_successfully(mprotect(memory, 4096, PROT_READ | PROT_EXEC) == 0);
}

/* Memory of these kinds has no limit. */
static void map_shared(void) {
    end_successfully(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
}

static void map_stack(void) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN;
    end_successfully(mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED);
}

static void flood(void) {
    for (;;) open_file("/etc/passwd");
}

static void *sleep_long(void *unused) {
    sleep(1000);
    return unused;
}

static void start_threads(void) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    pthread_t thread;
    for (int count = 0; pthread_create(&thread, &attributes, sleep_long, NULL) == 0; count++) end_successfully(count > 300);
}

static void call_32_bit(void) {
#ifdef __x86_64__
    syscall(0x40000000 | SYS_getpid);
    end_successfully(1);
#else
    abort();
#endif
}

static void read_parent(void) {
    char byte;
    struct iovec local = {&byte, 1}, remote = {(void *)hostile_call, 1};
    end_successfully(process_vm_readv(getppid(), &local, 1, &remote, 1, 0) >= 0);
}

static void fault(void) { *(volatile int *)16 = 1; }

static void loop(void) {
    for (volatile int count = 0;; count++) {}
}

static void allocate(void) {
    for (;;) {
        char *memory = malloc(16 << 20);
        if (memory == NULL) abort();
        memset(memory, 1, 16 << 20);
    }
}

static void close_socket(void) {
    close(0);
    loop();
}

static void open_passwd(void) { open_file("/etc/passwd"); }
static void open_cache(void) { open_file("/root/.cache"); }
static void trace_parent(void) { end_successfully(ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0); }
static void kill_parent(void) { end_successfully(kill(getppid(), 0) == 0); }
static void set_up_ring(void) { end_successfully(syscall(SYS_io_uring_setup, 1, NULL) >= 0); }
static void exit_successfully(void) { _exit(0); }

void hostile_call(const char *name) {
    static const struct {
        const char *name;
        void (*call)(void);
    } calls[] = {
        {"open /etc/passwd", open_passwd}, {"open the cache", open_cache}, {"write a file", write_file}, {"shrink", shrink},
        {"connect", connect_socket}, {"execute", execute}, {"fork", fork_process}, {"clone3", start_as_thread},
        {"map code", map_code}, {"make code", make_code}, {"map shared", map_shared}, {"map a stack", map_stack},
        {"flood", flood}, {"start threads", start_threads},
        {"32 bits", call_32_bit}, {"read parent", read_parent},
        {"trace parent", trace_parent}, {"kill parent", kill_parent}, {"ring", set_up_ring}, {"fault", fault}, {"loop", loop},
        {"allocate", allocate}, {"close", close_socket}, {"exit", exit_successfully}, {"abort", abort},
    };
    for (size_t index = 0; index < sizeof calls / sizeof calls[0]; index++) {
        if (strcmp(calls[index].name, name) == 0) return calls[index].call();
    }
    _exit(78);
}

void hostile_send(const uint8_t *bytes, size_t length) {
    struct iovec vector = {(void *)bytes, length};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    end_successfully(sendmsg(0, &message, 0) < 0);
}
