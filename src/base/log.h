/* The log of all components: lines on standard error, or in the file GEOID_LOG_FILE.
 *
 * GEOID_LOG names what is wanted: a level (error, warn, info, debug, trace) for everything, or a
 * comma list of component=level ("loader=debug,compiler=info"). Default: error. Errors that the
 * caller gets as a result code are logged at info: programs probe, and probing must stay quiet. */
#ifndef GEO_BASE_LOG_H
#define GEO_BASE_LOG_H

#include <stdbool.h>

enum geo_log_level {
    GEO_LOG_ERROR,
    GEO_LOG_WARN,
    GEO_LOG_INFO,
    GEO_LOG_DEBUG,
    GEO_LOG_TRACE,
};

/* True when a line of this component and level would be written. Cheap: a cached comparison. */
bool geo_log_enabled(const char *component, enum geo_log_level level);

/* Writes one line "geoid: component: level: text" with a single write(2); safe from any thread.
 * What cannot be seen in the text is escaped (strbuf.h). */
void geo_log(const char *component, enum geo_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
