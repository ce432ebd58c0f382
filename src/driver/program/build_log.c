/* Build log objects. See build_log.h. */
#include "driver/program/build_log.h"

#include <stdlib.h>

#define LOG_LIMIT_BYTES (16u << 20)

static void build_log_destroy(struct geo_object *object)
{
    struct geo_build_log *log = (struct geo_build_log *)object;
    GEO_ASSERT(log->text.shown);
    geo_strbuf_finish(&log->text);
    free(log);
}

struct geo_build_log *geo_build_log_create(struct geo_driver *driver)
{
    struct geo_build_log *log = calloc(1, sizeof(*log));
    if (log) {
        geo_object_init(&log->base, GEO_OBJECT_BUILD_LOG, driver, build_log_destroy);
        geo_strbuf_init(&log->text, LOG_LIMIT_BYTES);
        log->text.shown = true;
    }
    return log;
}
