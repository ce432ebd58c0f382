/* The log of all components: lines on standard error, or in the file that GEOID_LOG_FILE names.
 *
 * GEOID_LOG selects the lines: a level (error, warn, info, debug, trace) for all components, or a
 * comma-separated list such as "loader=debug,compiler=info". The default is "error". An error that
 * the caller gets as a result code is logged at level info, because programs probe for features and
 * expect no output. */
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

/* Returns true when a line of this component and level would be written. Compares cached levels
 * only, so it is cheap. */
bool geo_log_enabled(const char *component, enum geo_log_level level);

/* Writes the line "geoid: component: level: text" with a single write(2). May be called from any
 * thread. Control characters in the text are escaped (strbuf.h). */
void geo_log(const char *component, enum geo_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
