/* Questions about a driver's own functions, answered from the table of implementations and
 * stubs. */
#include "ddi/geo_ddi_driver.h"

bool geo_api_is_implemented(enum geo_ddi_function_id id)
{
    return geo_api_entries[id].implementation != geo_api_entries[id].stub;
}

geo_api_fn geo_api_find(const char *name)
{
    const struct geo_ddi_function *function = geo_ddi_function_find(name);
    if (function == NULL)
        return NULL;
    const enum geo_ddi_function_id id = (enum geo_ddi_function_id)(function - geo_ddi_functions);
    return geo_api_is_implemented(id) ? geo_api_entries[id].implementation : NULL;
}
