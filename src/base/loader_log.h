/* The log that loaders of the field write, in their form, for tools that read it: beside ours
 * (log.h), with what the loader and its layers have to say.
 *
 *     ZEL_ENABLE_LOADER_LOGGING=1   to the file ZEL_LOADER_LOG_FILE (ze_loader.log) in the folder
 *                                   ZEL_LOADER_LOG_DIR (.oneapi_logs at home), which is made
 *     ZEL_LOADER_LOG_CONSOLE=1      to standard error instead
 *     ZEL_LOADER_LOGGING_LEVEL      trace, debug, info, warn, error, critical, off; warn
 *     ZEL_LOADER_LOG_PATTERN        %Y %m %d %H %M %S: local time; %e %f: milli- and microseconds;
 *                                   %t: thread; %P: process; %l: level; %v: text; %%: %
 *                                   default: [%Y-%m-%d %H:%M:%S.%e] [thread-id: %t] [%l] %v
 *     ZE_ENABLE_LOADER_DEBUG_TRACE=1   the old way: everything from debug on, to standard error,
 *                                   behind "ZE_LOADER_DEBUG_TRACE:"
 *
 * Read at the first line of a process, ignored in programs with privileges. */
#ifndef GEO_BASE_LOADER_LOG_H
#define GEO_BASE_LOADER_LOG_H

#include "base/log.h"

#include <stddef.h>

/* True when a line of this level would be written. Cheap. */
bool geo_loader_log_enabled(enum geo_log_level level);

/* Writes a line with a single write(2); what cannot be seen in the text is escaped. */
void geo_loader_log(enum geo_log_level level, const char *text, size_t length);

#endif
