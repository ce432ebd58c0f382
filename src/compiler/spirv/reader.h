/* The SPIR-V reader: translates untrusted words to the model, in one bounded pass without
 * recursion. */
#ifndef GEO_COMPILER_SPIRV_READER_H
#define GEO_COMPILER_SPIRV_READER_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"

#include <level_zero/ze_api.h>

/* Reads a module of any alignment and byte order. *out belongs to the caller. Returns
 * MODULE_BUILD_FAILURE or OUT_OF_HOST_MEMORY on failure. Then *out is NULL, and the log has the
 * reason with instruction, id and word offset. */
ze_result_t geo_spirv_read(const void *words, size_t bytes, struct geo_ir_module **out,
                           struct geo_strbuf *log);

#endif
