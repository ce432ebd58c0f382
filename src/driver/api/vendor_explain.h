/* The function geoidDriverExplain of geoid/driver.h. */
#ifndef GEO_DRIVER_API_VENDOR_EXPLAIN_H
#define GEO_DRIVER_API_VENDOR_EXPLAIN_H

#include <level_zero/ze_api.h>

#include <stddef.h>

/* Writes which parts the driver can use, as geoid/driver.h describes. */
ze_result_t geo_vendor_explain(ze_driver_handle_t hDriver, char *buffer, size_t *size);

#endif
