/* Passes of LLVM's back end for profiles: registers that code spares, and those that it never
 * uses. Used by emitter.cpp alone. */
#ifndef GEO_COMPILER_CODEGEN_REGISTERS_H
#define GEO_COMPILER_CODEGEN_REGISTERS_H

#include "compiler/codegen/emitter.h"

#include <llvm/CodeGen/MachineFunctionPass.h>

/* Creates a pass that keeps the allocator from the spared registers: they are live everywhere. LLVM
 * cannot reserve registers for a function. The pass runs just before the greedy allocator; the fast
 * one, of code that is not optimised, does not ask for liveness. */
llvm::MachineFunctionPass *geo_codegen_registers_spare(const struct geo_emitter_profile *profile);

/* Creates a pass that tells for each function which scratch registers no instruction names, neither
 * in it nor in functions of the module that it reaches. Other calls overwrite what their calling
 * convention allows. It runs when the code is final. */
llvm::MachineFunctionPass *geo_codegen_registers_find(const struct geo_emitter_profile *profile);

#endif
