/* A reference interpreter of the module model: what a kernel means, one work-item at a time.
 *
 * Transforms are checked by running a function before and after on the same inputs; lowering can be
 * checked against it too. Plain and slow on purpose. Work-items of a group run in turn up to the
 * next barrier; sub-group operations are not interpreted.
 *
 * A value is its scalar leaves in memory order, each zero-extended in a uint64_t. Memory is regions
 * of bytes: an address is (region number << 32) + offset, and every access is checked. Fresh memory
 * and undefined values read as 0xAA bytes. What SPIR-V leaves undefined has a value here: division
 * by zero gives 0, shift counts are taken modulo the width, conversions to integer saturate. */
#ifndef GEO_TESTS_INTERPRET_H
#define GEO_TESTS_INTERPRET_H

#include "compiler/ir/ir.h"

struct interp;

/* Numbers all functions of the module. The module must outlive the interpreter and stay unchanged.
 */
struct interp *interp_create(struct geo_ir_module *module);
void interp_destroy(struct interp *interp);

/* Makes host memory visible to the program; returns its address. */
uint64_t interp_map(struct interp *interp, void *bytes, size_t size);
/* Size of the region behind a Workgroup pointer argument; returns its address. */
uint64_t interp_alloc(struct interp *interp, size_t size);

/* Value of a component of a built-in for interp_call; interp_launch sets the usual ones itself. */
void interp_set_builtin(struct interp *interp, SpvBuiltIn builtin, uint32_t component,
                        uint64_t value);

/* Runs one work-item through a function. `arguments` holds the leaves of all parameters in order;
 * `result` (may be NULL) receives the leaves of the result. False: interp_error says why. */
bool interp_call(struct interp *interp, struct geo_ir_function *function, const uint64_t *arguments,
                 uint64_t *result);

/* Runs a kernel over a whole grid, group after group. */
bool interp_launch(struct interp *interp, struct geo_ir_function *kernel, const uint64_t *arguments,
                   const uint32_t groups[3], const uint32_t local[3]);

/* Text of the first failure; "" when there was none. */
const char *interp_error(const struct interp *interp);
/* Instructions executed so far, and barriers passed by work-items. */
uint64_t interp_steps(const struct interp *interp);
uint64_t interp_barriers(const struct interp *interp);
/* Bound for both calls (default 10 million instructions); beyond it they fail with "step limit". */
void interp_set_step_limit(struct interp *interp, uint64_t steps);

/* A kernel by its entry name, or an exported function by its linkage name; NULL when absent. */
struct geo_ir_function *interp_find(struct geo_ir_module *module, const char *name);

/* Leaves of a type in memory order; 0 for types without (void, opaque). */
uint32_t interp_leaf_count(const struct geo_ir_type *type);

/* ---- inside: one scalar operation (interpret_scalar.c) ---- */

/* `type` is the result's scalar type, `source` the scalar type of the first operand. False: not a
 * scalar operation known here. */
bool interp_scalar(SpvOp op, const struct geo_ir_type *type, const struct geo_ir_type *source,
                   uint32_t flags, const uint64_t operands[3], uint64_t *result);
bool interp_ext(uint32_t number, const struct geo_ir_type *type, const uint64_t operands[3],
                uint64_t *result);
double interp_to_double(const struct geo_ir_type *type, uint64_t bits);
uint64_t interp_from_double(const struct geo_ir_type *type, double value);

#endif
