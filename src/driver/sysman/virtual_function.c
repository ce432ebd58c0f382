/* Reads what virtual functions use, and sets their telemetry. See virtual_function.h. */
#include "driver/sysman/virtual_function.h"

#include "driver/sysman/ask.h"

#define INTERVAL_US 100000u

static ze_result_t memory_ask(const void *owner, uint32_t *count, void *items,
                              struct geo_strbuf *why)
{
    const struct geo_sysman_virtual_function *function = owner;
    return function->ops->memory(function, count, items, why);
}

static ze_result_t engines_ask(const void *owner, uint32_t *count, void *items,
                               struct geo_strbuf *why)
{
    const struct geo_sysman_virtual_function *function = owner;
    return function->ops->engines(function, count, items, why);
}

ze_result_t geo_virtual_function_memory(const struct geo_sysman_virtual_function *function,
                                        struct geo_sysman_list *list)
{
    if (!GEO_CAN(function, memory)) {
        return geo_ask_unsupported(function->base.name, "memory");
    }
    return geo_sysman_list_read(list, sizeof(zes_vf_util_mem_exp2_t), memory_ask, function,
                                function->base.name, "memory");
}

ze_result_t geo_virtual_function_engines(const struct geo_sysman_virtual_function *function,
                                         struct geo_sysman_list *list)
{
    if (!GEO_CAN(function, engines)) {
        return geo_ask_unsupported(function->base.name, "engines");
    }
    return geo_sysman_list_read(list, sizeof(zes_vf_util_engine_exp2_t), engines_ask, function,
                                function->base.name, "engines");
}

/* ---- telemetry ---- */

static ze_result_t check_measured(const struct geo_sysman_virtual_function *function,
                                  zes_vf_info_util_exp_flags_t flags)
{
    return flags & ~function->telemetry ? geo_ask_unsupported(function->base.name, "such measure")
                                        : ZE_RESULT_SUCCESS;
}

ze_result_t geo_virtual_function_measure(struct geo_component *component,
                                         const struct geo_sysman_virtual_function *function,
                                         zes_vf_info_util_exp_flags_t flags, bool enable)
{
    struct geo_telemetry_kept *kept = &component->kept.telemetry;
    ze_result_t result;
    GEO_ASSERT(component->description == &function->base);
    GEO_CHECK(check_measured(function, flags));
    geo_sysman_lock();
    const uint64_t interval = kept->interval_us ? kept->interval_us : INTERVAL_US;
    GEO_ASK_FOR(result, function, set_telemetry, function, flags, enable ? interval : 0);
    if (result == ZE_RESULT_SUCCESS) {
        kept->flags = enable ? kept->flags | flags : kept->flags & ~flags;
    }
    geo_sysman_unlock();
    return result;
}

ze_result_t geo_virtual_function_set_interval(struct geo_component *component,
                                              const struct geo_sysman_virtual_function *function,
                                              zes_vf_info_util_exp_flags_t flags,
                                              uint64_t interval_us)
{
    struct geo_telemetry_kept *kept = &component->kept.telemetry;
    ze_result_t result = ZE_RESULT_SUCCESS;
    GEO_ASSERT(component->description == &function->base);
    GEO_CHECK(check_measured(function, flags));
    if (interval_us == 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "%s: the interval between two measurements is 0 us: it must be at least 1",
                        function->base.name);
    }
    if (!GEO_CAN(function, set_telemetry)) {
        return geo_ask_unsupported(function->base.name, "set_telemetry");
    }
    geo_sysman_lock();
    if (kept->flags & flags) {
        GEO_ASK_FOR(result, function, set_telemetry, function, kept->flags & flags, interval_us);
    }
    if (result == ZE_RESULT_SUCCESS) {
        kept->interval_us = interval_us;
    }
    geo_sysman_unlock();
    return result;
}
