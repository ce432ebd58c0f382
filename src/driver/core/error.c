/* The last error of each thread. See error.h. */
#include "driver/core/error.h"

#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

#define ERROR_TEXT_BYTES 256

static _Thread_local struct {
    ze_result_t code;
    char text[ERROR_TEXT_BYTES];
} last_error;

ze_result_t geo_fail(ze_result_t code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last_error.text, sizeof(last_error.text), format, args);
    va_end(args);
    last_error.code = code;
    if (geo_log_enabled("driver", GEO_LOG_INFO)) {
        geo_log("driver", GEO_LOG_INFO, "0x%x: %s", (unsigned)code, last_error.text);
    }
    return code;
}

const char *geo_error_text(void)
{
    return last_error.text;
}

ze_result_t geo_error_code(void)
{
    return last_error.code;
}
