/* A storm: threads that call everything that may be called at once, on the same objects. What they
 * share and what each has for itself; the calls: storm_calls.c, the rest: storm.c. */
#ifndef TESTS_STRESS_STORM_H
#define TESTS_STRESS_STORM_H

#include "harness.h"

#include <pthread.h>
#include <stdatomic.h>

enum storm_kind {
    STORM_DRIVER,
    STORM_DEVICE,
    STORM_CONTEXT,
    STORM_QUEUE,
    STORM_LIST, /* closed ones: of the first and second queue, of `appended`; then immediate ones */
    STORM_FENCE,
    STORM_POOL,
    STORM_EVENT,
    STORM_MODULE,
    STORM_LOG,
    STORM_KERNEL,
    STORM_PHYSICAL,
    STORM_VERTEX,
    STORM_IMAGE,
    STORM_SAMPLER,
    STORM_KINDS,
};

#define STORM_OBJECTS 24u
#define STORM_THREADS 6u
#define STORM_REGULAR 3u    /* of the lists */
#define STORM_BYTES   4096u /* of each shared allocation */
#define STORM_ITEMS   256u  /* that a thread launches */

struct storm_shared {
    struct api *api;
    void *objects[STORM_KINDS][STORM_OBJECTS];
    uint32_t counts[STORM_KINDS];
    ze_event_handle_t counters[4];    /* among the events: counter-based ones that lists signal */
    ze_event_handle_t shared_counter; /* one with the flag IPC */
    ze_command_list_handle_t
        appended;    /* immediate: all threads append lists and semaphores to it */
    void *memory[3]; /* host, device, shared */
    void *range;     /* reserved; a page for each, mapped by it */
    size_t page;
    void *native;
    size_t native_bytes;
    _Atomic uint64_t ran, submitted; /* host functions of the regular lists; what was executed */
    _Atomic uint32_t active;         /* threads that still make calls */
    _Atomic uint32_t wrong;
    _Atomic bool ends; /* threads make no more calls */
};

/* A thread. */
struct storm {
    struct storm_shared *shared;
    uint32_t number;
    uint64_t random;
    uint64_t calls, made; /* to make; made, when it has ended */
    pthread_t thread;
    ze_command_list_handle_t list; /* immediate, in order: only this thread appends to it */
    ze_kernel_handle_t kernel;
    uint32_t *words; /* STORM_ITEMS */
};

/* A function of the registry's list and a call of it, made by the generator or by hand. */
struct storm_call {
    const char *name;
    ze_result_t (*run)(struct storm *storm); /* NULL: by hand, or never */
    const char *absent; /* the type of an object that it needs and this driver has none of */
    bool succeeds;      /* as it is called, or is not ready; others may find fault with arguments */
};

uint32_t storm_below(struct storm *storm, uint32_t limit);
void *storm_pick(struct storm *storm, enum storm_kind kind);
void *storm_memory(struct storm *storm);
void storm_wrong(struct storm *storm, const char *what, ze_result_t result);

/* All calls, what has to be made by hand among them. */
extern const struct storm_call *storm_table;
extern uint32_t storm_table_count;
/* Fills storm_table; how many functions of the list nobody calls, each of which is named. */
uint32_t storm_table_make(void);

/* What threads share, and gives it back; both are the main thread's. */
void storm_share(struct storm_shared *shared, struct api *api);
void storm_unshare(struct storm_shared *shared);
/* Everything that was given has run. */
void storm_settle(struct storm_shared *shared);

/* Another order of calls, for all threads that are prepared from now on; 0: the usual one. */
extern uint64_t storm_seed;
/* What a thread has for itself. Numbers from 0; STORM_THREADS: of a child. */
void storm_prepare(struct storm *storm, struct storm_shared *shared, uint32_t number,
                   uint64_t calls);
void storm_leave(struct storm *storm);
/* Threads: the calls of one, and the signals of regular events for as long as any are active. */
void *storm_run(void *storm);
void *storm_keeper(void *shared);
void storm_start(struct storm_shared *shared, struct storm *storms, pthread_t *keeper);
void storm_join(struct storm *storms, pthread_t keeper);

/* Calls that need objects of the thread's own: appends, launches, waits for them. */
ze_result_t storm_own_work(struct storm *storm);

/* Builds a ray tracing structure, from the builder to the last byte; the other extension's objects. */
ze_result_t storm_rtas(struct storm *storm);
ze_result_t storm_rtas_exp(struct storm *storm);

/* Imports a semaphore, and appends a signal and a wait to the shared list. */
ze_result_t storm_semaphore(struct storm *storm);

#endif
