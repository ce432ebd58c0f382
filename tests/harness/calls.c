/* Wrappers of the C library's functions. Shared libraries call them, too, because the program's
 * symbols come first. See failing.h; allocations.c wraps allocations. */
#include "failing.h"

#ifndef GEOID_SANITIZED
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)

static bool fails(enum failing_call call, const void *caller, int error)
{
    bool now = failing_now(call, caller);
    if (now) {
        errno = error;
    }
    return now;
}

static void *map(void *address, size_t bytes, int protection, int flags, int fd, off_t offset,
                 const void *caller)
{
    if (fails(FAILING_MAPPING, caller, ENOMEM)) {
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, address, bytes, protection, flags, fd, offset);
}

EXPORT void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    return map(address, bytes, protection, flags, fd, offset, CALLER);
}

EXPORT void *mmap64(void *address, size_t bytes, int protection, int flags, int fd, off64_t offset)
{
    return map(address, bytes, protection, flags, fd, offset, CALLER);
}

EXPORT int memfd_create(const char *name, unsigned flags)
{
    return fails(FAILING_MEMFD, CALLER, EMFILE) ? -1 : (int)syscall(SYS_memfd_create, name, flags);
}

/* ---- files ---- */

static int file_open(int folder, const char *path, int flags, mode_t mode, const void *caller)
{
    return fails(FAILING_OPEN, caller, EMFILE)
               ? -1
               : (int)syscall(SYS_openat, folder, path, flags, mode);
}

static mode_t mode_of(int flags, va_list rest)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

#define OPEN(name)                                                                                 \
    EXPORT int name(const char *path, int flags, ...)                                              \
    {                                                                                              \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode_t mode = mode_of(flags, rest);                                                        \
        va_end(rest);                                                                              \
        return file_open(AT_FDCWD, path, flags, mode, CALLER);                                     \
    }
#define OPENAT(name)                                                                               \
    EXPORT int name(int folder, const char *path, int flags, ...)                                  \
    {                                                                                              \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode_t mode = mode_of(flags, rest);                                                        \
        va_end(rest);                                                                              \
        return file_open(folder, path, flags, mode, CALLER);                                       \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

typedef FILE *fopen_fn(const char *, const char *);

EXPORT FILE *fopen(const char *path, const char *mode)
{
    static fopen_fn *real;
    if (!real) {
        *(void **)&real = dlsym(RTLD_NEXT, "fopen");
    }
    return fails(FAILING_OPEN, CALLER, EMFILE) ? NULL : real(path, mode);
}

/* ---- threads ---- */

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*main)(void *), void *argument)
{
    static create_fn *real;
    if (!real) { /* no race: the first call is made before there are other threads */
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    }
    return failing_now(FAILING_THREAD, CALLER) ? EAGAIN : real(thread, attributes, main, argument);
}
#endif
