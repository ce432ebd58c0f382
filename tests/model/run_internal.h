/* What the files that run programs share. */
#ifndef TESTS_MODEL_RUN_INTERNAL_H
#define TESTS_MODEL_RUN_INTERNAL_H

#include "run.h"

#include <pthread.h>
#include <stdatomic.h>

struct run;

/* A call of a host function: what it works on, and when it ran. */
struct host_call {
    struct run *run;
    const struct op *op;
    _Atomic uint32_t count;
    uint32_t order; /* of its last run among all */
};

/* A thread that makes the calls. */
struct caller {
    struct run *run;
    uint32_t number;
    pthread_t thread;
    ze_kernel_handle_t step, wild;
    ze_command_list_handle_t reader; /* synchronous: brings device memory to `staging` */
    uint32_t *staging;
    bool lost;       /* a call has said that the device is lost */
    uint64_t random; /* which allocations fail */
};

struct run {
    struct device *device;
    const struct program *program;
    const struct model *model;
    const struct contents *contents;
    ze_context_handle_t context;
    ze_module_handle_t module;
    ze_event_pool_handle_t pools[4]; /* by enum event_flags: counter-based, timestamps */
    ze_command_list_handle_t lists[LISTS_MAX];
    ze_command_queue_handle_t queues[QUEUES_MAX];
    ze_event_handle_t events[EVENTS_MAX];
    ze_fence_handle_t fences[FENCES_MAX];
    uint32_t *buffers[BUFFERS_MAX];
    uint64_t *stamps; /* by operation */
    struct host_call calls[OPS_MAX];
    _Atomic uint32_t calls_made;
    ze_kernel_timestamp_result_t times[NODES_MAX];
    bool timed[NODES_MAX];
    _Atomic bool lost;
    pthread_barrier_t meeting;
    struct caller callers[THREADS_MAX];
};

_Noreturn void run_fail(struct run *run, uint32_t op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One call of the API: its result. Operations without one give SUCCESS. */
ze_result_t call_object(struct caller *caller, const struct op *op);
ze_result_t call_wait(struct caller *caller, const struct op *op);
ze_result_t call_command(struct caller *caller, const struct op *op);

/* Whether the program's objects are there that the operation needs: creating them may have failed
 * on a lost device. */
bool objects_there(const struct run *run, const struct op *op);

/* What only the end tells: how often and in which order things happened. */
void run_judge_order(struct run *run);

#endif
