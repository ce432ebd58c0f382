/* The sampler: finds drivers and devices by the public API of sysman, and takes snapshots of them.
 * Not safe from several threads. */
#ifndef ZETOP_SAMPLER_H
#define ZETOP_SAMPLER_H

#include "sample.h"

/* The function zeDriverGetLastErrorDescription of a driver, or NULL if the driver does not offer
 * it. */
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

/* Finds all devices of all drivers, without their parts, which sampler_take looks for. Returns
 * false with the reason in `why`. */
bool sampler_open(struct sampler *sampler, char *why, size_t size);
void sampler_close(struct sampler *sampler);

/* Takes a snapshot of a device: the values of its parts, the rates since the previous snapshot, and
 * its processes. Adds values to the histories. Returns false if memory ran out. */
bool sampler_take(struct device *device);

/* Takes a snapshot of all devices of an open sampler. Returns false if memory ran out. */
bool sampler_take_all(struct sampler *sampler);

#endif
