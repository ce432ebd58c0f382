/* Code generation by LLVM: what the files of codegen/ share, and nobody else sees. */
#ifndef GEO_COMPILER_CODEGEN_INTERNAL_H
#define GEO_COMPILER_CODEGEN_INTERNAL_H

#include "compiler/codegen/codegen.h"

#include <llvm-c/TargetMachine.h>

struct geo_codegen_target {
    const char *cpu; /* LLVM's name of the level: what instructions may be used */
    char *tune;      /* LLVM's name of the CPU the code is tuned for */
    uint32_t native_features;
    struct geo_lower_target facts;
};

/* A machine of LLVM's, in use by one build. */
struct geo_codegen_machine {
    LLVMTargetMachineRef llvm;
    const char *cpu; /* of the target it was made for */
    enum geo_codegen_effort effort;
};

/* The one that was given back last, if it is such a one; else a new one. NULL: LLVM has none, or
 * memory ran out. A build that never ends never gives its own back. */
struct geo_codegen_machine *geo_codegen_machine_take(const struct geo_codegen_target *target,
                                                     enum geo_codegen_effort effort);
void geo_codegen_machine_give(struct geo_codegen_machine *machine);

/* Runs LLVM's passes. False: one failed, which the log says, or the build's budget is at its end. */
bool geo_codegen_optimize(LLVMModuleRef module, LLVMTargetMachineRef machine, bool optimize,
                          struct geo_strbuf *log);

/* Rewrites what LLVM's back end would make wrong code of, as far as it has these faults (enum
 * geo_llvm_fault). After the optimisation. */
void geo_codegen_mend(LLVMModuleRef module, uint32_t faults);

/* The value as the back end cannot look through it, for the use of `inst`; itself where its type
 * has no fence. */
LLVMValueRef geo_codegen_fence(LLVMBuilderRef builder, LLVMValueRef inst, LLVMValueRef value);

/* Cuts what the back end takes the square of (GEO_LLVM_CHAINS_SQUARED). Last before the emission. */
void geo_codegen_chains_cut(LLVMModuleRef module);

/* Adds the note section to a module that is ready to be emitted. False when memory ran out. */
bool geo_codegen_note_add(const struct geo_codegen_target *target, struct geo_ir_module *module,
                          const struct geo_lower_result *lowered,
                          const struct geo_codegen_notes *notes);

#endif
