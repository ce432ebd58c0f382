/* Reads and clears sets of error counters. See ras.h. */
#include "driver/sysman/ras.h"

#include "ddi/geo_ddi_chain.h"
#include "driver/sysman/ask.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)ZES_RAS_ERROR_CAT_DISPLAY_ERRORS ==
                   (int)ZES_RAS_ERROR_CATEGORY_EXP_DISPLAY_ERRORS,
               "the older categories begin the newer ones");
_Static_assert(!GEO_ENUM_HAS(zes_ras_error_category_exp_t, GEO_RAS_CATEGORIES),
               "every category has a threshold");

ze_result_t geo_ras_counters(const struct geo_sysman_ras *ras, uint64_t **out)
{
    ze_result_t result;
    uint64_t *counters = calloc(ras->category_count + 1u, sizeof(*counters));
    if (!counters) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for error counters");
    }
    GEO_ASK_FOR(result, ras, counters, ras, counters);
    if (result != ZE_RESULT_SUCCESS) {
        free(counters);
        return result;
    }
    *out = counters;
    return ZE_RESULT_SUCCESS;
}

void geo_ras_older(const struct geo_sysman_ras *ras, const uint64_t *counters,
                   uint64_t out[ZES_MAX_RAS_ERROR_CATEGORY_COUNT])
{
    memset(out, 0, ZES_MAX_RAS_ERROR_CATEGORY_COUNT * sizeof(*out));
    for (uint32_t i = 0; i < ras->category_count; i++) {
        const uint32_t category = (uint32_t)ras->categories[i];
        GEO_ASSERT(category < GEO_RAS_CATEGORIES);
        out[category < ZES_MAX_RAS_ERROR_CATEGORY_COUNT
                ? category
                : (uint32_t)ZES_RAS_ERROR_CAT_NON_COMPUTE_ERRORS] += counters[i];
    }
    if (ras->properties.type == ZES_RAS_ERROR_TYPE_CORRECTABLE) {
        out[ZES_RAS_ERROR_CAT_RESET] = 0;
        out[ZES_RAS_ERROR_CAT_PROGRAMMING_ERRORS] = 0;
        out[ZES_RAS_ERROR_CAT_DRIVER_ERRORS] = 0;
    }
}

ze_result_t geo_ras_index(const struct geo_sysman_ras *ras, zes_ras_error_category_exp_t category,
                          uint32_t *out)
{
    for (uint32_t i = 0; i < ras->category_count; i++) {
        if (ras->categories[i] == category) {
            *out = i;
            return ZE_RESULT_SUCCESS;
        }
    }
    return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION, "%s has no counter for category %d",
                    ras->base.name, (int)category);
}

ze_result_t geo_ras_clear_one(struct geo_component *component, const struct geo_sysman_ras *ras,
                              uint32_t index)
{
    struct geo_ras_kept *kept = &component->kept.ras;
    GEO_ASSERT(index < ras->category_count && component->description == &ras->base);
    GEO_ASK(ras, clear, ras, index);
    geo_sysman_lock();
    kept->fired[ras->categories[index]] = false;
    kept->total_fired = kept->non_compute_fired = false;
    geo_sysman_unlock();
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_ras_clear(struct geo_component *component, const struct geo_sysman_ras *ras)
{
    for (uint32_t i = 0; i < ras->category_count; i++) {
        GEO_CHECK(geo_ras_clear_one(component, ras, i));
    }
    return ZE_RESULT_SUCCESS;
}
