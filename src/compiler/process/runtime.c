/* Replaces process-wide functions that LLVM and the C++ library call. Linked into
 * libgeoid_compiler.so.1 only, with hidden symbols, so that calls from inside the library come here
 * and no others.
 *
 *     destructors at exit   dropped: threads may be in a build at exit, and exit handlers may start
 *                           one. The library is never unloaded (nodelete), so the process's end
 *                           frees everything.
 *     memory                counted per build. The build fails when memory runs out or the build
 *                           exceeds its limit (job.h).
 *     abort                 ends the build, not the process
 *     arc4random            made of getrandom: LLVM built for glibc 2.36 needs this function, and
 *                           nothing else of that version, so systems with glibc 2.34 suffice
 */
#include "compiler/facade/job.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

int __cxa_atexit(void (*function)(void *), void *argument, void *library);

/* C++ objects at file scope register their destructors here. They are dropped. */
int __cxa_atexit(void (*function)(void *), void *argument, void *library)
{
    (void)function;
    (void)argument;
    (void)library;
    return 0;
}

_Noreturn void abort(void)
{
    geo_job_leave(GEO_JOB_GAVE_UP, "it aborted");
    raise(SIGABRT);
    signal(SIGABRT, SIG_DFL);
    raise(SIGABRT);
    _exit(127);
}

uint32_t arc4random(void); /* headers of older C libraries lack it */

/* Returns a random number. LLVM makes names of temporary files with it. */
uint32_t arc4random(void)
{
    uint32_t number = 0;
    while (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number)) {
        if (errno != EINTR) {
            abort();
        }
    }
    return number;
}

/* ---- memory ---- */

static void bad_alloc(void *data, const char *reason, bool want_diagnostics)
{
    (void)data;
    (void)reason;
    (void)want_diagnostics;
    geo_job_leave(GEO_JOB_NO_MEMORY, "");
}

/* llvm::install_bad_alloc_error_handler: sets the handler for failures of LLVM's own malloc
 * calls. */
void llvm_on_bad_alloc(void (*handler)(void *, const char *, bool), void *data) __asm__(
    "_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_");

__attribute__((constructor)) static void install(void)
{
    llvm_on_bad_alloc(bad_alloc, NULL);
}

static void *allocate(size_t size, size_t alignment)
{
    struct geo_job *job = geo_job_current;
    void *memory =
        alignment ? aligned_alloc(alignment, (size + alignment - 1) & -alignment) : malloc(size);
    if (job && memory) {
        job->heap_bytes += (int64_t)malloc_usable_size(memory);
        if (job->order->memory_bytes && job->heap_bytes > (int64_t)job->order->memory_bytes) {
            geo_job_leave(GEO_JOB_BIG, "");
        }
    }
    return memory;
}

static void *allocated(void *memory)
{
    if (!memory) {
        geo_job_leave(GEO_JOB_NO_MEMORY, "");
        abort();
    }
    return memory;
}

static void release(void *memory)
{
    struct geo_job *job = geo_job_current;
    if (job) {
        job->heap_bytes -= (int64_t)malloc_usable_size(memory);
    }
    free(memory);
}

/* Operators new and delete by their mangled C++ names: for objects and arrays, aligned, and
 * nothrow. */
#define NEW(name, call, ...)                                                                       \
    void *name(size_t size, ##__VA_ARGS__);                                                        \
    void *name(size_t size, ##__VA_ARGS__)                                                         \
    {                                                                                              \
        return call;                                                                               \
    }
#define DELETE(name, ...)                                                                          \
    void name(void *memory, ##__VA_ARGS__);                                                        \
    void name(void *memory, ##__VA_ARGS__)                                                         \
    {                                                                                              \
        release(memory);                                                                           \
    }

NEW(_Znwm, allocated(allocate(size, 0)))
NEW(_Znam, allocated(allocate(size, 0)))
NEW(_ZnwmSt11align_val_t, allocated(allocate(size, alignment)), size_t alignment)
NEW(_ZnamSt11align_val_t, allocated(allocate(size, alignment)), size_t alignment)
NEW(_ZnwmRKSt9nothrow_t, ((void)tag, allocate(size, 0)), const void *tag)
NEW(_ZnamRKSt9nothrow_t, ((void)tag, allocate(size, 0)), const void *tag)
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, ((void)tag, allocate(size, alignment)), size_t alignment,
    const void *tag)
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, ((void)tag, allocate(size, alignment)), size_t alignment,
    const void *tag)
DELETE(_ZdlPv)
DELETE(_ZdaPv)
DELETE(_ZdlPvm, size_t size __attribute__((unused)))
DELETE(_ZdaPvm, size_t size __attribute__((unused)))
DELETE(_ZdlPvSt11align_val_t, size_t alignment __attribute__((unused)))
DELETE(_ZdaPvSt11align_val_t, size_t alignment __attribute__((unused)))
DELETE(_ZdlPvmSt11align_val_t, size_t size __attribute__((unused)),
       size_t alignment __attribute__((unused)))
DELETE(_ZdaPvmSt11align_val_t, size_t size __attribute__((unused)),
       size_t alignment __attribute__((unused)))
DELETE(_ZdlPvRKSt9nothrow_t, const void *tag __attribute__((unused)))
DELETE(_ZdaPvRKSt9nothrow_t, const void *tag __attribute__((unused)))
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, size_t alignment __attribute__((unused)),
       const void *tag __attribute__((unused)))
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, size_t alignment __attribute__((unused)),
       const void *tag __attribute__((unused)))
