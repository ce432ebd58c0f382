/* The log format of the reference Level Zero loader, for tools that parse it. The loader and its
 * layers write it in addition to the log of log.h.
 *
 *     ZEL_ENABLE_LOADER_LOGGING=1   writes to the file ZEL_LOADER_LOG_FILE (ze_loader.log) in the
 *                                   folder ZEL_LOADER_LOG_DIR ($HOME/.oneapi_logs)
 *     ZEL_LOADER_LOG_CONSOLE=1      writes to standard error instead
 *     ZEL_LOADER_LOGGING_LEVEL      trace, debug, info, warn, error, critical or off; default: warn
 *     ZEL_LOADER_LOG_PATTERN        %Y %m %d %H %M %S: local time; %e %f: milli- and microseconds;
 *                                   %t: thread; %P: process; %l: level; %v: text; %%: %
 *                                   default: [%Y-%m-%d %H:%M:%S.%e] [thread-id: %t] [%l] %v
 *     ZE_ENABLE_LOADER_DEBUG_TRACE=1   older variable: writes everything from level debug on to
 *                                   standard error, after the prefix "ZE_LOADER_DEBUG_TRACE:"
 *
 * The variables are read before the first line of a process. Set-user-id programs ignore them. */
#ifndef GEO_BASE_LOADER_LOG_H
#define GEO_BASE_LOADER_LOG_H

#include "base/log.h"

#include <stddef.h>

/* Returns true when a line of this level would be written. Cheap. */
bool geo_loader_log_enabled(enum geo_log_level level);

/* Writes a line with a single write(2). Control characters in the text are escaped. */
void geo_loader_log(enum geo_log_level level, const char *text, size_t length);

#endif
