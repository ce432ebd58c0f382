/* The malloc of test programs. See allocations.h.
 *
 * The program's functions come before the C library's in the whole process, so allocations of
 * shared libraries and of the dynamic linker count, too. In builds with a sanitizer, malloc is the
 * sanitizer's. The linker then redirects only the calls of objects that are linked into the
 * program. */
#include "allocations.h"

#include "failing.h"

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
#define CALLER __builtin_return_address(0)

void *REAL(malloc)(size_t bytes);
void *REAL(calloc)(size_t count, size_t bytes);
void *REAL(realloc)(void *memory, size_t bytes);
void REAL(free)(void *memory);
void *OURS(malloc)(size_t bytes);
void *OURS(calloc)(size_t count, size_t bytes);
void *OURS(realloc)(void *memory, size_t bytes);
void *OURS(aligned_alloc)(size_t alignment, size_t bytes);
void OURS(free)(void *memory);
char *OURS(strdup)(const char *text);
char *OURS(strndup)(const char *text, size_t length);

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

static bool fails_now(const void *caller)
{
    if (thread.paused) {
        return false;
    }
    if (failing_now(FAILING_ALLOCATION, caller)) {
        errno = ENOMEM;
        return true;
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

static void *counted(void *memory, const void *caller)
{
    thread.living += memory && !thread.paused;
    failing_block_made(memory, caller);
    return memory;
}

EXPORT void *OURS(malloc)(size_t bytes)
{
    return fails_now(CALLER) ? NULL : counted(REAL(malloc)(bytes), CALLER);
}

EXPORT void *OURS(calloc)(size_t count, size_t bytes)
{
    return fails_now(CALLER) ? NULL : counted(REAL(calloc)(count, bytes), CALLER);
}

EXPORT void *OURS(realloc)(void *memory, size_t bytes)
{
    if (fails_now(CALLER)) {
        return NULL;
    }
    if (!memory) {
        return counted(REAL(malloc)(bytes), CALLER);
    }
    failing_block_gone(memory);
    void *grown = REAL(realloc)(memory, bytes);
    failing_block_made(grown || bytes == 0 ? grown : memory, CALLER);
    return grown;
}

EXPORT void OURS(free)(void *memory)
{
    int error = errno;
    thread.living -= memory && !thread.paused;
    failing_block_gone(memory);
    REAL(free)(memory);
    errno = error;
}

static char *copy(const char *text, size_t bytes, const void *caller)
{
    char *made = fails_now(caller) ? NULL : counted(REAL(malloc)(bytes + 1), caller);
    if (made) {
        memcpy(made, text, bytes);
        made[bytes] = '\0';
    }
    return made;
}

EXPORT char *OURS(strdup)(const char *text)
{
    return copy(text, strlen(text), CALLER);
}

EXPORT char *OURS(strndup)(const char *text, size_t length)
{
    return copy(text, strnlen(text, length), CALLER);
}

#ifdef GEOID_SANITIZED
void *REAL(aligned_alloc)(size_t alignment, size_t bytes);

void *OURS(aligned_alloc)(size_t alignment, size_t bytes)
{
    return fails_now(CALLER) ? NULL : counted(REAL(aligned_alloc)(alignment, bytes), CALLER);
}
#else
void *__libc_memalign(size_t alignment, size_t bytes);
int posix_memalign(void **memory, size_t alignment, size_t bytes);

static void *aligned(size_t alignment, size_t bytes, const void *caller)
{
    return fails_now(caller) ? NULL : counted(__libc_memalign(alignment, bytes), caller);
}

EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
    return aligned(alignment, bytes, CALLER);
}

EXPORT int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    void *block = aligned(alignment, bytes, CALLER);
    if (!block) {
        return ENOMEM;
    }
    *memory = block;
    return 0;
}
#endif
