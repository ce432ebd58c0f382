/* API functions of performance factors. */
#include "ddi/geo_api.h"
#include "driver/sysman/ask.h"
#include "driver/sysman/component.h"

ze_result_t geo_zesPerformanceFactorGetConfig(zes_perf_handle_t hPerf, double *pFactor)
{
    const struct geo_sysman_performance *performance;
    double factor = 0;
    GEO_CHECK(geo_performance_from(hPerf, &performance));
    GEO_ASK(performance, factor, performance, &factor);
    *pFactor = factor;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesPerformanceFactorSetConfig(zes_perf_handle_t hPerf, double factor)
{
    const struct geo_sysman_performance *performance;
    GEO_CHECK(geo_performance_from(hPerf, &performance));
    if (!(factor >= 0.0 && factor <= 100.0)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the performance factor must be from 0 to 100: it is %g", factor);
    }
    GEO_ASK(performance, set_factor, performance, factor);
    return ZE_RESULT_SUCCESS;
}
