/* Executes launch records on the CPU backend by the kernel calling convention. */
#ifndef GEO_BACKEND_CPU_LAUNCH_H
#define GEO_BACKEND_CPU_LAUNCH_H

#include "exec/record/runner.h"

struct geo_cpu_debug_launch;

/* Reads the options. Called before the first launch. */
void geo_cpu_launch_open(void);

/* Returns whether a restricted kernel (GEO_KERNEL_RESTRICTED) has code for a launch, whose counts,
 * sizes and offset are set. */
bool geo_cpu_launch_fits(const struct geo_backend_kernel *kernel,
                         const struct geo_command_launch *launch);

/* Describes a launch that runs to a debugger (debug/cell.h). `whole` is that of its jobs, and
 * `first` the first unit of a range. */
void geo_cpu_launch_describe(const void *whole, uint64_t first, struct geo_cpu_debug_launch *out);

extern const struct geo_record_ops geo_cpu_record_ops;

#endif
