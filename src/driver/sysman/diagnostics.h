/* Runs suites of diagnostic tests. */
#ifndef GEO_DRIVER_SYSMAN_DIAGNOSTICS_H
#define GEO_DRIVER_SYSMAN_DIAGNOSTICS_H

#include "driver/sysman/component.h"

/* Runs the tests with indices from `start` to `end` and waits for them. ZES_DIAG_FIRST_TEST_INDEX
 * and ZES_DIAG_LAST_TEST_INDEX mean the first and the last test. Returns INVALID_ARGUMENT if no
 * test has such an index, or if the suite can only run as a whole. */
GEO_MUST_CHECK ze_result_t geo_diagnostics_run(const struct geo_sysman_diagnostics *suite,
                                               uint32_t start, uint32_t end,
                                               zes_diag_result_t *out);

#endif
