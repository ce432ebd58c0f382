/* A program on a driver: its threads, and whether each result and each buffer is as it must be. See
 * run.h. */
#include "run_internal.h"

#include "allocations.h"
#include "generator/random.h"
#include "threads.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void run_fail(struct run *run, uint32_t op, const char *format, ...)
{
    struct report *report = run->device->report;
    uint32_t none = 0;
    va_list arguments;
    if (!atomic_compare_exchange_strong(&report->wrong, &none, op + 1)) {
        pause(); /* another thread has, and ends the process */
    }
    va_start(arguments, format);
    vsnprintf(report->message, sizeof(report->message), format, arguments);
    va_end(arguments);
    _exit(EXIT_WRONG);
}

static const char *result_name(ze_result_t result)
{
    switch (result) {
    case ZE_RESULT_SUCCESS:
        return "SUCCESS";
    case ZE_RESULT_NOT_READY:
        return "NOT_READY";
    case ZE_RESULT_ERROR_DEVICE_LOST:
        return "DEVICE_LOST";
    case ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY:
        return "OUT_OF_HOST_MEMORY";
    case ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE:
        return "HANDLE_OBJECT_IN_USE";
    default:
        return "an error";
    }
}

static void must(struct run *run, ze_result_t result, const char *what)
{
    if (result != ZE_RESULT_SUCCESS) {
        run_fail(run, 0, "%s: 0x%x", what, (unsigned)result);
    }
}

/* ---- results ---- */

static bool op_asks(const struct op *op)
{
    return (op->kind >= OP_EXECUTE && op->kind <= OP_TIMESTAMPS) ||
           op_appends((enum op_kind)op->kind);
}

static void result_judge(struct caller *caller, const struct op *op, uint32_t position,
                         ze_result_t result)
{
    struct run *run = caller->run;
    unsigned got = result == ZE_RESULT_SUCCESS             ? OUTCOME_SUCCESS
                   : result == ZE_RESULT_NOT_READY         ? OUTCOME_NOT_READY
                   : result == ZE_RESULT_ERROR_DEVICE_LOST ? OUTCOME_LOST
                                                           : 0;
    unsigned allowed = op->allowed;
    if (caller->lost) {
        allowed = op_asks(op) ? OUTCOME_LOST : allowed | OUTCOME_LOST;
    }
    if (!(got & allowed)) {
        const char *text = "";
        if (got == 0) {
            (void)zeDriverGetLastErrorDescription(run->device->driver, &text);
        }
        run_fail(run, position, "%s (0x%x) instead of%s%s%s. %s", result_name(result),
                 (unsigned)result, allowed & OUTCOME_SUCCESS ? " SUCCESS" : "",
                 allowed & OUTCOME_NOT_READY ? " NOT_READY" : "",
                 allowed & OUTCOME_LOST ? " DEVICE_LOST" : "", text);
    }
    if (got == OUTCOME_LOST) {
        caller->lost = true;
        atomic_store(&run->lost, true);
    }
}

static ze_result_t op_call(struct caller *caller, const struct op *op)
{
    ze_result_t result;
    if (op->kind >= OP_WAIT_EVENT && op->kind <= OP_WAIT_LIST) {
        return call_wait(caller, op);
    }
    if (op->kind == OP_EXECUTE || op_appends((enum op_kind)op->kind)) {
        return call_command(caller, op);
    }
    do { /* the device may need a while to let go of what is known to be done */
        result = call_object(caller, op);
    } while (result == ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    return result;
}

/* While memory is short a call may say so; then nothing has come of it, and it is made again. That
 * no thread can be started is not told: others do its work. */
static ze_result_t op_call_starving(struct caller *caller, const struct op *op)
{
    struct gen_random random = {caller->random};
    ze_result_t result;
    bool failed;
    do {
        bool starve = caller->run->device->starve && gen_chance(&random, 60);
        caller->random = random.state;
        if (!starve) {
            return op_call(caller, op);
        }
        threads_fail(gen_chance(&random, 50));
        allocations_fail(1 + (long)gen_below(&random, 4), gen_chance(&random, 30));
        caller->random = random.state;
        result = op_call(caller, op);
        failed = allocations_end();
        threads_fail(false);
    } while (failed && result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    return result;
}

/* ---- what is there ---- */

static void buffer_judge(struct caller *caller, const struct op *op, uint32_t position)
{
    struct run *run = caller->run;
    const uint32_t *expected = run->contents->checks[op->node];
    const uint32_t *words = run->buffers[op->source];
    if (!run->device->executes || atomic_load(&run->lost)) {
        return;
    }
    if (buffer_kind(op->source) == BUFFER_DEVICE) {
        ze_result_t result = zeCommandListAppendMemoryCopy(
            caller->reader, caller->staging, words, BUFFER_WORDS * sizeof(*words), NULL, 0, NULL);
        struct op reading = *op;
        result_judge(caller, &reading, position, result);
        words = caller->staging;
    }
    for (uint32_t i = 0; i < BUFFER_WORDS && !atomic_load(&run->lost); i++) {
        if (words[i] != expected[i]) {
            run_fail(run, position, "B%d[%u] is 0x%x instead of 0x%x", op->source, i, words[i],
                     expected[i]);
        }
    }
}

static void buffer_write(struct run *run, const struct op *op)
{
    for (uint32_t i = 0; i < BUFFER_WORDS; i++) {
        run->buffers[op->destination][i] = op->add + i;
    }
}

static void timestamps_judge(struct caller *caller, const struct op *op, uint32_t position)
{
    struct run *run = caller->run;
    ze_kernel_timestamp_result_t now = {0};
    ze_result_t result = zeEventQueryKernelTimestamp(run->events[op->event], &now);
    result_judge(caller, op, position, result);
    if (result != ZE_RESULT_SUCCESS || !run->device->long_timestamps) {
        return;
    }
    ze_kernel_timestamp_result_t *first = &run->times[op->node];
    if (now.global.kernelStart == 0 || now.global.kernelStart > now.global.kernelEnd ||
        now.context.kernelStart > now.context.kernelEnd) {
        run_fail(run, position, "from %llu to %llu", (unsigned long long)now.global.kernelStart,
                 (unsigned long long)now.global.kernelEnd);
    }
    if (run->timed[op->node] && memcmp(first, &now, sizeof(now)) != 0) {
        run_fail(run, position, "timestamps from %llu to %llu, before from %llu to %llu",
                 (unsigned long long)now.global.kernelStart,
                 (unsigned long long)now.global.kernelEnd,
                 (unsigned long long)first->global.kernelStart,
                 (unsigned long long)first->global.kernelEnd);
    }
    *first = now;
    run->timed[op->node] = true;
}

/* ---- threads ---- */

static void op_run(struct caller *caller, const struct op *op, uint32_t position)
{
    struct run *run = caller->run;
    if (!objects_there(run, op)) {
        return;
    }
    switch ((enum op_kind)op->kind) {
    case OP_CHECK:
        buffer_judge(caller, op, position);
        break;
    case OP_WRITE:
        buffer_write(run, op);
        break;
    case OP_TIMESTAMPS:
        timestamps_judge(caller, op, position);
        break;
    default:
        result_judge(caller, op, position, op_call_starving(caller, op));
        break;
    }
}

static void handle_forget(struct run *run, const struct op *op)
{
    if (op->kind == OP_LIST_DESTROY) {
        run->lists[op->list] = NULL;
    } else if (op->kind == OP_QUEUE_DESTROY) {
        run->queues[op->queue] = NULL;
    } else if (op->kind == OP_EVENT_DESTROY) {
        run->events[op->event] = NULL;
    } else if (op->kind == OP_FENCE_DESTROY) {
        run->fences[op->fence] = NULL;
    }
}

static void *caller_main(void *argument)
{
    struct caller *caller = argument;
    struct run *run = caller->run;
    struct report *report = run->device->report;
    for (uint32_t i = 0; i < run->program->count; i++) {
        const struct op *op = &run->program->ops[i];
        if (op->kind != OP_JOIN && op->thread != caller->number) {
            continue;
        }
        atomic_store(&report->at[caller->number], i);
        atomic_fetch_add(&report->moves, 1);
        if (op->kind == OP_JOIN) {
            pthread_barrier_wait(&run->meeting);
        } else {
            op_run(caller, op, i);
            handle_forget(run, op);
        }
    }
    return NULL;
}

/* ---- programs ---- */

static void pools_create(struct run *run)
{
    for (uint32_t i = 0; i < 4; i++) {
        ze_event_pool_counter_based_exp_desc_t counter = {
            .stype = ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC,
            .flags = ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_IMMEDIATE |
                     ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_NON_IMMEDIATE};
        ze_event_pool_desc_t desc = {
            .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
            .pNext = i & EVENT_COUNTER ? &counter : NULL,
            .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE |
                     (i & EVENT_TIMESTAMPS ? ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP : 0),
            .count = EVENTS_MAX};
        must(run, zeEventPoolCreate(run->context, &desc, 0, NULL, &run->pools[i]), "event pool");
    }
}

static void buffers_create(struct run *run)
{
    ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    size_t bytes = BUFFER_WORDS * sizeof(uint32_t);
    uint32_t *staging = run->callers[0].staging;
    for (int i = 0; i < BUFFERS_MAX; i++) {
        void **place = (void **)&run->buffers[i];
        enum buffer_kind kind = buffer_kind(i);
        ze_device_handle_t on = run->device->device;
        must(run,
             kind == BUFFER_HOST ? zeMemAllocHost(run->context, &host, bytes, 64, place)
             : kind == BUFFER_SHARED
                 ? zeMemAllocShared(run->context, &device, &host, bytes, 64, on, place)
                 : zeMemAllocDevice(run->context, &device, bytes, 64, on, place),
             "memory");
        for (uint32_t j = 0; j < BUFFER_WORDS; j++) {
            staging[j] = buffer_start(i, j);
        }
        must(run,
             zeCommandListAppendMemoryCopy(run->callers[0].reader, *place, staging, bytes, NULL, 0,
                                           NULL),
             "first contents");
    }
    must(run,
         zeMemAllocHost(run->context, &host, OPS_MAX * sizeof(uint64_t), 8, (void **)&run->stamps),
         "memory");
    memset(run->stamps, 0, OPS_MAX * sizeof(uint64_t));
}

static void caller_create(struct run *run, uint32_t number)
{
    struct caller *caller = &run->callers[number];
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_kernel_desc_t step = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "step"};
    ze_kernel_desc_t wild = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "wild"};
    ze_command_queue_desc_t reader = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                      .ordinal = run->device->copy,
                                      .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    caller->run = run;
    caller->number = number;
    caller->random = run->program->seed * 31 + number;
    must(run, zeKernelCreate(run->module, &step, &caller->step), "kernel");
    must(run, zeKernelCreate(run->module, &wild, &caller->wild), "kernel");
    must(run, zeKernelSetGroupSize(caller->step, 1, 1, 1), "group size");
    must(run, zeKernelSetGroupSize(caller->wild, 1, 1, 1), "group size");
    must(run, zeKernelSetArgumentValue(caller->wild, 0, sizeof(void *), NULL), "argument");
    must(run,
         zeCommandListCreateImmediate(run->context, run->device->device, &reader, &caller->reader),
         "list");
    must(run,
         zeMemAllocHost(run->context, &host, BUFFER_WORDS * sizeof(uint32_t), 64,
                        (void **)&caller->staging),
         "memory");
}

static void run_create(struct run *run)
{
    struct device *device = run->device;
    ze_context_desc_t context = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_module_desc_t module = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                               .format = ZE_MODULE_FORMAT_NATIVE,
                               .inputSize = device->module_bytes,
                               .pInputModule = device->module};
    must(run, zeContextCreate(device->driver, &context, &run->context), "context");
    must(run, zeModuleCreate(run->context, device->device, &module, &run->module, NULL), "module");
    for (uint32_t i = 0; i < run->program->threads; i++) {
        caller_create(run, i);
    }
    pools_create(run);
    buffers_create(run);
    for (uint32_t i = 0; i < OPS_MAX; i++) {
        run->calls[i].run = run;
        run->calls[i].op = &run->program->ops[i];
    }
}

/* A lost device gives its objects back, too. */
static void gone(struct run *run, ze_result_t result, const char *what)
{
    if (result != ZE_RESULT_SUCCESS &&
        !(result == ZE_RESULT_ERROR_DEVICE_LOST && atomic_load(&run->lost))) {
        must(run, result, what);
    }
}

static void objects_destroy(struct run *run)
{
    for (int i = 0; atomic_load(&run->lost) && i < EVENTS_MAX; i++) {
        if (run->events[i]) { /* what a refused command would have signalled */
            (void)zeEventHostSignal(run->events[i]);
        }
    }
    for (int i = 0; i < LISTS_MAX; i++) {
        gone(run, run->lists[i] ? zeCommandListDestroy(run->lists[i]) : 0, "list destroyed");
    }
    for (int i = 0; i < FENCES_MAX; i++) {
        gone(run, run->fences[i] ? zeFenceDestroy(run->fences[i]) : 0, "fence destroyed");
    }
    for (int i = 0; i < QUEUES_MAX; i++) {
        gone(run, run->queues[i] ? zeCommandQueueDestroy(run->queues[i]) : 0, "queue destroyed");
    }
    for (int i = 0; i < EVENTS_MAX; i++) {
        gone(run, run->events[i] ? zeEventDestroy(run->events[i]) : 0, "event destroyed");
    }
}

static void run_destroy(struct run *run)
{
    objects_destroy(run);
    for (uint32_t i = 0; i < run->program->threads; i++) {
        gone(run, zeCommandListDestroy(run->callers[i].reader), "list destroyed");
        gone(run, zeKernelDestroy(run->callers[i].step), "kernel destroyed");
        gone(run, zeKernelDestroy(run->callers[i].wild), "kernel destroyed");
        gone(run, zeMemFree(run->context, run->callers[i].staging), "memory freed");
    }
    for (int i = 0; i < 4; i++) {
        gone(run, zeEventPoolDestroy(run->pools[i]), "event pool destroyed");
    }
    for (int i = 0; i < BUFFERS_MAX; i++) {
        gone(run, zeMemFree(run->context, run->buffers[i]), "memory freed");
    }
    gone(run, zeMemFree(run->context, run->stamps), "memory freed");
    gone(run, zeModuleDestroy(run->module), "module destroyed");
    gone(run, zeContextDestroy(run->context), "context destroyed");
}

bool program_run(struct device *device, const struct program *program, const struct model *model,
                 const struct contents *contents)
{
    struct run *run = calloc(1, sizeof(*run));
    if (!run) {
        _exit(EXIT_SETUP);
    }
    run->device = device;
    run->program = program;
    run->model = model;
    run->contents = contents;
    run_create(run);
    pthread_barrier_init(&run->meeting, NULL, program->threads);
    for (uint32_t i = 1; i < program->threads; i++) {
        if (pthread_create(&run->callers[i].thread, NULL, caller_main, &run->callers[i]) != 0) {
            _exit(EXIT_SETUP);
        }
    }
    (void)caller_main(&run->callers[0]);
    for (uint32_t i = 1; i < program->threads; i++) {
        pthread_join(run->callers[i].thread, NULL);
    }
    bool lost = atomic_load(&run->lost);
    if (!lost) {
        run_judge_order(run);
    }
    run_destroy(run);
    pthread_barrier_destroy(&run->meeting);
    free(run);
    return lost;
}
