/* The operations of a program as calls of the API. See run_internal.h. */
#include "run_internal.h"

#include <sched.h>

#define AGAIN_NS 200000u
#define ONCE_NS  50000u

/* ---- objects ---- */

static uint32_t group_of(const struct run *run, const struct op *op)
{
    return op->flags & LIST_COPY ? run->device->copy : run->device->compute;
}

static ze_result_t list_create(struct run *run, const struct op *op)
{
    ze_command_queue_desc_t immediate = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
        .ordinal = group_of(run, op),
        .flags = op->flags & LIST_IN_ORDER ? ZE_COMMAND_QUEUE_FLAG_IN_ORDER : 0,
        .mode = op->flags & LIST_SYNCHRONOUS ? ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS
                                             : ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_desc_t regular = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
        .commandQueueGroupOrdinal = group_of(run, op),
        .flags = op->flags & LIST_IN_ORDER ? ZE_COMMAND_LIST_FLAG_IN_ORDER : 0};
    return op->flags & LIST_IMMEDIATE
               ? zeCommandListCreateImmediate(run->context, run->device->device, &immediate,
                                              &run->lists[op->list])
               : zeCommandListCreate(run->context, run->device->device, &regular,
                                     &run->lists[op->list]);
}

static ze_result_t queue_create(struct run *run, const struct op *op)
{
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = group_of(run, op),
                                    .mode = op->flags & LIST_SYNCHRONOUS
                                                ? ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS
                                                : ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    return zeCommandQueueCreate(run->context, run->device->device, &desc, &run->queues[op->queue]);
}

static ze_result_t event_create(struct run *run, const struct op *op)
{
    ze_event_handle_t *event = &run->events[op->event];
    if (op->flags & EVENT_COUNTER && !(op->flags & EVENT_POOL)) {
        ze_event_counter_based_desc_t desc = {
            .stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
            .flags =
                ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE |
                ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE |
                (op->flags & EVENT_TIMESTAMPS ? ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP : 0),
            .signal = ZE_EVENT_SCOPE_FLAG_HOST,
            .wait = ZE_EVENT_SCOPE_FLAG_HOST};
        return zeEventCounterBasedCreate(run->context, run->device->device, &desc, event);
    }
    ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                            .index = (uint32_t)op->event,
                            .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                            .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    return zeEventCreate(run->pools[op->flags & (EVENT_COUNTER | EVENT_TIMESTAMPS)], &desc, event);
}

static ze_result_t fence_create(struct run *run, const struct op *op)
{
    ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC,
                            .flags = op->flags & FENCE_SIGNALLED ? ZE_FENCE_FLAG_SIGNALED : 0};
    return zeFenceCreate(run->queues[op->queue], &desc, &run->fences[op->fence]);
}

ze_result_t call_object(struct caller *caller, const struct op *op)
{
    struct run *run = caller->run;
    switch ((enum op_kind)op->kind) {
    case OP_LIST_CREATE:
        return list_create(run, op);
    case OP_LIST_DESTROY:
        return zeCommandListDestroy(run->lists[op->list]);
    case OP_LIST_CLOSE:
        return zeCommandListClose(run->lists[op->list]);
    case OP_LIST_RESET:
        return zeCommandListReset(run->lists[op->list]);
    case OP_QUEUE_CREATE:
        return queue_create(run, op);
    case OP_QUEUE_DESTROY:
        return zeCommandQueueDestroy(run->queues[op->queue]);
    case OP_EVENT_CREATE:
        return event_create(run, op);
    case OP_EVENT_DESTROY:
        return zeEventDestroy(run->events[op->event]);
    case OP_EVENT_SIGNAL:
        return zeEventHostSignal(run->events[op->event]);
    case OP_EVENT_RESET:
        return zeEventHostReset(run->events[op->event]);
    case OP_FENCE_CREATE:
        return fence_create(run, op);
    case OP_FENCE_DESTROY:
        return zeFenceDestroy(run->fences[op->fence]);
    default:
        return zeFenceReset(run->fences[op->fence]);
    }
}

bool objects_there(const struct run *run, const struct op *op)
{
    bool there = true;
    if (op->kind != OP_LIST_CREATE && op->list != NONE) {
        there &= run->lists[op->list] != NULL;
    }
    if (op->kind != OP_QUEUE_CREATE && op->queue != NONE) {
        there &= run->queues[op->queue] != NULL;
    }
    if (op->kind != OP_EVENT_CREATE && op->event != NONE) {
        there &= run->events[op->event] != NULL;
    }
    if (op->kind != OP_FENCE_CREATE && op->fence != NONE) {
        there &= run->fences[op->fence] != NULL;
    }
    if (op->signal != NONE) {
        there &= run->events[op->signal] != NULL;
    }
    for (int i = 0; i < op->wait_count; i++) {
        there &= run->events[op->waits[i]] != NULL;
    }
    for (int i = 0; i < op->inner_count; i++) {
        there &= run->lists[op->inner[i]] != NULL;
    }
    return there;
}

/* ---- waits ---- */

static ze_result_t wait_once(struct run *run, const struct op *op, uint64_t timeout_ns)
{
    bool ask = op->how == WAIT_POLL || op->how == WAIT_QUERY;
    switch ((enum op_kind)op->kind) {
    case OP_WAIT_EVENT:
        return ask ? zeEventQueryStatus(run->events[op->event])
                   : zeEventHostSynchronize(run->events[op->event], timeout_ns);
    case OP_WAIT_FENCE:
        return ask ? zeFenceQueryStatus(run->fences[op->fence])
                   : zeFenceHostSynchronize(run->fences[op->fence], timeout_ns);
    case OP_WAIT_QUEUE:
        return zeCommandQueueSynchronize(run->queues[op->queue], ask ? 0 : timeout_ns);
    default:
        return zeCommandListHostSynchronize(run->lists[op->list], ask ? 0 : timeout_ns);
    }
}

ze_result_t call_wait(struct caller *caller, const struct op *op)
{
    struct run *run = caller->run;
    ze_result_t result;
    switch ((enum wait_how)op->how) {
    case WAIT_FOREVER:
        return wait_once(run, op, UINT64_MAX);
    case WAIT_AGAIN:
    case WAIT_POLL:
        while ((result = wait_once(run, op, AGAIN_NS)) == ZE_RESULT_NOT_READY) {
            sched_yield();
        }
        return result;
    default:
        return wait_once(run, op, ONCE_NS);
    }
}

/* ---- commands ---- */

static void host_function(void *data)
{
    struct host_call *call = data;
    struct run *run = call->run;
    const struct op *op = call->op;
    if (run->device->executes) {
        uint32_t *destination = run->buffers[op->destination];
        const uint32_t *source = run->buffers[op->source];
        for (uint32_t i = 0; i < BUFFER_WORDS; i++) {
            destination[i] = step_word(destination[i], source[i], op->multiply, op->add);
        }
    }
    call->order = atomic_fetch_add(&run->calls_made, 1);
    atomic_fetch_add(&call->count, 1);
}

struct events {
    ze_event_handle_t signal, waits[WAITS_MAX], *list;
    uint32_t count;
};

static ze_result_t arguments_set(struct run *run, ze_kernel_handle_t kernel, const struct op *op)
{
    const struct {
        size_t bytes;
        const void *value;
    } arguments[] = {{sizeof(void *), &run->buffers[op->destination]},
                     {sizeof(void *), &run->buffers[op->source]},
                     {sizeof(op->multiply), &op->multiply},
                     {sizeof(op->add), &op->add},
                     {sizeof(op->spin), &op->spin}};
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (uint32_t i = 0; i < 5 && result == ZE_RESULT_SUCCESS; i++) {
        result = zeKernelSetArgumentValue(kernel, i, arguments[i].bytes, arguments[i].value);
    }
    return result;
}

static ze_result_t append_launch(struct caller *caller, const struct op *op, struct events *events)
{
    struct run *run = caller->run;
    ze_kernel_handle_t kernel = op->kind == OP_FAULT ? caller->wild : caller->step;
    ze_group_count_t groups = {op->kind == OP_FAULT ? 1 : BUFFER_WORDS, 1, 1};
    ze_result_t result = op->kind == OP_FAULT ? ZE_RESULT_SUCCESS : arguments_set(run, kernel, op);
    return result == ZE_RESULT_SUCCESS
               ? zeCommandListAppendLaunchKernel(run->lists[op->list], kernel, &groups,
                                                 events->signal, events->count, events->list)
               : result;
}

static ze_result_t append_memory(struct run *run, const struct op *op, struct events *events)
{
    ze_command_list_handle_t list = run->lists[op->list];
    uint32_t *destination = run->buffers[op->destination] + op->place;
    const uint32_t *source = op->source == NONE ? NULL : run->buffers[op->source] + op->from;
    size_t bytes = op->size * sizeof(uint32_t);
    if (op->kind == OP_FILL) {
        return zeCommandListAppendMemoryFill(list, destination, &op->add, sizeof(op->add), bytes,
                                             events->signal, events->count, events->list);
    }
    if (op->kind == OP_COPY) {
        return zeCommandListAppendMemoryCopy(list, destination, source, bytes, events->signal,
                                             events->count, events->list);
    }
    ze_copy_region_t region = {
        .width = REGION_WIDTH * sizeof(uint32_t), .height = op->size / REGION_PITCH, .depth = 1};
    uint32_t pitch = REGION_PITCH * sizeof(uint32_t);
    return zeCommandListAppendMemoryCopyRegion(list, destination, &region, pitch, 0, source,
                                               &region, pitch, 0, events->signal, events->count,
                                               events->list);
}

static ze_result_t submit_lists(struct run *run, const struct op *op, struct events *events)
{
    ze_command_list_handle_t lists[INNER_MAX];
    for (int i = 0; i < op->inner_count; i++) {
        lists[i] = run->lists[op->inner[i]];
    }
    return op->kind == OP_EXECUTE
               ? zeCommandQueueExecuteCommandLists(run->queues[op->queue], op->inner_count, lists,
                                                   op->fence == NONE ? NULL
                                                                     : run->fences[op->fence])
               : zeCommandListImmediateAppendCommandListsExp(run->lists[op->list], op->inner_count,
                                                             lists, events->signal, events->count,
                                                             events->list);
}

ze_result_t call_command(struct caller *caller, const struct op *op)
{
    struct run *run = caller->run;
    size_t position = (size_t)(op - run->program->ops);
    ze_command_list_handle_t list = op->list == NONE ? NULL : run->lists[op->list];
    struct events events = {.signal = op->signal == NONE ? NULL : run->events[op->signal],
                            .count = op->wait_count};
    for (int i = 0; i < op->wait_count; i++) {
        events.waits[i] = run->events[op->waits[i]];
    }
    events.list = op->wait_count ? events.waits : NULL;
    switch ((enum op_kind)op->kind) {
    case OP_LAUNCH:
    case OP_FAULT:
        return append_launch(caller, op, &events);
    case OP_HOST_FUNCTION:
        return zeCommandListAppendHostFunction(list, host_function, &run->calls[position], NULL,
                                               events.signal, events.count, events.list);
    case OP_COPY:
    case OP_REGION:
    case OP_FILL:
        return append_memory(run, op, &events);
    case OP_BARRIER:
        return zeCommandListAppendBarrier(list, events.signal, events.count, events.list);
    case OP_APPEND_WAIT:
        return zeCommandListAppendWaitOnEvents(list, events.count, events.list);
    case OP_APPEND_SIGNAL:
        return zeCommandListAppendSignalEvent(list, events.signal);
    case OP_APPEND_RESET:
        return zeCommandListAppendEventReset(list, run->events[op->event]);
    case OP_STAMP:
        return zeCommandListAppendWriteGlobalTimestamp(list, &run->stamps[position], events.signal,
                                                       events.count, events.list);
    default:
        return submit_lists(run, op, &events);
    }
}
