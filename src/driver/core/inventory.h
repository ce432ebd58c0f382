/* Which drivers and devices this library has: filled once per process, before and apart from zeInit
 * and zesInit, by whichever comes first; read-only afterwards. */
#ifndef GEO_DRIVER_CORE_INVENTORY_H
#define GEO_DRIVER_CORE_INVENTORY_H

#include "driver/core/driver.h"

/* Opens the backends and fills the inventory at the first call; later calls and other threads get
 * the same. UNINITIALIZED when no backend has a device. */
GEO_MUST_CHECK ze_result_t geo_inventory_open(void);

/* The drivers found, in the order of geo_backends; 0 before geo_inventory_open. */
uint32_t geo_inventory_count(void);
struct geo_driver *geo_inventory_driver(uint32_t index);

/* True after geo_inventory_open has succeeded. */
bool geo_inventory_ready(void);

/* The list protocol (check.h) over the drivers with devices of these types (bits
 * 1 << ze_device_type_t). */
ze_result_t geo_inventory_list(uint32_t types, uint32_t *count, ze_driver_handle_t *handles);

#endif
