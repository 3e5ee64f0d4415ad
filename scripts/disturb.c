/* Disturbs the file operations of a program: a library that disturb.py compiles and preloads.
 *
 * Every call of the functions below that concerns a path under $DISTURB_UNDER has a number, from 1,
 * over all threads. Call $DISTURB_AT is disturbed: by the signal KILL if $DISTURB_ERROR is 0, else
 * by failing with that errno; with $DISTURB_AND_ALL all later calls that may fail so fail, too. If
 * $DISTURB_TORN is set and the call writes, half of the bytes are written before. Calls that free
 * files (close, unlink) are killed, but do not fail. The number of calls goes to $DISTURB_COUNT.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;
static const char *under;
static long at, error_code, and_all, torn;

static long number(const char *name) {
    const char *value = getenv(name);
    return value ? atol(value) : 0;
}

__attribute__((constructor)) static void begin(void) {
    under = getenv("DISTURB_UNDER");
    at = number("DISTURB_AT");
    error_code = number("DISTURB_ERROR");
    and_all = number("DISTURB_AND_ALL");
    torn = number("DISTURB_TORN");
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("DISTURB_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", atomic_load(&calls));
        fclose(file);
    }
}

static int concerns(const char *path) {
    return under && path && strncmp(path, under, strlen(under)) == 0;
}

static int concerns_file(int file) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return concerns(path);
}

/* Whether this call is to be disturbed. */
static int is_chosen(int concerned) {
    if (!concerned || !at)
        return concerned ? (atomic_fetch_add(&calls, 1), 0) : 0;
    long call = atomic_fetch_add(&calls, 1) + 1;
    return call == at || (and_all && error_code && call > at);
}

static void kill_here(void) {
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

/* Kills the process, or returns true if the call has to fail; `errno` is then set. */
static int fails(int concerned) {
    if (!is_chosen(concerned))
        return 0;
    if (!error_code)
        kill_here();
    errno = error_code;
    return 1;
}

/* As `fails` for calls that never fail in practice. */
static void may_kill(int concerned) {
    if (is_chosen(concerned) && !error_code)
        kill_here();
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                          \
    int name(const char *path, int flags, ...) {            \
        va_list list;                                       \
        va_start(list, flags);                              \
        mode_t mode = va_arg(list, mode_t);                 \
        va_end(list);                                       \
        /* What only opens for reading runs out of file descriptors, not of space. */ \
        return fails(concerns(path)) ? -1 : NEXT(name)(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

ssize_t write(int file, const void *bytes, size_t length) {
    int concerned = concerns_file(file);
    if (is_chosen(concerned)) {
        if (torn)
            NEXT(write)(file, bytes, length / 2);
        if (!error_code)
            kill_here();
        errno = error_code;
        return -1;
    }
    return NEXT(write)(file, bytes, length);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    return fails(concerns_file(file)) ? -1 : NEXT(writev)(file, parts, count);
}

ssize_t read(int file, void *bytes, size_t length) {
    return fails(concerns_file(file)) ? -1 : NEXT(read)(file, bytes, length);
}

int fsync(int file) { return fails(concerns_file(file)) ? -1 : NEXT(fsync)(file); }

int fdatasync(int file) { return fails(concerns_file(file)) ? -1 : NEXT(fdatasync)(file); }

int ftruncate64(int file, off64_t length) {
    return fails(concerns_file(file)) ? -1 : NEXT(ftruncate64)(file, length);
}

int rename(const char *from, const char *to) {
    return fails(concerns(from)) ? -1 : NEXT(rename)(from, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    return fails(concerns(from)) ? -1 : NEXT(renameat2)(from_folder, from, to_folder, to, flags);
}

int mkdir(const char *path, mode_t mode) {
    return fails(concerns(path)) ? -1 : NEXT(mkdir)(path, mode);
}

int unlink(const char *path) {
    may_kill(concerns(path));
    return NEXT(unlink)(path);
}

int unlinkat(int folder, const char *path, int flags) {
    may_kill(concerns(path) || concerns_file(folder));
    return NEXT(unlinkat)(folder, path, flags);
}

int rmdir(const char *path) {
    may_kill(concerns(path));
    return NEXT(rmdir)(path);
}

int close(int file) {
    may_kill(concerns_file(file));
    return NEXT(close)(file);
}
