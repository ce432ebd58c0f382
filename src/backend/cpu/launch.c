/* Running a launch record: from counts and arguments to ranges of work-groups on the executor. */
#include "backend/cpu/launch.h"

#include "backend/cpu/services.h"
#include "base/log.h"
#include "exec/fault.h"
#include "native/native.h"

#include <string.h>

/* Compiled kernels carry no type in front of their code, where a sanitizer would look for it. */
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
static void groups_run(const void *data, struct geo_exec_worker *worker, uint64_t first,
                       uint64_t count)
{
    const struct geo_cpu_launch *run = data;
    run->kernel->entry(&run->launch, &worker->abi, first, count);
}

/* Reads what an indirect launch finds in memory of the application; false: it is not there. */
static bool indirect_read(const struct geo_command_launch *command, uint32_t counts[3])
{
    struct geo_fault_scope scope;
    bool done = GEO_FAULT_TRY(&scope);
    if (done) {
        if (command->indirect_limit && command->indirect_index >= *command->indirect_limit) {
            counts[0] = 0;
        } else {
            memcpy(counts, command->indirect_counts, 3 * sizeof(*counts));
        }
    } else {
        geo_log("cpu", GEO_LOG_ERROR, "group counts of %s: %s at address 0x%llx",
                command->kernel->name, geo_fault_name(scope.signal),
                (unsigned long long)scope.address);
    }
    geo_fault_leave(&scope);
    return done;
}

static uint32_t dimensions(const uint32_t counts[3], const uint32_t local[3])
{
    return counts[2] > 1 || local[2] > 1 ? 3 : counts[1] > 1 || local[1] > 1 ? 2 : 1;
}

static uint32_t launch_flags(const struct geo_command_launch *command, const uint32_t counts[3])
{
    return geo_abi_ids_fit(counts, command->local_size, command->global_offset)
               ? GEO_LAUNCH_IDS_FIT_31_BITS
               : 0;
}

static ze_result_t cpu_launch(const struct geo_command_launch *command,
                              const struct geo_runner *runner, struct geo_exec_worker *worker)
{
    const struct geo_backend_kernel *kernel = command->kernel;
    struct geo_scratch_layout layout;
    struct geo_cpu_launch run;
    uint32_t counts[3];
    uint64_t groups;
    memcpy(counts, command->group_count, sizeof(counts));
    if (command->indirect_counts && !indirect_read(command, counts)) {
        return ZE_RESULT_ERROR_DEVICE_LOST;
    }
    if (counts[0] == 0 || counts[1] == 0 || counts[2] == 0) {
        return ZE_RESULT_SUCCESS;
    }
    if (__builtin_mul_overflow((uint64_t)counts[0] * counts[1], (uint64_t)counts[2], &groups)) {
        return ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION; /* indirect: nobody could check */
    }
    if (!geo_abi_scratch(&kernel->needs, command->local_size, command->local_argument_bytes,
                         &layout)) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    run.kernel = kernel;
    run.launch = (struct geo_launch){
        .work_dim = dimensions(counts, command->local_size),
        .group_count = {counts[0], counts[1], counts[2]},
        .local_size = {command->local_size[0], command->local_size[1], command->local_size[2]},
        .flags = launch_flags(command, counts),
        .global_offset = {command->global_offset[0], command->global_offset[1],
                          command->global_offset[2]},
        .arguments = (const uint8_t *)command + command->argument_offset,
        .frame_offset = layout.frame_offset,
        .chunk_offset = layout.chunk_offset,
        .services = &geo_cpu_services,
    };
    struct geo_job_desc desc = {
        .run = groups_run,
        .data = &run,
        .units = groups,
        .scratch_bytes = layout.total_bytes,
        .fp_control = kernel->flags & GEO_KERNEL_FLUSH_DENORMS ? GEO_FP_FLUSH : GEO_FP_DEFAULT,
        .owner = runner,
        .cost_ps = kernel->cost_ps,
        .together = command->cooperative,
        .name = kernel->name,
    };
    return geo_runner_job(runner, &desc, worker);
}

const struct geo_record_ops geo_cpu_record_ops = {
    .launch = cpu_launch,
    .transfers = true,
};
