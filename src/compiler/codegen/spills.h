/* Finds the stack that code stores registers to. Used by emitter.cpp alone. */
#ifndef GEO_COMPILER_CODEGEN_SPILLS_H
#define GEO_COMPILER_CODEGEN_SPILLS_H

#include "compiler/codegen/emitter.h"

#include <llvm/CodeGen/MachineFunctionPass.h>

/* Creates a pass that tells for each function the bytes of its spill slots, plus those of its
 * callees: the largest sum over any chain of calls. Registers that a function saves for its caller
 * do not count, nor do functions outside of the module and calls through pointers. It runs when the
 * frames are laid out. */
llvm::MachineFunctionPass *geo_codegen_spills_find(const struct geo_emitter_profile *profile);

#endif
