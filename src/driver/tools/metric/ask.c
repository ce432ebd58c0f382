/* Texts of failures. See ask.h. */
#include "driver/tools/metric/ask.h"

#include <string.h>

ze_result_t geo_metric_ask_unsupported(const char *name, const char *what)
{
    return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "%s has no %s", name, what);
}

ze_result_t geo_metric_ask_memory(const char *what)
{
    return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for %s", what);
}

/* Returns the operation in the words of its user. */
static const char *doing(const char *operation)
{
    static const struct {
        const char *operation, *words;
    } names[] = {
        {"activate", "metric groups cannot be activated"},
        {"enable", "metrics cannot be enabled or disabled"},
        {"open", "metrics cannot be collected"},
        {"program", "a metric cannot be created from this programmable metric"},
        {"group_create", "a metric group cannot be created"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i].operation, operation) == 0) {
            return names[i].words;
        }
    }
    return operation;
}

ze_result_t geo_metric_ask_answered(const char *name, const char *operation, ze_result_t result,
                                    struct geo_strbuf *why)
{
    if (result != ZE_RESULT_SUCCESS && result != ZE_RESULT_NOT_READY) {
        geo_fail(result, "%s: %s%s%s", name, doing(operation), why->length ? ": " : "",
                 geo_strbuf_text(why));
    }
    geo_strbuf_finish(why);
    return result;
}
