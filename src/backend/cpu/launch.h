/* Executes launch records on the CPU backend by the kernel calling convention. */
#ifndef GEO_BACKEND_CPU_LAUNCH_H
#define GEO_BACKEND_CPU_LAUNCH_H

#include "exec/record/runner.h"

/* Reads the options. Called before the first launch. */
void geo_cpu_launch_open(void);

/* Returns whether a restricted kernel (GEO_KERNEL_RESTRICTED) has code for a launch, whose counts,
 * sizes and offset are set. */
bool geo_cpu_launch_fits(const struct geo_backend_kernel *kernel,
                         const struct geo_command_launch *launch);

extern const struct geo_record_ops geo_cpu_record_ops;

#endif
