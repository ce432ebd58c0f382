/* The null backend: devices that do everything except the work. Memory is real. Records wait,
 * signal, take timestamps, answer queries and call host functions as usual, but launches, copies
 * and fills do nothing. It serves to test loaders and to measure the driver's own cost, and it is
 * the smallest example of a backend. */
#include "backend/null/null.h"
#include "backend/host/arguments.h"
#include "backend/host/hint.h"
#include "backend/host/host.h"
#include "backend/host/roster.h"
#include "backend/null/image.h"
#include "exec/record/execute.h"
#include "machine/machine.h"
#include "native/abi.h"
#include "native/native.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEMORY_BYTES_MIN (1ull << 30)
#define NULL_WORKERS     2u
#define SPIN_NS          (50 * GEO_NS_PER_US)

struct geo_backend_kernel {
    struct geo_host_arguments arguments;
};

/* The declarations of a native binary, without its code. */
struct geo_backend_program {
    struct geo_backend_kernel *kernels;
    uint32_t kernel_count;
    char **symbols;   /* NULL-terminated */
    uint64_t storage; /* memory that every symbol's address refers to */
};

static struct geo_backend_device null_devices[GEO_ROSTER_DEVICES];
static struct geo_backend null_backend = {.devices = null_devices, .spin_ns = SPIN_NS};

/* ---- execution ---- */

static ze_result_t null_launch(const struct geo_command_launch *launch,
                               const struct geo_runner *runner, struct geo_exec_worker *worker)
{
    (void)launch;
    (void)runner;
    (void)worker;
    return ZE_RESULT_SUCCESS;
}

static const struct geo_record_ops null_record_ops = {
    .launch = null_launch,
    .transfers = false,
    .place = geo_host_hint_place,
    .room = geo_host_hint_room,
};

/* ---- programs ---- */

static void null_unload(struct geo_backend_program *program)
{
    if (!program) {
        return;
    }
    for (char **symbol = program->symbols; symbol && *symbol; symbol++) {
        free(*symbol);
    }
    for (uint32_t i = 0; i < program->kernel_count; i++) {
        geo_host_arguments_finish(&program->kernels[i].arguments);
    }
    free(program->symbols);
    free(program->kernels);
    free(program);
}

static bool symbols_copy(const struct geo_native_view *view, struct geo_backend_program *program)
{
    const struct geo_native_header *header = view->header;
    size_t count = 0; /* the list ends at the first NULL */
    program->symbols =
        calloc((size_t)header->global_count + header->symbol_count + 1, sizeof(*program->symbols));
    if (!program->symbols) {
        return false;
    }
    for (uint32_t i = 0; i < header->global_count; i++) {
        program->symbols[count] = strdup(geo_native_string(view, view->globals[i].symbol));
        if (!program->symbols[count++]) {
            return false;
        }
    }
    for (uint32_t i = 0; i < header->symbol_count; i++) {
        const char *symbol = geo_native_string(view, view->symbols[i].symbol);
        if (view->symbols[i].kind < GEO_SYMBOL_EXPORT_FUNCTION || !symbol[0]) {
            continue;
        }
        program->symbols[count] = strdup(symbol);
        if (!program->symbols[count++]) {
            return false;
        }
    }
    return true;
}

static ze_result_t null_load(struct geo_backend_device *device, const struct geo_native_view *view,
                             struct geo_backend_program **out, struct geo_strbuf *log)
{
    (void)device;
    (void)log;
    struct geo_backend_program *program = calloc(1, sizeof(*program));
    if (!program) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    uint32_t kernels = view->header->kernel_count;
    program->kernels = calloc(kernels ? kernels : 1, sizeof(*program->kernels));
    program->kernel_count = program->kernels ? kernels : 0;
    bool good = program->kernels && symbols_copy(view, program);
    for (uint32_t i = 0; i < kernels && good; i++) {
        good = geo_host_arguments_init(&program->kernels[i].arguments, view, &view->kernels[i],
                                       view->kernels[i].local_bytes);
    }
    if (!good) {
        null_unload(program);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *out = program;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t null_bind(struct geo_backend_program *program,
                             const struct geo_backend_import *imports, uint32_t count,
                             struct geo_strbuf *log)
{
    (void)program;
    (void)imports;
    (void)count;
    (void)log;
    return ZE_RESULT_SUCCESS;
}

static const struct geo_backend_kernel *null_kernel(struct geo_backend_program *program,
                                                    uint32_t index)
{
    return &program->kernels[index];
}

static ze_result_t null_symbol(struct geo_backend_program *program, const char *symbol,
                               void **address)
{
    for (char **known = program->symbols; *known; known++) {
        if (strcmp(*known, symbol) == 0) {
            *address = &program->storage;
            return ZE_RESULT_SUCCESS;
        }
    }
    return ZE_RESULT_ERROR_INVALID_GLOBAL_NAME;
}

static uint32_t null_argument_bytes(const struct geo_backend_kernel *kernel)
{
    return kernel->arguments.bytes;
}

static uint64_t null_local_bytes(const struct geo_backend_kernel *kernel, const uint64_t *sizes)
{
    return geo_host_arguments_local(&kernel->arguments, sizes);
}

static bool null_encode(const struct geo_backend_kernel *kernel, const void *arguments,
                        const uint64_t *local_bytes, struct geo_command_launch *launch, void *block)
{
    launch->kernel = kernel;
    geo_host_arguments_encode(&kernel->arguments, arguments, local_bytes, launch, block);
    return true;
}

static uint32_t null_cooperative_groups(struct geo_backend_device *device,
                                        const struct geo_backend_kernel *kernel,
                                        const uint32_t group_size[3], const uint64_t *local_bytes)
{
    (void)kernel;
    (void)group_size;
    (void)local_bytes;
    return geo_host_cooperative_groups(&device->info);
}

static const struct geo_program_ops null_program_ops = {
    .load = null_load,
    .bind = null_bind,
    .unload = null_unload,
    .kernel = null_kernel,
    .symbol = null_symbol,
    .argument_bytes = null_argument_bytes,
    .local_bytes = null_local_bytes,
    .encode = null_encode,
    .cooperative_groups = null_cooperative_groups,
};

/* ---- the device ---- */

static uint64_t memory_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : MEMORY_BYTES_MIN;
}

static void info_fill(struct geo_device_info *info, uint64_t memory)
{
    *info = (struct geo_device_info){
        .name = "Geoid null device",
        .type = ZE_DEVICE_TYPE_CPU,
        .flags = ZE_DEVICE_PROPERTY_FLAG_INTEGRATED | ZE_DEVICE_PROPERTY_FLAG_ONDEMANDPAGING,
        .uuid = {'G', 'e', 'o', 'i', 'd', ' ', 0x80, 'n', 0x80, 'u', 'l', 'l', 0, 0, 0, 1},
        .core_clock_mhz = 1000,
        .memory_bus_width = 64,
        .max_hardware_contexts = 1024,
        .max_command_queue_priority = GEO_TASK_PRIORITIES - 1,
        .threads_per_eu = 1,
        .eus_per_subslice = 1,
        .subslices_per_slice = 1,
        .slices = 1,
        .simd_width = 16,
        .timer_hz = GEO_NS_PER_SEC,
        .timestamp_valid_bits = GEO_TIMESTAMP_BITS,
        .kernel_timestamp_valid_bits = GEO_TIMESTAMP_BITS,
        .memory_bytes = memory,
        .max_allocation_bytes = memory,
        .memory_name = "Null memory",
        .caches = {{.bytes = 32u << 10, .level = 1, .line_bytes = 64}},
        .cache_count = 1,
        .max_group_items = 1024,
        .max_group_size = {1024, 1024, 1024},
        .max_group_count = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
        .max_local_bytes = 128u << 10,
        .subgroup_sizes = {8, 16, 32},
        .subgroup_size_count = 3,
        .groups =
            {
                {.flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE |
                          ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY |
                          ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS,
                 .max_fill_pattern_bytes = UINT64_MAX,
                 .queue_count = 1},
                {.flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY,
                 .max_fill_pattern_bytes = GEO_COPY_GROUP_FILL_BYTES,
                 .queue_count = 1},
            },
        .group_count = 2,
        .native = {.kinds = 1u << GEO_PAYLOAD_OBJECT,
                   .contract = GEO_ABI_VERSION,
                   .target = GEO_MACHINE_TARGET,
                   .features = geo_native_target_features(GEO_MACHINE_TARGET)},
        .executes = false,
    };
}

static ze_result_t null_open(struct geo_backend **out)
{
    const int32_t places[NULL_WORKERS] = {0, 1};
    const uint64_t memory = memory_bytes();
    struct geo_device_info info;
    info_fill(&info, memory);
    const struct geo_roster_desc desc = {
        .shape = geo_roster_asked(),
        .info = &info,
        .ops = &null_record_ops,
        .crew = {.places = places,
                 .place_count = NULL_WORKERS,
                 .workers = NULL_WORKERS,
                 .spin_ns = SPIN_NS},
    };
    geo_host_open(memory);
    if (null_backend.device_count == 0) {
        null_backend.device_count = geo_roster_build(&desc, null_devices);
    }
    if (null_backend.device_count == 0) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *out = &null_backend;
    return ZE_RESULT_SUCCESS;
}

const struct geo_backend_ops geo_backend_null_ops = {
    .name = "null",
    .driver_uuid = {'G', 'e', 'o', 'i', 'd', ' ', 'n', 'u', 'l', 'l', 0, 0, 0, 0, 0, 1},
    .driver_version = GEO_DRIVER_VERSION(1u),
    .open = null_open,
    .close = geo_host_close,
    .device_count = geo_host_device_count,
    .device = geo_host_device,
    .device_info = geo_host_device_info,
    .narrow = geo_roster_narrow,
    .memory = &geo_host_memory_ops,
    .stream = &geo_host_stream_ops,
    .event = &geo_host_event_ops,
    .program = &null_program_ops,
    .image = &geo_null_image_ops,
    .semaphore = &geo_host_semaphore_ops,
};
