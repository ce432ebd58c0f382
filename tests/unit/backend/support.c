/* Unit tests of backends and host runtime: what they share. See support.h. */
#include "support.h"

#include "exec/thread/sync.h"

#include <stdio.h>
#include <time.h>

#define BATCH_ROOM (1u << 20)

void fixture_open(struct fixture *fixture, const struct geo_backend_ops *ops)
{
    fixture->ops = ops;
    assert_int_equal(ops->open(&fixture->backend), ZE_RESULT_SUCCESS);
    assert_true(ops->device_count(fixture->backend) >= 1);
    fixture->device = ops->device(fixture->backend, 0);
    assert_non_null(fixture->device);
}

struct file file_read(const char *name)
{
    const char *build = getenv("GEOID_BUILD_DIR");
    char path[4096];
    struct file file = {0};
    snprintf(path, sizeof(path), "%s/tests/fixtures/%s", build ? build : ".", name);
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        fail_msg("%s is missing", path);
    }
    fseek(stream, 0, SEEK_END);
    file.size = (size_t)ftell(stream);
    rewind(stream);
    file.bytes = malloc(file.size);
    assert_int_equal(fread(file.bytes, 1, file.size, stream), file.size);
    fclose(stream);
    return file;
}

void batch_init(struct test_batch *batch)
{
    memset(batch, 0, sizeof(*batch));
    batch->room = BATCH_ROOM;
    batch->bytes = aligned_alloc(64, batch->room);
    assert_non_null(batch->bytes);
    batch->batch.first = (const struct geo_command *)batch->bytes;
}

void batch_finish(struct test_batch *batch)
{
    free(batch->bytes);
}

void *batch_add_waiting(struct test_batch *batch, enum geo_command_operation operation,
                        size_t bytes, const struct geo_event_ref *waits, uint32_t wait_count)
{
    size_t wait_offset = (bytes + GEO_COMMAND_ALIGN - 1) & ~(size_t)(GEO_COMMAND_ALIGN - 1);
    size_t total = wait_offset + wait_count * sizeof(*waits);
    assert_true(batch->used + total <= batch->room);
    struct geo_command *command = (struct geo_command *)(batch->bytes + batch->used);
    memset(command, 0, total);
    command->operation = (uint16_t)operation;
    command->bytes = (uint32_t)total;
    command->wait_count = wait_count;
    command->wait_offset = (uint32_t)wait_offset;
    if (wait_count != 0) {
        memcpy((uint8_t *)command + wait_offset, waits, wait_count * sizeof(*waits));
    }
    batch->used += total;
    batch->batch.bytes = batch->used;
    return command;
}

void *batch_add(struct test_batch *batch, enum geo_command_operation operation, size_t bytes)
{
    return batch_add_waiting(batch, operation, bytes, NULL, 0);
}

struct geo_command_launch *batch_add_launch(struct test_batch *batch,
                                            const struct geo_backend_kernel *kernel,
                                            uint32_t groups, const void *arguments, size_t bytes)
{
    size_t head = (sizeof(struct geo_command_launch) + 15) & ~(size_t)15;
    struct geo_command_launch *launch = batch_add(batch, GEO_COMMAND_LAUNCH, head + bytes);
    launch->kernel = kernel;
    for (int i = 0; i < 3; i++) {
        launch->group_count[i] = i == 0 ? groups : 1;
        launch->local_size[i] = 1;
    }
    launch->argument_offset = (uint32_t)head;
    if (bytes != 0) {
        memcpy((uint8_t *)launch + head, arguments, bytes);
    }
    return launch;
}

void kernel_init(struct test_kernel *kernel, geo_kernel_fn entry)
{
    memset(kernel, 0, sizeof(*kernel));
    kernel->kernel = (struct geo_backend_kernel){
        .entry = entry,
        .needs = {.lanes = 1},
        .name = "test kernel",
        .cost_ps = &kernel->cost_ps,
    };
}

struct geo_backend_stream *stream_open(const struct fixture *fixture)
{
    struct geo_stream_desc desc = {0};
    struct geo_backend_stream *stream;
    assert_int_equal(fixture->ops->stream->create(fixture->device, &desc, &stream),
                     ZE_RESULT_SUCCESS);
    return stream;
}

void stream_run_batch(const struct fixture *fixture, struct geo_backend_stream *stream,
                      struct test_batch *batch)
{
    uint64_t ticket;
    struct geo_event_ref none = {0};
    assert_int_equal(fixture->ops->stream->submit(stream, &batch->batch, none, &ticket),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(fixture->ops->stream->wait(stream, ticket, UINT64_MAX), ZE_RESULT_SUCCESS);
}

uint64_t patience_end(void)
{
    return geo_deadline_ns(PATIENCE_NS);
}

void patience_pause(uint64_t end, const char *problem)
{
    const struct timespec pause = {.tv_nsec = 200000};
    if (geo_now_ns() >= end) {
        fail_msg("%s", problem);
    }
    nanosleep(&pause, NULL);
}

void wait_for(_Atomic uint32_t *word, uint32_t value)
{
    const uint64_t end = patience_end();
    while (atomic_load(word) < value) {
        patience_pause(end, "waited in vain");
    }
}
