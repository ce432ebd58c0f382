/* The last error of each thread: its text, recorded where something is first known to be wrong,
 * read by zeDriverGetLastErrorDescription, logged at level info.
 *
 * Callers that pass a code on do not record again. NOT_READY is an answer, not an error. */
#ifndef GEO_DRIVER_CORE_ERROR_H
#define GEO_DRIVER_CORE_ERROR_H

#include <level_zero/ze_api.h>

#define GEO_MUST_CHECK __attribute__((warn_unused_result))

/* Records the text for the calling thread and returns the code:
 *     return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE, "pattern of %zu bytes", size); */
ze_result_t geo_fail(ze_result_t code, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* Records a text that explains a call which succeeds: that a list is empty, for example. */
void geo_error_note(const char *text);

/* The calling thread's last error text; "" when there was none. Valid until its next error. */
const char *geo_error_text(void);

#endif
