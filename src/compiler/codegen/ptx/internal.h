/* Shared by the files of codegen/ptx/, and private to them. */
#ifndef GEO_COMPILER_CODEGEN_PTX_INTERNAL_H
#define GEO_COMPILER_CODEGEN_PTX_INTERNAL_H

#include "compiler/codegen/ptx/ptx.h"

/* Gives atomic read-modify-write operations their memory order and scope, which LLVM 22 drops. */
void geo_codegen_ptx_atomics(LLVMModuleRef module);
/* Keeps ptxas from storing a converted float where the bytes of the float are meant. To be called
 * behind LLVM's passes. */
void geo_codegen_ptx_bytes(LLVMModuleRef module);

#endif
