/* The sampler: finds drivers and devices by the public API of sysman, and takes snapshots of them.
 * Not safe from several threads. */
#ifndef ZETOP_SAMPLER_H
#define ZETOP_SAMPLER_H

#include "sample.h"

/* zeDriverGetLastErrorDescription of a driver that gives it; NULL. */
typedef ze_result_t(ZE_APICALL *driver_error_fn)(ze_driver_handle_t driver, const char **text);

struct driver {
    zes_driver_handle_t handle;
    driver_error_fn error;
};

struct sampler {
    struct driver *drivers;
    size_t driver_count;
    struct device *devices;
    size_t device_count;
};

/* All devices of all drivers, without their parts. False: `why` says what is missing. */
bool sampler_open(struct sampler *sampler, char *why, size_t size);
void sampler_close(struct sampler *sampler);

/* Takes a snapshot of a device: values of its parts, rates since the snapshot before, processes;
 * adds to histories. False: memory ran out. */
bool sampler_take(struct device *device);

/* Takes a snapshot of all devices of an open sampler. Returns false if memory ran out. */
bool sampler_take_all(struct sampler *sampler);

#endif
