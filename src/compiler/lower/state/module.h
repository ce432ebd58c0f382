/* One module while it is lowered: what its functions share. module.c owns it; each list belongs to
 * the file named beside it. */
#ifndef GEO_COMPILER_LOWER_STATE_MODULE_H
#define GEO_COMPILER_LOWER_STATE_MODULE_H

#include "base/arena.h"
#include "compiler/lower/lower.h"
#include "native/abi.h"

/* Largest lane count. */
#define GEO_LOWER_LANES_LIMIT 64u
/* What lowering one function, or a module, may take from its arena. */
#define GEO_LOWER_ARENA_LIMIT ((size_t)1 << 30)

struct geo_lower_code;
struct geo_lower_descriptor;
struct geo_lower_instance;

struct geo_lower {
    struct geo_ir_module *module;
    const struct geo_lower_options *options;
    LLVMContextRef context;
    LLVMModuleRef llvm_module;
    struct geo_strbuf *log;
    struct geo_arena arena;
    bool no_memory;
    /* state/code.c */
    struct geo_lower_code **codes; /* sorted by function */
    uint32_t code_count;
    /* global/variable.c, by place in module->variables */
    LLVMValueRef *globals;
    size_t *declared; /* places, as they were asked for; the first `defined_count` are defined */
    size_t declared_count, defined_count;
    uint64_t zero_bytes, data_bytes; /* of those that are defined */
    /* global/constant.c: steps that expressions have taken */
    uint64_t expression_work;
    /* global/local_memory.c: Workgroup variables, by place in module->variables */
    uint64_t *local_offsets;
    const struct geo_ir_function **variable_owners; /* the kernel that uses it alone */
    bool *variable_shared;
    size_t *variable_indices;    /* by geo_ir_value.index of a variable: its place */
    uint64_t shared_local_bytes; /* of variables that functions use which are not kernels */
    uint64_t *local_bytes;       /* by geo_ir_value.index of a kernel; 0: none of its own */
    /* global/descriptor.c */
    struct geo_lower_descriptor *descriptors;
    LLVMValueRef object; /* an address that is this object's alone */
    /* instance/instance.c */
    struct geo_lower_instance *queue; /* those whose code is still to be emitted */
    struct geo_lower_instance *instances;
    /* call/indirect.c: [linear][log2 lanes] that call by pointer */
    bool indirect_shapes[2][GEO_FUNCTION_WIDTHS];
};

#endif
