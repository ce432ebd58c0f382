/* API functions of engine groups. */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/sysman/ask.h"
#include "driver/sysman/value.h"

#include <stdlib.h>
#include <string.h>

ze_result_t geo_zesEngineGetProperties(zes_engine_handle_t hEngine,
                                       zes_engine_properties_t *pProperties)
{
    const struct geo_sysman_engine *engine;
    GEO_CHECK(geo_engine_from(hEngine, &engine));
    GEO_PROPERTIES_WRITE(pProperties, engine);
    zes_engine_ext_properties_t *extension =
        GEO_CHAIN_FIND(zes_engine_properties_t, zes_engine_ext_properties_t,
                       GEO_CHAIN_OF(zes_engine_properties_t, pProperties));
    if (extension) {
        extension->countOfVirtualFunctionInstance = engine->virtual_functions;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesEngineGetActivity(zes_engine_handle_t hEngine, zes_engine_stats_t *pStats)
{
    const struct geo_sysman_engine *engine;
    zes_engine_stats_t stats = {0};
    GEO_CHECK(geo_engine_from(hEngine, &engine));
    GEO_ASK(engine, activity, engine, 1, &stats);
    *pStats = stats;
    return ZE_RESULT_SUCCESS;
}

/* Returns the activity: the first entry is the total, then come the virtual functions. */
ze_result_t geo_zesEngineGetActivityExt(zes_engine_handle_t hEngine, uint32_t *pCount,
                                        zes_engine_stats_t *pStats)
{
    const struct geo_sysman_engine *engine;
    ze_result_t result;
    GEO_CHECK(geo_engine_from(hEngine, &engine));
    if (!GEO_CAN(engine, activity)) {
        return geo_ask_unsupported(engine->base.name, "activity");
    }
    uint32_t room = *pCount;
    uint32_t count = geo_count_protocol(&room, 1 + engine->virtual_functions, pStats);
    if (count == 0) {
        *pCount = room;
        return ZE_RESULT_SUCCESS;
    }
    zes_engine_stats_t *stats = calloc(count, sizeof(*stats));
    if (!stats) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for counters");
    }
    GEO_ASK_FOR(result, engine, activity, engine, count, stats);
    if (result == ZE_RESULT_SUCCESS) {
        *pCount = count;
        memcpy(pStats, stats, count * sizeof(*stats));
    }
    free(stats);
    return result;
}
