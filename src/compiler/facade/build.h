/* One build on the calling thread, whatever thread of whatever process that is. */
#ifndef GEO_COMPILER_FACADE_BUILD_H
#define GEO_COMPILER_FACADE_BUILD_H

#include "base/strbuf.h"
#include "compiler/facade/message.h"

enum { GEO_BUILD_ATTEMPTS = 3 }; /* efforts of code generation, one after the other */

/* With the effort of order->attempt. The object (malloc) is a native binary; written on success
 * only. MODULE_BUILD_FAILURE with a log, OUT_OF_HOST_MEMORY, INVALID_ARGUMENT. LLVM may give up in
 * it: then it does not return (job.h). */
ze_result_t geo_build(const struct geo_order *order, struct geo_strbuf *log, void **object,
                      size_t *object_bytes);

#endif
