/* Batches of records for tests of streams. */
#ifndef GEO_TESTS_CUDA_BATCH_FIXTURE_H
#define GEO_TESTS_CUDA_BATCH_FIXTURE_H

#include "cuda_fixture.h"

#include "patience.h"

#include "backend/command.h"

enum { BATCH_BYTES = 8192 };

struct test_batch {
    _Alignas(GEO_COMMAND_ALIGN) uint8_t bytes[BATCH_BYTES];
    struct geo_batch batch;
};

static inline void batch_begin(struct test_batch *batch)
{
    memset(batch, 0, sizeof(*batch));
    batch->batch.first = (const struct geo_command *)(const void *)batch->bytes;
}

/* Adds a record of `payload` bytes, with `more` bytes behind it and waits behind those. Returns the
 * record, whose header may be changed. */
static inline void *batch_add(struct test_batch *batch, enum geo_command_operation operation,
                              size_t payload, size_t more, const struct geo_event_ref *waits,
                              uint32_t wait_count)
{
    const size_t unit = GEO_COMMAND_ALIGN;
    const size_t wait_offset = (payload + more + unit - 1) / unit * unit;
    const size_t bytes = (wait_offset + wait_count * sizeof(*waits) + unit - 1) / unit * unit;
    assert_true(batch->batch.bytes + bytes <= BATCH_BYTES);
    struct geo_command *command = (void *)(batch->bytes + batch->batch.bytes);
    command->operation = (uint16_t)operation;
    command->bytes = (uint32_t)bytes;
    command->wait_count = wait_count;
    command->wait_offset = (uint32_t)wait_offset;
    if (wait_count) {
        memcpy((uint8_t *)command + wait_offset, waits, wait_count * sizeof(*waits));
    }
    batch->batch.bytes += bytes;
    return command;
}

static inline struct geo_command *batch_plain(struct test_batch *batch,
                                              enum geo_command_operation operation)
{
    return batch_add(batch, operation, sizeof(struct geo_command), 0, NULL, 0);
}

static inline struct geo_command *batch_wait(struct test_batch *batch, struct geo_event_ref event)
{
    return batch_add(batch, GEO_COMMAND_WAIT_EVENTS, sizeof(struct geo_command), 0, &event, 1);
}

static inline struct geo_command *batch_event(struct test_batch *batch,
                                              enum geo_command_operation operation,
                                              struct geo_event_ref event)
{
    struct geo_command_event *record = batch_add(batch, operation, sizeof(*record), 0, NULL, 0);
    record->event = event;
    return &record->header;
}

static inline struct geo_command *batch_copy(struct test_batch *batch, void *to, const void *from,
                                             uint64_t bytes)
{
    struct geo_command_copy *record =
        batch_add(batch, GEO_COMMAND_COPY, sizeof(*record), 0, NULL, 0);
    record->destination = to;
    record->source = from;
    record->bytes = bytes;
    return &record->header;
}

static inline struct geo_command *batch_fill(struct test_batch *batch, void *to, uint64_t bytes,
                                             const void *pattern, uint32_t pattern_bytes)
{
    struct geo_command_fill *record =
        batch_add(batch, GEO_COMMAND_FILL, sizeof(*record), pattern_bytes, NULL, 0);
    record->destination = to;
    record->bytes = bytes;
    record->pattern_offset = sizeof(*record);
    record->pattern_bytes = pattern_bytes;
    memcpy(record + 1, pattern, pattern_bytes);
    return &record->header;
}

static inline struct geo_command *batch_host(struct test_batch *batch, void (*function)(void *),
                                             void *data)
{
    struct geo_command_host_function *record =
        batch_add(batch, GEO_COMMAND_HOST_FUNCTION, sizeof(*record), 0, NULL, 0);
    record->function = function;
    record->user_data = data;
    return &record->header;
}

#endif
