/* The SPIR-V reader: untrusted words to the module model, in one bounded pass without recursion. */
#ifndef GEO_COMPILER_SPIRV_READER_H
#define GEO_COMPILER_SPIRV_READER_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"

#include <level_zero/ze_api.h>

/* Reads a module; any alignment, either byte order. On failure *out is NULL and the log says what
 * is wrong with which instruction, id and word offset. MODULE_BUILD_FAILURE or OUT_OF_HOST_MEMORY.
 */
ze_result_t geo_spirv_read(const void *words, size_t bytes, struct geo_ir_module **out,
                           struct geo_strbuf *log);

#endif
