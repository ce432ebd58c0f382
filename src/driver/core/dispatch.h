/* The dispatch block of every object: this library's own function tables, complete, for loaders
 * that call through handles (ZE_extension_driver_ddi_handles). */
#ifndef GEO_DRIVER_CORE_DISPATCH_H
#define GEO_DRIVER_CORE_DISPATCH_H

#include <level_zero/ze_ddi_common.h>

/* Fills the tables; once, before the first object is made. */
void geo_dispatch_init(void);

void geo_dispatch_fill(ze_handle_t *dispatch);

#endif
