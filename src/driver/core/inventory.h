/* The drivers and devices of this library. The inventory is filled once per process, by the first
 * of zeInit and zesInit, and does not change afterwards. Drivers that only manage their devices
 * (backend.h) are opened by the first zesDriverGet, because that may take long (NVML: tens of
 * milliseconds). They come after the others. */
#ifndef GEO_DRIVER_CORE_INVENTORY_H
#define GEO_DRIVER_CORE_INVENTORY_H

#include "driver/core/driver.h"

/* Opens the backends and fills the inventory at the first call. Later calls and other threads get
 * the same result. Returns UNINITIALIZED if no backend has a device. */
GEO_MUST_CHECK ze_result_t geo_inventory_open(void);

/* Fills the inventory and also opens the backends that only manage their devices. A backend without
 * devices is not an error. After OUT_OF_HOST_MEMORY the next call tries again. */
GEO_MUST_CHECK ze_result_t geo_inventory_open_managed(void);

/* Return the number of drivers, in the order of geo_backends; 0 before geo_inventory_open. The
 * drivers that the core API lists come first: all that run work, or the only one that is wanted
 * (backend.h). */
uint32_t geo_inventory_count(void);
uint32_t geo_inventory_listed_count(void);
struct geo_driver *geo_inventory_driver(uint32_t index);

/* Returns true after geo_inventory_open has succeeded. */
bool geo_inventory_ready(void);

/* Returns whether tools may instrument programs: build options for profiles have an effect, and
 * native binaries that a tool has changed are accepted. */
bool geo_inventory_instruments(void);

/* Apply the list protocol (check.h) to the listed drivers that have devices of these types (bits 1
 * << ze_device_type_t), and to all drivers. */
ze_result_t geo_inventory_list(uint32_t types, uint32_t *count, ze_driver_handle_t *handles);
ze_result_t geo_inventory_list_all(uint32_t *count, ze_driver_handle_t *handles);

#endif
