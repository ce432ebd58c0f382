/* The last error text of each thread. It is recorded where an error is first found, returned by
 * zeDriverGetLastErrorDescription, and logged at level info.
 *
 * Callers that pass on an error code do not record a text again. NOT_READY is not an error. */
#ifndef GEO_DRIVER_CORE_ERROR_H
#define GEO_DRIVER_CORE_ERROR_H

#include <level_zero/ze_api.h>

#define GEO_MUST_CHECK __attribute__((warn_unused_result))

/* Records the text for the calling thread and returns the code:
 *     return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE, "pattern of %zu bytes", size); */
ze_result_t geo_fail(ze_result_t code, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* Records a text that explains a successful call, for example why a list is empty. */
void geo_error_note(const char *text);

/* Returns the calling thread's last error text, or "". Valid until its next error. */
const char *geo_error_text(void);

#endif
