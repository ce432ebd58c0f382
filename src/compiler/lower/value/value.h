/* Values of the model during lowering: reading operands in the required form, and setting results.
 *
 * A value is an array of parts, one per scalar leaf (state/parts.h). The shape says how a part is
 * held:
 *
 *     uniform    scalar T
 *     strided    scalar T of lane 0 (the shape has the stride); a vector is made on demand
 *     varying    <W x T>
 *
 * A varying vector of small elements may be held as one dense vector instead (analysis/dense.h,
 * emit/dense.h). Each form is made from the other where it is read.
 *
 * Instructions may rely on the following:
 * - A block that accesses memory, calls, may trap or has an effect is entered only if a lane is
 *   active. So uniform loads, stores and divisions need not test the mask. Other blocks may run
 *   without an active lane.
 * - With a mask, lane 0 may be inactive. Values of inactive lanes are arbitrary and may be poison.
 *   An inactive lane must not trap. Scalars of strided values carry no nsw, nuw or exact flag,
 *   because poison in lane 0 would spread to all lanes.
 *
 * A bool is i1 in registers and i8 in memory. A half is always held as its bits (i16), because
 * LLVM's half type becomes library calls on machines without F16C. arith/half.c converts to float
 * where a half is computed. Pointers are LLVM's opaque ptr. At W = 1 every value is uniform and no
 * masks exist. */
#ifndef GEO_COMPILER_LOWER_VALUE_VALUE_H
#define GEO_COMPILER_LOWER_VALUE_VALUE_H

#include "base/assert.h"
#include "compiler/lower/state/function.h"

/* One scalar part of a value. */
struct geo_lower_part {
    LLVMValueRef scalar; /* uniform value, or lane 0 of a strided one; NULL if varying */
    LLVMValueRef vector; /* varying value; otherwise NULL */
};

/* A value: its parts, in the arena of the function. */
struct geo_lower_value {
    struct geo_lower_part *parts;
    uint32_t count;
    LLVMValueRef dense; /* the whole value as one vector (emit/dense.h); NULL: it is in its parts */
};

/* Returns where a value of the current function, and of the current member of a tile, is held. */
static inline struct geo_lower_value *geo_value_held(const struct geo_lower_function *f,
                                                     const struct geo_ir_value *value)
{
    GEO_ASSERT(value->kind == GEO_VALUE_INST || value->kind == GEO_VALUE_PARAMETER);
    GEO_ASSERT(value->index < f->function->value_count && (!f->member.apart || f->member.values));
    return &(f->member.apart && f->member.apart[value->index] ? f->member.values
                                                              : f->values)[value->index];
}

/* ---- operands ---- */

/* Returns the shape of a value in the current function. */
struct geo_shape geo_value_shape(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Return one part of a value:
 * - geo_value_scalar requires a uniform or strided value and returns that of lane 0.
 * - geo_value_vector works for all values and builds a vector at the builder's position.
 * - geo_value_operand returns a scalar if `as_scalar`, otherwise a vector. */
LLVMValueRef geo_value_scalar(struct geo_lower_function *f, struct geo_ir_value *value,
                              uint32_t part);
LLVMValueRef geo_value_vector(struct geo_lower_function *f, struct geo_ir_value *value,
                              uint32_t part);
LLVMValueRef geo_value_operand(struct geo_lower_function *f, struct geo_ir_value *value,
                               uint32_t part, bool as_scalar);
/* Returns a vector value as a dense vector, whatever its form. */
LLVMValueRef geo_value_dense(struct geo_lower_function *f, struct geo_ir_value *value);
/* Some operations on strided scalars (extensions, right shifts) are right only if lane 0 does not
 * wrap. They are computed in an active lane, the anchor:
 * - geo_value_anchor returns operand `value` in that lane and stores the lane's number in *lane.
 * - The caller applies the operation.
 * - geo_value_unanchor converts the result to lane 0 by the stride of `inst`.
 * No code is emitted if lane 0 is active or the shape of `inst` excludes wrapping. */
LLVMValueRef geo_value_anchor(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                              struct geo_ir_value *value, LLVMValueRef *lane);
LLVMValueRef geo_value_unanchor(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                LLVMValueRef result, LLVMValueRef lane);

/* ---- results ---- */

/* Returns whether a value is equal in all lanes, as all are at W = 1. */
bool geo_value_is_uniform(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Returns whether a value is held as scalars: uniform or strided. */
bool geo_value_as_scalar(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Returns whether a value is held as a dense vector. */
bool geo_value_is_dense(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Allocates the array of a value's parts in f->arena, unless the value has it; emits no code.
 * Returns false, with the error reported, if memory runs out or the value has too many scalars. */
bool geo_value_reserve(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Set one part of an instruction's result, or of any value, in the form that its shape requires. */
void geo_value_set(struct geo_lower_function *f, const struct geo_ir_inst *inst, uint32_t part,
                   LLVMValueRef value);
void geo_value_set_value(struct geo_lower_function *f, const struct geo_ir_value *value,
                         uint32_t part, LLVMValueRef result);
/* Sets a value that is held densely. */
void geo_value_set_dense(struct geo_lower_function *f, const struct geo_ir_value *value,
                         LLVMValueRef result);
/* Sets a part from a scalar or a vector, and converts it to the form that the shape requires. */
void geo_value_set_wide(struct geo_lower_function *f, const struct geo_ir_inst *inst, uint32_t part,
                        LLVMValueRef value);

#endif
