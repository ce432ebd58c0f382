/* A kernel of the CPU backend: an entry point and its requirements. */
#ifndef GEO_BACKEND_CPU_KERNEL_H
#define GEO_BACKEND_CPU_KERNEL_H

#include "backend/host/arguments.h"
#include "native/abi.h"

#include <stdatomic.h>
#include <stdbool.h>

struct geo_contention; /* exec/job/contention.h */

/* The record of a kernel's accesses near null (GEO_KERNEL_NEAR_NULL). */
struct geo_cpu_near_null {
    _Atomic uint32_t launches;
    _Atomic bool reported[2]; /* by enum geo_near_null_window */
};

struct geo_backend_kernel {
    geo_kernel_fn entry;
    struct geo_scratch_needs needs;
    struct geo_host_arguments arguments;
    uint32_t flags;            /* enum geo_kernel_flags and enum geo_cpu_kernel_flags */
    uint32_t profile_flags;    /* zet_profile_flags_t */
    uint64_t free_registers;   /* native/registers.h */
    uint32_t target, features; /* of the code: enum geo_native_target and its features */
    const uint8_t *constants;  /* the program's read-only memory, which contains its strings */
    uint64_t constants_bytes;
    const char *name;                    /* lives as long as the kernel */
    _Atomic uint32_t *cost_ps;           /* measured cost of a work-group: see exec/job/cost.h */
    struct geo_contention *contention;   /* only with GEO_KERNEL_CONTENDS, else NULL */
    struct geo_cpu_near_null *near_null; /* only with GEO_KERNEL_NEAR_NULL, else NULL */
};

#endif
