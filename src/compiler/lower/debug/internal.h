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

/* How the copies of a variable for the lanes lie in memory. */
enum geo_debug_form {
    GEO_DEBUG_ONE,         /* one copy: all lanes have it, or there is one lane */
    GEO_DEBUG_LANES,       /* an array of copies */
    GEO_DEBUG_PADDED,      /* copies with unused bytes between them */
    GEO_DEBUG_INTERLEAVED, /* element i of all copies side by side (analysis/interleave.h) */
    GEO_DEBUG_FORMS,
};

/* A variable of one call in the function that is being emitted. */
struct geo_debug_slot {
    struct geo_debug_slot *next, *next_of_variable;
    const struct geo_ir_debug_variable *variable;
    uint32_t inlined_at, location;     /* numbers of locations (ir/debug.h) */
    uint64_t bytes;                    /* size of one copy */
    bool own;                          /* not of an inlined call */
    bool uniform;                      /* has one copy */
    const struct geo_ir_value *memory; /* the private variable that it is; NULL: it has values */
    bool placed;                       /* it has a slot: */
    uint64_t offset;
    bool declared;            /* its place in memory is described */
    LLVMMetadataRef metadata; /* made on demand */
};

/* The metadata of source functions that belong together: those of the LLVM function that is being
 * emitted, or those of calls that were inlined at one width. */
struct geo_debug_group {
    struct geo_ptrmap scopes; /* struct geo_ir_scope -> DIScope */
    /* struct geo_ir_debug_variable -> DILocalVariable */
    struct geo_ptrmap variables[GEO_DEBUG_FORMS];
    LLVMMetadataRef function; /* the LLVM function's; NULL: inlined calls */
    LLVMMetadataRef root;     /* the scope of its code: the block of the current copy */
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
    LLVMMetadataRef outside;          /* its location without a line, outside of copies */
    LLVMMetadataRef nowhere;          /* the same in the current copy */
    struct geo_ptrmap locations;      /* struct geo_ir_location -> DILocation */
    /* variable.c */
    struct geo_ptrmap arguments; /* struct geo_ir_debug_variable -> DILocalVariable of `own` */
    struct geo_ptrmap slots; /* struct geo_ir_debug_variable -> its first struct geo_debug_slot */
    struct geo_debug_slot *first_slot;
    uint64_t slot_bytes;     /* size of all slots */
    LLVMValueRef memory;     /* private variables of the chunk that is being emitted */
    const uint64_t *offsets; /* by value index of a private variable: its offset in them */
    uint64_t slot_start;     /* offset of the slots */
    LLVMValueRef base;       /* alloca that holds `memory`; NULL: not needed so far */
    LLVMValueRef scratch;    /* global.c: alloca of the address of local memory; or NULL */
    /* chunk.c */
    LLVMMetadataRef chunk_type, chunk; /* of the variable `geoid_chunk` */
    LLVMValueRef chunk_slot;           /* its alloca; NULL: the code is optimised */
};

/* In file.c: the DIFile of a file. */
LLVMMetadataRef geo_debug_file(struct geo_lower_debug *debug, const struct geo_ir_file *file);

/* In type.c: the DIType of a type. NULL: void, or a type without information. */
LLVMMetadataRef geo_debug_type(struct geo_lower_debug *debug, const struct geo_ir_debug_type *type);

/* In type.c: the size of a type in bits; 0: unknown. */
uint64_t geo_debug_type_bits(const struct geo_ir_debug_type *type);

/* In lanes.c: the type of a variable with a copy of `bytes` bytes for each lane. `unit`: size of an
 * element (INTERLEAVED), or distance of the copies. */
LLVMMetadataRef geo_debug_lanes(struct geo_lower_debug *debug, LLVMMetadataRef type,
                                enum geo_debug_form form, uint32_t lanes, uint64_t bytes,
                                uint64_t unit);

/* In location.c: the DILocation of a location's number, which is not 0. */
LLVMMetadataRef geo_debug_location_get(struct geo_lower_function *f, uint32_t number);

/* In scope.c. Returns the DIScope of a scope in a group, or NULL if code cannot be in it. */
LLVMMetadataRef geo_debug_scope(struct geo_lower_debug *debug, struct geo_debug_group *group,
                                const struct geo_ir_scope *scope);
/* Makes the DISubprogram of a function in the source. `name` is used if the scope has none. */
LLVMMetadataRef geo_debug_scope_function(struct geo_lower_debug *debug,
                                         const struct geo_ir_scope *scope, const char *name);
/* Returns the function that a scope is part of; NULL: none. */
const struct geo_ir_scope *geo_debug_scope_find(const struct geo_ir_scope *scope);

#endif
