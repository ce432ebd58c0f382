/* The malloc of test programs. See allocations.h.
 *
 * This program's functions go before the C library's in the whole process: what shared libraries
 * and the dynamic linker allocate is counted, too. With a sanitizer, malloc is the sanitizer's, and
 * the linker redirects the calls of the objects that are linked into the program, and only those. */
#include "allocations.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#ifdef GEOID_SANITIZED
#define OURS(name) __wrap_##name
#define REAL(name) __real_##name
#else
#define OURS(name) name
#define REAL(name) __libc_##name
#endif
#define EXPORT __attribute__((visibility("default")))

void *REAL(malloc)(size_t bytes);
void *REAL(calloc)(size_t count, size_t bytes);
void *REAL(realloc)(void *memory, size_t bytes);
void REAL(free)(void *memory);
void *OURS(malloc)(size_t bytes);
void *OURS(calloc)(size_t count, size_t bytes);
void *OURS(realloc)(void *memory, size_t bytes);
void *OURS(aligned_alloc)(size_t alignment, size_t bytes);
void OURS(free)(void *memory);

static _Thread_local struct {
    long count, fail_at, living;
    bool for_good, failed, paused;
} thread;

void allocations_fail(long at, bool for_good)
{
    thread.count = 0;
    thread.failed = false;
    thread.for_good = for_good;
    thread.fail_at = at;
}

bool allocations_end(void)
{
    thread.fail_at = ALLOCATIONS_NEVER;
    return thread.failed;
}

long allocations_count(void)
{
    return thread.count;
}

void allocations_pause(bool paused)
{
    thread.paused = paused;
}

long allocations_living(void)
{
    return thread.living;
}

static bool fails_now(void)
{
    if (thread.paused) {
        return false;
    }
    thread.count++;
    bool fails =
        thread.fail_at != ALLOCATIONS_NEVER &&
        (thread.count == thread.fail_at || (thread.for_good && thread.count > thread.fail_at));
    if (fails) {
        thread.failed = true;
        errno = ENOMEM;
    }
    return fails;
}

static void *counted(void *memory)
{
    thread.living += memory && !thread.paused;
    return memory;
}

EXPORT void *OURS(malloc)(size_t bytes)
{
    return fails_now() ? NULL : counted(REAL(malloc)(bytes));
}

EXPORT void *OURS(calloc)(size_t count, size_t bytes)
{
    return fails_now() ? NULL : counted(REAL(calloc)(count, bytes));
}

EXPORT void *OURS(realloc)(void *memory, size_t bytes)
{
    if (fails_now()) {
        return NULL;
    }
    void *grown = REAL(realloc)(memory, bytes);
    return memory ? grown : counted(grown);
}

EXPORT void OURS(free)(void *memory)
{
    int error = errno;
    thread.living -= memory && !thread.paused;
    REAL(free)(memory);
    errno = error;
}

#ifdef GEOID_SANITIZED
void *REAL(aligned_alloc)(size_t alignment, size_t bytes);
char *OURS(strdup)(const char *text);
char *OURS(strndup)(const char *text, size_t length);

void *OURS(aligned_alloc)(size_t alignment, size_t bytes)
{
    return fails_now() ? NULL : counted(REAL(aligned_alloc)(alignment, bytes));
}

char *OURS(strdup)(const char *text)
{
    return OURS(strndup)(text, strlen(text));
}

char *OURS(strndup)(const char *text, size_t length)
{
    size_t bytes = strnlen(text, length);
    char *copy = OURS(malloc)(bytes + 1);
    if (copy) {
        memcpy(copy, text, bytes);
        copy[bytes] = '\0';
    }
    return copy;
}
#else
void *__libc_memalign(size_t alignment, size_t bytes);
int posix_memalign(void **memory, size_t alignment, size_t bytes);

EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
    return fails_now() ? NULL : counted(__libc_memalign(alignment, bytes));
}

EXPORT int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    void *block = aligned_alloc(alignment, bytes);
    if (!block) {
        return ENOMEM;
    }
    *memory = block;
    return 0;
}
#endif
