/* Tries the backend that computes on the GPUs of this machine, without the driver and the compiler:
 *
 *     cuda_trial [--no-kernels] [GPU]
 *
 * Prints one line per step. Without libcuda or a GPU it says so and exits with 77. With
 * --no-kernels it also runs over the fake libcuda, which executes no PTX. The last step makes a
 * kernel fault, after which the process cannot use the GPU. */
#include "kernels.h"

#include "backend/cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB         (UINT64_C(1) << 20)
#define COPY_BYTES  (256 * MIB) /* large enough to measure the bus */
#define FEW_BYTES   (32 * MIB)  /* enough to test, where the fake library copies */
#define PATIENCE_NS (UINT64_C(20) * 1000000000)
#define ROUNDS      1000

enum { SKIPPED = 77, RECORD_BYTES = 4096 };

static const struct geo_backend_ops *const ops = &geo_backend_cuda_compute_ops;
static const struct geo_event_ref none;

/* A batch of one to a few records. */
struct records {
    _Alignas(GEO_COMMAND_ALIGN) uint8_t bytes[RECORD_BYTES];
    struct geo_batch batch;
};

struct trial {
    struct geo_backend *backend;
    struct geo_backend_device *device;
    struct geo_backend_stream *stream;
    struct geo_backend_program *program;
    struct geo_allocation host, gpu; /* of copy_bytes each */
    uint64_t copy_bytes;
    _Atomic uint32_t lost;
    char fault[200];
    int failures;
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void report(struct trial *trial, const char *step, bool good, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void report(struct trial *trial, const char *step, bool good, const char *format, ...)
{
    va_list args;
    printf("%-8s %-32s ", good ? "ok" : "FAILED", step);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
    trial->failures += !good;
}

/* ---- records ---- */

static void *record_add(struct records *records, enum geo_command_operation operation,
                        size_t payload, size_t more, const struct geo_event_ref *wait)
{
    const size_t unit = GEO_COMMAND_ALIGN;
    const size_t wait_offset = (payload + more + unit - 1) / unit * unit;
    struct geo_command *command = (void *)(records->bytes + records->batch.bytes);
    const size_t bytes = wait_offset + (wait ? sizeof(*wait) : 0);
    if (records->batch.bytes + bytes > RECORD_BYTES) {
        abort();
    }
    memset(command, 0, bytes);
    command->operation = (uint16_t)operation;
    command->bytes = (uint32_t)bytes;
    command->wait_count = wait != NULL;
    command->wait_offset = (uint32_t)wait_offset;
    if (wait) {
        memcpy((uint8_t *)command + wait_offset, wait, sizeof(*wait));
    }
    records->batch.first = (const struct geo_command *)(const void *)records->bytes;
    records->batch.bytes += bytes;
    return command;
}

static void copy_add(struct records *records, void *to, const void *from, uint64_t bytes,
                     const struct geo_event_ref *wait)
{
    struct geo_command_copy *copy = record_add(records, GEO_COMMAND_COPY, sizeof(*copy), 0, wait);
    copy->destination = to;
    copy->source = from;
    copy->bytes = bytes;
}

static void fill_add(struct records *records, void *to, uint64_t bytes, const uint8_t *pattern,
                     uint32_t pattern_bytes)
{
    struct geo_command_fill *fill =
        record_add(records, GEO_COMMAND_FILL, sizeof(*fill), pattern_bytes, NULL);
    fill->destination = to;
    fill->bytes = bytes;
    fill->pattern_offset = sizeof(*fill);
    fill->pattern_bytes = pattern_bytes;
    memcpy(fill + 1, pattern, pattern_bytes);
}

static void launch_add(const struct trial *trial, struct records *records, uint32_t index,
                       const uint32_t shape[2], const void *values, const uint64_t *local_bytes)
{
    const struct geo_backend_kernel *kernel = ops->program->kernel(trial->program, index);
    struct geo_command_launch *launch = record_add(records, GEO_COMMAND_LAUNCH, sizeof(*launch),
                                                   ops->program->argument_bytes(kernel), NULL);
    launch->argument_offset = sizeof(*launch);
    for (int i = 0; i < 3; i++) {
        launch->group_count[i] = i ? 1 : shape[0];
        launch->local_size[i] = i ? 1 : shape[1];
    }
    ops->program->encode(kernel, values, local_bytes, launch, launch + 1);
}

/* Runs the records and empties them. */
static ze_result_t records_run(const struct trial *trial, struct records *records)
{
    uint64_t ticket = 0;
    ze_result_t result = ops->stream->submit(trial->stream, &records->batch, none, &ticket);
    if (result == ZE_RESULT_SUCCESS) {
        result = ops->stream->wait(trial->stream, ticket, PATIENCE_NS);
    }
    records->batch.bytes = 0;
    return result;
}

/* ---- memory ---- */

static void memory_try(struct trial *trial)
{
    static const char *const names[] = {"host memory", "memory of the GPU", "shared memory"};
    uint64_t before = 0, after = 0;
    ops->memory->available(trial->backend, trial->device, &before);
    report(trial, "free memory", before != 0, "%llu MiB, without a context",
           (unsigned long long)(before / MIB));
    for (int kind = GEO_MEMORY_HOST; kind <= GEO_MEMORY_SHARED; kind++) {
        struct geo_allocation allocation = {0};
        const uint64_t start = now_ns();
        ze_result_t result =
            ops->memory->allocate(trial->backend, trial->device, (enum geo_memory_kind)kind, MIB,
                                  2 * MIB, 0, &allocation);
        report(trial, names[kind],
               result == ZE_RESULT_SUCCESS && (uintptr_t)allocation.base % (2 * MIB) == 0,
               "0x%x at %p, %llu us", (unsigned)result, allocation.base,
               (unsigned long long)((now_ns() - start) / 1000));
        ops->memory->release(trial->backend, &allocation);
    }
    struct geo_allocation allocation = {0};
    ze_result_t result = ops->memory->allocate(trial->backend, trial->device, GEO_MEMORY_SHARED,
                                               MIB, 0, GEO_MEMORY_EXPORTABLE, &allocation);
    report(trial, "memory file", result == ZE_RESULT_SUCCESS, "0x%x, descriptor %d",
           (unsigned)result, allocation.fd.number);
    ops->memory->release(trial->backend, &allocation);
    result = ops->memory->allocate(trial->backend, trial->device, GEO_MEMORY_DEVICE,
                                   UINT64_C(1) << 50, 0, 0, &allocation);
    report(trial, "too much memory", result == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, "0x%x",
           (unsigned)result);
    ops->memory->available(trial->backend, trial->device, &after);
    report(trial, "free memory", after != 0, "%llu MiB, with a context",
           (unsigned long long)(after / MIB));
}

/* ---- copies ---- */

static void pattern_write(uint8_t *memory, uint64_t bytes, uint32_t seed)
{
    for (uint64_t i = 0; i < bytes; i++) {
        memory[i] = (uint8_t)(i * 31 + i / 4096 + seed);
    }
}

static void copies_try(struct trial *trial)
{
    static struct records records;
    const uint64_t bytes = 5 * MIB / 2 + 7;
    uint8_t *pageable = malloc(bytes), *back = malloc(bytes);
    uint8_t *gpu = trial->gpu.base, *host = trial->host.base;
    if (!pageable || !back) {
        abort();
    }
    pattern_write(host, bytes, 1);
    copy_add(&records, gpu, host, bytes, NULL);
    copy_add(&records, gpu + 8 * MIB + 1, gpu, bytes, NULL);
    copy_add(&records, host + 8 * MIB, gpu + 8 * MIB + 1, bytes, NULL);
    ze_result_t result = records_run(trial, &records);
    report(trial, "copies of pinned memory", !result && !memcmp(host, host + 8 * MIB, bytes),
           "0x%x", (unsigned)result);
    pattern_write(pageable, bytes, 2);
    memset(back, 0, bytes);
    copy_add(&records, gpu, pageable, bytes, NULL);
    copy_add(&records, back, gpu, bytes, NULL);
    result = records_run(trial, &records);
    report(trial, "copies of pageable memory", !result && !memcmp(pageable, back, bytes), "0x%x",
           (unsigned)result);
    free(pageable);
    free(back);
}

static void regions_try(struct trial *trial)
{
    static struct records records;
    uint8_t *gpu = trial->gpu.base, *host = trial->host.base;
    bool good = true;
    struct geo_command_copy_region *region =
        record_add(&records, GEO_COMMAND_COPY_REGION, sizeof(*region), 0, NULL);
    const struct geo_command header = region->header;
    *region = (struct geo_command_copy_region){.header = header,
                                               .destination = gpu,
                                               .source = host,
                                               .width = 100,
                                               .height = 20,
                                               .depth = 3,
                                               .destination_pitch = 128,
                                               .destination_slice_pitch = 128 * 32,
                                               .source_pitch = 256,
                                               .source_slice_pitch = 256 * 20};
    pattern_write(host, 3 * 256 * 20, 3);
    copy_add(&records, host + MIB, gpu, 3 * 128 * 32, NULL);
    ze_result_t result = records_run(trial, &records);
    for (int z = 0; z < 3; z++) {
        for (int y = 0; y < 20; y++) {
            good = good && !memcmp(host + MIB + (z * 32 + y) * 128, host + (z * 20 + y) * 256, 100);
        }
    }
    report(trial, "copy of a region", !result && good, "0x%x", (unsigned)result);
}

static void fills_try(struct trial *trial)
{
    static struct records records;
    enum { BYTES = 1000 };
    uint8_t *gpu = trial->gpu.base, *host = trial->host.base, pattern[33];
    ze_result_t result = ZE_RESULT_SUCCESS;
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < sizeof(pattern); i++) {
        pattern[i] = (uint8_t)(i + 1);
    }
    for (uint32_t length = 1; length <= sizeof(pattern) && !result; length++) {
        const uint32_t offset = length % 5;
        fill_add(&records, gpu + offset, BYTES, pattern, length);
        copy_add(&records, host, gpu + offset, BYTES, NULL);
        result = records_run(trial, &records);
        for (uint32_t i = 0; i < BYTES; i++) {
            wrong += host[i] != pattern[i % length];
        }
    }
    report(trial, "fills with 33 patterns", !result && !wrong, "0x%x, %u bytes differ",
           (unsigned)result, wrong);
}

static void bandwidth_try(struct trial *trial)
{
    static struct records records;
    uint8_t *gpu = trial->gpu.base, *host = trial->host.base;
    const struct {
        const char *name;
        void *to;
        const void *from;
        uint64_t bytes;
    } table[] = {{"host to GPU", gpu, host, trial->copy_bytes},
                 {"GPU to host", host, gpu, trial->copy_bytes},
                 {"inside the GPU", gpu, gpu + trial->copy_bytes / 2, trial->copy_bytes / 2}};
    for (int i = 0; i < 3; i++) {
        uint64_t best = UINT64_MAX;
        ze_result_t result = ZE_RESULT_SUCCESS;
        for (int round = 0; round < 5 && !result; round++) {
            const uint64_t start = now_ns();
            copy_add(&records, table[i].to, table[i].from, table[i].bytes, NULL);
            result = records_run(trial, &records);
            best = now_ns() - start < best ? now_ns() - start : best;
        }
        report(trial, table[i].name, !result, "0x%x, %.1f GB/s", (unsigned)result,
               (double)table[i].bytes / (double)best);
    }
}

/* ---- events ---- */

static void events_try(struct trial *trial)
{
    static struct records records;
    struct geo_allocation words = {0};
    uint8_t byte = 7, back = 0, *gpu = trial->gpu.base;
    uint64_t ticket = 0, total = 0;
    ze_result_t result =
        ops->memory->allocate(trial->backend, trial->device, GEO_MEMORY_HOST, 4096, 64, 0, &words);
    struct geo_event_slot *slots = words.base;
    if (result != ZE_RESULT_SUCCESS) {
        report(trial, "events", false, "0x%x", (unsigned)result);
        return;
    }
    memset(slots, 0, 4096);
    const struct geo_event_ref first = {&slots[0], 1}, second = {&slots[1], 1};
    copy_add(&records, gpu, &byte, 1, &first);
    copy_add(&records, &back, gpu, 1, NULL);
    result = ops->stream->submit(trial->stream, &records.batch, second, &ticket);
    report(trial, "a stream waits for the host",
           !result && ops->stream->wait(trial->stream, ticket, 5000000) == ZE_RESULT_NOT_READY,
           "0x%x", (unsigned)result);
    ops->event->signal(trial->backend, first);
    const struct geo_event_wait wait = {
        .event = second, .timeout_ns = PATIENCE_NS, .stream = trial->stream};
    result = ops->event->wait(trial->backend, &wait);
    report(trial, "the host waits for a stream", !result && back == 7, "0x%x", (unsigned)result);
    (void)ops->stream->wait(trial->stream, ticket, PATIENCE_NS);
    records.batch.bytes = 0;
    for (int i = 0; i < ROUNDS && !result; i++) {
        const uint64_t start = now_ns();
        record_add(&records, GEO_COMMAND_BARRIER, sizeof(struct geo_command), 0, NULL);
        result = records_run(trial, &records);
        total += now_ns() - start;
    }
    report(trial, "submit and wait", !result, "0x%x, %.2f us", (unsigned)result,
           (double)total / ROUNDS / 1000);
    ops->memory->release(trial->backend, &words);
}

/* ---- kernels ---- */

static bool program_try(struct trial *trial)
{
    const struct geo_native_view view = kernels_view();
    struct geo_strbuf log;
    const uint64_t start = now_ns();
    geo_strbuf_init(&log, 4000);
    ze_result_t result = ops->program->load(trial->device, &view, &trial->program, &log);
    report(trial, "a module of PTX", !result, "0x%x, %llu us %s", (unsigned)result,
           (unsigned long long)((now_ns() - start) / 1000), geo_strbuf_text(&log));
    geo_strbuf_finish(&log);
    return result == ZE_RESULT_SUCCESS;
}

/* Runs the kernel `reverse` with groups of `items`, and `local` bytes of local memory. */
static void reverse_try(struct trial *trial, const char *step, uint32_t groups, uint32_t items,
                        uint64_t local)
{
    static struct records records;
    uint32_t *gpu = trial->gpu.base, *host = trial->host.base, wrong = 0;
    const uint64_t bytes = (uint64_t)groups * items * sizeof(uint32_t);
    const uint32_t shape[2] = {groups, items};
    const uint64_t sizes[REVERSE_ARGUMENTS] = {[REVERSE_LINE] = local};
    const struct reverse_arguments values = {gpu, gpu + trial->copy_bytes / 8, 0, 1000};
    for (uint32_t i = 0; i < groups * items; i++) {
        host[i] = i * 3;
    }
    copy_add(&records, gpu, host, bytes, NULL);
    launch_add(trial, &records, KERNEL_REVERSE, shape, &values, sizes);
    copy_add(&records, host + trial->copy_bytes / 8, values.out, bytes, NULL);
    ze_result_t result = records_run(trial, &records);
    for (uint32_t i = 0; i < groups * items; i++) {
        const uint32_t from = i / items * items + (items - 1 - i % items);
        wrong += host[trial->copy_bytes / 8 + i] != from * 3 + 1000;
    }
    report(trial, step, !result && !wrong, "0x%x, %u of %u values differ", (unsigned)result, wrong,
           groups * items);
}

static void launches_try(struct trial *trial)
{
    static struct records records;
    uint32_t *gpu = trial->gpu.base;
    const uint32_t shape[2] = {1, 32};
    const uint64_t sizes[1] = {0};
    uint64_t total = 0;
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (int i = 0; i < ROUNDS && !result; i++) {
        const uint64_t start = now_ns();
        launch_add(trial, &records, KERNEL_STORE, shape, &gpu, sizes);
        result = records_run(trial, &records);
        total += now_ns() - start;
    }
    report(trial, "launch and wait", !result, "0x%x, %.2f us", (unsigned)result,
           (double)total / ROUNDS / 1000);
}

static void kernels_try(struct trial *trial)
{
    const struct geo_device_info *info = ops->device_info(trial->device);
    if (!program_try(trial)) {
        return;
    }
    reverse_try(trial, "a kernel", 1, 32, 128);
    reverse_try(trial, "a kernel of many groups", 4096, 256, 1024);
    reverse_try(trial, "a kernel with all local memory", 8, 1024, info->max_local_bytes);
    launches_try(trial);
}

/* The kernel writes to an address that is not mapped. */
static void fault_try(struct trial *trial)
{
    static struct records records;
    const uint64_t address = 64, sizes[1] = {0};
    const uint32_t shape[2] = {1, 1};
    launch_add(trial, &records, KERNEL_STORE, shape, &address, sizes);
    ze_result_t result = records_run(trial, &records);
    report(trial, "a kernel that faults", result == ZE_RESULT_ERROR_DEVICE_LOST && trial->lost,
           "0x%x: %s", (unsigned)result, trial->fault);
}

/* ---- all ---- */

static void child_try(struct trial *trial)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        struct geo_allocation allocation;
        _exit(ops->memory->allocate(trial->backend, trial->device, GEO_MEMORY_DEVICE, 8, 0, 0,
                                    &allocation) == ZE_RESULT_ERROR_UNINITIALIZED
                  ? 0
                  : 1);
    }
    const bool ended = child > 0 && waitpid(child, &status, 0) == child;
    report(trial, "a child gets an error", ended && status == 0, "status 0x%x", (unsigned)status);
}

static void fault_note(void *owner, const struct geo_fault *fault)
{
    struct trial *trial = owner;
    snprintf(trial->fault, sizeof(trial->fault), "%s", fault->reason);
    atomic_store(&trial->lost, 1);
}

static bool trial_begin(struct trial *trial)
{
    const struct geo_stream_desc desc = {
        .faults = {.lost = &trial->lost, .report = fault_note, .owner = trial}};
    const uint64_t start = now_ns();
    ze_result_t result = ops->memory->allocate(trial->backend, trial->device, GEO_MEMORY_DEVICE,
                                               trial->copy_bytes, 0, 0, &trial->gpu);
    if (result == ZE_RESULT_SUCCESS) {
        result = ops->memory->allocate(trial->backend, trial->device, GEO_MEMORY_HOST,
                                       trial->copy_bytes, 0, 0, &trial->host);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = ops->stream->create(trial->device, &desc, &trial->stream);
    }
    report(trial, "a stream and memory", result == ZE_RESULT_SUCCESS, "0x%x, %llu ms",
           (unsigned)result, (unsigned long long)((now_ns() - start) / 1000000));
    return result == ZE_RESULT_SUCCESS;
}

static void trial_end(struct trial *trial)
{
    ops->program->unload(trial->program);
    ops->stream->destroy(trial->stream);
    ops->memory->release(trial->backend, &trial->gpu);
    ops->memory->release(trial->backend, &trial->host);
    ops->close(trial->backend);
}

static void device_print(const struct geo_device_info *info)
{
    printf("%s: compute capability %u.%u, %u multiprocessors, %llu MiB, %u bytes of local memory, "
           "%04x:%02x:%02x.%u, device 0x%04x\n",
           info->name, info->native.architecture / 10, info->native.architecture % 10,
           info->subslices_per_slice, (unsigned long long)(info->memory_bytes / MIB),
           info->max_local_bytes, info->pci.domain, info->pci.bus, info->pci.device,
           info->pci.function, info->device_id);
}

int main(int argc, char **argv)
{
    static struct trial trial;
    const bool kernels = argc < 2 || strcmp(argv[1], "--no-kernels") != 0;
    const char *number = argc > 1 + !kernels ? argv[1 + !kernels] : "0";
    const uint32_t gpu = (uint32_t)strtoul(number, NULL, 10);
    const uint64_t start = now_ns();
    if (ops->open(&trial.backend) != ZE_RESULT_SUCCESS) {
        printf("skipped: %s\n", ops->problem() ? ops->problem() : "GEOID_NVIDIA=off");
        return SKIPPED;
    }
    printf("opened in %llu ms\n", (unsigned long long)((now_ns() - start) / 1000000));
    for (uint32_t i = 0; i < ops->device_count(trial.backend); i++) {
        device_print(ops->device_info(ops->device(trial.backend, i)));
    }
    if (gpu >= ops->device_count(trial.backend)) {
        printf("there is no GPU %u\n", gpu);
        return 2;
    }
    trial.device = ops->device(trial.backend, gpu);
    trial.copy_bytes = kernels ? COPY_BYTES : FEW_BYTES;
    memory_try(&trial);
    if (trial_begin(&trial)) {
        copies_try(&trial);
        regions_try(&trial);
        fills_try(&trial);
        events_try(&trial);
        bandwidth_try(&trial);
        child_try(&trial);
        if (kernels) {
            kernels_try(&trial);
        }
        if (trial.program) {
            fault_try(&trial);
        }
    }
    trial_end(&trial);
    printf("%d steps failed\n", trial.failures);
    return trial.failures != 0;
}
