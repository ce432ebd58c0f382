/* What a backend of this machine and its devices are to the operations that they share. */
#ifndef GEO_BACKEND_HOST_DEVICE_H
#define GEO_BACKEND_HOST_DEVICE_H

#include "backend/backend.h"
#include "exec/runner.h"

struct geo_backend_device {
    struct geo_device_info info;
    struct geo_runner runner; /* of its streams; the executor is the device's own */
};

struct geo_backend {
    struct geo_backend_device *const *devices; /* [device_count] */
    uint32_t device_count;
    uint64_t spin_ns; /* how long a wait for an event spins */
};

#endif
