/* What the backend's tests share: backends opened by name, batches of records built by hand,
 * kernels written in C. */
#ifndef GEO_TESTS_BACKEND_SUPPORT_H
#define GEO_TESTS_BACKEND_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/backend.h"
#include "backend/cpu/cpu.h"
#include "backend/cpu/kernel.h"
#include "backend/cpu/launch.h"
#include "backend/host/device.h"
#include "backend/null/null.h"
#include "native/native.h"
#include "patience.h"

struct fixture {
    const struct geo_backend_ops *ops;
    struct geo_backend *backend;
    struct geo_backend_device *device;
};

void fixture_open(struct fixture *fixture, const struct geo_backend_ops *ops);

/* A file of tests/fixtures in the build folder. The caller frees its bytes. */
struct file {
    uint8_t *bytes;
    size_t size;
};

struct file file_read(const char *name);

/* A batch with room for records; add_* return the record, whose header may still be changed. */
struct test_batch {
    struct geo_batch batch;
    uint8_t *bytes;
    size_t used, room;
};

void batch_init(struct test_batch *batch);
void batch_finish(struct test_batch *batch);
void *batch_add(struct test_batch *batch, enum geo_command_operation operation, size_t bytes);
/* With waits behind the record. */
void *batch_add_waiting(struct test_batch *batch, enum geo_command_operation operation,
                        size_t bytes, const struct geo_event_ref *waits, uint32_t wait_count);
/* A one-dimensional launch whose argument block is `bytes` at arguments. */
struct geo_command_launch *batch_add_launch(struct test_batch *batch,
                                            const struct geo_backend_kernel *kernel,
                                            uint32_t groups, const void *arguments, size_t bytes);

/* A kernel around a C function. */
struct test_kernel {
    struct geo_backend_kernel kernel;
    _Atomic uint32_t cost_ps;
};
void kernel_init(struct test_kernel *kernel, geo_kernel_fn entry);

/* Submits and waits without bound. */
void stream_run_batch(const struct fixture *fixture, struct geo_backend_stream *stream,
                      struct test_batch *batch);
struct geo_backend_stream *stream_open(const struct fixture *fixture);

/* Returns the time at which patience that begins now ends. */
uint64_t patience_end(void);
/* Sleeps for a moment. Fails the test with this text once the end has passed by the clock: sleeps
 * on a busy machine take several times as long as they are asked to. */
void patience_pause(uint64_t end, const char *problem);

/* Sleeps until *word is at least value; fails the test when patience ends. */
void wait_for(_Atomic uint32_t *word, uint32_t value);

#endif
