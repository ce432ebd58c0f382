/* The answer of every function of ze, zes, zet and zer that this driver does not implement
 * (ddi/geo_ddi_driver.h). */
#include "ddi/geo_ddi_driver.h"
#include "driver/core/inventory.h"

ze_result_t geo_api_unsupported(const char *function)
{
    if (!geo_inventory_ready()) {
        return geo_fail(ZE_RESULT_ERROR_UNINITIALIZED, "%s was called before initialisation",
                        function);
    }
    return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "%s is not supported by this driver",
                    function);
}
