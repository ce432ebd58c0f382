/* Code generation by LLVM: what the files of codegen/ share, and nobody else sees. */
#ifndef GEO_COMPILER_CODEGEN_INTERNAL_H
#define GEO_COMPILER_CODEGEN_INTERNAL_H

#include "compiler/codegen/codegen.h"
#include "compiler/codegen/target.h"

#include <llvm-c/TargetMachine.h>

struct geo_codegen_target {
    const struct geo_codegen_arch *arch;
    const struct geo_codegen_level *level; /* what instructions may be used */
    char *tune;                            /* LLVM's name of the CPU the code is tuned for */
    struct geo_lower_target facts;
};

/* A machine of LLVM's, in use by one build. */
struct geo_codegen_machine {
    LLVMTargetMachineRef llvm;
    const struct geo_codegen_level *level; /* of the target that it was made for */
    LLVMCodeGenOptLevel effort;
};

/* The one that was given back last, if it is such a one; else a new one. NULL: LLVM has none, or
 * memory ran out. A build that never ends never gives its own back. */
struct geo_codegen_machine *geo_codegen_machine_take(const struct geo_codegen_target *target,
                                                     LLVMCodeGenOptLevel effort);
void geo_codegen_machine_give(struct geo_codegen_machine *machine);

/* Runs LLVM's passes. False: one failed, which the log says, or the build's budget is at its end. */
bool geo_codegen_optimize(LLVMModuleRef module, LLVMTargetMachineRef machine, bool optimize,
                          struct geo_strbuf *log);

/* Rewrites what LLVM's back end would make wrong code of, as far as it has these faults (enum
 * geo_llvm_fault). After the optimisation. */
void geo_codegen_mend(LLVMModuleRef module, uint32_t faults);

/* Frames of the functions of one module, as LLVM tells them while it makes their code. */
struct geo_codegen_frame {
    char *name;
    uint64_t bytes, depth; /* own; with what it calls, once that is known */
    bool known;
};

struct geo_codegen_frames {
    struct geo_codegen_frame *items;
    size_t count, capacity;
    bool lost; /* one, for want of memory */
};

/* LLVM will tell how large the function's frame is. */
void geo_codegen_frames_watch(LLVMValueRef function);
/* Takes a warning of LLVM's in. False: it says something else. */
bool geo_codegen_frames_hear(struct geo_codegen_frames *frames, const char *text);
/* Bytes of stack that the deepest chain of calls takes, from a kernel's or any function's entry. */
uint64_t geo_codegen_frames_depth(struct geo_codegen_frames *frames, LLVMModuleRef module);
void geo_codegen_frames_clear(struct geo_codegen_frames *frames);

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
