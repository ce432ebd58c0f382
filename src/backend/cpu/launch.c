/* Executes launch records: turns group counts and arguments into ranges of work-groups for the
 * executor. */
#include "backend/cpu/launch.h"

#include "backend/cpu/debug/debug.h"
#include "backend/cpu/lanes.h"
#include "backend/cpu/metric/query.h"
#include "backend/cpu/order.h"
#include "backend/cpu/services.h"
#include "backend/host/hint.h"
#include "base/log.h"
#include "base/option.h"
#include "exec/job/limit.h"
#include "exec/thread/fault.h"
#include "exec/thread/near_null.h"
#include "native/native.h"

#include <string.h>

#define PENDING_ITEMS_LEAST 4096u /* with fewer items, flushing a table costs more than it saves */

/* Launches of a kernel whose first accesses near null are sure to be noted. Each may cost some
 * system calls and faults. */
#define WATCHED_LAUNCHES 16u

/* set once, before the first launch */
static bool exact_faults;
static uint64_t group_order;

void geo_cpu_launch_open(void)
{
    geo_limit_open();
    exact_faults = geo_option_flag("GEOID_EXACT_FAULTS");
    group_order = geo_option_number("GEOID_GROUP_ORDER", 0, UINT32_MAX);
}

/* ---- accesses near null ---- */

/* Gives the launch the memory that stands for memory near null. The first launches of a kernel are
 * watched, even if another kernel has accessed that memory before. */
static void near_null_prepare(struct geo_cpu_launch *run)
{
    struct geo_cpu_near_null *near_null = run->kernel->near_null;
    if (!geo_near_null_open(geo_fault_catches())) {
        return;
    }
    run->launch.zeros = geo_near_null_base(GEO_NEAR_NULL_ZEROS);
    run->launch.sink = geo_near_null_base(GEO_NEAR_NULL_SINK);
    if (atomic_load_explicit(&near_null->launches, memory_order_relaxed) < WATCHED_LAUNCHES) {
        atomic_fetch_add_explicit(&near_null->launches, 1, memory_order_relaxed);
        geo_near_null_watch();
    }
}

/* Reports the accesses that the fault handler has noted, the first of each kind. */
static void near_null_report(const struct geo_backend_kernel *kernel)
{
    static const char *const texts[GEO_NEAR_NULL_WINDOWS] = {"read zeros", "wrote nothing"};
    for (uint32_t i = 0; i < GEO_NEAR_NULL_WINDOWS; i++) {
        if (geo_near_null_here.accessed[i] &&
            !atomic_exchange(&kernel->near_null->reported[i], true)) {
            geo_log(
                "cpu", GEO_LOG_ERROR,
                "kernel %s %s at address 0x%llx, near a null pointer: GEOID_FAULTS=zero permits "
                "it",
                kernel->name, texts[i], (unsigned long long)geo_near_null_here.address[i]);
        }
    }
}

/* ---- groups ---- */

/* Compiled kernels lack the type information in front of their code that a sanitizer would
 * check. */
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
static void kernel_call(const struct geo_cpu_launch *run, struct geo_worker *worker, uint64_t first,
                        uint64_t count)
{
    const struct geo_backend_kernel *kernel = run->kernel;
    if (__builtin_expect(!kernel->near_null, 1)) {
        kernel->entry(&run->launch, worker, first, count);
        return;
    }
    for (uint32_t i = 0; i < GEO_NEAR_NULL_WINDOWS; i++) {
        geo_near_null_here.accessed[i] = false; /* left by a kernel that failed */
    }
    kernel->entry(&run->launch, worker, first, count);
    near_null_report(kernel);
}

static void groups_run(const void *data, struct geo_exec_worker *worker, uint64_t first,
                       uint64_t count)
{
    const struct geo_cpu_launch *run = data;
    worker->abi.pending = NULL;
    if (run->pends) {
        worker->abi.pending = geo_worker_pending(worker);
        if (worker->abi.pending) {
            worker->abi.pending->used = 1;
        }
    }
    kernel_call(run, &worker->abi, first, count);
}

/* Executes the additions that the worker's groups have left in its table. */
static void pending_flush(const void *data, struct geo_exec_worker *worker)
{
    const struct geo_cpu_launch *run = data;
    if (worker->pending && worker->pending->used) {
        worker->abi.pending = worker->pending;
        kernel_call(run, &worker->abi, 0, 0);
        worker->pending->used = 0;
    }
}

/* Runs kernels with counters, and adds what they counted. */
static void counted_run(const void *data, struct geo_exec_worker *worker, uint64_t first,
                        uint64_t count)
{
    const struct geo_cpu_launch *run = data;
    memset(worker->abi.counts, 0, sizeof(worker->abi.counts)); /* left by a kernel that failed */
    groups_run(data, worker, first, count);
    if (geo_meter_on()) {
        geo_meter_add_operations(run->runner, worker, worker->abi.counts);
    }
}

/* ---- faults ---- */

static void group_of(const struct geo_launch *launch, uint64_t number, uint32_t group[3])
{
    group[0] = (uint32_t)(number % launch->group_count[0]);
    group[1] = (uint32_t)(number / launch->group_count[0] % launch->group_count[1]);
    group[2] = (uint32_t)(number / launch->group_count[0] / launch->group_count[1]);
}

/* Reports a fault of a range of groups. Compiled code does not tell which group of the range it is
 * in. */
static void launch_fault(const struct geo_cpu_launch *run, const struct geo_runner *runner,
                         const struct geo_fault_scope *scope, uint64_t first, uint64_t count)
{
    const struct geo_launch *launch = &run->launch;
    struct geo_fault fault = {
        .operation = GEO_COMMAND_LAUNCH,
        .kernel = run->kernel->name,
        .hint = "GEOID_EXACT_FAULTS=1 tells which",
        .stopped = scope->signal == GEO_LIMIT_SIGNAL,
    };
    group_of(launch, first, fault.first_group);
    group_of(launch, first + count - 1, fault.last_group);
    const struct geo_grid grid = {
        {launch->group_count[0], launch->group_count[1], launch->group_count[2]},
        {launch->local_size[0], launch->local_size[1], launch->local_size[2]},
    };
    geo_regroup_back(&run->asked, &grid, fault.first_group, fault.last_group);
    memcpy(fault.local_size, run->asked.size, sizeof(fault.local_size));
    memcpy(fault.global_offset, launch->global_offset, sizeof(fault.global_offset));
    geo_runner_fault_caught(runner, &fault, scope);
}

static void groups_fault(const struct geo_exec_job_desc *desc, const struct geo_fault_scope *scope,
                         uint64_t first, uint64_t count)
{
    launch_fault(desc->data, desc->owner, scope, first, count);
}

/* ---- alternative group orders ---- */

struct ordered {
    struct geo_cpu_launch *run;
    void (*groups_run)(const void *data, struct geo_exec_worker *worker, uint64_t first,
                       uint64_t count);
    struct geo_group_order order;
};

static void pieces_run(const void *data, struct geo_exec_worker *worker, uint64_t first,
                       uint64_t count)
{
    const struct ordered *ordered = data;
    for (uint64_t unit = first; unit < first + count; unit++) {
        uint64_t group, groups;
        geo_group_order_piece(&ordered->order, unit, &group, &groups);
        ordered->groups_run(ordered->run, worker, group, groups);
    }
}

static void pieces_flush(const void *data, struct geo_exec_worker *worker)
{
    const struct ordered *ordered = data;
    pending_flush(ordered->run, worker);
}

/* Reports a fault of reordered groups. Several pieces are not a contiguous range, so their groups
 * are not named. */
static void pieces_fault(const struct geo_exec_job_desc *desc, const struct geo_fault_scope *scope,
                         uint64_t first, uint64_t count)
{
    const struct ordered *ordered = desc->data;
    uint64_t group = 0, groups = ordered->order.groups;
    if (count == 1) {
        geo_group_order_piece(&ordered->order, first, &group, &groups);
    }
    launch_fault(ordered->run, desc->owner, scope, group, groups);
}

/* Applies an alternative group order. Not for groups that may wait for each other, nor for launches
 * that run groups one at a time. */
static void reorder(struct geo_exec_job_desc *desc, struct geo_cpu_launch *run,
                    struct ordered *ordered)
{
    if (desc->together || desc->one_by_one ||
        !geo_group_order_init(&ordered->order, group_order, desc->units)) {
        return;
    }
    ordered->run = run;
    ordered->groups_run = desc->run;
    desc->run = pieces_run;
    desc->flush = desc->flush ? pieces_flush : NULL;
    desc->fault = pieces_fault;
    desc->data = ordered;
    desc->units = ordered->order.pieces;
}

static void counts_fault(const struct geo_command_launch *command,
                         const struct geo_fault_scope *scope, const struct geo_runner *runner)
{
    struct geo_fault fault = {
        .operation = GEO_COMMAND_LAUNCH_INDIRECT,
        .kernel = command->kernel->name,
        .counts = true,
    };
    geo_log("cpu", GEO_LOG_ERROR, "group counts of %s: %s at address 0x%llx", fault.kernel,
            geo_fault_name(scope->signal), (unsigned long long)scope->address);
    geo_runner_fault_caught(runner, &fault, scope);
}

/* Reports a launch that did not start because memory ran out. */
static ze_result_t launch_result(const struct geo_cpu_launch *run, const struct geo_runner *runner,
                                 ze_result_t result)
{
    if (__builtin_expect(result != ZE_RESULT_ERROR_NOT_AVAILABLE, 1)) {
        return result;
    }
    const struct geo_fault fault = {
        .operation = GEO_COMMAND_LAUNCH,
        .kernel = run->kernel->name,
        .unstarted = true,
        .reason = "its work-groups wait for each other, and the system gives no threads for them",
    };
    geo_runner_fault(runner, &fault);
    return ZE_RESULT_ERROR_DEVICE_LOST;
}

/* ---- barriers of the device ----
 *
 * Every group runs up to the barrier, with its own memory, before any group continues
 * (native/abi.h). No group needs a thread of its own meanwhile, so any number of threads
 * suffices. */

struct device_wide {
    struct geo_cpu_launch *run;
    struct geo_worker *groups; /* [units] */
    bool again;                /* groups resume after the first barrier */
};

static void region_run(const void *data, struct geo_exec_worker *worker, uint64_t first,
                       uint64_t count)
{
    const struct device_wide *wide = data;
    for (uint64_t group = first; group < first + count; group++) {
        /* A group that has ended while others have not violates the rules, but must not start
         * again. */
        if (!wide->again || wide->groups[group].resume != 0) {
            kernel_call(wide->run, &wide->groups[group], group, 1);
            if (wide->run->kernel->flags & GEO_KERNEL_COUNTED && geo_meter_on()) {
                uint64_t *counts = wide->groups[group].counts;
                geo_meter_add_operations(wide->run->runner, worker, counts);
                memset(counts, 0, sizeof(wide->groups[group].counts));
            }
        }
    }
}

static void region_fault(const struct geo_exec_job_desc *desc, const struct geo_fault_scope *scope,
                         uint64_t first, uint64_t count)
{
    const struct device_wide *wide = desc->data;
    launch_fault(wide->run, desc->owner, scope, first, count);
}

static bool any_stopped(const struct device_wide *wide, uint64_t groups)
{
    for (uint64_t i = 0; i < groups; i++) {
        if (wide->groups[i].resume != 0) {
            return true;
        }
    }
    return false;
}

static ze_result_t device_wide_run(struct geo_exec_job_desc *desc, struct geo_cpu_launch *run,
                                   const struct geo_runner *runner, struct geo_exec_worker *worker)
{
    struct device_wide wide = {.run = run};
    uint64_t head, each, bytes;
    if (__builtin_add_overflow(desc->scratch_bytes, GEO_ABI_SCRATCH_TAIL, &each) ||
        __builtin_mul_overflow(desc->units, sizeof(struct geo_worker), &head) ||
        head > UINT64_MAX / 2) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    head = (head + GEO_ABI_SCRATCH_ALIGN - 1) & ~(uint64_t)(GEO_ABI_SCRATCH_ALIGN - 1);
    if (__builtin_mul_overflow(desc->units, each, &bytes) ||
        __builtin_add_overflow(bytes, head, &bytes)) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    uint8_t *memory = geo_scratch_map(bytes);
    if (!memory) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    wide.groups = (struct geo_worker *)(void *)memory;
    for (uint64_t i = 0; i < desc->units; i++) {
        wide.groups[i] = (struct geo_worker){.scratch = memory + head + i * each,
                                             .scratch_bytes = desc->scratch_bytes};
    }
    run->groups = wide.groups;
    desc->one_by_one |= geo_cpu_debug_is_on(); /* a debugger asks for the local memory of a group */
    desc->run = region_run;
    desc->fault = region_fault;
    desc->data = &wide;
    desc->scratch_bytes = 0;
    ze_result_t result;
    do {
        result = geo_runner_job(runner, desc, worker);
        wide.again = true;
    } while (result == ZE_RESULT_SUCCESS && any_stopped(&wide, desc->units));
    geo_scratch_unmap(memory, bytes);
    return result;
}

/* ---- launches ---- */

/* Reads the parameters of an indirect launch from memory of the application. Returns false when
 * that memory is invalid. */
static bool indirect_read(const struct geo_command_launch *command, const struct geo_runner *runner,
                          uint32_t counts[3])
{
    struct geo_fault_scope scope;
    bool done = GEO_FAULT_TRY(&scope);
    if (done) {
        if (command->indirect_limit && command->indirect_index >= *command->indirect_limit) {
            counts[0] = 0;
        } else {
            memcpy(counts, command->indirect_counts, 3 * sizeof(*counts));
        }
    }
    geo_fault_leave(&scope);
    if (!done) {
        counts_fault(command, &scope, runner);
    }
    return done;
}

static uint32_t dimensions(const struct geo_grid *grid)
{
    return grid->count[2] > 1 || grid->size[2] > 1   ? 3
           : grid->count[1] > 1 || grid->size[1] > 1 ? 2
                                                     : 1;
}

bool geo_cpu_launch_fits(const struct geo_backend_kernel *kernel,
                         const struct geo_command_launch *launch)
{
    /* With groups of their own choice, launches of whole rows have groups of whole rows. */
    bool any = kernel->flags & GEO_KERNEL_ANY_GROUPS && !exact_faults;
    uint32_t row = launch->local_size[0] * (any ? launch->group_count[0] : 1);
    return (!(kernel->flags & GEO_KERNEL_WHOLE_ROWS) || row % kernel->needs.lanes == 0) &&
           geo_abi_ids_fit(launch->group_count, launch->local_size, launch->global_offset);
}

/* Chooses the work-groups of the launch and sets everything that depends only on the grid. With
 * `exact` the program's own groups are used, so that faults name them. */
static void grid_set(struct geo_cpu_launch *run, const uint64_t offset[3], bool exact)
{
    const struct geo_grid *asked = &run->asked;
    struct geo_grid grid = *asked;
    struct geo_launch *launch = &run->launch;
    bool fits = geo_abi_ids_fit(asked->count, asked->size, offset);
    launch->flags = fits ? GEO_LAUNCH_IDS_FIT_31_BITS : 0;
    if (fits && !exact && run->kernel->flags & GEO_KERNEL_ANY_GROUPS) {
        geo_regroup(asked, run->kernel->needs.lanes, run->kernel->flags & GEO_KERNEL_LONG_ROWS,
                    &grid);
    }
    if (run->kernel->flags & GEO_KERNEL_WHOLE_ROWS) {
        geo_regroup_whole(asked, run->kernel->needs.lanes, &grid);
    }
    GEO_ASSERT(fits || !(run->kernel->flags & GEO_KERNEL_RESTRICTED));
    launch->work_dim = dimensions(asked);
    for (int i = 0; i < 3; i++) {
        launch->group_count[i] = grid.count[i];
        launch->local_size[i] = grid.size[i];
        launch->global_offset[i] = offset[i];
        launch->global_size[i] = (uint64_t)asked->count[i] * asked->size[i];
    }
}

/* Returns whether workers keep the kernel's pending additions from call to call. Otherwise each
 * call executes its own, so that a fault names the right groups, and a debugger sees them. */
static bool launch_pends(const struct geo_cpu_launch *run, const struct geo_exec_job_desc *desc)
{
    const uint64_t *size = run->launch.global_size;
    return run->kernel->flags & GEO_KERNEL_PENDS && !desc->one_by_one && !desc->together &&
           !geo_cpu_debug_is_on() && size[0] * size[1] * size[2] >= PENDING_ITEMS_LEAST;
}

/* Counts a launch that has ended, for metrics. */
static void launch_count(const struct geo_cpu_launch *run, const struct geo_runner *runner,
                         const struct geo_exec_worker *worker)
{
    const struct geo_cpu_lanes lanes = geo_cpu_lanes_count(&run->launch, &run->kernel->needs);
    const uint32_t *groups = run->asked.count;
    geo_meter_turn();
    geo_meter_add(runner, worker, GEO_COUNT_KERNELS, 1);
    geo_meter_add(runner, worker, GEO_COUNT_GROUPS, (uint64_t)groups[0] * groups[1] * groups[2]);
    geo_meter_add(runner, worker, GEO_COUNT_ITEMS, lanes.items);
    geo_meter_add(runner, worker, GEO_COUNT_CHUNKS, lanes.chunks);
    geo_meter_add(runner, worker, GEO_COUNT_PARTIAL_CHUNKS, lanes.partial);
    geo_meter_add(runner, worker, GEO_COUNT_LANES, lanes.chunks * run->kernel->needs.lanes);
    geo_meter_add(runner, worker, GEO_COUNT_SAVED_BYTES,
                  lanes.chunks * run->kernel->needs.chunk_bytes);
    geo_meter_add(runner, worker,
                  run->kernel->flags & GEO_KERNEL_COUNTED ? GEO_COUNT_COUNTED : GEO_COUNT_UNCOUNTED,
                  1);
}

static ze_result_t cpu_launch(const struct geo_command_launch *command,
                              const struct geo_runner *runner, struct geo_exec_worker *worker)
{
    const struct geo_backend_kernel *kernel = command->kernel;
    struct geo_scratch_layout layout;
    struct geo_cpu_launch run = {.kernel = kernel, .runner = runner};
    uint32_t *counts = run.asked.count;
    uint64_t groups; /* number of the program's groups; regrouping does not make many more */
    memcpy(counts, command->group_count, sizeof(run.asked.count));
    memcpy(run.asked.size, command->local_size, sizeof(run.asked.size));
    if (command->indirect_counts && !indirect_read(command, runner, counts)) {
        return ZE_RESULT_ERROR_DEVICE_LOST;
    }
    if (counts[0] == 0 || counts[1] == 0 || counts[2] == 0) {
        return ZE_RESULT_SUCCESS;
    }
    if (__builtin_mul_overflow((uint64_t)counts[0] * counts[1], (uint64_t)counts[2], &groups)) {
        /* Indirect counts could not be checked earlier. */
        return ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION;
    }
    const uint32_t limit_ticks = geo_limit_ticks(runner->device);
    const bool exact = exact_faults || limit_ticks != 0;
    grid_set(&run, command->global_offset, exact);
    counts = run.launch.group_count;
    if (!geo_abi_scratch(&kernel->needs, run.launch.local_size, command->local_argument_bytes,
                         &layout)) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    run.launch.arguments = (const uint8_t *)command + command->argument_offset;
    run.launch.frame_offset = layout.frame_offset;
    run.launch.chunk_offset = layout.chunk_offset;
    run.launch.services = &geo_cpu_services;
    if (kernel->near_null) {
        near_null_prepare(&run);
    }
    struct geo_exec_job_desc desc = {
        .run = kernel->flags & GEO_KERNEL_COUNTED ? counted_run : groups_run,
        .fault = groups_fault,
        .data = &run,
        .units = (uint64_t)counts[0] * counts[1] * counts[2],
        .scratch_bytes = layout.total_bytes,
        .owner = runner,
        .cost_ps = kernel->cost_ps,
        .contention = command->cooperative ? NULL : kernel->contention,
        .one_by_one = exact,
        .limit_ticks = limit_ticks,
        .together = command->cooperative &&
                    (kernel->flags & (GEO_KERNEL_DEVICE_BARRIER | GEO_KERNEL_WAITS)) !=
                        GEO_KERNEL_DEVICE_BARRIER,
        .unbounded = true,
        .busy = GEO_BUSY_KERNEL,
        .name = kernel->name,
        .whole = &run,
    };
    ze_result_t result;
    struct ordered ordered;
    if (kernel->flags & GEO_KERNEL_DEVICE_BARRIER) {
        result = device_wide_run(&desc, &run, runner, worker);
    } else {
        run.pends = launch_pends(&run, &desc);
        desc.flush = run.pends ? pending_flush : NULL;
        desc.drop = geo_worker_pending_drop;
        reorder(&desc, &run, &ordered);
        result = launch_result(&run, runner, geo_runner_job(runner, &desc, worker));
    }
    if (geo_meter_on() && result == ZE_RESULT_SUCCESS) {
        launch_count(&run, runner, worker);
    }
    return result;
}

void geo_cpu_launch_describe(const void *whole, uint64_t first, struct geo_cpu_debug_launch *out)
{
    const struct geo_cpu_launch *run = whole;
    *out = (struct geo_cpu_debug_launch){
        .launch = &run->launch,
        .name = run->kernel->name,
        .entry = (uint64_t)(uintptr_t)run->kernel->entry,
        .lanes = run->kernel->needs.lanes,
        .linear = run->kernel->needs.linear,
        .worker = run->groups ? &run->groups[first] : NULL,
    };
}

const struct geo_record_ops geo_cpu_record_ops = {
    .launch = cpu_launch,
    .transfers = true,
    .place = geo_host_hint_place,
    .room = geo_host_hint_room,
    .metric = geo_cpu_metric_query_record,
};
