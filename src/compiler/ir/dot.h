/* Which integer dot products of vectors can be computed word by word. */
#ifndef GEO_COMPILER_IR_DOT_H
#define GEO_COMPILER_IR_DOT_H

#include "compiler/ir/ir.h"

/* Returns whether OpSDot, OpUDot or OpSUDot of vectors of `type` is a sum over their words of 32
 * bits: of four bytes each, or of two 16-bit numbers with signs. `bits` is the width of the result.
 * Targets have instructions for such words. */
static inline bool geo_dot_has_words(SpvOp op, const struct geo_ir_type *type, uint32_t bits)
{
    bool plain = op == SpvOpSDot || op == SpvOpUDot || op == SpvOpSUDot;
    if (!plain || bits != 32 || type->kind != GEO_TYPE_VECTOR ||
        type->element->kind != GEO_TYPE_INT) {
        return false;
    }
    return type->element->width == 8
               ? type->count % 4 == 0
               : type->element->width == 16 && op == SpvOpSDot && type->count % 2 == 0;
}

#endif
