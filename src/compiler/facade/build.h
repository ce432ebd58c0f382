/* One build on the calling thread. Called in the application's process and in child processes. */
#ifndef GEO_COMPILER_FACADE_BUILD_H
#define GEO_COMPILER_FACADE_BUILD_H

#include "base/strbuf.h"
#include "compiler/facade/message.h"
#include "compiler/lower/lower.h"

/* Number of attempts at a build. When LLVM fails, the next attempt uses another code generation
 * effort (codegen.h). */
enum { GEO_BUILD_ATTEMPTS = 3 };

/* Builds with the effort of order->attempt. On success *binary is a native binary (malloc) that the
 * caller frees. Returns MODULE_BUILD_FAILURE with a log, OUT_OF_HOST_MEMORY or INVALID_ARGUMENT. If
 * LLVM fails fatally, the function does not return (job.h). */
ze_result_t geo_facade_build(const struct geo_order *order, struct geo_strbuf *log, void **binary,
                             size_t *binary_bytes);

/* A module that was lowered, but not emitted. */
struct geo_facade_lowered {
    struct geo_ir_module *module;
    LLVMContextRef context;
    struct geo_lower_result result;
};

/* Reads a module and lowers it for a target of the caller. Tests of targets that the driver does
 * not have use it. `kernel` not NULL: the other kernels are left out. On success
 * geo_facade_build_lowered_finish frees the result. */
ze_result_t geo_facade_build_lower(const struct geo_order *order,
                                   const struct geo_lower_target *target, const char *kernel,
                                   struct geo_strbuf *log, struct geo_facade_lowered *lowered);
void geo_facade_build_lowered_finish(struct geo_facade_lowered *lowered);

#endif
