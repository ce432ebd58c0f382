/* Emission of objects by LLVM's C++ interface: the C interface cannot leave out passes of the back
 * end. */
#ifndef GEO_COMPILER_CODEGEN_EMITTER_H
#define GEO_COMPILER_CODEGEN_EMITTER_H

#include <llvm-c/TargetMachine.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Emits an object; without `combine`, MachineCombiner does not run. Returns NULL if the target
 * cannot emit objects. */
LLVMMemoryBufferRef geo_codegen_object(LLVMTargetMachineRef machine, LLVMModuleRef module,
                                       bool combine);

#ifdef __cplusplus
}
#endif

#endif
