/* Values of the model while lowering: operands in the form an instruction wants, and results.
 *
 * A value is an array of parts, one per scalar leaf (state/parts.h). A part is held by its shape:
 *
 *     uniform   scalar T
 *     strided   scalar T of lane 0 (the stride is in the shape); a vector is made where one is
 *               needed
 *     varying   <W x T>
 *
 * What the frame promises to an instruction:
 *  - A block that touches memory, calls, may trap or has an effect is entered only when some lane
 *    is on: uniform loads, stores and divisions need no test of the mask. Other blocks may run with
 *    no lane on.
 *  - Lane 0 may be off wherever there is a mask, and values of dead lanes are anything, poison
 *    included: a dead lane must not trap, and scalars of strided values carry no nsw, nuw or exact
 *    (lane 0's poison would reach all lanes).
 *
 * bool is i1 in registers, i8 in memory. half is held as its bits (i16) everywhere: LLVM's own half
 * type becomes library calls where the machine has no F16C; arith/half.c makes floats of it where a
 * value is computed. Pointers are LLVM's opaque ptr. At W = 1 everything is uniform and there are
 * no masks. */
#ifndef GEO_COMPILER_LOWER_VALUE_VALUE_H
#define GEO_COMPILER_LOWER_VALUE_VALUE_H

#include "compiler/lower/state/function.h"

struct geo_lower_part {
    LLVMValueRef scalar; /* uniform, or lane 0 of strided; NULL when varying */
    LLVMValueRef vector; /* varying; NULL otherwise */
};

struct geo_lower_value {
    struct geo_lower_part *parts;
    uint32_t count;
};

/* Where a value of the function is held. */
static inline struct geo_lower_value *geo_lower_held(const struct geo_lower_function *f,
                                                     const struct geo_ir_value *value)
{
    return &(f->apart && f->apart[value->index] ? f->own : f->values)[value->index];
}

/* ---- operands ---- */

struct geo_shape geo_lower_shape(struct geo_lower_function *f, const struct geo_ir_value *value);
/* scalar: the part must be uniform or strided (lane 0's value is given). vector: always possible,
 * made at the builder's position. operand: scalar when `as_scalar`, else vector, so that an
 * operation is emitted once for both. */
LLVMValueRef geo_lower_scalar(struct geo_lower_function *f, struct geo_ir_value *value,
                              uint32_t part);
LLVMValueRef geo_lower_vector(struct geo_lower_function *f, struct geo_ir_value *value,
                              uint32_t part);
LLVMValueRef geo_lower_operand(struct geo_lower_function *f, struct geo_ir_value *value,
                               uint32_t part, bool as_scalar);
/* Operations that commute with "+ lane * stride" only where nothing wraps (extensions, right
 * shifts) are computed on a live lane: geo_lower_anchor gives operand `value` in the anchor lane,
 * the caller applies the operation, geo_lower_unanchor turns the result back into lane 0's by the
 * stride of `inst`. Costs nothing where lane 0 is known to be on or nothing can wrap (inst's shape
 * says so). */
LLVMValueRef geo_lower_anchor(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                              struct geo_ir_value *value, LLVMValueRef *lane);
LLVMValueRef geo_lower_unanchor(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                LLVMValueRef result, LLVMValueRef lane);

/* ---- results ---- */

/* Whether a value is held as scalars (uniform, strided, W = 1). */
bool geo_lower_as_scalar(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Makes room for a value's parts; false after geo_lower_error. */
bool geo_lower_reserve(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Sets a part of an instruction's result, or of any value, in the form that its shape asks for. */
void geo_lower_set(struct geo_lower_function *f, const struct geo_ir_inst *inst, uint32_t part,
                   LLVMValueRef value);
void geo_lower_set_value(struct geo_lower_function *f, const struct geo_ir_value *value,
                         uint32_t part, LLVMValueRef result);
/* Sets a part from a scalar or a vector, whichever the result's shape wants. */
void geo_lower_set_wide(struct geo_lower_function *f, const struct geo_ir_inst *inst, uint32_t part,
                        LLVMValueRef value);

#endif
