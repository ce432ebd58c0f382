/* Runs diagnostic tests. See diagnostics.h. */
#include "driver/sysman/diagnostics.h"

#include "driver/sysman/ask.h"

/* Narrows the range to the first and last existing test in it. Returns false if it contains
 * none. */
static bool tests_inside(const struct geo_sysman_diagnostics *suite, uint32_t *start, uint32_t *end)
{
    uint32_t first = UINT32_MAX, last = 0;
    bool found = false;
    for (uint32_t i = 0; i < suite->test_count; i++) {
        const uint32_t index = suite->tests[i].index;
        if (index >= *start && index <= *end) {
            first = index < first ? index : first;
            last = index > last ? index : last;
            found = true;
        }
    }
    GEO_ASSERT(!found || (*start <= first && first <= last && last <= *end));
    *start = first;
    *end = last;
    return found;
}

ze_result_t geo_diagnostics_run(const struct geo_sysman_diagnostics *suite, uint32_t start,
                                uint32_t end, zes_diag_result_t *out)
{
    zes_diag_result_t result = ZES_DIAG_RESULT_NO_ERRORS;
    const bool whole = start == ZES_DIAG_FIRST_TEST_INDEX && end == ZES_DIAG_LAST_TEST_INDEX;
    uint32_t first = start, last = end;
    const bool possible = suite->properties.haveTests ? tests_inside(suite, &first, &last) : whole;
    if (!possible) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "%s has no tests with indices from %u to %u (zesDiagnosticsGetTests)",
                        suite->base.name, start, end);
    }
    GEO_ASK(suite, run, suite, first, last, &result);
    *out = result;
    return ZE_RESULT_SUCCESS;
}
