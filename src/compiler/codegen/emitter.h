/* Emission of objects by LLVM's C++ interface: the C interface cannot leave out passes of the back
 * end. */
#ifndef GEO_COMPILER_CODEGEN_EMITTER_H
#define GEO_COMPILER_CODEGEN_EMITTER_H

#include <llvm-c/TargetMachine.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes that make passes of the back end too slow for a function (limits.c). */
enum geo_emitter_limit {
    GEO_EMITTER_STRAIGHT = 1 << 0, /* no schedulers; blocks are split */
    GEO_EMITTER_BRANCHED = 1 << 1, /* no sinking; equal branch weights */
    GEO_EMITTER_PLAIN = 1 << 2,    /* instructions are selected one by one */
};

/* Name of the function attribute that holds the limits, as a decimal number. */
#define GEO_EMITTER_LIMITS_ATTRIBUTE "geoid-limits"

/* Numbers that the back end reports about the code of a function. */
struct geo_emitter_function {
    const char *name;
    unsigned long long spills, reloads; /* instructions that store and load registers */
    unsigned long long stack_bytes, instructions;
};

/* Called when a function is complete. */
typedef void (*geo_emitter_hear_fn)(const struct geo_emitter_function *function);
/* Makes LLVM report each function whose code it makes with this context. It replaces the context's
 * handler of diagnostics, except one that is set later by the C interface. */
void geo_codegen_object_remarks(LLVMContextRef context, geo_emitter_hear_fn hear);

/* Returns whether the back end runs the pass with this name on a function with these limits. */
bool geo_codegen_object_runs(const char *pass, unsigned limits);

/* Returns whether the pass of the back end with this name is left out, because it changes nothing
 * in code of this library. */
bool geo_codegen_object_is_idle(const char *name);

/* A profile to make for zetKernelGetProfileInfo (native/registers.h), and what to find besides. */
struct geo_emitter_profile {
    uint32_t target, features; /* enum geo_native_target and its features */
    uint32_t flags;            /* zet_profile_flags_t */
    bool *spared;              /* becomes true if the allocator spares registers */
    /* Receives the free registers of each function, for ZET_PROFILE_FLAG_FREE_REGISTER_INFO. */
    void (*tell)(void *data, const char *function, uint64_t free_registers);
    /* Receives the bytes of stack that each function and its callees store registers to. NULL:
     * they are not looked for. */
    void (*tell_spills)(void *data, const char *function, uint64_t bytes);
    void *data;
};

/* Emits an object; without `combine`, MachineCombiner does not run. `profile` may be NULL. Returns
 * NULL if the target cannot emit objects. */
LLVMMemoryBufferRef geo_codegen_object(LLVMTargetMachineRef machine, LLVMModuleRef module,
                                       bool combine, const struct geo_emitter_profile *profile);

#ifdef __cplusplus
}
#endif

#endif
