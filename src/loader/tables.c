/* What the generated half of the loader (src/ddi) asks of this one. */
#include "loader/loader.h"

#include "ddi/geo_ddi_loader.h"

/* Before initialisation and after teardown nothing is there; in between a driver lacks something.
 */
ze_result_t geo_loader_missing(enum geo_ddi_function_id id)
{
    (void)id;
    return geo_loader_base_active() == &geo_loader_start ? ZE_RESULT_ERROR_UNINITIALIZED
                                                         : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

/* Layers and shims take the loader's own functions, at any time: what those do may change later. */
ze_result_t geo_loader_fill_table(enum geo_ddi_table_id id, ze_api_version_t version, void *out)
{
    return geo_ddi_table_copy(id, version, geo_ddi_table_of_const(&geo_loader_exports, id), out);
}
