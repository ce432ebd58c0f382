/* Rejects calls whose arguments violate a rule. See check.h. */
#include "driver/core/check.h"

#include "ddi/geo_ddi_driver.h"

#include <string.h>

/* Returns whether the function may be called before initialisation. For all others UNINITIALIZED
 * comes before other errors. */
static bool initialises(enum geo_ddi_function_id function)
{
    return function == GEO_DDI_FN_zeInit || function == GEO_DDI_FN_zeInitDrivers ||
           function == GEO_DDI_FN_zesInit;
}

/* Returns whether a violation is accepted with a warning, so that the function gives the argument a
 * meaning: docs/decisions/driver.md, "Harmless violations are accepted with a warning". */
static bool is_tolerated(const struct geo_ddi_breach *breach)
{
    return breach->check->kind == GEO_DDI_CHECK_NO_POWER_OF_TWO ||
           (breach->function == GEO_DDI_FN_zeVirtualMemQueryPageSize &&
            breach->check->kind == GEO_DDI_CHECK_ZERO);
}

ze_result_t geo_api_refuse(const struct geo_ddi_breach *breach)
{
    GEO_ASSERT(breach->function < GEO_DDI_FUNCTION_COUNT && breach->check);
    const char *function = geo_ddi_functions[breach->function].name;
    char text[200];
    if (is_tolerated(breach)) {
        return ZE_RESULT_SUCCESS;
    }
    if (geo_object_seed == 0 && !initialises(breach->function)) {
        return geo_fail(ZE_RESULT_ERROR_UNINITIALIZED, "%s was called before initialisation",
                        function);
    }
    geo_ddi_breach_format(breach, text, sizeof(text));
    return geo_fail(breach->check->result, "%s: %s", function, text);
}

ze_result_t geo_refuse_pointer(const char *name)
{
    return geo_fail(ZE_RESULT_ERROR_INVALID_NULL_POINTER, "%s is null", name);
}

uint32_t geo_count_protocol(uint32_t *count, uint32_t available, const void *output)
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

ze_result_t geo_blob_copy(const void *from, size_t bytes, size_t *size, void *to)
{
    if (to && *size < bytes) {
        ze_result_t result =
            geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                     "the buffer is too small: %zu bytes are needed, it has %zu", bytes, *size);
        *size = bytes;
        return result;
    }
    if (to) {
        memcpy(to, from, bytes);
    }
    *size = bytes;
    return ZE_RESULT_SUCCESS;
}
