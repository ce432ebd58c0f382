/* What the passes of transform/ share: a pass in progress, making instructions, editing the graph.
 *
 * A pass works in struct geo_pass: its scratch arena dies with the pass, and the first failure is
 * kept in `result`. Helpers that make something return NULL (or false) after recording
 * OUT_OF_HOST_MEMORY; callers just pass the failure on. */
#ifndef GEO_COMPILER_TRANSFORM_INTERNAL_H
#define GEO_COMPILER_TRANSFORM_INTERNAL_H

#include "base/array.h"
#include "compiler/analysis/loops.h"
#include "compiler/analysis/uses.h"
#include "compiler/ir/grammar.h"
#include "compiler/transform/transform.h"

/* Bounds on what hostile modules can make the passes do. */
#define GEO_LIMIT_FUNCTION_INSTRUCTIONS (1u << 19) /* of one function, after inlining */
#define GEO_LIMIT_MODULE_INSTRUCTIONS   (1u << 22) /* of all functions together, after inlining */
#define GEO_LIMIT_LOOP_DEPTH            256u
#define GEO_LIMIT_VALUE_LEAVES          256u /* of a struct or array; larger ones are memory */

struct geo_pass {
    struct geo_ir_module *module;
    struct geo_strbuf *log;
    ze_result_t result;
    struct geo_arena arena;
    const struct geo_ir_type *type_void, *type_bool, *type_i8, *type_i32, *type_i64;
    bool optimize;
};

bool geo_pass_begin(struct geo_pass *pass, struct geo_ir_module *module, struct geo_strbuf *log);
/* Visits every instruction of a module, function by function, then does `rest` (NULL: nothing) with
 * the function; what was forwarded is resolved behind. Both return false when the pass has failed. */
ze_result_t geo_pass_each(struct geo_ir_module *module, struct geo_strbuf *log,
                          bool (*visit)(struct geo_pass *pass, struct geo_ir_inst *inst),
                          bool (*rest)(struct geo_pass *pass, struct geo_ir_function *function));
/* Frees the scratch memory; returns the result. */
ze_result_t geo_pass_end(struct geo_pass *pass);
bool geo_pass_no_memory(struct geo_pass *pass); /* records it; always false */
/* Records MODULE_BUILD_FAILURE with a line in the log; always false. */
bool geo_pass_fail(struct geo_pass *pass, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "kernel "name"", "function "name"" or "function %id", for messages. Valid until the next call
 * with the same buffer. */
const char *geo_function_label(const struct geo_ir_function *function, char *buffer, size_t size);

/* ---- values: ir.h's, with the failure recorded ---- */

struct geo_ir_value *geo_pass_int(struct geo_pass *pass, const struct geo_ir_type *type,
                                  uint64_t bits);
struct geo_ir_value *geo_pass_undef(struct geo_pass *pass, const struct geo_ir_type *type);

/* ---- making instructions, put before `before` and with its line ---- */

struct geo_ir_inst *geo_make(struct geo_pass *pass, struct geo_ir_inst *before, SpvOp op,
                             const struct geo_ir_type *type, uint32_t operands, uint32_t literals,
                             uint32_t targets);
struct geo_ir_value *geo_make_unary(struct geo_pass *pass, struct geo_ir_inst *before, SpvOp op,
                                    const struct geo_ir_type *type, struct geo_ir_value *a);
struct geo_ir_value *geo_make_binary(struct geo_pass *pass, struct geo_ir_inst *before, SpvOp op,
                                     const struct geo_ir_type *type, struct geo_ir_value *a,
                                     struct geo_ir_value *b);
struct geo_ir_value *geo_make_select(struct geo_pass *pass, struct geo_ir_inst *before,
                                     struct geo_ir_value *condition, struct geo_ir_value *a,
                                     struct geo_ir_value *b);
struct geo_ir_value *geo_make_extract(struct geo_pass *pass, struct geo_ir_inst *before,
                                      const struct geo_ir_type *type,
                                      struct geo_ir_value *composite, const uint32_t *path,
                                      uint32_t count);
/* pointer + offset, in bytes, as a pointer to `type`. */
struct geo_ir_value *geo_make_offset(struct geo_pass *pass, struct geo_ir_inst *before,
                                     struct geo_ir_value *pointer, uint64_t offset,
                                     const struct geo_ir_type *type);
/* A branch at the end of a block that has no terminator (or whose terminator was removed). */
struct geo_ir_inst *geo_make_branch(struct geo_pass *pass, struct geo_ir_block *block,
                                    struct geo_ir_block *target);
/* A phi at the head of a block with room for `count` pairs and none yet. */
struct geo_ir_inst *geo_make_phi(struct geo_pass *pass, struct geo_ir_block *block,
                                 const struct geo_ir_type *type, uint32_t count);
void geo_phi_add(struct geo_ir_inst *phi, struct geo_ir_value *value, struct geo_ir_block *from);

/* A scalar's bits as another type of the same size (bool: as a byte in memory); NULL when there is
 * no such conversion (opaque types) or memory ran out. */
struct geo_ir_value *geo_make_reinterpret(struct geo_pass *pass, struct geo_ir_inst *before,
                                          struct geo_ir_value *value,
                                          const struct geo_ir_type *type);
bool geo_can_reinterpret(const struct geo_ir_type *from, const struct geo_ir_type *to);

/* ---- editing the graph ---- */

/* Index of a block among a phi's sources; phi->operand_count when it is none. */
uint32_t geo_phi_find(const struct geo_ir_inst *phi, const struct geo_ir_block *from);
/* Edges are gone: phis forget blocks that lead there no more. Numbers the function. */
bool geo_phis_trim(struct geo_pass *pass, struct geo_ir_function *function);
/* The ends of blocks are in others now, [index of the block as it was numbered]; NULL: still in it.
 * The phis of `block` name those; they named no block that has been made since. */
void geo_phis_follow(struct geo_ir_block *block, struct geo_ir_block *const *ends);
/* Phis of `to` now get from `now` what they got from `was`. */
void geo_edge_moved(struct geo_ir_block *to, struct geo_ir_block *was, struct geo_ir_block *now);
/* Moves `first` and all that follows it to the end of another block; successors' phis are left. */
void geo_block_move_insts(struct geo_ir_inst *first, struct geo_ir_block *to);
/* Removes blocks that cannot be reached. */
bool geo_remove_unreachable(struct geo_pass *pass, struct geo_ir_function *function);
/* Removes unused instructions without effect, phis that only feed themselves among them. */
bool geo_remove_dead(struct geo_pass *pass, struct geo_ir_function *function);
/* Instructions of a function. */
uint32_t geo_instruction_count(const struct geo_ir_function *function);

/* ---- passes that are not public ---- */

/* Predicated loads and stores, gathers and scatters become branches around plain accesses. */
bool geo_expand_predicated(struct geo_pass *pass, struct geo_ir_function *function);
bool geo_simplify_function(struct geo_pass *pass, struct geo_ir_function *function);
/* Blocks, branches and phis: dead branches, merged and empty blocks. *changed is set when
 * something was done. */
bool geo_simplify_cfg(struct geo_pass *pass, struct geo_ir_function *function, bool *changed);
/* What an instruction amounts to: an existing or constant value; NULL when it stays. It may have
 * been changed in place (*changed). */
struct geo_ir_value *geo_fold(struct geo_pass *pass, struct geo_ir_inst *inst, bool *changed);
/* The same for composite construction and taking apart. */
struct geo_ir_value *geo_fold_composite(struct geo_pass *pass, struct geo_ir_inst *inst,
                                        bool *changed);
/* Arguments that the caller must copy (ByVal) become explicit copies. */
bool geo_expand_by_value(struct geo_pass *pass, struct geo_ir_function *function);

#endif
