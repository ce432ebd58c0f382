/* LLVM's emission of objects, for what its C interface has no words: passes of the back end that
 * are left out. */
#ifndef GEO_COMPILER_CODEGEN_EMITTER_H
#define GEO_COMPILER_CODEGEN_EMITTER_H

#include <llvm-c/TargetMachine.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Without `combine`, MachineCombiner does not run. NULL: the target emits no objects. */
LLVMMemoryBufferRef geo_codegen_object(LLVMTargetMachineRef machine, LLVMModuleRef module,
                                       bool combine);

#ifdef __cplusplus
}
#endif

#endif
