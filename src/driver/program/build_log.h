/* Build and link logs: text that outlives its module and also exists for failed builds (MOD-5). */
#ifndef GEO_DRIVER_PROGRAM_BUILD_LOG_H
#define GEO_DRIVER_PROGRAM_BUILD_LOG_H

#include "base/strbuf.h"
#include "driver/core/object.h"

/* Text that a later build added, when the application had the log. */
struct geo_build_log_part {
    _Atomic(struct geo_build_log_part *) next;
    size_t length;
    char text[];
};

/* A build log of the application. Parts are only added, and never change, so that several threads
 * can read and add without a lock. */
struct geo_build_log {
    struct geo_object base;
    struct geo_strbuf text; /* complete when the application gets the log */
    _Atomic(struct geo_build_log_part *) parts;
};

GEO_OBJECT_HANDLE(build_log, GEO_OBJECT_BUILD_LOG, ze_module_build_log_handle_t)

/* Creates an empty log. Returns NULL if memory is short. */
struct geo_build_log *geo_build_log_create(struct geo_driver *driver);

/* Adds text to a log that the application has. Without memory, or when the log is full, the text is
 * lost. */
void geo_build_log_add(struct geo_build_log *log, const char *text, size_t length);
/* Returns the current length, without a terminator. */
size_t geo_build_log_length(const struct geo_build_log *log);
/* Copies the first `length` bytes and a terminator. The log is at least as long. */
void geo_build_log_read(const struct geo_build_log *log, char *to, size_t length);

#endif
