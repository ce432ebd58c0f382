/* The parts that all passes share: the state of a pass (pass.c), functions that create
 * instructions (build.c), and functions that edit the control flow graph (graph.c).
 *
 * A pass works in a struct geo_pass. Its scratch arena is freed with the pass, and `result` keeps
 * the first failure. Functions that create objects return NULL (or false) after recording
 * OUT_OF_HOST_MEMORY; callers propagate the failure. */
#ifndef GEO_COMPILER_TRANSFORM_PASS_PASS_H
#define GEO_COMPILER_TRANSFORM_PASS_PASS_H

#include "base/array.h"
#include "compiler/analysis/loops.h"
#include "compiler/analysis/uses.h"
#include "compiler/ir/grammar.h"
#include "compiler/transform/transform.h"

/* Bounds on the size of the passes' results, since modules may be hostile. */
#define GEO_LIMIT_FUNCTION_INSTRUCTIONS (1u << 19) /* of one function, after inlining */
#define GEO_LIMIT_MODULE_INSTRUCTIONS   (1u << 22) /* of all functions, after inlining */
#define GEO_LIMIT_LOOP_DEPTH            256u
/* of a struct or array that is held as a value; larger ones are in memory */
#define GEO_LIMIT_VALUE_LEAVES 256u

/* A pass that runs on one module, from geo_pass_begin to geo_pass_end. */
struct geo_pass {
    struct geo_ir_module *module;
    struct geo_strbuf *log;
    ze_result_t result;
    struct geo_arena arena;
    const struct geo_ir_type *type_void, *type_bool, *type_i8, *type_i32, *type_i64;
    bool optimize;
};

/* Begins a pass. Returns false when memory runs out; geo_pass_end must be called all the same. */
bool geo_pass_begin(struct geo_pass *pass, struct geo_ir_module *module, struct geo_strbuf *log);
/* Visits every instruction of a module, function by function, and then calls `rest` (may be NULL)
 * with the function. Forwarded values are resolved afterwards. Both callbacks return false if the
 * pass has failed. */
ze_result_t geo_pass_each(struct geo_ir_module *module, struct geo_strbuf *log,
                          bool (*visit)(struct geo_pass *pass, struct geo_ir_inst *inst),
                          bool (*rest)(struct geo_pass *pass, struct geo_ir_function *function));
/* Frees the scratch memory and returns the result. */
ze_result_t geo_pass_end(struct geo_pass *pass);
bool geo_pass_no_memory(struct geo_pass *pass); /* records the failure; returns false */
/* Records MODULE_BUILD_FAILURE and logs a line. Returns false. */
bool geo_pass_fail(struct geo_pass *pass, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes a function's name for messages into the buffer and returns it: `kernel "name"`, `function
 * "name"` or `function %id`. */
const char *geo_pass_function_label(const struct geo_ir_function *function, char *buffer,
                                    size_t size);

/* ---- values as in ir.h; failures are recorded ---- */

/* Return a scalar constant, and the undef of a type. */
struct geo_ir_value *geo_pass_int(struct geo_pass *pass, const struct geo_ir_type *type,
                                  uint64_t bits);
struct geo_ir_value *geo_pass_undef(struct geo_pass *pass, const struct geo_ir_type *type);

/* Returns the comparison that is true exactly where another one is false; SpvOpNop: `op` is none. */
SpvOp geo_pass_compare_inverse(SpvOp op);

/* ---- create instructions before `before`, with its source line ---- */

/* Creates an instruction with empty arrays for the caller to fill. `before` NULL: the caller
 * inserts it. `type` NULL counts as a lack of memory. */
struct geo_ir_inst *geo_make(struct geo_pass *pass, struct geo_ir_inst *before, SpvOp op,
                             const struct geo_ir_type *type, uint32_t operands, uint32_t literals,
                             uint32_t targets);
/* Copies an instruction outside of any block. The caller sets its operands and targets. */
struct geo_ir_inst *geo_make_copy(struct geo_pass *pass, const struct geo_ir_inst *from);
/* Create instructions with one operand, with two, and OpSelect. The result is NULL if an operand
 * is: callers may nest calls. */
struct geo_ir_value *geo_make_unary(struct geo_pass *pass, struct geo_ir_inst *before, SpvOp op,
                                    const struct geo_ir_type *type, struct geo_ir_value *a);
struct geo_ir_value *geo_make_binary(struct geo_pass *pass, struct geo_ir_inst *before, SpvOp op,
                                     const struct geo_ir_type *type, struct geo_ir_value *a,
                                     struct geo_ir_value *b);
struct geo_ir_value *geo_make_select(struct geo_pass *pass, struct geo_ir_inst *before,
                                     struct geo_ir_value *condition, struct geo_ir_value *a,
                                     struct geo_ir_value *b);
/* Creates an OpCompositeExtract. An empty path gives the composite itself. */
struct geo_ir_value *geo_make_extract(struct geo_pass *pass, struct geo_ir_inst *before,
                                      const struct geo_ir_type *type,
                                      struct geo_ir_value *composite, const uint32_t *path,
                                      uint32_t count);
/* Creates a pointer to `type` at pointer + offset bytes. */
struct geo_ir_value *geo_make_offset(struct geo_pass *pass, struct geo_ir_inst *before,
                                     struct geo_ir_value *pointer, uint64_t offset,
                                     const struct geo_ir_type *type);
/* Appends a branch to a block without a terminator, with the source line of `origin`. */
struct geo_ir_inst *geo_make_branch(struct geo_pass *pass, struct geo_ir_block *block,
                                    struct geo_ir_block *target, const struct geo_ir_inst *origin);
/* Creates a phi at the start of a block, with room for `count` pairs and none yet. */
struct geo_ir_inst *geo_make_phi(struct geo_pass *pass, struct geo_ir_block *block,
                                 const struct geo_ir_type *type, uint32_t count);
/* Adds a pair to a phi that has room for it. */
void geo_phi_add(struct geo_ir_inst *phi, struct geo_ir_value *value, struct geo_ir_block *from);

/* Reinterprets the bits of a scalar as another type of the same size (bool: as the byte in memory).
 * Returns NULL if the types have no such conversion (opaque types), or memory runs out. */
struct geo_ir_value *geo_make_reinterpret(struct geo_pass *pass, struct geo_ir_inst *before,
                                          struct geo_ir_value *value,
                                          const struct geo_ir_type *type);
/* Returns whether geo_make_reinterpret can convert between two types. */
bool geo_make_can_reinterpret(const struct geo_ir_type *from, const struct geo_ir_type *to);

/* ---- editing the graph ---- */

/* Returns the index of a block among a phi's predecessors; phi->operand_count if it is not among
 * them. */
uint32_t geo_phi_find(const struct geo_ir_inst *phi, const struct geo_ir_block *from);
/* Removes phi operands for edges that no longer exist. Renumbers the function. */
bool geo_phis_trim(struct geo_pass *pass, struct geo_ir_function *function);
/* Updates the phis of `block` after ends of blocks have moved. `ends`: by block index as numbered
 * before, the block with the end; NULL: unchanged. The phis may name only blocks of that
 * numbering. */
void geo_phis_follow(struct geo_ir_block *block, struct geo_ir_block *const *ends);
/* Replaces predecessor `was` by `now` in the phis of `to`. */
void geo_edge_moved(struct geo_ir_block *to, struct geo_ir_block *was, struct geo_ir_block *now);
/* Moves `first` and everything behind it to the end of another block. Phis of successors are not
 * updated. */
void geo_block_move_insts(struct geo_ir_inst *first, struct geo_ir_block *to);
/* Removes unreachable blocks, and renumbers the function. */
bool geo_remove_unreachable(struct geo_pass *pass, struct geo_ir_function *function);
/* Removes unused instructions without effects, including cycles of phis. Renumbers the function. */
bool geo_remove_dead(struct geo_pass *pass, struct geo_ir_function *function);
/* Returns the number of instructions of a function. */
uint32_t geo_pass_instruction_count(const struct geo_ir_function *function);

#endif
