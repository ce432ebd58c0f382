/* Tells how instructions use vectors; see dense_use.h. */
#include "compiler/analysis/dense_use.h"

#include "compiler/ir/dot.h"

#include <spirv/unified1/OpenCL.std.h>

bool geo_dense_use_is_vload(const struct geo_ir_inst *inst)
{
    return geo_dense_use_is_opencl(inst, OpenCLstd_Vloadn) ||
           ((geo_dense_use_is_opencl(inst, OpenCLstd_Vload_halfn) ||
             geo_dense_use_is_opencl(inst, OpenCLstd_Vloada_halfn)) &&
            geo_ir_scalar_of(inst->value.type)->width == 32);
}

bool geo_dense_use_is_dot(const bool *marks, const struct geo_ir_inst *inst)
{
    return inst->op == SpvOpDot && inst->value.type->kind == GEO_TYPE_FLOAT &&
           inst->value.type->width >= 32 && geo_dense_use_is_marked(marks, inst->operands[0]) &&
           geo_dense_use_is_marked(marks, inst->operands[1]);
}

bool geo_dense_use_is_splat(const struct geo_ir_inst *inst)
{
    for (uint32_t i = 1; i < inst->literal_count; i++) {
        if (inst->literals[i] != inst->literals[0]) {
            return false;
        }
    }
    return inst->literal_count && inst->literals[0] != UINT32_MAX;
}

bool geo_dense_use_is_stored(const struct geo_use *use)
{
    return (use->user->op == SpvOpStore && use->operand == 1) ||
           (geo_dense_use_is_opencl(use->user, OpenCLstd_Vstoren) && use->operand == 0);
}

uint32_t geo_dense_use_pulls(const bool *marks, const struct geo_use *use)
{
    const struct geo_ir_inst *user = use->user;
    bool whole = geo_dense_use_is_marked(marks, &user->value) || user->op == SpvOpAny ||
                 user->op == SpvOpAll || user->op == SpvOpBitcast || geo_dense_use_is_stored(use) ||
                 geo_dense_use_is_dot(marks, user) ||
                 geo_dot_has_words(user->op, user->operands[0]->type, user->value.type->width);
    return whole ? 0
           : user->op == SpvOpCompositeExtract
               ? 1
               : (uint32_t)user->operands[use->operand]->type->count;
}
