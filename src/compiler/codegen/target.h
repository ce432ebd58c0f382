/* Description of an architecture for code generation: its levels as rows. Each architecture has a
 * file, target_x86_64.c and so on; target.c chooses between them. lower/arch.h describes the
 * instructions that lowering emits by name. */
#ifndef GEO_COMPILER_CODEGEN_TARGET_H
#define GEO_COMPILER_CODEGEN_TARGET_H

#include "compiler/lower/lower.h"

/* Describes a level of native.h for LLVM and for lowering. */
struct geo_codegen_level {
    const char *name;              /* name of the struct geo_native_level */
    const char *cpu;               /* LLVM's name of a CPU with exactly these instructions */
    const char *more;              /* further features for LLVM; NULL: none */
    struct geo_lower_target facts; /* `features` is taken from the native level */
};

/* Describes an architecture for LLVM. Static. */
struct geo_codegen_arch {
    uint32_t target; /* enum geo_native_target */
    const char *triple;
    void (*init)(void);                     /* registers the architecture with LLVM */
    void (*init_disassembler)(void);        /* and its disassembler */
    const struct geo_codegen_level *levels; /* best level first */
    uint32_t level_count;
    /* Sets the facts that depend on the core `tune`. NULL: none does. */
    void (*tune)(struct geo_lower_target *facts, const char *tune);
};

extern const struct geo_codegen_arch geo_codegen_x86_64, geo_codegen_aarch64;

#endif
