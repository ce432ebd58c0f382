/* Streams of GPUs. See stream.h. */
#include "backend/cuda/compute/stream.h"

#include "backend/cuda/compute/encode.h"
#include "backend/cuda/compute/flight.h"
#include "backend/cuda/compute/host_work.h"
#include "backend/cuda/compute/poll.h"
#include "backend/cuda/compute/slot.h"
#include "backend/cuda/driver/result.h"
#include "backend/cuda/nvml/device.h"
#include "base/assert.h"
#include "base/log.h"

#include <stdlib.h>

#define ALL_TICKETS UINT64_MAX

struct geo_backend_stream {
    struct geo_compute_queue queue;
    struct geo_fault_sink faults;
    _Atomic uint32_t lost_alone; /* `faults.lost` of a stream without a sink */
    pthread_mutex_t lock;        /* of all below; held while a batch is queued */
    struct geo_compute_flights flights;
    _Atomic uint64_t submitted; /* the last ticket; written under the lock */
    /* pinned: the ticket up to which the GPU is finished */
    _Atomic uint64_t *progress;
};

static const struct geo_cuda *cuda_of(const struct geo_backend_stream *stream)
{
    return stream->queue.device->cuda;
}

static bool is_lost(const struct geo_backend_stream *stream)
{
    return atomic_load_explicit(stream->faults.lost, memory_order_acquire) != 0;
}

/* ---- losses ---- */

static void lose_alone(void *owner, const struct geo_fault *fault)
{
    struct geo_backend_stream *stream = owner;
    (void)fault;
    atomic_store_explicit(&stream->lost_alone, 1, memory_order_release);
}

/* (lock held) Drops batches that are finished. Returns the oldest unfinished one, or NULL. */
static const struct geo_compute_flight *flights_reap(struct geo_backend_stream *stream)
{
    geo_compute_flights_drop(&stream->flights,
                             atomic_load_explicit(stream->progress, memory_order_acquire));
    return geo_compute_flights_first(&stream->flights);
}

/* (lock held) Raises everything of unfinished batches as lost. The GPU has stopped, so it writes
 * nothing afterwards. */
static void flights_lose(struct geo_backend_stream *stream)
{
    const struct geo_compute_flight *flight = flights_reap(stream);
    while (flight) {
        geo_compute_encode_lose(flight->batch);
        if (flight->done.slot) {
            geo_compute_slot_lose(flight->done);
        }
        geo_compute_flights_drop(&stream->flights, flight->ticket);
        flight = geo_compute_flights_first(&stream->flights);
    }
    atomic_store_explicit(stream->progress,
                          atomic_load_explicit(&stream->submitted, memory_order_relaxed),
                          memory_order_release);
}

/* (lock held) Reports a fault that CUDA found, once, before anything is raised. */
static void fault_report(struct geo_backend_stream *stream, int code, const char *function)
{
    const char *text = NULL;
    const struct geo_compute_flight *flight = flights_reap(stream);
    struct geo_fault fault = {.operation = flight ? flight->operation : GEO_COMMAND_NOP};
    if (is_lost(stream)) {
        return; /* another stream of the context reported it */
    }
    (void)geo_cuda_answer(cuda_of(stream), code, function, NULL);
    (void)GEO_CUDA(cuda_of(stream), GetErrorString, code, &text);
    fault.reason = text ? text : "the GPU reported an error";
    stream->faults.report(stream->faults.owner, &fault);
    GEO_ASSERT(is_lost(stream));
}

/* Asks CUDA for the state of the stream. A lost context may already refuse to become current. */
static int stream_query(struct geo_backend_stream *stream)
{
    const int code = geo_compute_device_enter(stream->queue.device);
    return code == GEO_CUDA_SUCCESS
               ? geo_compute_device_leave(
                     stream->queue.device,
                     GEO_CUDA(cuda_of(stream), StreamQuery, stream->queue.stream))
               : code;
}

/* (lock held) Draws the consequences of an answer of stream_query. A lost stream may still execute
 * what was queued before the loss; its events are raised when it has stopped. */
static void stream_judge(struct geo_backend_stream *stream, int code)
{
    if (geo_cuda_result_is_lost(code)) {
        fault_report(stream, code, "StreamQuery");
    }
    if (is_lost(stream) && code != GEO_CUDA_NOT_READY) {
        flights_lose(stream);
    }
}

ze_result_t geo_compute_stream_check(struct geo_backend_stream *stream)
{
    const int code = stream_query(stream);
    if (code != GEO_CUDA_FORKED) {
        pthread_mutex_lock(&stream->lock);
        stream_judge(stream, code);
        pthread_mutex_unlock(&stream->lock);
    }
    return is_lost(stream) ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
}

/* ---- submission ---- */

/* Queues a batch. Returns CUDA's result; after a failure a part of it is queued. */
static int batch_queue(struct geo_backend_stream *stream, const struct geo_compute_flight *flight)
{
    const struct geo_batch *batch = flight->batch;
    const uint8_t *at = (const uint8_t *)batch->first, *end = at + batch->bytes;
    int code = GEO_CUDA_SUCCESS;
    while (batch->bytes != 0 && at != end && code == GEO_CUDA_SUCCESS) {
        const struct geo_command *command = (const struct geo_command *)at;
        code = geo_compute_encode(&stream->queue, command, batch->bases);
        at += command->bytes;
    }
    code = code ? code : geo_compute_encode_signal(&stream->queue, flight->done);
    return code ? code
                : GEO_CUDA(cuda_of(stream), StreamWriteValue64, stream->queue.stream,
                           geo_compute_queue_address(stream->progress), flight->ticket,
                           GEO_CUDA_WRITE_VALUE_DEFAULT);
}

/* (lock held) A batch that is queued in part cannot be taken back, so its failure
 * loses the stream. */
static ze_result_t batch_submit(struct geo_backend_stream *stream, const struct geo_batch *batch,
                                struct geo_event_ref done, uint64_t *ticket)
{
    (void)flights_reap(stream);
    if (!geo_compute_flights_reserve(&stream->flights)) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    const struct geo_compute_flight flight = {
        .ticket = atomic_load_explicit(&stream->submitted, memory_order_relaxed) + 1,
        .batch = batch,
        .done = done,
        .operation = batch->bytes ? batch->first->operation : (uint16_t)GEO_COMMAND_NOP,
    };
    geo_compute_flights_add(&stream->flights, &flight);
    atomic_store_explicit(&stream->submitted, flight.ticket, memory_order_release);
    *ticket = flight.ticket;
    int code = geo_compute_device_enter(stream->queue.device);
    if (code == GEO_CUDA_SUCCESS) {
        code = is_lost(stream) ? code : batch_queue(stream, &flight);
        (void)geo_compute_device_leave(stream->queue.device, code);
    }
    if (code != GEO_CUDA_SUCCESS) {
        fault_report(stream, code, "StreamWriteValue64");
    }
    if (is_lost(stream)) {
        stream_judge(stream, stream_query(stream));
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t stream_submit(struct geo_backend_stream *stream, struct geo_batch *batch,
                                 struct geo_event_ref done, uint64_t *ticket)
{
    const char *problem = geo_compute_encode_problem(batch);
    if (problem) {
        geo_log("cuda", GEO_LOG_INFO, "%s", problem);
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    if (!geo_cuda_is_here(cuda_of(stream))) {
        return geo_cuda_answer(cuda_of(stream), GEO_CUDA_FORKED, "StreamWriteValue64", NULL);
    }
    pthread_mutex_lock(&stream->lock);
    ze_result_t result = batch_submit(stream, batch, done, ticket);
    pthread_mutex_unlock(&stream->lock);
    return result;
}

/* ---- waiting ---- */

static bool stream_finished(const struct geo_backend_stream *stream, uint64_t ticket)
{
    const uint64_t wanted = ticket == ALL_TICKETS
                                ? atomic_load_explicit(&stream->submitted, memory_order_acquire)
                                : ticket;
    return atomic_load_explicit(stream->progress, memory_order_acquire) >= wanted;
}

static ze_result_t stream_wait(struct geo_backend_stream *stream, uint64_t ticket,
                               uint64_t timeout_ns)
{
    struct geo_compute_poll poll = geo_compute_poll_begin(timeout_ns);
    if (ticket == ALL_TICKETS) {
        ticket = atomic_load_explicit(&stream->submitted, memory_order_acquire);
    }
    if (!geo_cuda_is_here(cuda_of(stream))) {
        return geo_cuda_answer(cuda_of(stream), GEO_CUDA_FORKED, "StreamSynchronize", NULL);
    }
    for (bool more = true; !stream_finished(stream, ticket) && more;) {
        bool check = false;
        more = geo_compute_poll_pause(&poll, &check);
        if (check && geo_compute_stream_check(stream) != ZE_RESULT_SUCCESS) {
            break;
        }
    }
    return is_lost(stream)                   ? ZE_RESULT_ERROR_DEVICE_LOST
           : stream_finished(stream, ticket) ? ZE_RESULT_SUCCESS
                                             : ZE_RESULT_NOT_READY;
}

static ze_result_t stream_execute(struct geo_backend_stream *stream, struct geo_batch *batch,
                                  struct geo_event_ref done)
{
    uint64_t ticket = 0;
    ze_result_t result = stream_submit(stream, batch, done, &ticket);
    return result == ZE_RESULT_SUCCESS ? stream_wait(stream, ticket, UINT64_MAX) : result;
}

/* ---- creation ---- */

/* CUDA's priorities are numbers; a smaller one is served first. */
static int priority_of(const struct geo_cuda *cuda, ze_command_queue_priority_t priority)
{
    int least = 0, greatest = 0;
    (void)GEO_CUDA(cuda, CtxGetStreamPriorityRange, &least, &greatest);
    return priority == ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW    ? least
           : priority == ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH ? greatest
                                                                 : least + (greatest - least) / 2;
}

/* (in the context) Names the function that failed. */
static int stream_open(struct geo_backend_stream *stream, ze_command_queue_priority_t priority,
                       const char **function)
{
    const struct geo_cuda *cuda = cuda_of(stream);
    void *word = NULL;
    int code = GEO_CUDA(cuda, MemHostAlloc, &word, sizeof(*stream->progress),
                        GEO_CUDA_HOST_PORTABLE | GEO_CUDA_HOST_DEVICE_MAP);
    if (code != GEO_CUDA_SUCCESS) {
        *function = "MemHostAlloc";
        return code;
    }
    stream->progress = word;
    atomic_store(stream->progress, 0);
    return GEO_CUDA(cuda, StreamCreateWithPriority, &stream->queue.stream,
                    GEO_CUDA_STREAM_NON_BLOCKING, priority_of(cuda, priority));
}

/* (in the context) Waits for the GPU and gives everything back, also after errors. */
static void stream_close(struct geo_backend_stream *stream)
{
    const struct geo_cuda *cuda = cuda_of(stream);
    if (stream->queue.stream) {
        (void)GEO_CUDA(cuda, StreamSynchronize, stream->queue.stream);
        (void)GEO_CUDA(cuda, StreamDestroy, stream->queue.stream);
    }
    if (stream->queue.staging) {
        (void)GEO_CUDA(cuda, MemFreeHost, stream->queue.staging);
    }
    if (stream->progress) {
        (void)GEO_CUDA(cuda, MemFreeHost, (void *)stream->progress);
    }
}

/* In a child of fork only the memory of the process is freed. */
static void stream_destroy(struct geo_backend_stream *stream)
{
    if (!stream) {
        return;
    }
    if (geo_compute_device_enter(stream->queue.device) == GEO_CUDA_SUCCESS) {
        stream_close(stream);
        (void)geo_compute_device_leave(stream->queue.device, GEO_CUDA_SUCCESS);
    }
    geo_compute_host_work_finish(&stream->queue);
    geo_compute_flights_finish(&stream->flights);
    free(stream);
}

static ze_result_t stream_create(struct geo_backend_device *device,
                                 const struct geo_stream_desc *desc,
                                 struct geo_backend_stream **out)
{
    struct geo_backend_stream *stream = calloc(1, sizeof(*stream));
    if (!stream) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    pthread_mutex_init(&stream->lock, NULL);
    pthread_mutex_init(&stream->queue.works_lock, NULL);
    stream->queue.device = device->compute;
    stream->faults = desc->faults;
    if (!stream->faults.report) {
        stream->faults = (struct geo_fault_sink){&stream->lost_alone, lose_alone, stream};
    }
    const char *function = "DevicePrimaryCtxRetain";
    int code = geo_compute_device_enter(device->compute);
    if (code == GEO_CUDA_SUCCESS) {
        function = "StreamCreateWithPriority";
        code = geo_compute_device_leave(device->compute,
                                        stream_open(stream, desc->priority, &function));
    }
    if (code != GEO_CUDA_SUCCESS) {
        ze_result_t result = geo_cuda_answer(cuda_of(stream), code, function, NULL);
        stream_destroy(stream);
        return result;
    }
    *out = stream;
    return ZE_RESULT_SUCCESS;
}

const struct geo_stream_ops geo_compute_stream_ops = {
    .create = stream_create,
    .destroy = stream_destroy,
    .submit = stream_submit,
    .execute = stream_execute,
    .wait = stream_wait,
    .finished = stream_finished,
};
