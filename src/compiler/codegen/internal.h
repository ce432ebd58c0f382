/* Shared by the files of codegen/, and private to them. */
#ifndef GEO_COMPILER_CODEGEN_INTERNAL_H
#define GEO_COMPILER_CODEGEN_INTERNAL_H

#include "compiler/codegen/codegen.h"
#include "compiler/codegen/target.h"
#include "native/native.h"

#include <llvm-c/TargetMachine.h>

/* The target of code generation: an architecture, a level and a CPU. */
struct geo_codegen_target {
    const struct geo_codegen_arch *arch;
    const struct geo_codegen_level *level; /* instructions that the code may use */
    char *tune;                            /* LLVM's name of the CPU that the code is tuned for */
    struct geo_lower_target facts;
};

/* A target machine of LLVM, used by one build at a time. */
struct geo_codegen_machine {
    LLVMTargetMachineRef llvm;
    const struct geo_codegen_level *level; /* level that it was made for */
    LLVMCodeGenOptLevel effort;
};

/* Takes the machine that was returned last, if it fits, or creates one. Returns NULL if LLVM lacks
 * the target or memory runs out. An abandoned build never returns its machine. */
struct geo_codegen_machine *geo_codegen_target_machine_take(const struct geo_codegen_target *target,
                                                            LLVMCodeGenOptLevel effort);
/* Returns a machine after use. One is kept for the next build; an earlier one is destroyed. */
void geo_codegen_target_machine_give(struct geo_codegen_machine *machine);

/* Runs LLVM's passes. Returns false if one failed, which is logged, or the build's budget is
 * exhausted. */
bool geo_codegen_optimize(LLVMModuleRef module, LLVMTargetMachineRef machine, bool optimize,
                          struct geo_strbuf *log);

/* Rewrites code that LLVM's back end would miscompile because of these faults (enum
 * geo_llvm_fault). Called after optimisation. */
void geo_codegen_mend(LLVMModuleRef module, uint32_t faults);

/* Keeps masks between blocks as words, for one vector of this size and for two. Called after
 * optimisation, for targets whose masks are vectors (geo_lower_target.wide_masks). */
void geo_codegen_masks_widen(LLVMModuleRef module, uint32_t vector_bits);

/* Stack frames of the functions of one module, which LLVM reports while it generates code. */
struct geo_codegen_frame {
    char *name;
    uint64_t bytes, depth; /* own size; with callees, once `known` */
    bool known;
};

/* All frames that LLVM reported for one module. */
struct geo_codegen_frames {
    struct geo_codegen_frame *items;
    size_t count, capacity;
    bool lost; /* a report was lost because memory ran out */
};

/* Makes LLVM report the frame size of a function. */
void geo_codegen_stack_watch(LLVMValueRef function);
/* Records a warning of LLVM that reports a frame. Returns false for other warnings. */
bool geo_codegen_stack_hear(struct geo_codegen_frames *frames, const char *text);
/* Returns the stack in bytes that the deepest chain of calls needs, over all functions. */
uint64_t geo_codegen_stack_depth(struct geo_codegen_frames *frames, LLVMModuleRef module);
/* Frees the recorded frames. */
void geo_codegen_stack_clear(struct geo_codegen_frames *frames);

/* Returns `value` behind a fence that the back end cannot look through, for use by `inst`. Returns
 * the value itself if its type cannot be fenced. */
LLVMValueRef geo_codegen_mend_fence(LLVMBuilderRef builder, LLVMValueRef inst, LLVMValueRef value);

/* Splits chains on which the back end takes quadratic time (GEO_LLVM_CHAINS_SQUARED). Called last
 * before emission. */
void geo_codegen_chains_cut(LLVMModuleRef module);

/* Returns the limits (enum geo_emitter_limit) that a function exceeds. */
uint32_t geo_codegen_limits_exceeded(LLVMValueRef function);
/* Marks the functions that exceed limits, for the emitter. Called last before emission. */
void geo_codegen_limits_mark(LLVMModuleRef module);

/* The code that a note describes. */
struct geo_codegen_payload {
    struct geo_native_payload record; /* without name and places */
    const char *device_name;          /* device for which the code was tuned; may be empty */
    const void *code;                 /* NULL: the code is the file that has the note */
    size_t bytes;
};

/* Makes the contents of a note section (malloc) for one payload, or for none if `payload` is NULL.
 * Returns NULL when memory runs out. */
void *geo_codegen_note_make(const struct geo_codegen_payload *payload, struct geo_ir_module *module,
                            const struct geo_lower_result *lowered,
                            const struct geo_codegen_notes *notes, size_t *bytes);

/* Adds the note section to a module that is ready for emission. Returns false when memory runs
 * out. */
bool geo_codegen_note_add(const struct geo_codegen_target *target, struct geo_ir_module *module,
                          const struct geo_lower_result *lowered,
                          const struct geo_codegen_notes *notes);

/* Registers of a kernel. LLVM knows them only when it has emitted the note. */
struct geo_codegen_kernel_registers {
    uint64_t free;        /* registers, for a profile */
    uint64_t spill_bytes; /* stack that the code stores registers to */
};

/* Writes what is known about registers, and the flags of the profile, into the records of kernels
 * of a sealed object, and seals it again. */
void geo_codegen_note_registers(void *object, size_t bytes, uint32_t profile_flags,
                                const struct geo_codegen_kernel_registers *registers);

#endif
