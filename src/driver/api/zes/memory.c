/* API functions of memory modules. */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/sysman/ask.h"
#include "driver/sysman/value.h"

ze_result_t geo_zesMemoryGetProperties(zes_mem_handle_t hMemory, zes_mem_properties_t *pProperties)
{
    const struct geo_sysman_memory *memory;
    GEO_CHECK(geo_memory_from(hMemory, &memory));
    GEO_PROPERTIES_WRITE(pProperties, memory);
    zes_mem_bandwidth_counter_bits_exp_properties_t *bits =
        GEO_CHAIN_FIND(zes_mem_properties_t, zes_mem_bandwidth_counter_bits_exp_properties_t,
                       GEO_CHAIN_OF(zes_mem_properties_t, pProperties));
    if (bits) {
        bits->validBitsCount = memory->counter_bits;
    }
    return ZE_RESULT_SUCCESS;
}

/* Returns how many pages are offline; 0 if the module does not report it. */
static ze_result_t pages_offline(const struct geo_sysman_memory *memory, uint32_t *pages,
                                 uint32_t *max_pages)
{
    ze_result_t result;
    *pages = *max_pages = 0;
    GEO_ASK_FOR(result, memory, pages_offline, memory, pages, max_pages);
    if (geo_ask_is_no_value(result)) {
        *pages = *max_pages = 0;
        return ZE_RESULT_SUCCESS;
    }
    return result;
}

ze_result_t geo_zesMemoryGetState(zes_mem_handle_t hMemory, zes_mem_state_t *pState)
{
    const struct geo_sysman_memory *memory;
    zes_mem_state_t state = {0};
    uint32_t pages = 0, max_pages = 0;
    GEO_CHECK(geo_memory_from(hMemory, &memory));
    zes_mem_page_offline_state_exp_t *offline = GEO_CHAIN_FIND(
        zes_mem_state_t, zes_mem_page_offline_state_exp_t, GEO_CHAIN_OF(zes_mem_state_t, pState));
    GEO_ASK(memory, state, memory, &state);
    if (offline) {
        GEO_CHECK(pages_offline(memory, &pages, &max_pages));
    }
    GEO_VALUE_WRITE(pState, &state);
    if (offline) {
        offline->memoryPageOffline = pages;
        offline->maxMemoryPageOffline = max_pages;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesMemoryGetBandwidth(zes_mem_handle_t hMemory, zes_mem_bandwidth_t *pBandwidth)
{
    const struct geo_sysman_memory *memory;
    zes_mem_bandwidth_t bandwidth = {0};
    GEO_CHECK(geo_memory_from(hMemory, &memory));
    GEO_ASK(memory, bandwidth, memory, &bandwidth);
    *pBandwidth = bandwidth;
    return ZE_RESULT_SUCCESS;
}
