/* One function while it is lowered: what every file of lower/ is handed as `f`. Also f outside of
 * any function, for constants and variables at module scope, and how lowering fails. */
#ifndef GEO_COMPILER_LOWER_STATE_FUNCTION_H
#define GEO_COMPILER_LOWER_STATE_FUNCTION_H

#include "compiler/analysis/pattern.h"
#include "compiler/lower/state/module.h"

/* Vectors that lanes in turn can take from memory at a time. */
#define GEO_TURN_SLOTS 8u

struct geo_lower_frame;
struct geo_lower_value;

struct geo_lower_function {
    struct geo_lower *lower;
    struct geo_ir_module *module;
    const struct geo_ir_function *function;
    const struct geo_lower_options *options;
    const struct geo_shapes *shapes;
    struct geo_patterns *patterns; /* NULL: none are looked for */
    LLVMContextRef context;
    LLVMModuleRef llvm_module;
    LLVMValueRef llvm_function;
    LLVMBuilderRef builder; /* where the current instruction goes */
    LLVMBuilderRef allocas; /* at the end of the entry block */
    /* The calling contract's (abi.h); NULL outside of a function. */
    LLVMValueRef launch, worker;
    LLVMValueRef scratch;           /* of the worker: local memory starts there */
    LLVMValueRef mask;              /* <W x i1> of the current block; NULL: all lanes are on */
    bool lane0_on;                  /* lane 0 is on in the current block, whatever the mask */
    uint32_t lanes;                 /* W */
    struct geo_lower_value *values; /* by geo_ir_value.index (value/value.h) */
    /* Of the body of a tile (frame/tile.h); NULL: the body is one chunk's. */
    const bool *apart;           /* [value index]: members have a value each */
    struct geo_lower_value *own; /* by value index: such values of the member at hand */
    struct geo_strbuf *log;
    struct geo_arena *arena; /* scratch for this function */
    const bool *used;        /* [value_count] results that are used; made lazily by atomic.c */
    LLVMValueRef turn_slots[GEO_TURN_SLOTS]; /* emit/turn.c, each made when it is wanted */
    LLVMValueRef no_use; /* memory/address.c: where lanes that are off read and write */
    bool failed;
    bool no_memory;                /* failed because memory ran out */
    struct geo_lower_frame *frame; /* of frame/ and the rooms above it */
};

/* f outside of any function; finish it. */
void geo_lower_module_scope(struct geo_lower_function *f, struct geo_lower *lower,
                            struct geo_arena *arena);
void geo_lower_module_scope_finish(struct geo_lower_function *f);

/* Records the first failure: "<OpName> %<id> at word <offset>: <text>". */
void geo_lower_error(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                     const char *format, ...) __attribute__((format(printf, 3, 4)));
void geo_lower_no_memory(struct geo_lower_function *f);

/* What a value is called in messages: its name and id, in the buffer. */
const char *geo_lower_label(const struct geo_ir_value *value, char *buffer, size_t size);

#endif
