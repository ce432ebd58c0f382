/* The functions that the generated half of the loader (src/ddi) requires. */
#include "loader/loader.h"

#include "ddi/geo_ddi_loader.h"

/* Before initialisation and after teardown the start tables are installed. Otherwise the driver
 * lacks the function. */
ze_result_t geo_loader_missing(enum geo_ddi_function_id id)
{
    (void)id;
    return geo_ddi_loader_base_active() == &geo_loader_start ? ZE_RESULT_ERROR_UNINITIALIZED
                                                             : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

/* Fills a table with the exported functions. Layers and shims may fetch it at any time, and the
 * exported functions follow later changes of the tables behind them. */
ze_result_t geo_loader_fill_table(enum geo_ddi_table_id id, ze_api_version_t version, void *out)
{
    return geo_ddi_table_copy(id, version, geo_ddi_table_of_const(&geo_loader_exports, id), out);
}
