/* This program's pthread_create goes before the C library's in the whole process, the driver's
 * workers included. With a sanitizer pthread_create is the sanitizer's, and nothing fails. See
 * threads.h. */
#include "threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

static _Thread_local bool fails;

void threads_fail(bool fail)
{
    fails = fail;
}

#ifndef GEOID_SANITIZED
typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attributes,
                                                          void *(*main)(void *), void *argument)
{
    static create_fn *create;
    if (!create) { /* the first thread starts before any other looks */
        *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    }
    return fails ? EAGAIN : create(thread, attributes, main, argument);
}
#endif
