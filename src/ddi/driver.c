/* Argument checks shared by all entries of a driver, and questions about its functions, answered
 * from the table of implementations and stubs. */
#include "ddi/geo_ddi_driver.h"

bool geo_api_is_implemented(enum geo_ddi_function_id id)
{
    return geo_api_entries[id].implementation != geo_api_entries[id].stub;
}

ze_result_t geo_api_check(enum geo_ddi_function_id id, void *const *arguments)
{
    struct geo_ddi_breach breach;
    if (!geo_api_is_implemented(id)) {
        return ZE_RESULT_SUCCESS; /* the stub returns the error */
    }
    for (size_t first = 0; geo_ddi_call_check(id, arguments, first, &breach) != ZE_RESULT_SUCCESS;
         first = breach.number + 1) {
        const ze_result_t result = geo_api_refuse(&breach);
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
    }
    return ZE_RESULT_SUCCESS;
}

geo_api_fn geo_api_find(const char *name)
{
    const struct geo_ddi_function *function = geo_ddi_function_find(name);
    if (function == NULL) {
        return NULL;
    }
    const enum geo_ddi_function_id id = (enum geo_ddi_function_id)(function - geo_ddi_functions);
    return geo_api_is_implemented(id) ? geo_api_entries[id].entry : NULL;
}
