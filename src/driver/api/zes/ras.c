/* API functions of sets of error counters. */
#include "driver/sysman/ras.h"
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/sysman/ask.h"
#include "driver/sysman/threshold.h"

#include <stdlib.h>
#include <string.h>

ze_result_t geo_zesRasGetSupportedCategoriesExp(zes_ras_handle_t hRas, uint32_t *pCount,
                                                zes_ras_error_category_exp_t *pCategories)
{
    const struct geo_sysman_ras *ras;
    GEO_CHECK(geo_ras_from(hRas, &ras));
    uint32_t count = geo_count_protocol(pCount, ras->category_count, pCategories);
    for (uint32_t i = 0; i < count; i++) {
        pCategories[i] = ras->categories[i];
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesRasGetState(zes_ras_handle_t hRas, ze_bool_t clear, zes_ras_state_t *pState)
{
    const struct geo_sysman_ras *ras;
    uint64_t older[ZES_MAX_RAS_ERROR_CATEGORY_COUNT], *counters;
    GEO_CHECK(geo_ras_from(hRas, &ras));
    GEO_CHECK(geo_ras_counters(ras, &counters));
    geo_ras_older(ras, counters, older);
    free(counters);
    if (clear) {
        GEO_CHECK(geo_ras_clear(geo_component_of(hRas), ras));
    }
    memcpy(pState->category, older, sizeof(older));
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesRasGetStateExp(zes_ras_handle_t hRas, uint32_t *pCount,
                                  zes_ras_state_exp_t *pState)
{
    const struct geo_sysman_ras *ras;
    uint64_t *counters;
    GEO_CHECK(geo_ras_from(hRas, &ras));
    GEO_CHECK(geo_ras_counters(ras, &counters));
    uint32_t count = geo_count_protocol(pCount, ras->category_count, pState);
    for (uint32_t i = 0; i < count; i++) {
        pState[i].category = ras->categories[i];
        pState[i].errorCounter = counters[i];
    }
    free(counters);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesRasGetStateExp2(zes_ras_handle_t hRas, const uint32_t count,
                                   const zes_ras_error_category_exp_t *pCategories,
                                   zes_ras_state_exp2_t *pState)
{
    const struct geo_sysman_ras *ras;
    uint64_t *counters;
    uint32_t index = 0;
    GEO_CHECK(geo_ras_from(hRas, &ras));
    for (uint32_t i = 0; i < count; i++) {
        GEO_CHECK(geo_ras_index(ras, pCategories[i], &index));
    }
    GEO_CHECK(geo_ras_counters(ras, &counters));
    for (uint32_t i = 0; i < count; i++) {
        if (geo_ras_index(ras, pCategories[i], &index) == ZE_RESULT_SUCCESS) {
            pState[i].errorCounter = counters[index];
        }
    }
    free(counters);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesRasClearStateExp(zes_ras_handle_t hRas, zes_ras_error_category_exp_t category)
{
    const struct geo_sysman_ras *ras;
    uint32_t index;
    GEO_CHECK(geo_ras_from(hRas, &ras));
    GEO_CHECK(geo_ras_index(ras, category, &index));
    return geo_ras_clear_one(geo_component_of(hRas), ras, index);
}

ze_result_t geo_zesRasGetConfig(zes_ras_handle_t hRas, zes_ras_config_t *pConfig)
{
    const struct geo_sysman_ras *ras;
    GEO_CHECK(geo_ras_from(hRas, &ras));
    geo_ras_config(geo_component_of(hRas), pConfig);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesRasSetConfig(zes_ras_handle_t hRas, const zes_ras_config_t *pConfig)
{
    const struct geo_sysman_ras *ras;
    GEO_CHECK(geo_ras_from(hRas, &ras));
    return geo_ras_set_config(geo_component_of(hRas), ras, pConfig);
}

ze_result_t geo_zesRasGetConfigExp(zes_ras_handle_t hRas, const uint32_t count,
                                   zes_ras_config_exp_t *pConfig)
{
    const struct geo_sysman_ras *ras;
    GEO_CHECK(geo_ras_from(hRas, &ras));
    return geo_ras_config_exp(geo_component_of(hRas), ras, count, pConfig);
}

ze_result_t geo_zesRasSetConfigExp(zes_ras_handle_t hRas, const uint32_t count,
                                   const zes_ras_config_exp_t *pConfig)
{
    const struct geo_sysman_ras *ras;
    GEO_CHECK(geo_ras_from(hRas, &ras));
    return geo_ras_set_config_exp(geo_component_of(hRas), ras, count, pConfig);
}
