/* Which drivers and devices this library has: filled once per process, before and apart from zeInit
 * and zesInit, by whichever comes first; what is there never changes. Drivers that only manage
 * their devices (backend.h) are opened by the first zesDriverGet, because that may take long (NVML:
 * tens of milliseconds), and stand behind the others. */
#ifndef GEO_DRIVER_CORE_INVENTORY_H
#define GEO_DRIVER_CORE_INVENTORY_H

#include "driver/core/driver.h"

/* Opens the backends and fills the inventory at the first call; later calls and other threads get
 * the same. UNINITIALIZED when no backend has a device. */
GEO_MUST_CHECK ze_result_t geo_inventory_open(void);

/* The same, and the backends that only manage their devices; one that has nothing to offer is not
 * an error. OUT_OF_HOST_MEMORY: the next call tries again. */
GEO_MUST_CHECK ze_result_t geo_inventory_open_managed(void);

/* The drivers found, in the order of geo_backends; 0 before geo_inventory_open. Those that the core
 * API lists come first: all that run, or those that are wanted alone (backend.h). */
uint32_t geo_inventory_count(void);
uint32_t geo_inventory_listed_count(void);
struct geo_driver *geo_inventory_driver(uint32_t index);

/* True after geo_inventory_open has succeeded. */
bool geo_inventory_ready(void);

/* The list protocol (check.h) over the listed drivers with devices of these types (bits
 * 1 << ze_device_type_t), and over all drivers. */
ze_result_t geo_inventory_list(uint32_t types, uint32_t *count, ze_driver_handle_t *handles);
ze_result_t geo_inventory_list_all(uint32_t *count, ze_driver_handle_t *handles);

#endif
