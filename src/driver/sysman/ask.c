/* Calls operations of the backend. See ask.h. */
#include "driver/sysman/ask.h"

ze_result_t geo_ask_unsupported(const char *name, const char *what)
{
    return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "%s has no %s", name, what);
}

ze_result_t geo_ask_answered(const char *name, const char *operation, ze_result_t result,
                             struct geo_strbuf *why)
{
    GEO_ASSERT(name && operation);
    if (result != ZE_RESULT_SUCCESS && why->length) {
        geo_fail(result, "%s, %s: %s", name, operation, geo_strbuf_text(why));
    } else if (result != ZE_RESULT_SUCCESS) {
        geo_fail(result, "%s, %s: 0x%x", name, operation, (unsigned)result);
    }
    geo_strbuf_finish(why);
    return result;
}

ze_result_t geo_ask_check_control(const struct geo_sysman_component *component,
                                  ze_bool_t can_control)
{
    return can_control ? ZE_RESULT_SUCCESS
                       : geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                                  "%s cannot be controlled by software", component->name);
}
