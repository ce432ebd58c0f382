/* Builds native binaries for the driver: by the compiler, or from the cache of an earlier
 * process. */
#ifndef GEO_DRIVER_COMPILE_BUILD_H
#define GEO_DRIVER_COMPILE_BUILD_H

#include "base/strbuf.h"
#include "cache/cache.h"
#include "compiler/compiler.h"
#include "driver/core/error.h"

/* A native binary. It is owned by either the compiler's output or the cache. */
struct geo_build {
    const void *binary; /* aligned to 8; NULL on failure */
    size_t binary_bytes;
    const char *log; /* of this build only; may be "" */
    /* owner: `compiler` with `output`, or `kept` */
    const struct geo_compiler_ops *compiler;
    struct geo_compiler_output output;
    struct geo_cache_value kept;
};

/* Returns which kernels the build of a module makes, as GEOID_BUILD_KERNELS says. */
enum geo_compiler_kernels geo_build_kernels(void);
/* Returns whether kernels may be GEO_KERNEL_RESTRICTED at first. */
bool geo_build_kernels_restricted(void);
/* Returns whether kernels that a module defers are built before programs create them. */
bool geo_build_kernels_ahead(void);
/* Returns whether kernels are GEO_KERNEL_NEAR_NULL, as GEOID_FAULTS=zero asks. */
bool geo_build_near_null(void);

/* Makes a build and adds its log to `log`. A request for some kernels is reduced to the parts of
 * the sources that they need. Returns the errors of compiler.h, and DEPENDENCY_UNAVAILABLE if
 * the compiler is missing and the build is not cached. Call geo_build_finish in any case. */
GEO_MUST_CHECK ze_result_t geo_build_make(const struct geo_compiler_request *request,
                                          struct geo_strbuf *log, struct geo_build *build);
void geo_build_finish(struct geo_build *build);

/* Returns the size of the SPIR-V that some kernels of a source need. Sets *called_bytes to the size
 * of the functions in it that are called and probably not inlined. Returns SIZE_MAX when memory
 * runs out. */
size_t geo_build_measure(const struct geo_compiler_source *source, uint32_t kernel_count,
                         const char *const *kernel_names, size_t *called_bytes);

#endif
