#ifdef __linux__
#define _GNU_SOURCE

#include "CImageDecodingIsolation.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE 0
#endif

/* Calls of x32, with the architecture of x86-64. No other architecture has such numbers. */
static const unsigned first_foreign_call = 0x40000000;

/* What codecs, allocators and the runtime of Swift need: memory, threads, time, and the socket. */
static const int allowed[] = {
    SYS_futex, SYS_munmap, SYS_madvise, SYS_mremap, SYS_brk, SYS_recvmsg, SYS_sendmsg, SYS_close, SYS_ppoll, SYS_exit,
    SYS_exit_group, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_set_robust_list, SYS_rseq,
    SYS_sched_yield, SYS_sched_getaffinity, SYS_getpid, SYS_gettid, SYS_clock_gettime, SYS_clock_nanosleep, SYS_nanosleep,
    SYS_gettimeofday, SYS_getrandom, SYS_sysinfo, SYS_uname, SYS_membarrier, SYS_getcpu, SYS_restart_syscall,
    SYS_pread64, SYS_pwrite64,
#ifdef SYS_poll
    SYS_poll,
#endif
#ifdef SYS_time
    SYS_time,
#endif
};

/* How files are found and read. */
static const int reading[] = {
    SYS_openat, SYS_read, SYS_readv, SYS_lseek, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_getdents64,
    SYS_faccessat, SYS_faccessat2, SYS_readlinkat, SYS_fstatfs, SYS_statfs, SYS_getcwd,
#ifdef SYS_open
    SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink,
#endif
};

#define FOR_FORBIDDEN_CALLS(CALL)                                                                                       \
    CALL(execve) CALL(execveat) CALL(ptrace) CALL(socket) CALL(clone) CALL(io_uring_setup) CALL(userfaultfd)             \
    CALL(process_vm_readv) CALL(process_vm_writev) CALL(pidfd_open) CALL(pidfd_getfd) CALL(bpf) CALL(perf_event_open)    \
    CALL(keyctl) CALL(add_key) CALL(request_key) CALL(mount) CALL(unshare) CALL(setns) CALL(open_by_handle_at)          \
    CALL(init_module) CALL(finit_module) CALL(kexec_load) CALL(memfd_secret) CALL(seccomp)

#define FOR_REFUSED_CALLS(CALL)                                                                                         \
    CALL(openat) CALL(openat2) CALL(newfstatat) CALL(statx) CALL(fstat) CALL(faccessat) CALL(faccessat2) CALL(read)      \
    CALL(write) CALL(readv) CALL(writev) CALL(lseek) CALL(ftruncate) CALL(unlinkat)         \
    CALL(renameat2) CALL(mkdirat) CALL(readlinkat) CALL(getdents64) CALL(connect) CALL(bind) CALL(listen) CALL(sendto)   \
    CALL(recvfrom) CALL(socketpair) CALL(ioctl) CALL(fcntl) CALL(kill) CALL(tkill) CALL(tgkill) CALL(mmap)               \
    CALL(mprotect) CALL(prctl) CALL(prlimit64) CALL(memfd_create) CALL(dup) CALL(dup3) CALL(pipe2) CALL(chdir)

const char *worker_call_name(int number) {
#define NAME(call) case SYS_##call: return #call;
    switch (number) {
        FOR_FORBIDDEN_CALLS(NAME)
        FOR_REFUSED_CALLS(NAME)
#ifdef SYS_fork
        NAME(fork) NAME(vfork) NAME(open) NAME(stat) NAME(lstat) NAME(access) NAME(unlink) NAME(rename) NAME(mkdir)
#endif
        default: return NULL;
    }
}

static int is_forbidden(int number) {
#define FORBID(call) case SYS_##call:
    switch (number) {
        FOR_FORBIDDEN_CALLS(FORBID)
#ifdef SYS_fork
        FORBID(fork) FORBID(vfork)
#endif
            return 1;
        default: return 0;
    }
}

/* Programs have another way if the system doesn't know a recent call. */
static const int first_optional_call = 424;

/* The kernel's memory for threads counts to no limit of a process. */
static const unsigned most_threads = 256;

/* The list of tasks has a folder for each thread (proc_pid_task(5)). */
static int has_most_threads(unsigned process) {
    char path[sizeof "/proc/4294967295/task"];
    struct stat tasks;
    snprintf(path, sizeof path, "/proc/%u/task", process);
    return stat(path, &tasks) != 0 || tasks.st_nlink >= most_threads + 2;
}

int worker_refuse(int calls, int *forbidden) {
    struct seccomp_notif call = {0};
    if (ioctl(calls, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return -1;
    int is_thread = call.data.nr == SYS_clone && (call.data.args[0] & CLONE_THREAD);
    int is_refused = !is_thread || has_most_threads(call.pid);
    struct seccomp_notif_resp answer = {.id = call.id};
    if (!is_refused) answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    else if (is_thread) answer.error = -EAGAIN;
    else answer.error = call.data.nr >= first_optional_call ? -ENOSYS : -EPERM;
    *forbidden = !is_thread && is_forbidden(call.data.nr);
    /* It fails if the worker has ended meanwhile. */
    if (!*forbidden) ioctl(calls, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    return is_refused ? call.data.nr : -1;
}

typedef struct {
    struct sock_filter steps[512];
    unsigned short count;
} filter;

static void add(filter *filter, unsigned short code, unsigned value, unsigned char then, unsigned char otherwise) {
    filter->steps[filter->count++] = (struct sock_filter)BPF_JUMP(code, value, then, otherwise);
}

static void load(filter *filter, unsigned offset) { add(filter, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0); }
static void answer(filter *filter, unsigned action) { add(filter, BPF_RET | BPF_K, action, 0, 0); }

/* Skips the next step unless the value is equal. */
static void if_equal(filter *filter, unsigned value) { add(filter, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1); }

static void allow(filter *filter, const int *calls, size_t count) {
    for (size_t index = 0; index < count; index++) {
        if_equal(filter, (unsigned)calls[index]);
        answer(filter, SECCOMP_RET_ALLOW);
    }
}

/* Allows a call if an argument has one of the bits, or none of them. The upper half of the argument is not used by the kernel. */
static void allow_bits(filter *filter, int call, int argument, unsigned bits, int has, unsigned refuse) {
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 4);
    load(filter, (unsigned)offsetof(struct seccomp_data, args[argument]));
    add(filter, BPF_JMP | BPF_JSET | BPF_K, bits, has ? 0 : 1, has ? 1 : 0);
    answer(filter, SECCOMP_RET_ALLOW);
    answer(filter, refuse);
}

/* Allows a call if an argument has a value. */
static void allow_value(filter *filter, int call, int argument, unsigned value, unsigned refuse) {
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 4);
    load(filter, (unsigned)offsetof(struct seccomp_data, args[argument]));
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    answer(filter, SECCOMP_RET_ALLOW);
    answer(filter, refuse);
}

/* Allows memory that RLIMIT_DATA counts, which is private and no stack, and files that the parent sent. No memory is executable. */
static void allow_mapping(filter *filter, unsigned refuse) {
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 8);
    load(filter, offsetof(struct seccomp_data, args[2]));
    add(filter, BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 5, 0);
    load(filter, offsetof(struct seccomp_data, args[3]));
    add(filter, BPF_JMP | BPF_JSET | BPF_K, MAP_GROWSDOWN, 3, 0);
    add(filter, BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 0, 1);
    add(filter, BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 1, 0);
    answer(filter, SECCOMP_RET_ALLOW);
    answer(filter, refuse);
}

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* `refuse` is the answer to a call that is not in the list, and `forbid` to one that ends the process. */
static void make_filter(filter *filter, int reads, unsigned refuse, unsigned forbid) {
    load(filter, offsetof(struct seccomp_data, arch));
    if_equal(filter, ARCHITECTURE);
    add(filter, BPF_JMP | BPF_JA, 1, 0, 0);
    answer(filter, SECCOMP_RET_KILL_PROCESS);
    load(filter, offsetof(struct seccomp_data, nr));
    add(filter, BPF_JMP | BPF_JGE | BPF_K, first_foreign_call, 0, 1);
    answer(filter, SECCOMP_RET_KILL_PROCESS);
    allow(filter, allowed, COUNT(allowed));
    if (reads) allow(filter, reading, COUNT(reading));
    /* glibc uses clone instead, whose flags can be seen here. */
    if_equal(filter, SYS_clone3);
    answer(filter, SECCOMP_RET_ERRNO | ENOSYS);
    allow_mapping(filter, refuse);
    allow_bits(filter, SYS_mprotect, 2, PROT_EXEC, 0, refuse);
    allow_value(filter, SYS_prctl, 0, PR_SET_NAME, refuse);
    allow_value(filter, SYS_prlimit64, 0, 0, refuse);
    allow_value(filter, SYS_tgkill, 0, (unsigned)getpid(), refuse);
    /* Otherwise the parent decides, which counts threads. */
    if (forbid != refuse) {
        allow_bits(filter, SYS_clone, 0, CLONE_THREAD, 1, forbid);
#define KILL(call) if_equal(filter, SYS_##call); answer(filter, forbid);
        FOR_FORBIDDEN_CALLS(KILL)
#ifdef SYS_fork
        KILL(fork) KILL(vfork)
#endif
    }
    answer(filter, refuse);
}

static int install(int reads, unsigned refuse, unsigned forbid, unsigned flags) {
    filter filter = {.count = 0};
    make_filter(&filter, reads, refuse, forbid);
    struct sock_fprog program = {.len = filter.count, .filter = filter.steps};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

/* The parent answers calls, so that it can name them. A process that has such a parent already, in some containers, answers
   itself. */
static int filter_calls(int reads, int *calls) {
    if (ARCHITECTURE == 0) return 0;
    *calls = install(reads, SECCOMP_RET_USER_NOTIF, SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER);
    if (*calls >= 0) return 1;
    return install(reads, SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_KILL_PROCESS, 0) == 0;
}

/* The rights of Landlock's versions up to 6 (linux/landlock.h). Headers of a system can be older than its kernel. */
static int forbid_files(const char *const *folders, size_t count) {
    int version = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1) return 0;
    struct {
        uint64_t files, network, scopes;
    } rights = {.files = (1 << 13) - 1};
    if (version >= 2) rights.files |= 1 << 13; /* moving to another folder */
    if (version >= 3) rights.files |= 1 << 14; /* truncating */
    if (version >= 4) rights.network = 3; /* binding and connecting TCP */
    if (version >= 5) rights.files |= 1 << 15; /* ioctl of devices */
    if (version >= 6) rights.scopes = 3; /* abstract Unix sockets and signals */
    int rules = (int)syscall(SYS_landlock_create_ruleset, &rights, sizeof rights, 0);
    if (rules < 0) return 0;
    for (size_t index = 0; index < count; index++) {
        struct landlock_path_beneath_attr rule = {
            .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
            .parent_fd = open(folders[index], O_PATH | O_CLOEXEC)};
        if (rule.parent_fd < 0) continue; /* The system doesn't have it. */
        syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
        close(rule.parent_fd);
    }
    int done = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return done;
}

static int limit(int resource, rlim_t value) {
    struct rlimit limits;
    if (getrlimit(resource, &limits) != 0) return 0;
    if (value < limits.rlim_max) limits.rlim_max = value;
    limits.rlim_cur = limits.rlim_max;
    return setrlimit(resource, &limits) == 0;
}

/* Landlock and seccomp protect the thread that calls them, and those that it starts. */
static int has_one_thread(void) {
    DIR *folder = opendir("/proc/self/task");
    if (folder == NULL) return 0;
    int count = 0;
    while (readdir(folder) != NULL) count++;
    closedir(folder);
    return count == 3; /* with . and .. */
}

int worker_lock(const char *const *folders, size_t count, uint64_t memory, int *calls) {
    int done = 0;
    *calls = -1;
    if (!has_one_thread()) return 0;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) done |= worker_no_new_privileges;
    if (forbid_files(folders, count)) done |= worker_landlock;
    if (limit(RLIMIT_CORE, 0) && limit(RLIMIT_NOFILE, 64) && limit(RLIMIT_DATA, memory)) done |= worker_limits;
    if (filter_calls(count > 0, calls)) done |= worker_seccomp;
    return done;
}

#endif
