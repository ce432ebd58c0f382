/* API functions that reserve parts of a cache. A process cannot reserve part of a processor's
 * cache, so all of it is the non-reserved region, which all memory uses. */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/core/driver.h"

ze_result_t geo_zeDeviceReserveCacheExt(ze_device_handle_t hDevice, size_t cacheLevel,
                                        size_t cacheReservationSize)
{
    struct geo_device *device;
    GEO_CHECK(geo_inventory_running_device(hDevice, &device));
    if (cacheReservationSize == 0) { /* ends a reservation, but none can exist */
        return ZE_RESULT_SUCCESS;
    }
    return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                    "%zu bytes of cache level %zu: a process cannot reserve parts of a processor's "
                    "cache (maxCacheReservationSize is 0)",
                    cacheReservationSize, cacheLevel);
}

ze_result_t geo_zeDeviceSetCacheAdviceExt(ze_device_handle_t hDevice, void *ptr, size_t regionSize,
                                          ze_cache_ext_region_t cacheRegion)
{
    struct geo_device *device;
    GEO_CHECK(geo_inventory_running_device(hDevice, &device));
    if (cacheRegion != ZE_CACHE_EXT_REGION_RESERVED) {
        return ZE_RESULT_SUCCESS;
    }
    return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                    "%zu bytes at %p cannot use a reserved region of the cache: none was reserved",
                    regionSize, ptr);
}
