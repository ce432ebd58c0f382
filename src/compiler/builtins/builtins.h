/* Built-in functions: OpenCL.std instructions and mangled OpenCL imports become calls of functions
 * that are SPIR-V too, so one scalar source serves every width and target. See
 * docs/decisions/builtins.md, "Built-in functions are SPIR-V, one slice per function".
 *
 * The library is libclc-15's SPIR-V module, embedded at build time and indexed by name, with our
 * own OpenCL C (the .cl files beside this header, compiled at build time) taking the place of
 * single functions. Functions are read lazily: only what a module reaches is copied in. */
#ifndef GEO_COMPILER_BUILTINS_BUILTINS_H
#define GEO_COMPILER_BUILTINS_BUILTINS_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"

#include <level_zero/ze_api.h>

/* Replaces every OpExtInst that lowering has no direct form for, and every call of an import that
 * names a built-in (mangled OpenCL C, __spirv_* wrappers, llvm.* and C library names that producers
 * leave), by instructions of the model or by a call of a function copied from the library. Imports
 * that no library knows stay imports: linking decides. MODULE_BUILD_FAILURE with a log for a
 * built-in that is known and not supported. */
ze_result_t geo_builtins_resolve(struct geo_ir_module *module, struct geo_strbuf *log);

#endif
