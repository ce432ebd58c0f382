/* API functions of diagnostic test suites. */
#include "driver/sysman/diagnostics.h"
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/sysman/value.h"

ze_result_t geo_zesDiagnosticsGetProperties(zes_diag_handle_t hDiagnostics,
                                            zes_diag_properties_t *pProperties)
{
    const struct geo_sysman_diagnostics *suite;
    GEO_CHECK(geo_diagnostics_from(hDiagnostics, &suite));
    GEO_PROPERTIES_WRITE(pProperties, suite);
    geo_sysman_text(pProperties->name, sizeof(pProperties->name), suite->properties.name, false);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesDiagnosticsGetTests(zes_diag_handle_t hDiagnostics, uint32_t *pCount,
                                       zes_diag_test_t *pTests)
{
    const struct geo_sysman_diagnostics *suite;
    GEO_CHECK(geo_diagnostics_from(hDiagnostics, &suite));
    const uint32_t available = suite->properties.haveTests ? suite->test_count : 0;
    uint32_t count = geo_count_protocol(pCount, available, pTests);
    for (uint32_t i = 0; i < count; i++) {
        pTests[i] = suite->tests[i];
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesDiagnosticsRunTests(zes_diag_handle_t hDiagnostics, uint32_t startIndex,
                                       uint32_t endIndex, zes_diag_result_t *pResult)
{
    const struct geo_sysman_diagnostics *suite;
    GEO_CHECK(geo_diagnostics_from(hDiagnostics, &suite));
    return geo_diagnostics_run(suite, startIndex, endIndex, pResult);
}
