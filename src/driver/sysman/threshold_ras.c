/* Thresholds of numbers of errors. See threshold.h. */
#include "driver/sysman/ask.h"
#include "driver/sysman/ras.h"
#include "driver/sysman/seat.h"
#include "driver/sysman/threshold.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t non_compute = ZES_RAS_ERROR_CAT_NON_COMPUTE_ERRORS;

static const struct geo_sysman_ras *ras_of(const struct geo_component *component)
{
    GEO_ASSERT(component->description->kind == GEO_SYSMAN_RAS);
    return (const struct geo_sysman_ras *)(const void *)component->description;
}

/* ---- configuration ---- */

/* (lock held) Sets new thresholds, and passes them to the backend if it compares. They apply only
 * if the backend accepts them. Thresholds that have fired may fire again. */
static ze_result_t thresholds_set_locked(struct geo_component *component,
                                         const struct geo_sysman_ras *ras,
                                         struct geo_ras_kept *wanted)
{
    uint64_t thresholds[GEO_RAS_CATEGORIES] = {0};
    ze_result_t result = ZE_RESULT_SUCCESS;
    GEO_ASSERT(geo_sysman_lock_held() && ras == ras_of(component));
    wanted->by_backend = GEO_CAN(ras, set_thresholds);
    if (wanted->by_backend) {
        for (uint32_t i = 0; i < ras->category_count && i < GEO_RAS_CATEGORIES; i++) {
            thresholds[i] = wanted->thresholds[ras->categories[i]];
        }
        GEO_ASK_FOR(result, ras, set_thresholds, ras, thresholds, wanted->total);
    } else if (!GEO_CAN(ras, counters)) {
        result = geo_ask_unsupported(ras->base.name, "thresholds");
    }
    if (result == ZE_RESULT_SUCCESS) {
        wanted->total_fired = wanted->non_compute_fired = false;
        memset(wanted->fired, 0, sizeof(wanted->fired));
        component->kept.ras = *wanted;
        geo_seats_wake(component->root);
    }
    return result;
}

/* Returns the thresholds of the older categories. All but NON_COMPUTE are those of the newer
 * categories. */
void geo_ras_config(struct geo_component *component, zes_ras_config_t *out)
{
    geo_sysman_lock();
    const struct geo_ras_kept *kept = &component->kept.ras;
    out->totalThreshold = kept->total;
    memcpy(out->detailedThresholds.category, kept->thresholds,
           sizeof(out->detailedThresholds.category));
    out->detailedThresholds.category[non_compute] = kept->non_compute;
    geo_sysman_unlock();
}

ze_result_t geo_ras_set_config(struct geo_component *component, const struct geo_sysman_ras *ras,
                               const zes_ras_config_t *config)
{
    geo_sysman_lock();
    struct geo_ras_kept wanted = component->kept.ras;
    wanted.total = config->totalThreshold;
    for (uint32_t i = 0; i < ZES_MAX_RAS_ERROR_CATEGORY_COUNT; i++) {
        *(i == non_compute ? &wanted.non_compute : &wanted.thresholds[i]) =
            config->detailedThresholds.category[i];
    }
    ze_result_t result = thresholds_set_locked(component, ras, &wanted);
    geo_sysman_unlock();
    return result;
}

static ze_result_t check_categories(const struct geo_sysman_ras *ras, uint32_t count,
                                    const zes_ras_config_exp_t *configs)
{
    uint32_t index;
    for (uint32_t i = 0; i < count; i++) {
        GEO_CHECK(geo_ras_index(ras, configs[i].category, &index));
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_ras_config_exp(struct geo_component *component, const struct geo_sysman_ras *ras,
                               uint32_t count, zes_ras_config_exp_t *configs)
{
    GEO_CHECK(check_categories(ras, count, configs));
    geo_sysman_lock();
    for (uint32_t i = 0; i < count; i++) {
        configs[i].threshold = component->kept.ras.thresholds[configs[i].category];
    }
    geo_sysman_unlock();
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_ras_set_config_exp(struct geo_component *component,
                                   const struct geo_sysman_ras *ras, uint32_t count,
                                   const zes_ras_config_exp_t *configs)
{
    GEO_CHECK(check_categories(ras, count, configs));
    geo_sysman_lock();
    struct geo_ras_kept wanted = component->kept.ras;
    for (uint32_t i = 0; i < count; i++) {
        wanted.thresholds[configs[i].category] = configs[i].threshold;
    }
    ze_result_t result = thresholds_set_locked(component, ras, &wanted);
    geo_sysman_unlock();
    return result;
}

/* ---- comparing ---- */

static bool ras_pending(const struct geo_component *component)
{
    const struct geo_ras_kept *kept = &component->kept.ras;
    bool any = kept->total != 0;
    for (uint32_t i = 0; i < GEO_RAS_CATEGORIES; i++) {
        any = any || kept->thresholds[i] != 0;
    }
    return kept->non_compute != 0 || (any && !kept->by_backend);
}

/* Returns whether a threshold was exceeded since the last call. */
static bool fires(uint64_t errors, uint64_t threshold, bool *fired)
{
    const bool above = threshold != 0 && errors > threshold;
    const bool news = above && !*fired;
    *fired = above;
    return news;
}

static zes_event_type_flags_t ras_compare(struct geo_component *component)
{
    struct geo_ras_kept *kept = &component->kept.ras;
    const struct geo_sysman_ras *ras = ras_of(component);
    GEO_ASSERT(geo_sysman_lock_held());
    uint64_t older[ZES_MAX_RAS_ERROR_CATEGORY_COUNT], total = 0, *counters;
    bool news = false;
    if (geo_ras_counters(ras, &counters) != ZE_RESULT_SUCCESS) {
        return 0;
    }
    geo_ras_older(ras, counters, older);
    for (uint32_t i = 0; i < ZES_MAX_RAS_ERROR_CATEGORY_COUNT; i++) {
        total += older[i];
    }
    news |= fires(older[non_compute], kept->non_compute, &kept->non_compute_fired);
    if (!kept->by_backend) {
        news |= fires(total, kept->total, &kept->total_fired);
        for (uint32_t i = 0; i < ras->category_count; i++) {
            const uint32_t category = (uint32_t)ras->categories[i];
            GEO_ASSERT(category < GEO_RAS_CATEGORIES);
            news |= fires(counters[i], kept->thresholds[category], &kept->fired[category]);
        }
    }
    free(counters);
    if (!news) {
        return 0;
    }
    return ras->properties.type == ZES_RAS_ERROR_TYPE_CORRECTABLE
               ? ZES_EVENT_TYPE_FLAG_RAS_CORRECTABLE_ERRORS
               : ZES_EVENT_TYPE_FLAG_RAS_UNCORRECTABLE_ERRORS;
}

const struct geo_threshold_kind geo_threshold_ras = {
    .kind = GEO_SYSMAN_RAS,
    .events =
        ZES_EVENT_TYPE_FLAG_RAS_CORRECTABLE_ERRORS | ZES_EVENT_TYPE_FLAG_RAS_UNCORRECTABLE_ERRORS,
    .compare = ras_compare,
    .pending = ras_pending,
};
