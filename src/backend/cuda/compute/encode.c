/* Translates command records into calls of CUDA. See encode.h. */
#include "backend/cuda/compute/encode.h"

#include "backend/cuda/compute/copy.h"
#include "backend/cuda/compute/fill.h"
#include "backend/cuda/compute/host_work.h"
#include "backend/cuda/compute/program.h"
#include "backend/cuda/compute/reach.h"
#include "backend/cuda/compute/slot.h"

#include <stddef.h>

/* ---- events ---- */

static bool slot_is_reached(struct geo_event_ref event)
{
    const bool external = event.value & GEO_EVENT_EXTERNAL;
    return geo_compute_reach_has(event.slot, external ? sizeof(uint64_t) : sizeof(*event.slot));
}

static int wait_encode(struct geo_compute_queue *queue, struct geo_event_ref event)
{
    return slot_is_reached(event)
               ? GEO_QUEUE(queue, StreamWaitValue64, queue->stream,
                           geo_compute_queue_address(event.slot), event.value & GEO_EVENT_VALUE_MAX,
                           GEO_CUDA_WAIT_VALUE_GEQ)
               : GEO_CUDA_SUCCESS; /* complete: see geo_compute_encode_problem */
}

/* CUDA cannot add to a word, so the host adds to external ones. */
int geo_compute_encode_signal(struct geo_compute_queue *queue, struct geo_event_ref event)
{
    if (!event.slot) {
        return GEO_CUDA_SUCCESS;
    }
    if (event.value & GEO_EVENT_EXTERNAL || !slot_is_reached(event)) {
        return geo_compute_host_work_signal(queue, event);
    }
    return GEO_QUEUE(queue, StreamWriteValue64, queue->stream,
                     geo_compute_queue_address(event.slot), event.value,
                     GEO_CUDA_WRITE_VALUE_DEFAULT);
}

/* The value is last: who sees it sees the rest. */
static int reset_encode(struct geo_compute_queue *queue, struct geo_event_slot *slot)
{
    if (!slot_is_reached((struct geo_event_ref){slot, 0})) {
        return geo_compute_host_work_reset(queue, slot);
    }
    int code = GEO_QUEUE(queue, MemsetD8Async, geo_compute_queue_address(&slot->times), 0,
                         sizeof(slot->times), queue->stream);
    code = code ? code
                : GEO_QUEUE(queue, StreamWriteValue64, queue->stream,
                            geo_compute_queue_address(&slot->lost_from), 0,
                            GEO_CUDA_WRITE_VALUE_DEFAULT);
    return code ? code
                : GEO_QUEUE(queue, StreamWriteValue64, queue->stream,
                            geo_compute_queue_address(&slot->value), 0,
                            GEO_CUDA_WRITE_VALUE_DEFAULT);
}

/* ---- records ---- */

static int host_function_encode(struct geo_compute_queue *queue,
                                const struct geo_command_host_function *host)
{
    return GEO_QUEUE(queue, LaunchHostFunc, queue->stream, host->function, host->user_data);
}

static int operation_encode(struct geo_compute_queue *queue, const struct geo_command *command,
                            const uint64_t *bases)
{
    const struct geo_command_copy *copy = (const struct geo_command_copy *)command;
    const struct geo_command_event *event = (const struct geo_command_event *)command;
    switch ((enum geo_command_operation)command->operation) {
    case GEO_COMMAND_LAUNCH:
        return geo_compute_program_launch(queue, (const struct geo_command_launch *)command);
    case GEO_COMMAND_COPY:
        return geo_compute_copy(queue, copy->destination, copy->source, copy->bytes);
    case GEO_COMMAND_COPY_REGION:
        return geo_compute_copy_region(queue, (const struct geo_command_copy_region *)command);
    case GEO_COMMAND_FILL:
        return geo_compute_fill(queue, (const struct geo_command_fill *)command);
    case GEO_COMMAND_EVENT_RESET:
        return reset_encode(queue, event->event.slot);
    case GEO_COMMAND_EVENT_SIGNAL:
        return geo_compute_encode_signal(queue, geo_command_event_resolve(event->event, bases));
    case GEO_COMMAND_HOST_FUNCTION:
        return host_function_encode(queue, (const struct geo_command_host_function *)command);
    default:
        return GEO_CUDA_SUCCESS; /* geo_compute_encode_problem refused what does more */
    }
}

int geo_compute_encode(struct geo_compute_queue *queue, const struct geo_command *command,
                       const uint64_t *bases)
{
    const struct geo_event_ref *waits = geo_command_waits(command);
    int code = GEO_CUDA_SUCCESS;
    for (uint32_t i = 0; i < command->wait_count && code == GEO_CUDA_SUCCESS; i++) {
        code = wait_encode(queue, geo_command_event_resolve(waits[i], bases));
    }
    code = code ? code : operation_encode(queue, command, bases);
    return code ? code
                : geo_compute_encode_signal(queue,
                                            geo_command_event_resolve(command->signal, bases));
}

/* ---- whole batches ---- */

#define RECORDS(batch, command)                                                                    \
    for (const struct geo_command *                                                                \
             command = (batch)->first,                                                             \
            *end_ = (const void *)((const uint8_t *)(batch)->first + (batch)->bytes);              \
         (batch)->bytes != 0 && command != end_; command = geo_command_next(command))

static const char *operation_problem(const struct geo_command *command)
{
    switch ((enum geo_command_operation)command->operation) {
    case GEO_COMMAND_LAUNCH_INDIRECT:
        return "NVIDIA's GPUs cannot read the number of groups from memory yet";
    case GEO_COMMAND_TIMESTAMP:
    case GEO_COMMAND_QUERY_TIMESTAMPS:
        return "NVIDIA's GPUs take no timestamps yet";
    case GEO_COMMAND_SIGNAL_SEMAPHORES:
    case GEO_COMMAND_WAIT_SEMAPHORES:
        return "NVIDIA's GPUs cannot use external semaphores yet";
    case GEO_COMMAND_METRIC:
        return "NVIDIA's GPUs have no metrics yet";
    default:
        return command->flags & GEO_COMMAND_PROFILE ? "NVIDIA's GPUs take no timestamps yet" : NULL;
    }
}

/* Returns why a record's waits cannot be encoded. A stream waits only for words that its GPU
 * reaches. */
static const char *waits_problem(const struct geo_command *command, const uint64_t *bases)
{
    const struct geo_event_ref *waits = geo_command_waits(command);
    for (uint32_t i = 0; i < command->wait_count; i++) {
        const struct geo_event_ref event = geo_command_event_resolve(waits[i], bases);
        if (!slot_is_reached(event) && !geo_command_event_reached(&event)) {
            return "an event is in memory that the GPU does not reach";
        }
    }
    return NULL;
}

const char *geo_compute_encode_problem(const struct geo_batch *batch)
{
    const char *problem = NULL;
    RECORDS(batch, command)
    {
        problem = operation_problem(command);
        problem = problem ? problem : waits_problem(command, batch->bases);
        if (problem) {
            break;
        }
    }
    return problem;
}

void geo_compute_encode_lose(const struct geo_batch *batch)
{
    RECORDS(batch, command)
    {
        const struct geo_event_ref signal =
            geo_command_event_resolve(command->signal, batch->bases);
        if (command->operation == GEO_COMMAND_EVENT_SIGNAL) {
            const struct geo_command_event *event = (const struct geo_command_event *)command;
            geo_compute_slot_lose(geo_command_event_resolve(event->event, batch->bases));
        }
        if (signal.slot) {
            geo_compute_slot_lose(signal);
        }
    }
}
