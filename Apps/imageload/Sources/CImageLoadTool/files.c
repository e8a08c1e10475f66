#define _GNU_SOURCE

#include "CImageLoadTool.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The names that unfinished files can have. There are fewer files at a time. */
enum { most_files = 512 };
static const char *_Atomic unfinished[most_files];
static atomic_int is_ending;

/* What a signal tells before it ends the process. A text stays unchanged until three others were set. */
static char notices[4][1024];
static const char *_Atomic notice;

static void end_process(int number) {
    is_ending = 1;
    const char *text = notice;
    if (text) (void)!write(STDERR_FILENO, text, strlen(text));
    for (int index = 0; index < most_files; index++) {
        const char *name = unfinished[index];
        if (name) unlink(name);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void handle_signals(void) {
    const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (int index = 0; index < 3; index++)
        if (signal(numbers[index], end_process) == SIG_IGN) signal(numbers[index], SIG_IGN);
}

static pthread_once_t handling = PTHREAD_ONCE_INIT;

void tool_set_notice(const char *text) {
    static unsigned number;
    pthread_once(&handling, handle_signals);
    char *copy = notices[number++ % 4];
    if (text) snprintf(copy, sizeof notices[0], "%s", text);
    notice = text ? copy : NULL;
}

/* Puts a name in the place of another one. The names stay in memory while a signal ends the process. */
static void replace_unfinished(const char *name, const char *new_name) {
    pthread_once(&handling, handle_signals);
    for (int index = 0; index < most_files; index++) {
        const char *expected = name;
        if (atomic_compare_exchange_strong(&unfinished[index], &expected, new_name)) break;
    }
    while (is_ending) pause();
}

static int write_all(int file, const uint8_t *bytes, size_t length) {
    while (length > 0) {
        ssize_t count = write(file, bytes, length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno;
        bytes += count;
        length -= (size_t)count;
    }
    return 0;
}

/* Opens a file without a name, or one with the name `aside` where that is not possible. */
static int open_aside(const char *folder, const char *aside, mode_t mode, int *is_named) {
    int file = -1;
#ifdef O_TMPFILE
    file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
#endif
    *is_named = file < 0;
    return file < 0 ? open(aside, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode) : file;
}

/* Gives a file without a name its name, unless a file has it. */
static int link_file(int file, const char *path) {
#ifdef AT_EMPTY_PATH
    /* Where the process may, because there can be no /proc. */
    if (linkat(file, "", AT_FDCWD, path, AT_EMPTY_PATH) == 0) return 0;
    if (errno == EEXIST) return EEXIST;
#endif
    char name[32];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    return linkat(AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

/* The attribute for options, and the length of its value, which is never reached. */
static const char options_name[] = "user.imageload.options";
enum { most_options = 4096 };

#ifdef __APPLE__
static ssize_t get_options(const char *path, char *value) {
    return getxattr(path, options_name, value, most_options, 0, 0);
}

static void set_options(int file, const char *value, size_t length) {
    (void)!fsetxattr(file, options_name, value, length, 0, 0);
}
#else
static ssize_t get_options(const char *path, char *value) {
    return getxattr(path, options_name, value, most_options);
}

static void set_options(int file, const char *value, size_t length) {
    (void)!fsetxattr(file, options_name, value, length, 0);
}
#endif

int tool_has_options(const char *path, const char *options) {
    char found[most_options];
    ssize_t length = get_options(path, found);
    return length < 0 || ((size_t)length == strlen(options) && memcmp(found, options, (size_t)length) == 0);
}

int tool_copy_times(const char *source, const char *path) {
    struct stat status;
    if (stat(source, &status)) return errno;
#ifdef __APPLE__
    const struct timespec times[] = {status.st_atimespec, status.st_mtimespec};
#else
    const struct timespec times[] = {status.st_atim, status.st_mtim};
#endif
    return utimensat(AT_FDCWD, path, times, 0) ? errno : 0;
}

/* Gives a file the owner, the permissions and the options of another one, as far as the process may and the file system
   has them. The right to run as the owner or group (setuid, setgid) was for other content, and rights of a group are for
   it. */
static int copy_attributes(int file, const char *path) {
    struct stat status;
    if (stat(path, &status)) return errno;
    char options[most_options];
    ssize_t length = get_options(path, options);
    if (length > 0) set_options(file, options, (size_t)length);
    mode_t mode = status.st_mode & 0777;
    if (fchown(file, status.st_uid, status.st_gid) && fchown(file, (uid_t)-1, status.st_gid)) mode &= 0707;
    (void)!fchmod(file, mode);
    return 0;
}

static int finish(int file, int is_named, const char *path, const char *aside) {
    if (!is_named) {
        int error = link_file(file, path);
        if (error != EEXIST) return error;
        error = link_file(file, aside);
        if (error) return error;
    }
    return rename(aside, path) == 0 ? 0 : errno;
}

static int write_aside(
    int file, int is_named, const char *path, const char *aside, const uint8_t *bytes, size_t length,
    const char *options, int replaces
) {
    int error = write_all(file, bytes, length);
    if (!error && options) set_options(file, options, strlen(options));
    if (!error && replaces) {
        error = copy_attributes(file, path);
        if (!error && fsync(file)) error = errno;
    }
    return error ? error : finish(file, is_named, path, aside);
}

int tool_write_file(
    const char *folder, const char *path, const char *aside, const uint8_t *bytes, size_t length, const char *options,
    int replaces
) {
    replace_unfinished(NULL, aside);
    int is_named = 0, error = 0;
    int file = open_aside(folder, aside, replaces ? 0600 : 0666, &is_named);
    if (file < 0) error = errno;
    if (!error) error = write_aside(file, is_named, path, aside, bytes, length, options, replaces);
    if (error) unlink(aside);
    replace_unfinished(aside, NULL);
    if (file >= 0) close(file);
    return error;
}
