/* The layouts of geo_backend_device and geo_backend for backends that execute work on the host's
 * processors. Operations in backend/host are written for these layouts, so such a backend (cpu)
 * only adds what is its own. */
#ifndef GEO_BACKEND_HOST_DEVICE_H
#define GEO_BACKEND_HOST_DEVICE_H

#include "backend/backend.h"
#include "exec/record/runner.h"

struct geo_backend_device {
    struct geo_device_info info;
    const struct geo_record_ops *ops; /* operations that execute the records of its streams */
    /* Created with its first stream. Workers only steal work from existing executors. */
    _Atomic(struct geo_executor *) executor;
    struct geo_crew_desc crew; /* description of its executor; owns the places */
    int32_t node;              /* node of its memory; -1: any */
    /* usage.h: memory of the device and its sub-devices that this process has allocated; for a root
     * device also memory of other processes that it maps */
    _Atomic uint64_t used_bytes, shared_bytes;
    /* root device: its row in this process's place, from 1 (census.c); its engines in use */
    _Atomic uint32_t census_row, census_engines;
    _Atomic uint32_t metric_groups; /* active groups of metrics, one bit each (cpu/metric) */
};

struct geo_backend {
    struct geo_backend_device *devices; /* [device_count], each root before its parts */
    uint32_t device_count;
    uint64_t spin_ns; /* how long a wait for an event spins, in nanoseconds */
};

/* (any thread) Returns the device's executor, and creates it if needed. Returns NULL when memory
 * ran out or its cores have too many executors. */
struct geo_executor *geo_host_executor(struct geo_backend_device *device);

#endif
