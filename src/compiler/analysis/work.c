/* Weighs instructions by opcode. See work.h. */
#include "compiler/analysis/work.h"

#include "compiler/analysis/barriers.h"
#include "compiler/ir/grammar.h"

#include <spirv/unified1/OpenCL.std.h>

/* ---- operations ---- */

/* Returns how many elements a work-item has of a number, vector or distributed matrix. */
static uint64_t elements_of(const struct geo_ir_type *type)
{
    return geo_ir_is_matrix(type)
               ? (uint64_t)type->matrix.rows * type->matrix.columns / type->matrix.items
               : geo_ir_components(type);
}

/* Adds operations on elements of a type. */
static void operations_add(const struct geo_ir_type *type, uint64_t each, uint64_t *work)
{
    const struct geo_ir_type *scalar =
        geo_ir_is_matrix(type) ? type->element : geo_ir_scalar_of(type);
    const uint64_t count = each * elements_of(type);
    if (scalar->kind == GEO_TYPE_FLOAT) {
        work[scalar->width == 64   ? GEO_COUNTED_DOUBLE
             : scalar->width == 32 ? GEO_COUNTED_FLOAT
                                   : GEO_COUNTED_HALF] += count;
    } else if (geo_ir_is_bfloat(scalar)) {
        work[GEO_COUNTED_HALF] += count;
    } else if (scalar->kind == GEO_TYPE_INT) {
        work[GEO_COUNTED_INTEGER] += count;
    }
}

/* Returns the number of operations of an extended instruction for each element. */
static uint64_t extended_operations(const struct geo_ir_inst *inst)
{
    switch (inst->literals[1]) {
    case OpenCLstd_Fma:
    case OpenCLstd_Mad:
    case OpenCLstd_SMad24:
    case OpenCLstd_UMad24:
    case OpenCLstd_SMad_hi:
    case OpenCLstd_UMad_hi:
    case OpenCLstd_SMad_sat:
    case OpenCLstd_UMad_sat:
        return 2;
    case OpenCLstd_Mix:
        return 3; /* x + (y - x) * a */
    case OpenCLstd_Sqrt:
    case OpenCLstd_Degrees:
    case OpenCLstd_Radians:
    case OpenCLstd_Fdim:
    case OpenCLstd_SAdd_sat:
    case OpenCLstd_UAdd_sat:
    case OpenCLstd_SSub_sat:
    case OpenCLstd_USub_sat:
    case OpenCLstd_SMul24:
    case OpenCLstd_UMul24:
    case OpenCLstd_SMul_hi:
    case OpenCLstd_UMul_hi:
    case OpenCLstd_Rotate:
        return 1;
    default:
        return 0;
    }
}

static void operation_add(const struct geo_ir_inst *inst, uint64_t *work)
{
    const struct geo_ir_type *type = inst->value.type;
    switch ((uint32_t)inst->op) {
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpFDiv:
    case SpvOpFRem:
    case SpvOpFMod:
    case SpvOpVectorTimesScalar:
    case GEO_OP_GUESS_INVERSE:
    case GEO_OP_GUESS_INVERSE_ROOT:
    case GEO_OP_SCALE:
    case SpvOpSNegate:
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpUMod:
    case SpvOpSRem:
    case SpvOpSMod:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
    case SpvOpShiftLeftLogical:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
    case SpvOpBitwiseAnd:
    case SpvOpNot:
        operations_add(type, 1, work);
        break;
    case SpvOpDot:
        operations_add(type, 2 * geo_ir_components(inst->operands[0]->type) - 1, work);
        break;
    case SpvOpExtInst:
        operations_add(type, extended_operations(inst), work);
        break;
    case GEO_SPV_COOPERATIVE_MATRIX_MUL_ADD_KHR: /* A has as many columns as products are added */
        operations_add(type, 2 * (uint64_t)inst->operands[0]->type->matrix.columns, work);
        break;
    default:
        break;
    }
}

/* ---- memory ---- */

/* Returns the class of an access at pointer + index * bytes. `index` may be NULL. */
static enum geo_counted access_class(const struct geo_shapes *shapes,
                                     const struct geo_ir_value *pointer,
                                     const struct geo_ir_value *index, uint64_t bytes)
{
    const struct geo_shape at = geo_shape_of(shapes, pointer);
    const struct geo_shape by =
        index ? geo_shape_of(shapes, index) : (struct geo_shape){.kind = GEO_SHAPE_UNIFORM};
    if (at.kind == GEO_SHAPE_VARYING || by.kind == GEO_SHAPE_VARYING) {
        return GEO_COUNTED_SCATTERED;
    }
    const int64_t step = (at.kind == GEO_SHAPE_STRIDED ? at.stride : 0) +
                         (by.kind == GEO_SHAPE_STRIDED ? by.stride * (int64_t)bytes : 0);
    return step == 0                ? GEO_COUNTED_UNIFORM
           : step == (int64_t)bytes ? GEO_COUNTED_CONSECUTIVE
                                    : GEO_COUNTED_STRIDED;
}

static void access_add(const struct geo_shapes *shapes, const struct geo_ir_value *pointer,
                       const struct geo_ir_value *index, uint64_t bytes, bool write, uint64_t *work)
{
    switch (pointer->type->storage) {
    case SpvStorageClassWorkgroup:
        work[GEO_COUNTED_LOCAL] += bytes;
        break;
    case SpvStorageClassFunction:
    case SpvStorageClassPrivate:
        work[GEO_COUNTED_PRIVATE] += bytes;
        break;
    default:
        work[write ? GEO_COUNTED_WRITE : GEO_COUNTED_READ] += bytes;
        work[access_class(shapes, pointer, index, bytes)] += bytes;
        break;
    }
}

/* Adds an access of vload or vstore: of `count` elements of what `pointer` points to. */
static void row_add(const struct geo_shapes *shapes, const struct geo_ir_value *pointer,
                    const struct geo_ir_value *index, uint64_t count, bool write, uint64_t *work)
{
    const struct geo_ir_type *element = pointer->type->element;
    access_add(shapes, pointer, index, count * (element ? element->size : 0), write, work);
}

static void extended_access_add(const struct geo_ir_inst *inst, const struct geo_shapes *shapes,
                                uint64_t *work)
{
    switch (inst->literals[1]) {
    case OpenCLstd_Vloadn:
    case OpenCLstd_Vload_half:
    case OpenCLstd_Vload_halfn:
    case OpenCLstd_Vloada_halfn:
        row_add(shapes, inst->operands[1], inst->operands[0], geo_ir_components(inst->value.type),
                false, work);
        break;
    case OpenCLstd_Vstoren:
    case OpenCLstd_Vstore_half:
    case OpenCLstd_Vstore_half_r:
    case OpenCLstd_Vstore_halfn:
    case OpenCLstd_Vstore_halfn_r:
    case OpenCLstd_Vstorea_halfn:
    case OpenCLstd_Vstorea_halfn_r:
        row_add(shapes, inst->operands[2], inst->operands[1],
                geo_ir_components(inst->operands[0]->type), true, work);
        break;
    default:
        break;
    }
}

static void memory_add(const struct geo_ir_inst *inst, const struct geo_shapes *shapes,
                       uint64_t *work)
{
    switch ((uint32_t)inst->op) {
    case SpvOpLoad:
        access_add(shapes, inst->operands[0], NULL, inst->value.type->size, false, work);
        break;
    case SpvOpStore:
        access_add(shapes, inst->operands[0], NULL, inst->operands[1]->type->size, true, work);
        break;
    case SpvOpCopyMemory:
        row_add(shapes, inst->operands[0], NULL, 1, true, work);
        row_add(shapes, inst->operands[1], NULL, 1, false, work);
        break;
    case SpvOpCopyMemorySized: {
        const struct geo_ir_constant *size = geo_ir_as_constant(inst->operands[2]);
        access_add(shapes, inst->operands[0], NULL, size ? size->bits : 0, true, work);
        access_add(shapes, inst->operands[1], NULL, size ? size->bits : 0, false, work);
        break;
    }
    case SpvOpExtInst:
        extended_access_add(inst, shapes, work);
        break;
    case SpvOpSubgroupBlockReadINTEL:
        access_add(shapes, inst->operands[0], NULL, inst->value.type->size, false, work);
        break;
    case SpvOpSubgroupBlockWriteINTEL:
        access_add(shapes, inst->operands[0], NULL, inst->operands[1]->type->size, true, work);
        break;
    default:
        work[GEO_COUNTED_ATOMICS] += geo_op_is(inst->op, GEO_IS_ATOMIC);
        break;
    }
}

/* ---- blocks ---- */

void geo_work_of_block(const struct geo_ir_block *block, const struct geo_shapes *shapes,
                       uint64_t work[GEO_COUNTED_COUNT])
{
    for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
        if (inst->op == SpvOpPhi || inst->op == SpvOpBranch) {
            continue;
        }
        work[GEO_COUNTED_INSTRUCTIONS]++;
        work[GEO_COUNTED_BARRIERS] +=
            inst->op == SpvOpControlBarrier && geo_barrier_is_group_wide(inst);
        operation_add(inst, work);
        memory_add(inst, shapes, work);
    }
}
