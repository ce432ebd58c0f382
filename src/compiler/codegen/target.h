/* What code generation knows of an architecture: its levels as rows. One file for each,
 * target_x86_64.c and so on; target.c chooses among them. What instructions lowering emits by name
 * is lower/arch.h's. */
#ifndef GEO_COMPILER_CODEGEN_TARGET_H
#define GEO_COMPILER_CODEGEN_TARGET_H

#include "compiler/lower/lower.h"

/* Describes a level of native.h for LLVM and for lowering. */
struct geo_codegen_level {
    const char *name;              /* struct geo_native_level's */
    const char *cpu;               /* LLVM's name of a CPU with just these instructions */
    const char *more;              /* LLVM's features beside those; NULL: none */
    struct geo_lower_target facts; /* `features` is the native level's */
};

struct geo_codegen_arch {
    uint32_t target; /* enum geo_native_target */
    const char *triple;
    void (*init)(void);                     /* makes LLVM know it */
    const struct geo_codegen_level *levels; /* best first */
    uint32_t level_count;
    /* NULL: as the level's facts say. */
    enum geo_gathers (*gathers)(const struct geo_lower_target *facts, const char *tune);
};

extern const struct geo_codegen_arch geo_codegen_x86_64, geo_codegen_aarch64;

#endif
