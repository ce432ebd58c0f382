/* Shared by the files of debug/, and private to them. */
#ifndef GEO_COMPILER_LOWER_DEBUG_INTERNAL_H
#define GEO_COMPILER_LOWER_DEBUG_INTERNAL_H

#include "base/ptrmap.h"
#include "compiler/ir/debug.h"
#include "compiler/lower/debug/debug.h"

#include <llvm-c/DebugInfo.h>

/* Number of different widths: 1, 2, 4 ... GEO_LOWER_LANES_LIMIT. */
#define GEO_DEBUG_WIDTHS 7u
/* Nested scopes and types beyond this depth are left out: input may be hostile. */
#define GEO_DEBUG_DEPTH 64u

/* The metadata of source functions that belong together: those of the LLVM function that is being
 * emitted, or those of calls that were inlined at one width. */
struct geo_debug_group {
    struct geo_ptrmap scopes; /* struct geo_ir_scope -> DIScope */
    LLVMMetadataRef function; /* the LLVM function's; NULL: inlined calls */
};

/* The debug information of the module that is being lowered. */
struct geo_lower_debug {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMDIBuilderRef builder;
    struct geo_arena *arena;
    bool optimized;
    const struct geo_ir_file *file; /* of the compile unit; NULL: unknown */
    LLVMMetadataRef unit, unknown_file;
    struct geo_ptrmap files; /* struct geo_ir_file -> DIFile */
    struct geo_ptrmap types; /* struct geo_ir_debug_type -> DIType */
    struct geo_debug_group inlined[GEO_DEBUG_WIDTHS];
    /* the LLVM function that is being emitted */
    struct geo_debug_group own;
    const struct geo_ir_scope *scope; /* the function in the source; NULL: unknown */
    uint32_t width;                   /* index of its lanes in `inlined` */
    LLVMMetadataRef nowhere;          /* its location without a line */
    struct geo_ptrmap locations;      /* struct geo_ir_location -> DILocation */
};

/* In file.c: the DIFile of a file. */
LLVMMetadataRef geo_debug_file(struct geo_lower_debug *debug, const struct geo_ir_file *file);

/* In type.c: the DIType of a type. NULL: void, or a type without information. */
LLVMMetadataRef geo_debug_type(struct geo_lower_debug *debug, const struct geo_ir_debug_type *type);

/* In type.c: the size of a type in bits; 0: unknown. */
uint64_t geo_debug_type_bits(const struct geo_ir_debug_type *type);

/* In scope.c. Returns the DIScope of a scope in a group, or NULL if code cannot be in it. */
LLVMMetadataRef geo_debug_scope(struct geo_lower_debug *debug, struct geo_debug_group *group,
                                const struct geo_ir_scope *scope);
/* Makes the DISubprogram of a function in the source. */
LLVMMetadataRef geo_debug_scope_function(struct geo_lower_debug *debug,
                                         const struct geo_ir_scope *scope, const char *name,
                                         const char *symbol);
/* Returns the function that a scope is part of; NULL: none. */
const struct geo_ir_scope *geo_debug_scope_find(const struct geo_ir_scope *scope);

#endif
