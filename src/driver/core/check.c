/* Checks that every API function starts with, where they fail or need more than a comparison. See
 * check.h. */
#include "driver/core/check.h"

ze_result_t geo_refuse_pointer(const char *name)
{
    return geo_fail(ZE_RESULT_ERROR_INVALID_NULL_POINTER, "%s is null", name);
}

ze_result_t geo_refuse_value(const char *name, uint32_t value)
{
    return geo_fail(ZE_RESULT_ERROR_INVALID_ENUMERATION, "%s has the unknown value 0x%x", name,
                    value);
}

ze_result_t geo_check_wait_list(uint32_t count, const void *events)
{
    if (count && !events) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                        "numWaitEvents is %u but phWaitEvents is null", count);
    }
    return ZE_RESULT_SUCCESS;
}

uint32_t geo_list_protocol(uint32_t *count, uint32_t available, const void *output)
{
    if (*count == 0 || !output) {
        *count = available;
        return 0;
    }
    if (*count > available) {
        *count = available;
    }
    return *count;
}
