/* What a backend of this machine and its devices are to the operations that they share. */
#ifndef GEO_BACKEND_HOST_DEVICE_H
#define GEO_BACKEND_HOST_DEVICE_H

#include "backend/backend.h"
#include "exec/runner.h"

struct geo_backend_device {
    struct geo_device_info info;
    const struct geo_record_ops *ops; /* what the records of its streams do */
    /* Its own, and made with its first stream: workers look for work of those that there are. */
    _Atomic(struct geo_executor *) executor;
    struct geo_crew_desc crew; /* of the executor; its places are the device's */
    int32_t node;              /* where its memory comes from, if there is some; -1: anywhere */
    /* usage.h: what this process takes of its memory and of its parts'; a root device: what it maps
     * of other processes' memory of the device and its parts */
    _Atomic uint64_t used_bytes, shared_bytes;
    /* of a root device: its row in this process's place, from 1 (census.c); its engines in use */
    _Atomic uint32_t census_row, census_engines;
};

struct geo_backend {
    struct geo_backend_device *devices; /* [device_count], each root before its parts */
    uint32_t device_count;
    uint64_t spin_ns; /* how long a wait for an event spins */
};

/* (any thread) The device's executor; NULL when memory ran out or its cores have too many. */
struct geo_executor *geo_host_executor(struct geo_backend_device *device);

#endif
