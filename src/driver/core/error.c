/* Records the last error text of each thread. See error.h. */
#include "driver/core/error.h"

#include "base/assert.h"
#include "base/log.h"
#include "base/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ERROR_TEXT_BYTES 512

static _Thread_local char last_text[ERROR_TEXT_BYTES];

void geo_error_note(const char *text)
{
    geo_strbuf_shown(last_text, sizeof(last_text), text, strlen(text));
}

ze_result_t geo_fail(ze_result_t code, const char *format, ...)
{
    char text[ERROR_TEXT_BYTES];
    GEO_ASSERT(code != ZE_RESULT_SUCCESS && code != ZE_RESULT_NOT_READY);
    text[0] = '\0';
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    geo_error_note(text);
    if (geo_log_enabled("driver", GEO_LOG_INFO)) {
        geo_log("driver", GEO_LOG_INFO, "0x%x: %s", (unsigned)code, last_text);
    }
    return code;
}

const char *geo_error_text(void)
{
    return last_text;
}
