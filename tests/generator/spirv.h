/* A program as a SPIR-V module (OpenCL environment), straight from the tree.
 *
 * Two styles, chosen by the program: every private variable in Function storage, as unoptimised
 * producers write it, or values in SSA form with phis, as optimised ones do (variables whose
 * address is taken stay in memory). Control flow is plain branches, at times with merge
 * instructions. */
#ifndef GEOID_TESTS_GENERATOR_SPIRV_H
#define GEOID_TESTS_GENERATOR_SPIRV_H

#include "program.h"

#define GEN_KERNEL_NAME "generated"

/* The words of the module; free with free(). */
uint32_t *gen_emit_spirv(const struct gen_program *program, size_t *word_count);

/* ---- inside ---- */

#include <spirv/unified1/spirv.h>

struct gen_words {
    uint32_t *items;
    size_t count, capacity;
};

/* A basic block being written. */
struct gen_node {
    uint32_t id;
    struct gen_words phis, body;
    struct gen_node **preds;
    uint32_t pred_count, pred_capacity;
    bool sealed, ended;
    uint32_t *values;     /* [slot_count] current SSA value of each variable; 0: none */
    uint32_t *incomplete; /* [slot_count] phi made before all predecessors were known; 0: none */
    struct gen_node *next;
};

struct gen_constant_entry {
    const struct gen_type *type;
    uint64_t bits;
    uint32_t id;
};

struct gen_spirv {
    const struct gen_program *program;
    uint32_t bound;
    struct gen_words names, annotations, globals, functions;
    uint32_t *type_ids;                  /* by index */
    uint32_t *pointer_ids[16];           /* by storage class and type index */
    uint32_t *function_ids;              /* by function number */
    uint32_t id_variables[GEN_ID_COUNT]; /* Input variables; 0: not used */
    uint32_t *table_ids;                 /* by number of the table */
    uint32_t *shared_ids;                /* module's local variables, by slot of the kernel */
    uint32_t ext_set, void_function;
    struct {
        struct gen_constant_entry *items;
        size_t count, capacity;
    } constants;

    /* The function being written */
    const struct gen_function *function;
    struct gen_node *first, *last, *current; /* current NULL: unreachable */
    uint32_t *addresses;                     /* by slot: pointer; 0: an SSA value */
    bool *ssa;                               /* by slot */
    const struct gen_type **slot_types;
    struct gen_loop_nodes {
        const struct gen_stmt *loop;
        struct gen_node *exit, *next;
    } loops[32];
    uint32_t loop_count;
};

void gen_words_put(struct gen_words *words, uint32_t word);
/* An instruction whose last operands are a list. */
void gen_put_list(struct gen_words *words, uint32_t opcode, uint32_t count,
                  const uint32_t *operands, uint32_t more, const uint32_t *list);
/* An instruction with its operands; the type of `gen_op1` and the like: opcode, count, ... */
void gen_put(struct gen_words *words, uint32_t opcode, uint32_t count, ...);
uint32_t gen_type_id(struct gen_spirv *spirv, const struct gen_type *type);
uint32_t gen_pointer_id(struct gen_spirv *spirv, const struct gen_type *type,
                        SpvStorageClass storage);
/* A constant of any type from its leaves; of a scalar from its bits. */
uint32_t gen_const_id(struct gen_spirv *spirv, const struct gen_type *type, const uint64_t *leaves);
uint32_t gen_scalar_id(struct gen_spirv *spirv, const struct gen_type *type, uint64_t bits);
uint32_t gen_u32_id(struct gen_spirv *spirv, uint32_t value);
uint32_t gen_builtin_variable(struct gen_spirv *spirv, enum gen_id id);
/* What the built-in holds: 64 bits, three of them, or 32 bits. */
const struct gen_type *gen_builtin_type(const struct gen_spirv *spirv, enum gen_id id);
void gen_put_string(struct gen_words *words, const char *text);
uint32_t gen_string_words(const char *text);
SpvStorageClass gen_storage(const struct gen_variable *variable);

/* spirv_block.c */
struct gen_node *gen_node_create(struct gen_spirv *spirv);
/* Puts the block at the end of the function and writes there from now on. */
void gen_node_begin(struct gen_spirv *spirv, struct gen_node *node);
void gen_node_seal(struct gen_spirv *spirv, struct gen_node *node);
void gen_branch(struct gen_spirv *spirv, struct gen_node *target);
void gen_branch_if(struct gen_spirv *spirv, uint32_t condition, struct gen_node *on,
                   struct gen_node *off);
void gen_edge(struct gen_node *from, struct gen_node *to);
void gen_ssa_write(struct gen_spirv *spirv, const struct gen_variable *variable, uint32_t value);
uint32_t gen_ssa_read(struct gen_spirv *spirv, const struct gen_variable *variable);
void gen_nodes_finish(struct gen_spirv *spirv, struct gen_words *out);

/* spirv_expr.c */
uint32_t gen_emit_expr(struct gen_spirv *spirv, const struct gen_expr *expr);

/* spirv_place.c */
/* `pointer`, to `type`, from one storage class to another; one of them is generic, or both are the
 * same. */
uint32_t gen_emit_cast(struct gen_spirv *spirv, const struct gen_type *type, uint32_t pointer,
                       SpvStorageClass from, SpvStorageClass to);
uint32_t gen_emit_address(struct gen_spirv *spirv, const struct gen_place *place);
/* Decorates the pointer to some variables of a program with volatiles. */
void gen_maybe_volatile(struct gen_spirv *spirv, const struct gen_variable *variable, uint32_t id);
/* The pointer to element 0 of a buffer. */
uint32_t gen_buffer_address(struct gen_spirv *spirv, const struct gen_variable *buffer);
/* The memory operands of an access to `type`, of which there are `*count`: which, goes by where it
 * is in programs with all forms. */
enum { GEN_MAX_ACCESS = 2 };
uint32_t gen_access_operands(const struct gen_spirv *spirv, const struct gen_type *type,
                             uint32_t operands[GEN_MAX_ACCESS]);
/* One of `count` ways of the next instruction. */
uint32_t gen_way(const struct gen_spirv *spirv, uint32_t count);
uint32_t gen_emit_load(struct gen_spirv *spirv, const struct gen_place *place);
uint32_t gen_emit_space(struct gen_spirv *spirv, const struct gen_expr *expr);
void gen_emit_store(struct gen_spirv *spirv, const struct gen_place *place, uint32_t value);

/* spirv_atomic.c */
void gen_emit_atomic(struct gen_spirv *spirv, const struct gen_stmt *stmt);

/* spirv_subgroup.c */
void gen_emit_subgroup(struct gen_spirv *spirv, const struct gen_stmt *stmt);
/* Capabilities and extensions of a program with operations of groups or sub-groups. */
void gen_emit_subgroup_head(const struct gen_program *program, struct gen_words *out);

/* spirv_flow.c */
void gen_node_begin_sealed(struct gen_spirv *spirv, struct gen_node *node);
void gen_emit_if(struct gen_spirv *spirv, const struct gen_stmt *stmt);
void gen_emit_loop(struct gen_spirv *spirv, const struct gen_stmt *stmt);
void gen_emit_switch(struct gen_spirv *spirv, const struct gen_stmt *stmt);
void gen_emit_jump(struct gen_spirv *spirv, const struct gen_stmt *stmt);

/* spirv_stmt.c */
void gen_emit_block(struct gen_spirv *spirv, const struct gen_block *block);
void gen_emit_function(struct gen_spirv *spirv, const struct gen_function *function);

#endif
