/* PTX, the assembly text of NVIDIA GPUs, from modules that were lowered by the SIMT model. The
 * driver does not run it yet. */
#ifndef GEO_COMPILER_CODEGEN_PTX_PTX_H
#define GEO_COMPILER_CODEGEN_PTX_PTX_H

#include "compiler/lower/lower.h"

/* Returns the properties of the target that lowering needs. They are the same for all levels. */
struct geo_lower_target geo_codegen_ptx_facts(void);
/* Sets the module's target and data layout. `level` is the oldest GPU that shall run the code:
 * "sm_80" or "sm_90". Returns MODULE_BUILD_FAILURE with a log for other levels. */
ze_result_t geo_codegen_ptx_prepare(LLVMModuleRef module, const char *level,
                                    struct geo_strbuf *log);
/* Runs LLVM's passes on a prepared module, as geo_codegen_ptx_emit does. */
ze_result_t geo_codegen_ptx_optimize(LLVMModuleRef module, const char *level,
                                     struct geo_strbuf *log);
/* Emits a prepared module, which is changed. *text (malloc, ends with a zero) is the PTX; the
 * caller frees it. LLVM ends the process if it cannot select an instruction. */
ze_result_t geo_codegen_ptx_emit(LLVMModuleRef module, const char *level, bool optimize,
                                 char **text, struct geo_strbuf *log);

#endif
