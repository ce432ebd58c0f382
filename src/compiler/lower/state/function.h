/* The function that is being lowered, which every function of lower/ receives as `f`. A second use
 * is lowering constants and variables at module scope, outside any function. The file also has the
 * functions that report errors. */
#ifndef GEO_COMPILER_LOWER_STATE_FUNCTION_H
#define GEO_COMPILER_LOWER_STATE_FUNCTION_H

#include "compiler/analysis/pattern.h"
#include "compiler/lower/state/module.h"

/* Number of vectors in memory that a loop over lanes can read from (emit/turn.h). */
#define GEO_TURN_SLOTS 8u

struct geo_lower_frame; /* each machine defines it: cpu/frame/frame.h */
struct geo_lower_value;

/* Where LLVM code goes. It lasts for one LLVM function. */
struct geo_lower_builder {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMValueRef function;
    LLVMBuilderRef builder; /* position of the current instruction */
    LLVMBuilderRef allocas; /* position at the end of the entry block */
};

/* The copy of the function's code that is being emitted. A function may have several. */
struct geo_lower_body {
    const struct geo_shapes *shapes;
    struct geo_patterns *patterns; /* NULL: patterns are not searched for */
    struct geo_patterns *aligned;  /* the same, for chunks that are supposed to be aligned */
    LLVMValueRef mask;             /* <W x i1>, active lanes of the current block; NULL: all */
    bool lane0_on;                 /* lane 0 is known to be active in the current block */
};

/* Values that exist several times in one body, once for each of its members (cpu/frame/tile.h). */
struct geo_lower_own {
    const bool
        *apart; /* by value index: each member has its own value; NULL: there is one member */
    struct geo_lower_value *values; /* by value index: those values, for the current member */
};

/* Data that is made when it is first needed. */
struct geo_lower_demand {
    const bool *used; /* by value index: the result is used (memory/atomic.c) */
    LLVMValueRef turn_slots[GEO_TURN_SLOTS]; /* allocas of emit/turn.c */
    /* dummy memory for inactive lanes (memory/address.c): to write to, and zeros to read */
    LLVMValueRef no_use, zeros;
};

/* The state of lowering one function. It lives while the function is emitted. */
struct geo_lower_function {
    struct geo_lower *lower;
    struct geo_ir_module *module;
    const struct geo_ir_function *function; /* NULL at module scope */
    const struct geo_lower_options *options;
    uint32_t lanes;                 /* W, the number of lanes */
    struct geo_lower_value *values; /* by geo_ir_value.index (value/value.h) */
    const bool *dense;              /* by geo_ir_value.index: held densely; NULL: no value is */
    struct geo_lower_builder llvm;
    struct geo_lower_body body;
    struct geo_lower_own member;
    struct geo_lower_demand demand;
    struct geo_strbuf *log;
    struct geo_arena *arena; /* memory that is freed with this function */
    bool failed;
    bool no_memory;                /* the failure was lack of memory */
    struct geo_lower_frame *frame; /* the machine's data of the function; NULL at module scope */
};

/* Initialises `f` for lowering `function` with `lanes` lanes, without builders, values and frame. */
void geo_state_function_init(struct geo_lower_function *f, struct geo_lower *lower,
                             const struct geo_ir_function *function, uint32_t lanes,
                             struct geo_arena *arena);
/* Initialises `f` and `arena` for lowering at module scope. geo_state_module_scope_finish releases
 * both. */
void geo_state_module_scope(struct geo_lower_function *f, struct geo_lower *lower,
                            struct geo_arena *arena);
void geo_state_module_scope_finish(struct geo_lower_function *f);

/* Logs the first failure of `f` as "<OpName> %<id> at word <offset>: <text>" and marks `f` as
 * failed. Later failures are ignored. */
void geo_state_error(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                     const char *format, ...) __attribute__((format(printf, 3, 4)));
void geo_state_no_memory(struct geo_lower_function *f);

/* Writes a value's name and id, as messages show them, to `buffer` and returns it. */
const char *geo_state_label(const struct geo_ir_value *value, char *buffer, size_t size);

#endif
