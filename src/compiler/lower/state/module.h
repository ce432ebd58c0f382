/* The module that is being lowered, with the data that its functions share. module.c owns it. Each
 * group of fields belongs to the file named above it. */
#ifndef GEO_COMPILER_LOWER_STATE_MODULE_H
#define GEO_COMPILER_LOWER_STATE_MODULE_H

#include "base/arena.h"
#include "compiler/lower/lower.h"
#include "compiler/lower/machine.h"

/* The largest lane count. */
#define GEO_LOWER_LANES_LIMIT 64u
/* Largest size in bytes of the arena for one function, or for one module. */
#define GEO_LOWER_ARENA_LIMIT ((size_t)1 << 30)

struct geo_lower_code;
struct geo_lower_debug;
struct geo_lower_module_frame; /* each machine defines it: cpu/instance/module_frame.h */

/* One module while it is lowered. */
struct geo_lower {
    struct geo_ir_module *module;
    const struct geo_lower_options *options;
    const struct geo_lower_machine *machine;
    struct geo_lower_module_frame *frame; /* the machine's data */
    LLVMContextRef context;
    LLVMModuleRef llvm_module;
    struct geo_strbuf *log;
    struct geo_arena arena;
    bool no_memory;
    struct geo_lower_debug *debug; /* debug/; NULL: the code gets no debug information */
    /* state/code.c */
    struct geo_lower_code **codes; /* sorted by the address of the function */
    uint32_t code_count;
    /* global/variable.c; arrays are indexed like module->variables */
    LLVMValueRef *globals;
    /* indices of variables in order of request; the first `defined_count` are defined */
    size_t *declared;
    size_t declared_count, defined_count;
    uint64_t zero_bytes, data_bytes; /* sizes of the defined variables */
    uint64_t least_global_bytes;     /* size of the smallest CrossWorkgroup variable */
    /* global/constant.c: number of steps spent on constant expressions */
    uint64_t expression_work;
    /* global/local_memory.c: Workgroup variables, indexed like module->variables */
    uint64_t *local_offsets;
    const struct geo_ir_function **variable_owners; /* the only kernel that uses the variable */
    bool *variable_shared;
    size_t *variable_indices; /* by geo_ir_value.index of a variable: index in module->variables */
    uint64_t shared_local_bytes; /* size of the variables that non-kernel functions use */
    uint64_t *local_bytes;       /* by geo_ir_value.index of a kernel: size of its own variables */
};

#endif
