/* Says whether children of a process whose threads allocate memory can be tested.
 *
 * The address sanitizer keeps freed memory in a list of its own for a while (its quarantine). Its
 * versions up to LLVM 22 do not hold the lock of that list during a fork. If another thread frees
 * memory at that moment, the child waits for the lock for ever. So tests that fork while other
 * threads free memory are skipped with this sanitizer. */
#ifndef GEOID_TESTS_HARNESS_FORKS_H
#define GEOID_TESTS_HARNESS_FORKS_H

#include <stdbool.h>

#if defined(__SANITIZE_ADDRESS__)
#define FORKS_MAY_HANG 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FORKS_MAY_HANG 1
#endif
#endif

/* Returns false if the sanitizer of this build can make such a child wait for ever. */
static inline bool forks_beside_threads_work(void)
{
#ifdef FORKS_MAY_HANG
    return false;
#else
    return true;
#endif
}

#endif
