/* Build and link logs: text that outlives its module and also exists for failed builds (MOD-5). */
#ifndef GEO_DRIVER_PROGRAM_BUILD_LOG_H
#define GEO_DRIVER_PROGRAM_BUILD_LOG_H

#include "base/lock.h"
#include "base/strbuf.h"
#include "driver/core/object.h"

/* A build log of the application. */
struct geo_build_log {
    struct geo_object base;
    struct geo_work_lock lock; /* of the text, once the application has the log */
    struct geo_strbuf text;
};

GEO_OBJECT_HANDLE(build_log, GEO_OBJECT_BUILD_LOG, ze_module_build_log_handle_t)

/* Creates an empty log. Returns NULL if memory is short. */
struct geo_build_log *geo_build_log_create(struct geo_driver *driver);

#endif
