/* Manages the records of threads. See thread.h. */
#include "layers/tracing/thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

_Thread_local
    __attribute__((tls_model("initial-exec"))) struct geo_trace_thread *geo_trace_thread_here;

static _Atomic(struct geo_trace_thread *) threads;
static pthread_key_t end_key; /* its destructor runs when a thread ends */
static pthread_once_t end_once = PTHREAD_ONCE_INIT;
static bool end_known;

static void thread_give_back(struct geo_trace_thread *thread)
{
    atomic_store(&thread->held, NULL);
    thread->inside = false;
    atomic_store(&thread->taken, false);
}

/* Releases the record of a thread that ends, even in the middle of a call that a callback ended, so
 * that another thread can reuse it. Destructors that run later may still call traced functions;
 * they get another record. */
static void thread_end(void *record)
{
    geo_trace_thread_here = NULL;
    thread_give_back(record);
}

static void end_watch(void)
{
    end_known = pthread_key_create(&end_key, thread_end) == 0;
}

static struct geo_trace_thread *thread_reuse(void)
{
    for (struct geo_trace_thread *t = atomic_load(&threads); t; t = t->next) {
        bool taken = false;
        if (!atomic_load_explicit(&t->taken, memory_order_relaxed) &&
            atomic_compare_exchange_strong(&t->taken, &taken, true)) {
            return t;
        }
    }
    return NULL;
}

static struct geo_trace_thread *thread_create(void)
{
    struct geo_trace_thread *thread =
        aligned_alloc(_Alignof(struct geo_trace_thread), sizeof(struct geo_trace_thread));
    if (thread) {
        *thread = (struct geo_trace_thread){.taken = true, .room = GEO_TRACE_ROOM};
        thread->instances = thread->first;
        thread->next = atomic_load(&threads);
        while (!atomic_compare_exchange_weak(&threads, &thread->next, thread)) {
        }
    }
    return thread;
}

struct geo_trace_thread *geo_trace_thread_enter(void)
{
    pthread_once(&end_once, end_watch);
    struct geo_trace_thread *thread = thread_reuse();
    thread = thread ? thread : thread_create();
    if (thread && end_known) {
        pthread_setspecific(end_key, thread);
    }
    geo_trace_thread_here = thread;
    return thread;
}

bool geo_trace_thread_reserve(struct geo_trace_thread *thread, size_t count)
{
    if (count > thread->room) {
        void **larger = calloc(count, sizeof(*larger));
        if (!larger) {
            return false;
        }
        if (thread->instances != thread->first) {
            free(thread->instances);
        }
        thread->instances = larger;
        thread->room = count;
    }
    for (size_t i = 0; i < count; i++) {
        thread->instances[i] = NULL;
    }
    return true;
}

bool geo_trace_thread_is_held(const struct geo_trace_active *active)
{
    for (const struct geo_trace_thread *t = atomic_load(&threads); t; t = t->next) {
        if (atomic_load(&t->held) == active) {
            return true;
        }
    }
    return false;
}

void geo_trace_threads_forked(void)
{
    for (struct geo_trace_thread *t = atomic_load(&threads); t; t = t->next) {
        if (t != geo_trace_thread_here) {
            thread_give_back(t);
        }
    }
}
