/* Resolves built-in functions. OpenCL.std instructions and mangled OpenCL imports become calls of
 * functions in SPIR-V, so one scalar source serves every width and target. See
 * docs/decisions/builtins.md, "Built-in functions are SPIR-V, one slice per function".
 *
 * The library is the SPIR-V module of libclc-15, embedded at build time and indexed by name. Our
 * own OpenCL C (the .cl files in this folder, compiled at build time) replaces some of its
 * functions. Functions are read on demand: only those that a module reaches are copied into it. */
#ifndef GEO_COMPILER_BUILTINS_BUILTINS_H
#define GEO_COMPILER_BUILTINS_BUILTINS_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"

#include <level_zero/ze_api.h>

/* Replaces every OpExtInst that lowering cannot emit in place, and every call of an import that
 * names a built-in. These names are mangled OpenCL C, __spirv_* wrappers, and llvm.* and C library
 * names that producers leave. Replacements are instructions of the model or calls of functions
 * copied from the library. Imports that are not in the library stay imports, and linking decides
 * about them. Returns OUT_OF_HOST_MEMORY when memory runs out. */
ze_result_t geo_builtins_resolve(struct geo_ir_module *module, struct geo_strbuf *log);

#endif
