/* Builds as the driver has them made: by the compiler, or by a process before this one. */
#ifndef GEO_DRIVER_COMPILE_BUILD_H
#define GEO_DRIVER_COMPILE_BUILD_H

#include "base/strbuf.h"
#include "cache/cache.h"
#include "compiler/compiler.h"
#include "driver/core/error.h"

/* A native binary. */
struct geo_build {
    const void *object; /* aligned to 8; NULL on failure */
    size_t object_bytes;
    const char *log; /* of this build alone; "": nothing is said */
    /* Whose it is: one of the two. */
    const struct geo_compiler_ops *compiler;
    struct geo_compiler_output output;
    struct geo_cache_value kept;
};

/* Adds the build's log to `log`. As compiler.h says; DEPENDENCY_UNAVAILABLE when there is no
 * compiler, and none is needed for what was built before. Finish the build in any case. */
GEO_MUST_CHECK ze_result_t geo_build_make(const struct geo_compiler_request *request,
                                          struct geo_strbuf *log, struct geo_build *build);
void geo_build_finish(struct geo_build *build);

#endif
